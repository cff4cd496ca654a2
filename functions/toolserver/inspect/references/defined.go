package references

import (
	"regexp"
	"strings"
)

var (
	definedName = regexp.MustCompile(`(?m)^\s*@?["']?([\w.:/-]*\w)["']?(?:\s+[\w*+$="' -]+)?\s*::?(?:\s|$|[^=\s])`)
	jsonKey     = regexp.MustCompile(`"([^"\n]+)"\s*:`)
	shownName   = regexp.MustCompile(`(?m)^(?://|#|--|<!--|/\*|;) (\S+)`)
)

// namesIn are the first groups of an expression in a text.
func namesIn(expression *regexp.Regexp, text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range expression.FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names
}

// shows reports whether a block that is no command has a comment that names a file: the block
// is its text.
func (p *page) shows(name string) bool {
	return p.shown[name] || p.shown[name+":"]
}

// defines reports whether a block that is no command defines a name, with or without the
// group that it is in: a key of JSON or YAML, a target, a recipe.
func (p *page) defines(name string) bool {
	if p.defined[name] || p.keys[name] {
		return true
	}
	group := strings.LastIndexByte(name, ':')
	return group >= 0 && p.defined[name[group+1:]]
}
