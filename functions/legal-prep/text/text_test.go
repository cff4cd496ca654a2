package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func quoted(source string, q Quote) bool {
	return string([]rune(source)[q.Start:q.End]) == q.Quote
}

func TestSentences(t *testing.T) {
	tests := map[string][]string{
		"One is here. Two is there.":                 {"One is here.", "Two is there."},
		"Acme Inc. is a maker. It pays $1.50 a day.": {"Acme Inc. is a maker.", "It pays $1.50 a day."},
		"1. Rent. The rent is $9.\n2. End. It ends.": {"1. Rent. The rent is $9.", "2. End. It ends."},
		"“I agree.” The other said “no”.":            {"“I agree.”", "The other said “no”."},
	}

	for source, want := range tests {
		text := New(source)
		var got []string
		for _, s := range text.Sentences() {
			got = append(got, text.Quote(s).Quote)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

func TestQuotesCountCodePoints(t *testing.T) {
	source := "Café — “the  Shop”\n\nsells ¥5 tea 🍵 daily."
	text := New(source)

	for start := range len(text.Plain) {
		q := text.Quote(Span{start, len(text.Plain)})
		if !quoted(source, q) {
			t.Errorf("%d: %+v", start, q)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("1. Rent. The rent is $9.\n\n(a) “It” ends…\u00a0now.")
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			t.Skip()
		}
		text := New(source)
		before := 0
		for _, s := range text.Sentences() {
			q := text.Quote(s)
			if !quoted(source, q) {
				t.Fatalf("%+v", q)
			}
			if q.Start < before {
				t.Fatalf("sentences overlap at %d", q.Start)
			}
			before = q.End
		}
	})
}
