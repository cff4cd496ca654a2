package words

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed concepts.txt
var conceptsFile string

// concept is a meaning with a name.
type concept struct {
	name string
	act  bool
}

// entry is a phrase of a concept: the normal forms of its words.
type entry struct {
	forms []string
	of    concept
}

// concepts holds phrases by the form of their first word, the longest first.
type concepts struct {
	byFirst map[string][]entry
	names   map[string]concept
}

// lexicon returns the concepts of concepts.txt.
var lexicon = sync.OnceValue(func() *concepts { return readConcepts(conceptsFile) })

// readConcepts reads lines of the form "name: phrase, phrase". A line in brackets starts a part;
// the concepts of the part [acts] are things that are done.
func readConcepts(file string) *concepts {
	c := &concepts{byFirst: map[string][]entry{}, names: map[string]concept{}}
	acts := false

	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") {
			acts = line == "[acts]"
			continue
		}
		name, phrases, _ := strings.Cut(line, ":")
		c.add(concept{name, acts}, phrases)
	}

	return c
}

// add enters the phrases of a concept, parted by commas.
func (c *concepts) add(of concept, phrases string) {
	c.names[of.name] = of

	for phrase := range strings.SplitSeq(phrases, ",") {
		var forms []string
		for _, t := range split(strings.TrimSpace(phrase)) {
			forms = append(forms, t.Form)
		}
		if len(forms) == 0 {
			continue
		}
		c.insert(entry{forms, of})
	}
}

// insert keeps longer phrases before shorter ones.
func (c *concepts) insert(e entry) {
	first := e.forms[0]
	list := c.byFirst[first]

	at := 0
	for at < len(list) && len(list[at].forms) >= len(e.forms) {
		at++
	}

	list = append(list, entry{})
	copy(list[at+1:], list[at:])
	list[at] = e
	c.byFirst[first] = list
}

// longest returns the concept of the longest phrase at the start of the tokens, and its length in
// tokens; 0 if there is none.
func (c *concepts) longest(tokens []Token) (concept, int) {
	for _, e := range c.byFirst[tokens[0].Form] {
		if startsWith(tokens, e.forms) {
			return e.of, len(e.forms)
		}
	}
	return concept{}, 0
}

func startsWith(tokens []Token, forms []string) bool {
	if len(tokens) < len(forms) {
		return false
	}
	for i, form := range forms {
		if tokens[i].Form != form {
			return false
		}
	}
	return true
}

// IsConcept reports whether a normal form is the name of a concept.
func IsConcept(form string) bool {
	_, ok := lexicon().names[form]
	return ok
}
