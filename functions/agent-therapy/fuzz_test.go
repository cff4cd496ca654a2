package agenttherapy

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"governance.internal/functions/agent-therapy/document"
)

// seeds are documents and transcripts of the tests.
func seeds(f *testing.F) {
	f.Helper()
	for _, pattern := range []string{"conflict/testdata/backgrounds/*.md", "operator/testdata/native/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal("no seeds", err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw, "")
		}
	}

	f.Add([]byte("---\nglobs: \"*.{ts,tsx}\"\n---\n- Never `a.\n\n> Use b\n| a | b |\n|--|--|\n| c | no d |\n"), "rules")
	f.Add([]byte(`{"tools":[{"name":"rm","description":"Never \"push\".\nUse it."}]}`), "tools")
	f.Add([]byte("User: a\nAssistant: All tests pass.\r\n[tool_call] bash: x\n"), "transcript")
	f.Add([]byte(`{"files":[{"name":"a/AGENTS.md","text":"Never push."}]}`), "")
}

// FuzzDiagnose checks that any text is diagnosed or refused, that quotes stand where they are said to
// stand, and that a repaired text needs no further repair.
func FuzzDiagnose(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte, kind string) {
		if len(raw) > 8<<10 {
			return
		}
		in := Input{Kind: kind, Files: []File{{"AGENTS.md", string(raw)}}}
		a, err := Diagnose(in)
		if err != nil {
			return
		}

		points := []rune(in.Files[0].Text)
		check := func(q document.Quote) {
			if q.Start < 0 || q.End > len(points) || string(points[q.Start:q.End]) != q.Quote || !utf8.ValidString(q.Quote) {
				t.Fatalf("%q is not at [%d,%d)", q.Quote, q.Start, q.End)
			}
		}
		for _, c := range a.Conflicts {
			check(c.A)
			check(c.B)
		}
		for _, p := range a.Patterns {
			for _, q := range p.Evidence {
				check(q)
			}
		}
	})
}

func FuzzReadInput(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte, _ string) {
		in, err := ReadInput(raw)
		if err != nil {
			return
		}
		if _, err := in.files(); err == nil && in.Text == "" && len(in.Files) == 0 {
			t.Fatal("an empty input was accepted")
		}
	})
}
