package references

import (
	"path"
	"regexp"
	"strings"
)

// machineMade are folders that tools fill: what is in them is never missed.
var machineMade = words(`node_modules bower_components jspm_packages dist out target coverage
	.git .hg .svn .venv venv .tox .nox .eggs __pycache__ .pytest_cache .mypy_cache .ruff_cache
	.next .nuxt .output .svelte-kit .astro .docusaurus .cache .parcel-cache .turbo .terraform .gradle
	.governance htmlcov site-packages storybook-static playwright-report test-results cdk.out`)

// oftenMade are folders that tools fill in some projects and people in others.
var oftenMade = words("build vendor tmp temp bin obj logs")

func isMachineMade(folder string) bool {
	return machineMade[folder]
}

// isMade says whether a path is one that a build makes, or git leaves out.
func (p *project) isMade(name string) bool {
	name = path.Clean(name)
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if isMachineMade(part) {
			return true
		}
		if oftenMade[part] && !p.isFolder(strings.Join(parts[:i+1], "/")) {
			return true
		}
	}

	return p.ignored(name) || p.ignored(name+"/")
}

// ignored says whether the project leaves a path out. A folder ends with a slash.
func (p *project) ignored(name string) bool {
	clean := strings.TrimSuffix(name, "/")
	if p.tree.Ignored != nil && p.tree.Ignored(clean) {
		return true
	}
	return p.ignore.match(name)
}

// ignoreRules are the lines of all files .gitignore. The last that matches holds.
type ignoreRules []ignoreRule

type ignoreRule struct {
	pattern *regexp.Regexp // for a path from the root, folders with a slash at the end
	keep    bool           // the line begins with !
}

func (p *project) readIgnoreFile(name string) {
	text, err := p.text(name)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if rule, ok := ignoreLine(path.Dir(name), line); ok {
			p.ignore = append(p.ignore, rule)
		}
	}
}

// ignoreLine reads a line of a file .gitignore in a folder.
func ignoreLine(at, line string) (rule ignoreRule, ok bool) {
	line = strings.TrimRight(line, " \t\r\n")
	if line == "" || strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}

	line, rule.keep = strings.CutPrefix(line, "!")
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

	pattern, err := regexp.Compile("^" + start + globExpression(strings.TrimPrefix(body, "/")) + end)
	if err != nil {
		return ignoreRule{}, false
	}
	rule.pattern = pattern
	return rule, true
}

func (rules ignoreRules) match(name string) bool {
	ignored := false
	for _, rule := range rules {
		if ignored == rule.keep && rule.pattern.MatchString(name) {
			ignored = !rule.keep
		}
	}

	return ignored
}

// globExpression is a regular expression for a pattern with *, **, ? and [...].
func globExpression(glob string) string {
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
