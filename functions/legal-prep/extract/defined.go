package extract

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/legal-prep/text"
)

// DefinedTerm is a word to which a document gives a meaning.
type DefinedTerm struct {
	Term string `json:"term"`
	text.Quote
}

var definitionForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		compile(`"([A-Z][^"\n]{0,60})"(?:,? (?:and|or) "[^"]{1,60}")? (?:means?|shall mean|will mean|has the meaning|have the meaning|shall have the meaning|refers to|is defined|includes|shall include)\b`),
		compile(`\((?:[^()"]{0,60})"([A-Z][^"\n]{0,60})"[^()]{0,80}\)`),
		compile(`(?:hereinafter|referred to as|called|known as) (?:the )?"([A-Z][^"\n]{0,60})"`),
	}
})

// DefinedTerms returns the terms that a text defines, each once, in order.
func DefinedTerms(t *text.Text) []DefinedTerm {
	found := []DefinedTerm{}
	for _, form := range definitionForms() {
		for _, m := range form.FindAllStringSubmatchIndex(t.Plain, -1) {
			term := strings.TrimRight(t.Of(group(m, 1, 0)), ",.")
			known := slices.ContainsFunc(found, func(d DefinedTerm) bool { return d.Term == term })
			if !known {
				found = append(found, DefinedTerm{term, t.Quote(group(m, 0, 0))})
			}
		}
	}

	slices.SortStableFunc(found, func(a, b DefinedTerm) int { return a.Start - b.Start })

	return found
}
