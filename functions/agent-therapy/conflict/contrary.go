package conflict

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/words"
)

// contraries are words that exclude each other in conditions.
var contraries = [][2]string{
	{"more", "less"}, {"older", "younger"}, {"older", "less"}, {"over", "under"}, {"above", "below"},
	{"open", "closed"}, {"adult", "minor"}, {"passes", "fails"}, {"pass", "fail"},
	{"succeeds", "fails"}, {"green", "red"}, {"new", "existing"}, {"new", "returning"},
	{"present", "missing"}, {"online", "offline"}, {"enabled", "disabled"}, {"small", "large"},
	{"simple", "complex"}, {"before", "after"}, {"inside", "outside"}, {"known", "unknown"},
	{"available", "unavailable"}, {"available", "missing"}, {"short", "long"}, {"first", "later"},
	{"greater", "less"}, {"more", "fewer"}, {"high", "low"}, {"internal", "external"},
	{"public", "private"}, {"logged", "anonymous"}, {"read", "write"}, {"day", "night"},
	{"exists", "missing"}, {"valid", "invalid"}, {"safe", "unsafe"}, {"clear", "unclear"},
	{"clear", "ambiguous"}, {"trivial", "substantial"}, {"free", "paid"}, {"longer", "shorter"},
	{"exceeds", "under"}, {"above", "under"}, {"over", "less"}, {"over", "below"},
}

// limits are words that cut a range in two.
var limits = [][2]string{
	{"over", "under"}, {"above", "below"}, {"more", "less"}, {"over", "below"}, {"above", "under"}, {"more", "under"}, {"over", "up"}, {"above", "up"}, {"more", "up"}, {"from", "under"}, {"from", "below"},
}

// isOtherRange reports whether two sentences name the same number and are about its two sides, as
// "over 1,000 EUR" and "under 1,000 EUR".
func isOtherRange(a, b []words.Token) bool {
	if !sharesNumber(a, b) {
		return false
	}
	wordsA, wordsB := lowersOf(a), lowersOf(b)
	for _, pair := range limits {
		if slices.Contains(wordsA, pair[0]) && slices.Contains(wordsB, pair[1]) ||
			slices.Contains(wordsA, pair[1]) && slices.Contains(wordsB, pair[0]) {
			return true
		}
	}
	return false
}

func sharesNumber(a, b []words.Token) bool {
	return slices.ContainsFunc(a, func(t words.Token) bool {
		if !strings.ContainsAny(t.Lower, "0123456789") {
			return false
		}
		return slices.ContainsFunc(b, func(other words.Token) bool { return other.Lower == t.Lower })
	})
}

func lowersOf(tokens []words.Token) []string {
	list := make([]string, 0, len(tokens))
	for _, t := range tokens {
		list = append(list, t.Lower)
	}
	return list
}

// isContrary reports whether two conditions exclude each other: by contrary words, or because only
// one of them is negated.
func isContrary(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, pair := range contraries {
		if slices.Contains(a, pair[0]) && slices.Contains(b, pair[1]) ||
			slices.Contains(a, pair[1]) && slices.Contains(b, pair[0]) {
			return true
		}
	}
	return isNegated(a) != isNegated(b)
}

func isNegated(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return word == "not" || word == "no" || word == "never" || word == "without" || strings.HasSuffix(word, "n't")
	})
}
