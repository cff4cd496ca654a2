package words

import (
	"slices"
	"strings"
)

// Book finds phrases in tokens by their normal forms.
type Book struct {
	byFirst map[string][]page
}

// page is a phrase and what it stands for.
type page struct {
	forms []string
	id    int
	code  bool // stands in backticks
}

// Found is a phrase that was found: tokens [At, At+Length).
type Found struct {
	ID     int
	At     int
	Length int
}

// NewBook returns an empty book.
func NewBook() *Book { return &Book{byFirst: map[string][]page{}} }

// Gap stands in a phrase for up to three words.
const Gap = "…"

// mostSkipped is how many words a gap stands for at most.
const mostSkipped = 3

// Add enters a phrase that stands for an id. A phrase in backticks is found in backticks only.
func (b *Book) Add(phrase string, id int) {
	var forms []string
	for part := range strings.SplitSeq(phrase, Gap) {
		if len(forms) > 0 {
			forms = append(forms, Gap)
		}
		forms = append(forms, Forms(part)...)
	}
	if len(forms) == 0 {
		return
	}
	b.byFirst[forms[0]] = append(b.byFirst[forms[0]], page{forms, id, phrase[0] == '`'})
}

// reach returns how many tokens at the start of some the forms of a phrase take; 0 if they differ.
func reach(tokens []Token, forms []string) int {
	for i, form := range forms {
		if form == Gap {
			return reachBehind(tokens, i, forms[i+1:])
		}
		if i >= len(tokens) || tokens[i].Form != form {
			return 0
		}
	}
	return len(forms)
}

// reachBehind returns how many tokens a phrase takes whose gap begins at an index.
func reachBehind(tokens []Token, at int, rest []string) int {
	for skipped := 0; skipped <= mostSkipped && at+skipped < len(tokens); skipped++ {
		if n := reach(tokens[at+skipped:], rest); n > 0 {
			return at + skipped + n
		}
		if tokens[at+skipped].Mark {
			return 0
		}
	}
	return 0
}

// Forms returns the normal forms of the words of a phrase, without marks.
func Forms(phrase string) []string {
	var forms []string
	for _, t := range Read(phrase) {
		if !t.Mark {
			forms = append(forms, t.Form)
		}
	}
	return forms
}

// Find returns the phrases in the tokens, in their order. Backticks and asterisks may stand
// between the words of a phrase.
func (b *Book) Find(tokens []Token) []Found {
	plain, places := withoutMarks(tokens)
	var all []Found

	for at, t := range plain {
		for _, p := range b.byFirst[t.Form] {
			length := reach(plain[at:], p.forms)
			if length == 0 || p.code && !t.Code {
				continue
			}
			last := places[at+length-1]
			found := Found{p.id, places[at], last - places[at] + 1}
			all = append(all, found)
		}
	}

	return slices.Clip(all)
}

// withoutMarks returns the words and where they stand among the tokens.
func withoutMarks(tokens []Token) ([]Token, []int) {
	plain := make([]Token, 0, len(tokens))
	places := make([]int, 0, len(tokens))

	for i, t := range tokens {
		if t.Mark && t.Text != "," {
			continue
		}
		plain = append(plain, t)
		places = append(places, i)
	}

	return plain, places
}
