package skill

import (
	"strings"
	"testing"
)

const valid = "---\nname: pdf-tools\ndescription: Reads PDF files. Use when a PDF is given.\n---\n# PDF\n\nRead it.\n"

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		folder, content string
		problems        int
	}{
		"valid":            {"pdf-tools", valid, 0},
		"other folder":     {"pdf", valid, 1},
		"no front matter":  {"pdf-tools", "# PDF\n", 1},
		"upper case":       {"", strings.Replace(valid, "pdf-tools", "PDF-tools", 1), 1},
		"double hyphen":    {"", strings.Replace(valid, "pdf-tools", "pdf--tools", 1), 1},
		"unknown key":      {"", strings.Replace(valid, "---\n#", "version: 1\n---\n#", 1), 1},
		"no description":   {"", "---\nname: a\n---\ntext\n", 1},
		"angle brackets":   {"", strings.Replace(valid, "Reads", "<b>Reads</b>", 1), 1},
		"long description": {"", strings.Replace(valid, "Reads", strings.Repeat("x", 1025), 1), 1},
		"empty body":       {"", "---\nname: a\ndescription: b\n---\n", 1},
		"windows lines":    {"pdf-tools", strings.ReplaceAll(valid, "\n", "\r\n"), 0},
	} {
		if got := Problems(c.folder, c.content); len(got) != c.problems {
			t.Errorf("%s: %q, want %d problems", name, got, c.problems)
		}
	}
}

func FuzzProblems(f *testing.F) {
	f.Add("pdf-tools", valid)
	f.Add("", "---\nname\n---\n")
	f.Fuzz(func(_ *testing.T, folder, content string) {
		Problems(folder, content)
	})
}
