package glossary

import (
	"testing"

	"governance.internal/functions/legal-prep/text"
)

func TestTheGlossaryIsLargeEnough(t *testing.T) {
	if n := len(words()); n < 230 {
		t.Errorf("%d terms", n)
	}

	for term, plain := range words() {
		if plain == "" {
			t.Errorf("%s has no meaning", term)
		}
	}
}

func TestIn(t *testing.T) {
	found := In(text.New("The Lessee waives the right of first refusal and every lien."))
	var terms []string

	for _, e := range found {
		terms = append(terms, e.Term)
	}

	if len(terms) != 4 || terms[0] != "lessee" || terms[2] != "right of first refusal" {
		t.Errorf("%q", terms)
	}
}
