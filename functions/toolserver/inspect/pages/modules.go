package pages

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// importMap says what bare names of modules mean (HTML standard, "Import maps").
type importMap struct {
	broken bool // it cannot be read, so that it may mean anything
	names  map[string]string
	scopes map[string]map[string]string
	from   here // where its addresses are resolved from
}

// parseImportMap reads an import map. What cannot be read means nothing.
func parseImportMap(text string, from here) *importMap {
	var content struct {
		Imports map[string]string            `json:"imports"`
		Scopes  map[string]map[string]string `json:"scopes"`
	}
	if err := json.Unmarshal([]byte(text), &content); err != nil {
		return &importMap{broken: true}
	}
	return &importMap{
		names:  content.Imports,
		scopes: content.Scopes,
		from:   from,
	}
}

// targets are the files that the map leads to, without those that stand for a whole folder.
func (m *importMap) targets() []string {
	var list []string
	for _, names := range append([]map[string]string{m.names}, slices.Collect(maps.Values(m.scopes))...) {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if target := names[name]; target != "" && !strings.HasSuffix(target, "/") {
				list = append(list, target)
			}
		}
	}
	return list
}

// resolve is the address of a module. It is not known for a bare name that the map does not
// have.
func (m *importMap) resolve(name string, from here) (string, bool) {
	if target, ok := m.mapped(name, from); ok {
		return target, true
	}
	return name, m.broken || !isBare(name)
}

// located is the address of a module, and where that is resolved from.
func (m *importMap) located(name string, from here) (string, here) {
	if target, ok := m.mapped(name, from); ok {
		return target, m.from
	}
	return name, from
}

// mapped looks a name up: in the scopes of the script first, the longest prefix first.
func (m *importMap) mapped(name string, from here) (string, bool) {
	for _, scope := range slices.Backward(slices.Sorted(maps.Keys(m.scopes))) {
		prefix := strings.TrimPrefix(scope, ".")
		if strings.HasPrefix(from.path, prefix) {
			if target, ok := lookUp(m.scopes[scope], name); ok {
				return target, true
			}
		}
	}
	return lookUp(m.names, name)
}

func lookUp(names map[string]string, name string) (string, bool) {
	if target, ok := names[name]; ok {
		return target, true
	}

	best := ""
	for prefix := range names {
		if strings.HasSuffix(prefix, "/") && strings.HasPrefix(name, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	if best == "" {
		return "", false
	}
	return names[best] + strings.TrimPrefix(name, best), true
}

// isBare reports whether the name of a module is no address.
func isBare(name string) bool {
	return !strings.HasPrefix(name, "/") &&
		!strings.HasPrefix(name, "./") &&
		!strings.HasPrefix(name, "../") &&
		!scheme.MatchString(name)
}

// isDependency reports whether a package manager installs the module of a bare name, so that
// a bundler resolves it.
func (s *scan) isDependency(name string) bool {
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name = parts[0] + "/" + parts[1]
	} else {
		name = parts[0]
	}

	for _, file := range []string{"package.json", s.site.File("package.json")} {
		text, err := s.site.tree.Read(file)
		if err != nil {
			continue
		}

		var content struct {
			Dependencies map[string]any `json:"dependencies"`
			Dev          map[string]any `json:"devDependencies"`
			Peer         map[string]any `json:"peerDependencies"`
		}
		if err := json.Unmarshal(text, &content); err != nil {
			continue
		}

		for _, list := range []map[string]any{content.Dependencies, content.Dev, content.Peer} {
			if _, ok := list[name]; ok {
				return true
			}
		}
	}
	return false
}

// requests are the addresses that a script asks for.
func (s *scan) requests(each *script, at func(line int) place) []reference {
	var list []reference
	for _, q := range each.asks {
		r := reference{
			use:     &toData,
			address: q.text,
			from:    each.from,
			at:      at(q.line),
			read:    q.reads,
		}

		switch q.kind {
		case forModule:
			s.requestModule(each, q, r.at)
			if r.address = each.module(q.text); each.listed(q.text) || r.address == q.text && isBare(q.text) {
				continue
			}

			r.use = &toModule
			r.from = each.moduleFrom(q.text)
		case besideModule:
			r.use = &toModule
			r.from = []here{each.itself}
		case forWorker:
			r.use = &toModule
		case forPage:
			r.use = &toPage
		}

		list = append(list, r)
	}
	return list
}

// requestModule reports a bare name that nothing resolves.
func (s *scan) requestModule(each *script, q ask, at place) {
	if s.outside || !isBare(q.text) || unfinished.MatchString(q.text) || s.isDependency(q.text) {
		return
	}

	for _, m := range each.imports {
		if _, known := m.resolve(q.text, each.itself); known {
			return
		}
	}

	f := wrongAt(at, "module_unknown", "no import map resolves the module "+q.text, q.text)
	if p := s.pages[at.file]; p != nil {
		p.findings = append(p.findings, f)
		return
	}

	s.found(f)
}

// listed reports whether an import map has a module by its full name. What that leads to is
// checked where the map stands.
func (c *script) listed(name string) bool {
	return slices.ContainsFunc(c.imports, func(m *importMap) bool {
		_, ok := m.names[name]
		return ok
	})
}

// module is the address of a module of the script.
func (c *script) module(name string) string {
	for _, m := range c.imports {
		if target, ok := m.mapped(name, c.itself); ok {
			return target
		}
	}
	return name
}

// moduleFrom is where the address of a module is resolved from: the import map that has it,
// or the script itself.
func (c *script) moduleFrom(name string) []here {
	for _, m := range c.imports {
		if _, ok := m.mapped(name, c.itself); ok {
			return []here{m.from}
		}
	}
	return []here{c.itself}
}
