package document

import "testing"

func FuzzRead(f *testing.F) {
	f.Add("# a\n\n- b: c. D\n  e\n1. f\n\n> g\n\n| h | i |\n|---|---|\n| j | k |\n\n```\nl\n```\n<x>\nm\n</x>\n", false)
	f.Add("---\nglobs: a, *.{b,c}\n---\n**n**\nO P\n<!-- q\n-->\n❌ r\n", false)
	f.Add(`{"tools":[{"name":"a","description":"b\n\"c\"\\d"}]}`, true)

	f.Fuzz(func(t *testing.T, text string, tools bool) {
		kind := Rules
		if tools {
			kind = Tools
		}
		d := Read(NewSource("a.md", text), kind)

		for _, s := range d.Statements {
			if s.Start < 0 || s.End > len(text) || s.End-s.Start != len(s.Text) {
				t.Fatalf("%q is [%d,%d) of %d bytes", s.Text, s.Start, s.End, len(text))
			}
			d.Quote(s.Start, s.End, s.Start)
		}
	})
}
