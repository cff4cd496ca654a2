package conflict

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

// signsOf tells of each word whether it stands in what is denied or forbidden: a word such as "never" turns
// its clause round, one such as "without" what follows.
func signsOf(tokens []words.Token) []bool {
	denied := make([]bool, len(tokens))
	start := 0
	for at := range tokens {
		if at > start && endsClause(tokens[at]) {
			turnRound(tokens[start:at], denied[start:at])
			start = at
		}
	}
	turnRound(tokens[start:], denied[start:])
	return denied
}

// endsClause reports whether a word or mark stands where another clause may begin.
func endsClause(t words.Token) bool {
	switch t.Lower {
	case ",", ";", ":", "—", "–", "(", ")", "but", "and", "because", "so", "since":
		return true
	}
	return false
}

func turnRound(clause []words.Token, denied []bool) {
	turned := false
	for _, t := range clause {
		if turning[t.Lower] && !t.Code {
			turned = !turned
		}
	}

	behind := false
	for i := range clause {
		behind = behind || setsAside(clause, i)
		denied[i] = turned != behind
	}
}

// setsAside reports whether what follows a word is left out or rejected: "without", "instead of".
func setsAside(clause []words.Token, at int) bool {
	switch clause[at].Lower {
	case "without", "except", "unless", "over":
		return true
	case "of":
		return at > 0 && (clause[at-1].Lower == "instead" || clause[at-1].Lower == "out")
	case "than":
		return at > 0 && clause[at-1].Lower == "rather"
	}
	return false
}

var turning = wordSet(`not no never don't dont cannot can't nothing nobody none avoid refrain mustn't neither won't isn't
	aren't doesn't shouldn't forbidden prohibited banned taboo reject rejected ruled skip stop drop remove removed
	disable disabled omit refuse off-limits unnecessary optional ban lack lacks leave forget hidden hide delete off wrong`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// sign is how a form stands in a saying.
type sign int

const (
	unnamed sign = iota
	affirmed
	denied
	mixed
)

// signOf returns how a form stands in a saying.
func (s *saying) signOf(form string) sign {
	is := unnamed
	for i, t := range s.tokens {
		switch {
		case t.Form != form:
		case s.denied[i]:
			is |= denied
		default:
			is |= affirmed
		}
	}
	return is
}

// beside returns the sides of contraries that stand at most two words from one of some forms.
func beside(tokens []words.Token, forms []string) []int {
	stems := " "
	for i, t := range tokens {
		first := max(0, i-2)
		last := min(len(tokens), i+3)
		if nameNarrow(tokens[first:last], forms) {
			stems += stemmed(t.Lower)
		}
	}
	return contrarySides().in(stems)
}

// nameNarrow reports whether one of some words has one of some forms, and not a broad one.
func nameNarrow(tokens []words.Token, forms []string) bool {
	for _, t := range tokens {
		if words.Broad(t.Form) {
			continue
		}
		if slices.Contains(forms, t.Form) {
			return true
		}
	}
	return false
}
