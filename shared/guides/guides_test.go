package guides

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

func full(t *testing.T, name string) string {
	t.Helper()
	text, ok := Full(name)
	if !ok {
		t.Fatalf("no guide %s", name)
	}
	return text
}

// block is a fenced code block with a title.
type block struct{ language, title, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]*)(?: title=(\\S+))?\n(.*?)^```$")

func blocks(text string) []block {
	var out []block
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		out = append(out, block{m[1], m[2], m[3]})
	}
	return out
}

func named(t *testing.T, guide, title string) string {
	t.Helper()
	for _, b := range blocks(full(t, guide)) {
		if b.title == title {
			return b.text
		}
	}
	t.Fatalf("%s has no block %s", guide, title)
	return ""
}

func TestThereAreTwoGuides(t *testing.T) {
	if got := fmt.Sprint(Names()); got != "[x402-integration mcp-hardening]" {
		t.Errorf("names %s", got)
	}
	entries, err := files.ReadDir(".")
	if err != nil || len(entries) != len(Names()) {
		t.Errorf("%d files embedded for %d names (%v)", len(entries), len(Names()), err)
	}
	for _, unknown := range []string{"", "x", "x402-integration.md", "../guides/x402-integration"} {
		if _, ok := Full(unknown); ok {
			t.Errorf("Full(%q) answers", unknown)
		}
		if _, ok := Preview(unknown); ok {
			t.Errorf("Preview(%q) answers", unknown)
		}
	}
}

func TestLengths(t *testing.T) {
	for _, name := range Names() {
		text := full(t, name)
		if n := len(strings.Fields(text)); n < 2000 || n > 4000 {
			t.Errorf("%s has %d words, want 2000 to 4000", name, n)
		}
		if n := len(strings.Fields(fence.ReplaceAllString(text, ""))); n < 2000 {
			t.Errorf("%s has %d words outside of code", name, n)
		}
	}
}

func TestAPreviewIsTheFreeBeginningOfItsGuide(t *testing.T) {
	for _, name := range Names() {
		raw, err := files.ReadFile(name + ".md")
		if err != nil || strings.Count(string(raw), marker) != 1 {
			t.Fatalf("%s has %d markers (%v)", name, strings.Count(string(raw), marker), err)
		}
		text := full(t, name)
		preview, _ := Preview(name)
		if strings.Contains(text+preview, "preview ends -->") {
			t.Errorf("%s shows its marker", name)
		}
		lines := strings.Split(strings.TrimSuffix(preview, "\n"), "\n")
		free := strings.Join(lines[:len(lines)-1], "\n") + "\n"
		if !strings.HasPrefix(text, free) || len(free) >= len(text)/2 {
			t.Errorf("%s: the preview is not a short prefix of the guide", name)
		}
		if last := lines[len(lines)-1]; !strings.Contains(last, "{base_url}/x402/playbook/"+name+"`") {
			t.Errorf("%s: the last line says %q", name, last)
		}
		for _, want := range []string{"# ", "\n## Contents\n"} {
			if !strings.Contains(free, want) {
				t.Errorf("%s: the preview has no %q", name, want)
			}
		}
		if n := strings.Count(free, "\n## "); n != 2 { // contents and one section
			t.Errorf("%s: the preview has %d sections, want 2", name, n)
		}
		for _, heading := range headings(strings.TrimPrefix(text, free)) {
			if strings.Contains(preview, "\n"+heading+"\n") {
				t.Errorf("%s: the preview contains the paid section %q", name, heading)
			}
		}
	}
}

// headings returns the heading lines outside of code.
func headings(text string) []string {
	return regexp.MustCompile(`(?m)^#+ .*$`).FindAllString(fence.ReplaceAllString(text, ""), -1)
}

// slug is the anchor that Markdown viewers give a heading.
func slug(heading string) string {
	text := strings.ToLower(strings.TrimLeft(heading, "# "))
	text = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(text, "")
	return strings.ReplaceAll(text, " ", "-")
}

func TestInternalLinksResolve(t *testing.T) {
	for _, name := range Names() {
		text := full(t, name)
		anchors, linked := map[string]bool{}, map[string]bool{}
		for _, h := range headings(text) {
			anchors[slug(h)] = true
		}
		for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			target, internal := strings.CutPrefix(m[1], "#")
			if !internal || !anchors[target] {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
			linked[target] = true
		}
		for _, h := range headings(text) {
			if strings.HasPrefix(h, "## ") && h != "## Contents" && !linked[slug(h)] {
				t.Errorf("%s: %q is not in the contents", name, h)
			}
		}
	}
}

