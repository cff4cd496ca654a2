package dependencies

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	jsImport  = regexp.MustCompile(`(?:\bimport|\bexport)\s+(?:type\s+)?(?:[\w*$\s{},]+?\s+from\s+)?["']([^"'\n]+)["']|\bimport\s*\(\s*["']([^"'\n]+)["']`)
	jsRequire = regexp.MustCompile(`\brequire(?:\.resolve)?\s*\(\s*["']([^"'\n]+)["']`)
	jsOpen    = regexp.MustCompile(`\b(?:readFile|readFileSync|createReadStream)\s*\(\s*["']([^"'\n]+)["']`)
	jsEnv     = regexp.MustCompile(`\bprocess\.env(?:\.([A-Za-z_]\w*)|\[\s*["']([A-Za-z_]\w*)["']\s*\])`)
)

// endings are tried in this order, as bundlers and Node do.
var endings = []string{"", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".jsx", ".json", "/index.js", "/index.mjs", "/index.ts", "/index.tsx"}

// builtins are the modules of Node that need no prefix.
var builtins = strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib")

func javascript(t Tree, name string, text []byte) (f found) {
	text = withoutComments(text)
	for _, m := range jsImport.FindAllSubmatch(text, -1) {
		f.module(t, name, string(m[1])+string(m[2]), Import)
	}

	for _, m := range jsRequire.FindAllSubmatch(text, -1) {
		f.module(t, name, string(m[1]), Require)
	}

	for _, m := range jsOpen.FindAllSubmatch(text, -1) {
		if p := inside(".", string(m[1])); p != "" { // as seen from the root, where it is started
			f.needs = append(f.needs, need{p, Config})
		}
	}

	for _, m := range jsEnv.FindAllSubmatch(text, -1) {
		f.env = append(f.env, string(m[1])+string(m[2]))
	}

	return f
}

// module finds the file that a specifier stands for.
func (f *found) module(t Tree, from, specifier, via string) {
	if !strings.HasPrefix(specifier, "./") &&
		!strings.HasPrefix(specifier, "../") &&
		specifier != "." &&
		specifier != ".." {
		if !known(t, path.Dir(from), specifier) {
			f.unresolved = append(f.unresolved, specifier)
		}
		return
	}

	base := inside(path.Dir(from), specifier)
	if base == "" {
		f.unresolved = append(f.unresolved, specifier)
		return
	}

	for _, ending := range endings {
		if t.Exists(base + ending) {
			f.needs = append(f.needs, need{base + ending, via})
			return
		}
	}

	if stem, ok := strings.CutSuffix(base, ".js"); ok &&
		t.Exists(stem+".ts") { // as TypeScript writes it
		f.needs = append(f.needs, need{stem + ".ts", via})
		return
	}

	f.needs = append(f.needs, need{base, via})
}

// known reports whether a package is of Node, installed, or named by a manifest.
func known(t Tree, folder, specifier string) bool {
	if strings.HasPrefix(specifier, "node:") ||
		slices.Contains(builtins, strings.Split(specifier, "/")[0]) {
		return true
	}

	parts := strings.SplitN(specifier, "/", 3)
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name += "/" + parts[1]
	}

	for _, at := range above(folder) {
		if t.Exists(path.Join(at, "node_modules", name, "package.json")) {
			return true
		}
		text, err := t.Read(path.Join(at, "package.json"), mostText)
		if err != nil {
			continue
		}

		var manifest map[string]json.RawMessage
		if json.Unmarshal(text, &manifest) != nil {
			continue
		}

		for _, list := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
			var named map[string]any
			if json.Unmarshal(manifest[list], &named) == nil && named[name] != nil {
				return true
			}
		}
	}

	return false
}

// withoutComments blanks comments and keeps texts as they are.
func withoutComments(text []byte) []byte {
	out := slices.Clone(text)
	for at := 0; at < len(text); {
		end := at + 1
		switch {
		case text[at] == '"' || text[at] == '\'' || text[at] == '`':
			end = endOfText(text, at)
		case bytes.HasPrefix(text[at:], []byte("//")):
			if end = bytes.IndexByte(text[at:], '\n') + at; end < at {
				end = len(text)
			}
			blank(out[at:end])
		case bytes.HasPrefix(text[at:], []byte("/*")):
			if end = bytes.Index(text[at+2:], []byte("*/")) + at + 4; end < at+4 {
				end = len(text)
			}
			blank(out[at:end])
		}

		at = end
	}

	return out
}

func blank(text []byte) {
	for i := range text {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

// endOfText is the place after a text in quotes. One in ' or " ends with its line.
func endOfText(text []byte, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == quote:
			return i + 1
		case text[i] == '\n' && quote != '`':
			return i
		}
	}
	return len(text)
}
