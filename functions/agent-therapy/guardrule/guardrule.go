// Package guardrule turns instructions that a program can enforce into a draft of governance.yaml:
// files that must not be changed become patterns, and other prohibitions rules of the project.
package guardrule

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/words"
)

// Entry is an instruction and what enforces it.
type Entry struct {
	Enforces string         `json:"enforces"` // untouchable, protected or rules.extra
	Pattern  string         `json:"pattern,omitempty"`
	Rule     document.Quote `json:"rule"`
}

// Draft is a governance.yaml with the instructions that it enforces.
type Draft struct {
	Content string  `json:"content"`
	Entries []Entry `json:"entries"`
}

// Parts of the file that entries go into.
const (
	untouchable = "untouchable"
	protected   = "protected"
	extra       = "rules.extra"
)

// mostExtra is how many rules without a pattern a draft takes over.
const mostExtra = 20

// Make drafts the rules for some directives; nil if none can be enforced.
func Make(directives []*directive.Directive) *Draft {
	var entries []Entry
	extras := 0
	globs := sentenceGlobs{}

	for _, d := range directives {
		found := patternsOf(d, globs)
		for _, e := range found {
			if !slices.ContainsFunc(entries, func(o Entry) bool { return o.Enforces == e.Enforces && o.Pattern == e.Pattern }) {
				entries = append(entries, e)
			}
		}
		if len(found) == 0 && isCommand(d) && extras < mostExtra {
			entries = append(entries, Entry{Enforces: extra, Rule: d.Quote()})
			extras++
		}
	}

	if len(entries) == 0 {
		return nil
	}
	return &Draft{write(entries), entries}
}

// changing are actions on files that the guard stops.
var changing = []string{"edit", "delete", "write", "rename", "move", "create", "fix", "update", "format", "refactor"}

// patternsOf returns the patterns of files that a directive protects.
func patternsOf(d *directive.Directive, globs sentenceGlobs) []Entry {
	part := partOf(d)
	if part == "" {
		return nil
	}

	var entries []Entry
	for _, glob := range globs.of(d.Sentence()) {
		entries = append(entries, Entry{part, glob, d.Quote()})
	}
	return entries
}

// sentenceGlobs are the patterns that sentences name; a sentence of many directives is read once.
type sentenceGlobs map[*document.Statement][]string

func (g sentenceGlobs) of(s *document.Statement) []string {
	globs, known := g[s]
	if known {
		return globs
	}
	for _, t := range words.Read(s.Text) {
		if glob := globOf(t); glob != "" {
			globs = append(globs, glob)
		}
	}
	g[s] = globs
	return globs
}

// partOf returns the part of the file that enforces a directive; empty for none.
func partOf(d *directive.Directive) string {
	if d.Strength == directive.May || len(d.When) > 0 {
		return ""
	}
	if !d.Negative {
		return protectedIf(d.Action == "ask" && overlaps(d.Before, changing))
	}
	if !slices.Contains(changing, d.Action) {
		return ""
	}
	if len(d.Except) == 0 {
		return untouchable
	}
	return protectedIf(asks(d.Except))
}

func protectedIf(condition bool) string {
	if condition {
		return protected
	}
	return ""
}

func asks(forms []string) bool { return overlaps(forms, []string{"ask", "approval", "approve"}) }

func overlaps(a, b []string) bool {
	return slices.ContainsFunc(a, func(form string) bool { return slices.Contains(b, form) })
}

// plainFiles are names of files without a dot or a slash.
var plainFiles = []string{"Makefile", "Dockerfile", "LICENSE", "CODEOWNERS", "Gemfile", "Jenkinsfile", "NOTICE"}

// globOf returns the pattern for a word that names files; empty for other words.
func globOf(t words.Token) string {
	name := strings.Trim(t.Text, "`'\",:()")
	name = strings.TrimPrefix(name, "./")

	switch {
	case !isPlainName(name) || leavesWorkspace(name):
		return ""
	case strings.Contains(name, "/"):
		return folderGlob(name)
	case slices.Contains(plainFiles, name) || isFileName(name):
		return "**/" + name
	}
	return ""
}

