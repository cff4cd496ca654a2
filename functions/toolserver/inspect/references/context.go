package references

import (
	"regexp"
	"slices"
	"strings"
)

// sentence is what stands before and after a code mark, in lower case and with all other
// marks blanked.
type sentence struct {
	before, after string
}

// mostAround is how far around a code mark its text is looked at, in bytes.
const mostAround = 600

// nearby is the text of a passage around an item, and where the item is in it. A block
// stands after its passage.
func (it item) nearby() (text string, at int) {
	text = it.passage.text
	at = it.offset - it.passage.offset
	if it.block {
		at = len(text)
	}
	if at < 0 || at > len(text) {
		return "", 0
	}

	start := max(0, at-mostAround)
	end := min(len(text), at+mostAround)
	return text[start:end], at - start
}

// sentenceOf is the sentence around an item. In a table it is the row.
func sentenceOf(it item) sentence {
	text, at := it.nearby()

	start, end := 0, len(text)
	if !it.passage.row {
		start = lastStop(text[:at])
		end = at + firstStop(text[at:])
	}

	before := strings.TrimRight(text[start:at], "`")
	_, after, _ := strings.Cut(text[at:end], "`")
	return sentence{
		before: blanked(before),
		after:  blanked(strings.TrimLeft(after, "`")),
	}
}

var (
	stop      = regexp.MustCompile(`[.!?;]["')*_]*\s`)
	shortened = regexp.MustCompile(`(?i)\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|no)\.$`)
	spaces    = regexp.MustCompile(`[\s>]+`)
)

// lastStop is where the last sentence of a text begins.
func lastStop(text string) (start int) {
	for _, found := range stop.FindAllStringIndex(text, -1) {
		if !shortened.MatchString(text[:found[0]+1]) {
			start = found[1]
		}
	}
	return start
}

// firstStop is where the first sentence of a text ends.
func firstStop(text string) int {
	for _, found := range stop.FindAllStringIndex(text, -1) {
		if !shortened.MatchString(text[:found[0]+1]) {
			return found[0]
		}
	}
	return len(text)
}

// blanked is a text whose code marks are one character each.
func blanked(text string) string {
	text = codeMark.ReplaceAllString(text, "`")
	text = strings.NewReplacer("*", "", "’", "'").Replace(text)
	text = spaces.ReplaceAllString(text, " ")
	return strings.ToLower(text)
}

// isMuted reports whether the text around an item tells that it need not be there: its sentence,
// or the one before its list.
func isMuted(it item) bool {
	for _, intro := range it.intros {
		text := strings.TrimRight(strings.TrimSpace(intro), ":")
		before := blanked(text[lastStop(text):])
		if (sentence{before: before}).muted() || listedGone.MatchString(before) {
			return true
		}
	}

	return sentenceOf(it).muted()
}

// muted reports whether a sentence tells that a name in it need not be there.
func (s sentence) muted() bool {
	whole := s.before + " ` " + s.after
	return matches(whole, gone, supposed, untracked) ||
		matches(s.before, removing, older, producedBy, insteadOf, forbidden) ||
		matches(s.after, elsewhere, thenGone, thenMade, whichMakes) ||
		s.made()
}

// matches reports whether one of some expressions matches a text.
func matches(text string, expressions ...*regexp.Regexp) bool {
	for _, each := range expressions {
		if each.MatchString(text) {
			return true
		}
	}
	return false
}

var token = regexp.MustCompile("[\\w'-]+|[`,;:()|→=]")

const mostWords = 10 // between a verb and what it makes

// made reports whether the words before a name tell that it is made: "create a file",
// "writes it to". The words are read backwards up to the verb.
func (s sentence) made() bool {
	tokens := token.FindAllString(s.before, -1)
	slices.Reverse(tokens)
	tokens = tokens[:min(len(tokens), mostWords)]

	placed := false
	for i, word := range tokens {
		switch {
		case writes[word], nouns[word] && isVerb(tokens, i):
			return true
		case makes[word]:
			return !placed
		case moves[word]:
			return placed
		case sources[word], stops[word], parts(tokens, i):
			return false
		}
		placed = placed || prepositions[word]
	}

	return false
}

// parts reports whether a comma or an "and" stands between two statements, not between two
// names. The words are in reverse order.
func parts(reversed []string, at int) bool {
	switch reversed[at] {
	case ",":
		return at+1 == len(reversed) || reversed[at+1] != "`"
	case "and", "then":
		return at > 0 && reversed[at-1] != "`" && !articles[reversed[at-1]]
	}
	return false
}

// isVerb reports whether a word that may be a noun is a verb: no article stands before it, and
// no noun of a file after it. The words are in reverse order.
func isVerb(reversed []string, at int) bool {
	isLast := at+1 == len(reversed)
	if !isLast && articles[reversed[at+1]] {
		return false
	}
	return at == 0 || !things[reversed[at-1]]
}

// weak reports whether a sentence speaks of something that others have.
func (s sentence) weak() bool {
	start := max(0, len(s.before)-60)
	near := s.before[start:]
	return weakly.MatchString(near) || yours.MatchString(s.after)
}

// another reports whether the name is one of something else than a file: a branch, a route.
func (s sentence) another() bool {
	return namedAs.MatchString(s.before) || thenNoun.MatchString(s.after)
}

// isPast reports whether a page, or a section of it, tells what was or will be.
func isPast(doc string, titles []string) bool {
	if pastFile.MatchString(doc) {
		return true
	}
	for _, each := range titles {
		if pastTitle.MatchString(each) {
			return true
		}
	}

	return false
}

// ofOthers reports whether the text before a block tells that it is about another project, or
// about what is no more.
func ofOthers(before passage) bool {
	text := blanked(before.text)
	last := text[lastStop(text):]
	return matches(last, othersProject, gone, supposed)
}
