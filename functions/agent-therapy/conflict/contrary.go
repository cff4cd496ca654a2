package conflict

import (
	"slices"
	"strings"
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