// longestName is how long a name of a file may be, in bytes.
const longestName = 200

// isPlainName reports whether a word has nothing that means something else in a pattern.
func isPlainName(name string) bool {
	return len(name) <= longestName && !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, " {}[]<>?!|&=$@%:#\\")
}

// leavesWorkspace reports whether a path is not one below the root of the workspace.
func leavesWorkspace(name string) bool {
	isElsewhere := strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~")
	return isElsewhere || strings.Contains(name, "..") || strings.Contains(name, "//")
}

// folderGlob returns the pattern for a path: everything below it if it is a folder.
func folderGlob(name string) string {
	name = strings.TrimSuffix(name, ".")
	base := path.Base(name)
	isFolder := strings.HasSuffix(name, "/") || !strings.ContainsAny(base, ".*")
	name = path.Clean(name)
	if name == "." || !strings.ContainsFunc(name, isLetter) || !isFolder && base == "" {
		return ""
	}
	if isFolder {
		return name + "/**"
	}
	return name
}

// isFileName reports whether a word without a slash is a file or a pattern of files, and not a
// number, an abbreviation or a name of code such as "console.log".
func isFileName(name string) bool {
	ending := path.Ext(name)
	if ending == "" || ending == "." {
		return false
	}
	known := []string{".env", ".md", ".json", ".yml", ".yaml", ".toml", ".lock", ".sql", ".pem", ".key", ".go", ".ts", ".tsx", ".py", ".rs", ".sum", ".mod", ".txt", ".xml", ".proto", ".tf", ".tfvars", ".tfstate", ".ini", ".cfg", ".csv", ".sh", ".lockb", ".js", ".jsx", ".css", ".html", ".java", ".kt", ".rb", ".php"}
	return slices.Contains(known, ending) || strings.HasPrefix(name, ".env") || strings.HasPrefix(name, "*.")
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// commands are actions that an agent does by a command.
var commands = []string{"push", "forcepush", "commit", "merge", "rebase", "deploy", "publish", "release", "install", "delete", "connect", "bypass", "send", "run", "tag", "amend"}

// isCommand reports whether a prohibition is about a command, so that a hook can enforce it.
func isCommand(d *directive.Directive) bool {
	return d.Negative && !d.Left && d.Strength == directive.Must && orders(d) && (slices.Contains(commands, d.Action) || d.Action == directive.Use && len(d.Literal) > 0)
}

// orders reports whether a prohibition is said outright, and not as "no tags".
func orders(d *directive.Directive) bool {
	return slices.ContainsFunc(d.Core, func(t words.Token) bool {
		switch t.Lower {
		case "never", "not", "don't", "avoid", "forbidden", "prohibited", "banned", "mustn't":
			return true
		}
		return false
	})
}

// write returns the file.
func write(entries []Entry) string {
	var b strings.Builder
	b.WriteString("# Draft: instructions that a program can enforce. Check each pattern before use.\nversion: 1\n")
	list(&b, "Files that no agent changes.", untouchable, entries)
	list(&b, "Files that an agent changes only with the approval of a person.", protected, entries)

	first := true
	for i, e := range entries {
		if e.Enforces != extra {
			continue
		}
		if first {
			b.WriteString("\n# Rules that need a hook or a check of commands.\nrules:\n  extra:\n")
			first = false
		}
		fmt.Fprintf(&b, "    - id: %q\n      rule: %q\n", fmt.Sprintf("instruction-%d", i+1), shortened(e.Rule.Quote))
	}
	return b.String()
}

func list(b *strings.Builder, comment, part string, entries []Entry) {
	first := true
	for _, e := range entries {
		if e.Enforces != part {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n# %s\n%s:\n", comment, part)
			first = false
		}
		fmt.Fprintf(b, "  - %q\n", e.Pattern)
	}
}

// longestRule is how many characters of an instruction a rule holds.
const longestRule = 500

func shortened(text string) string {
	points := []rune(text)
	if len(points) > longestRule {
		points = points[:longestRule]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r > 0xffff {
			return ' '
		}
		return r
	}, string(points))
}