func TestOnlyThePlaceholderNamesTheService(t *testing.T) {
	foreign := regexp.MustCompile(`(/work/|/root/|/tmp/|api\.example/x402)`)
	for _, name := range Names() {
		text := full(t, name)
		if m := foreign.FindString(text); m != "" {
			t.Errorf("%s contains %q", name, m)
		}
		if !strings.Contains(text, "{base_url}/x402/") {
			t.Errorf("%s never names the service", name)
		}
	}
}

func TestJSONBlocksParse(t *testing.T) {
	count := 0
	for _, name := range Names() {
		for _, b := range blocks(full(t, name)) {
			if b.language == "" {
				t.Errorf("%s has a block without a language", name)
			}
			if b.language == "json" {
				count++
				if !json.Valid([]byte(b.text)) {
					t.Errorf("%s: %s is not JSON", name, b.title)
				}
			}
		}
	}
	if count < 3 {
		t.Errorf("%d JSON blocks", count)
	}
}

// TestHeadersOfTheTranscriptDecode compares the encoded headers with the JSON
// that the guide shows before them.
func TestHeadersOfTheTranscriptDecode(t *testing.T) {
	const guide = "x402-integration"
	header := func(transcript, name string) map[string]any {
		m := regexp.MustCompile(`(?m)^` + name + `: (\S+)$`).FindStringSubmatch(named(t, guide, transcript))
		if m == nil {
			t.Fatalf("no header %s", name)
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(m[1])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var v map[string]any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return v
	}
	shown := func(title string) map[string]any {
		text := strings.ReplaceAll(named(t, guide, title), "{base_url}", "https://api.example")
		var v map[string]any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	same := func(what string, a, b any) {
		t.Helper()
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Errorf("%s: header %s, text %s", what, x, y)
		}
	}
	same("PAYMENT-REQUIRED", header("unpaid", "PAYMENT-REQUIRED"), shown("payment-required"))
	same("PAYMENT-RESPONSE", header("paid", "PAYMENT-RESPONSE"), shown("settle-response"))
	sent, text := header("paid", "PAYMENT-SIGNATURE"), shown("payment-payload")
	same("payload", sent["payload"], text["payload"])
	same("accepted", sent["accepted"], text["accepted"])
	same("the offer", sent["accepted"], shown("payment-required")["accepts"].([]any)[0])
}

func TestEveryPointHasItsFourParts(t *testing.T) {
	text := full(t, "mcp-hardening")
	points := regexp.MustCompile(`(?ms)^## (\d+)\. [^\n]+\n(.*?)(?:^## )`)
	rest, next := text, 1
	for {
		m := points.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		number, body := rest[m[2]:m[3]], rest[m[4]:m[5]]
		if number != fmt.Sprint(next) {
			t.Errorf("point %s, want %d", number, next)
		}
		for _, part := range []string{"**Risk.**", "**Check.**", "**Fix.**", "**Lint.**"} {
			if strings.Count(body, part) != 1 {
				t.Errorf("point %s has %d of %s", number, strings.Count(body, part), part)
			}
		}
		_, check, _ := strings.Cut(body, "**Check.**")
		check, _, _ = strings.Cut(check, "**Fix.**")
		if !strings.Contains(check, "```sh title=") {
			t.Errorf("point %s has no command", number)
		}
		_, lint, _ := strings.Cut(body, "**Lint.**")
		if !regexp.MustCompile("`MCP00[1-8]`|A static lint cannot see this").MatchString(lint) {
			t.Errorf("point %s does not say how the lint sees it", number)
		}
		if !strings.Contains(text, fmt.Sprintf("\n| %s | ", number)) {
			t.Errorf("point %s is not on the closing page", number)
		}
		rest = rest[m[5]:]
		next++
	}
	if next != 17 {
		t.Errorf("%d points, want 16", next-1)
	}
	for i := 1; i <= 8; i++ {
		if code := fmt.Sprintf("MCP00%d", i); strings.Count(text, code) < 2 {
			t.Errorf("%s is hardly mentioned", code)
		}
	}
	for i := 1; i <= 10; i++ {
		if row := fmt.Sprintf("\n| MCP%02d |", i); !strings.Contains(text, row) {
			t.Errorf("the OWASP table has no row %q", row)
		}
	}
}

// unavailable skips for want of a tool, except in CI.
func unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// modules links the npm packages of testdata into a directory.
func modules(t *testing.T, dir string, packages ...string) {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := path.Join(wd, "..", "..", "testdata", "node_modules")
	for _, p := range packages {
		if _, err := os.Stat(path.Join(root, p)); err != nil {
			unavailable(t, "testdata/node_modules has no "+p+" (npm --prefix testdata ci)")
		}
	}
	if err := os.Symlink(root, path.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
}
