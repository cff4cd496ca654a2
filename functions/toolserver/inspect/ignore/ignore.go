// Package ignore reads the patterns of .gitignore, .npmignore and .dockerignore.
package ignore

import (
	"regexp"
	"strings"
)

// Rules are the lines of ignore files. The last that matches holds.
type Rules []rule

type rule struct {
	pattern *regexp.Regexp // for a path from the root, folders with a slash at the end
	keep    bool           // the line begins with !
}

// Add reads the lines of an ignore file in a folder; "." is the root.
func (rules *Rules) Add(folder, text string) {
	for line := range strings.Lines(text) {
		if r, ok := readLine(folder, line); ok {
			*rules = append(*rules, r)
		}
	}
}

// readLine reads a line of an ignore file in a folder.
func readLine(at, line string) (r rule, ok bool) {
	line = strings.TrimRight(line, " \t\r\n")
	if line == "" || strings.HasPrefix(line, "#") {
		return rule{}, false
	}

	line, r.keep = strings.CutPrefix(line, "!")
	line = strings.TrimPrefix(line, `\`)
	body := strings.TrimSuffix(line, "/")
	onlyFolders := body != line

	start := ""
	if at != "." {
		start = regexp.QuoteMeta(at) + "/"
	}
	if !strings.Contains(body, "/") {
		start += "(?:.*/)?" // a plain name is meant in every folder
	}

	end := "(?:/.*)?$"
	if onlyFolders {
		end = "/.*$"
	}

	pattern, err := regexp.Compile("^" + start + Glob(strings.TrimPrefix(body, "/")) + end)
	if err != nil {
		return rule{}, false
	}
	r.pattern = pattern
	return r, true
}

// Match reports whether a path from the root is ignored. A folder ends with a slash.
func (rules Rules) Match(name string) bool {
	ignored := false
	for _, r := range rules {
		if ignored == r.keep && r.pattern.MatchString(name) {
			ignored = !r.keep
		}
	}

	return ignored
}

// Glob is a regular expression for a pattern with *, **, ? and [...].
func Glob(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		rest := glob[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case glob[i] == '*':
			b.WriteString("[^/]*")
		case glob[i] == '?':
			b.WriteString("[^/]")
		case glob[i] == '[' && strings.IndexByte(rest, ']') > 1:
			end := strings.IndexByte(rest, ']')
			b.WriteString(class(rest[1:end]))
			i += end
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}

	return b.String()
}

// class is a set of characters, which a pattern negates by !.
func class(set string) string {
	negated := ""
	if set[0] == '!' || set[0] == '^' {
		negated = "^"
		set = set[1:]
	}

	quoted := strings.NewReplacer(`\`, `\\`, "[", `\[`, "^", `\^`).Replace(set)
	return "[" + negated + quoted + "]"
}
