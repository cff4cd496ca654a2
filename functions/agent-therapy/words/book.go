package words

import "slices"

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

// Add enters a phrase that stands for an id. A phrase in backticks is found in backticks only.
func (b *Book) Add(phrase string, id int) {
	forms := Forms(phrase)
	if len(forms) == 0 {
		return
	}
	b.byFirst[forms[0]] = append(b.byFirst[forms[0]], page{forms, id, phrase[0] == '`'})
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
			if !startsWith(plain[at:], p.forms) || p.code && !t.Code {
				continue
			}
			last := places[at+len(p.forms)-1]
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
