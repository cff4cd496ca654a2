package references

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// sorted are all paths of the project in order.
func (p *project) sorted() []string {
	if p.order == nil {
		p.order = slices.Sorted(maps.Keys(p.entries))
	}
	return p.order
}

var (
	nameSetting   = regexp.MustCompile(`(?m)^name\s*=\s*["']([\w.-]+)["']`)
	remoteAddress = regexp.MustCompile(`(?m)^\s*url\s*=\s*(\S+)$`)
)

// ownNames are those that the project calls itself, in lower case: its checkout is likely to
// have one of them.
func (p *project) ownNames() map[string]bool {
	names := map[string]bool{}
	add := func(name string) {
		name = strings.TrimSuffix(path.Base(strings.ToLower(name)), ".git")
		if name != "." && name != "/" {
			names[name] = true
		}
	}

	for _, module := range p.modules {
		if module.folder == "." {
			add(strings.TrimSuffix(module.path, path.Base(majorVersion.FindString(module.path))))
		}
	}

	if m := p.manifestIn("."); m != nil {
		add(m.Name)
	}
	for _, file := range []string{"pyproject.toml", "Cargo.toml"} {
		text, _ := p.text(file) // one that is not there has no name
		for _, m := range nameSetting.FindAllSubmatch(text, -1) {
			add(string(m[1]))
		}
	}

	text, _ := p.text(".git/config") // a project need not be a repository
	for _, m := range remoteAddress.FindAllSubmatch(text, -1) {
		add(string(m[1]))
	}

	return names
}

var majorVersion = regexp.MustCompile(`/v\d+$`)

var imported = regexp.MustCompile(`(?:^|[\s(])@((?:\./)?[\w.-]+(?:/[\w.-]+)*\.(?:md|mdx|txt|json|ya?ml|toml))\b`)

// imports checks the files that notes for agents take in: @docs/style.md.
func (c *checker) imports(p *page) {
	base := path.Base(p.name)
	if base != "CLAUDE.md" && base != "AGENTS.md" && base != "GEMINI.md" {
		return
	}

	inCode := map[int]bool{}
	for _, it := range p.items {
		for _, line := range it.lines {
			inCode[line] = true
		}
	}

	for _, m := range imported.FindAllSubmatchIndex(p.source, -1) {
		line := p.line(m[2])
		name := string(p.source[m[2]:m[3]])
		if inCode[line] || hasPlaceholder(name) {
			continue
		}

		places := c.project.placesOf(p.name, name)
		why := ""
		if c.project.firstOf(places) == "" && !c.madeAll(places) {
			why = c.project.whyMissing(name)
		}
		c.report(place{p.name, line}, Path, name, why)
	}
}
