package projectscan

import (
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/inspect/tree"
)

// makefiles are the names that make looks for, in this order; the first one counts.
var makefiles = []string{"GNUmakefile", "makefile", "Makefile"}

// rule is a line that begins a rule of make, and no assignment.
var rule = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.%/ -]*?)\s*&?::?(?:[^=:]|$)`)

// makefile adds the targets of the makefile in the root that are no files and no patterns.
func (p *Project) makefile(t *tree.Tree) {
	for _, name := range makefiles {
		if !slices.Contains(p.files, name) {
			continue
		}

		text, err := t.Read(name)
		if err != nil {
			p.Unread = append(p.Unread, name)
			return
		}
		p.addCommands(name, "make", targets(string(text)))
		return
	}
}

// targets are the names of the rules of a makefile that people call.
func targets(text string) []string {
	var names []string
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for line := range strings.Lines(text) {
		found := rule.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if found == nil {
			continue
		}

		for name := range strings.FieldsSeq(found[1]) {
			if !strings.ContainsAny(name, "%./") {
				names = append(names, name)
			}
		}
	}
	return names
}
