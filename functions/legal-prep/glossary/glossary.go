// Package glossary says legal words in plain ones.
package glossary

import (
	_ "embed"
	"strings"
	"sync"

	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

// Entry is a term that a text uses, with its meaning and its first place.
type Entry struct {
	Term  string `json:"term"`
	Plain string `json:"plain"`
	text.Quote
}

//go:embed terms.txt
var terms string

// words holds the meaning of each term; pattern matches any of them, the longest first where
// they start alike.
var words = sync.OnceValue(func() map[string]string {
	meanings := map[string]string{}
	for line := range strings.Lines(terms) {
		term, plain, _ := strings.Cut(strings.TrimSpace(line), ": ")
		meanings[term] = plain
	}
	return meanings
})

var word = lazy.Pattern(`[a-z]+(?:[-'][a-z]+)*`)

// longestTerm is how many words a term has at most.
const longestTerm = 5

// In returns the terms that a text uses, in the order of their first place.
func In(t *text.Text) []Entry {
	entries := []Entry{}
	seen := map[string]bool{}
	places := word().FindAllStringIndex(t.Lower, -1)

	for i := 0; i < len(places); i++ {
		for n := min(longestTerm, len(places)-i); n > 0; n-- {
			s := text.Span{Start: places[i][0], End: places[i+n-1][1]}
			term, plain := lookUp(t.LowerOf(s))
			if plain == "" {
				continue
			}
			if !seen[term] {
				seen[term] = true
				entries = append(entries, Entry{term, plain, t.Quote(s)})
			}
			i += n - 1
			break
		}
	}
	return entries
}

// lookUp finds a term, or the term of which it is the plural.
func lookUp(written string) (term, plain string) {
	if plain := words()[written]; plain != "" {
		return written, plain
	}

	singular := strings.TrimSuffix(written, "s")

	return singular, words()[singular]
}
