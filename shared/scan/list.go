package scan

import "governance.internal/shared/textkit"

// leastSubstance is how many words of substance a line needs for each dimension that it claims.
const leastSubstance = 2

// mostTopics is how many dimensions one clause may claim.
const mostTopics = 2

// isList reports whether a line strings names together instead of telling what is done.
func isList(l *line, claims []claim) bool {
	claimed, named := count(claims)
	if claimed == 0 {
		return false
	}
	if l.isPraise() || l.isHollow() {
		return true
	}

	many := claimed > mostTopics
	if !textkit.HasVerb(l.Words) {
		return many || named > 0 || l.isSlogan()
	}
	return many && isCrowded(l, claimed)
}

// isCrowded reports whether a line claims more than its verbs and its other words can carry.
func isCrowded(l *line, claimed int) bool {
	return claimed > mostTopics*verbs(l) || l.substance() < leastSubstance*claimed
}

// longestSlogan is how many words a slogan has at most.
const longestSlogan = 3

// isSlogan reports whether a line without a verb is too short to be a practice: "hash-linked ledgers" says
// nothing that is done.
func (l *line) isSlogan() bool { return len(l.Words) <= longestSlogan }

// count returns the number of positive claims, and how many of them are mere names.
func count(claims []claim) (claimed, named int) {
	for _, c := range claims {
		if !c.positive() {
			continue
		}
		claimed++
		if c.named {
			named++
		}
	}
	return claimed, named
}

// isPraise reports whether a line says how good or important a control is.
func (l *line) isPraise() bool {
	return l.has("praise") && l.names() > 0
}

// isHollow reports whether a line holds names and little else.
func (l *line) isHollow() bool {
	n := l.names()
	return n >= fewestNames && l.substance() < n
}

// fewestNames is how many names make a line a list that has fewer other words.
const fewestNames = 4

// names counts the names of dimensions in a line.
func (l *line) names() int {
	n := 0
	for i := range topics {
		n += len(l.marks[topics[i].names])
	}
	return n
}

// verbs counts the clauses with a verb.
func verbs(l *line) int {
	n := 0
	for _, c := range l.scopes.Clauses {
		if textkit.HasVerb(c.Words) {
			n++
		}
	}
	return n
}

// substance counts the words that are neither names of dimensions nor praise nor filler.
func (l *line) substance() int {
	hollow := make([]bool, len(l.Words))
	cover := func(classes string) {
		for _, m := range l.of(classes) {
			for i := m.at; i < m.at+m.length; i++ {
				hollow[i] = true
			}
		}
	}

	cover("hype|claim")
	for i := range topics {
		cover(topics[i].names)
	}

	n := 0
	for _, covered := range hollow {
		if !covered {
			n++
		}
	}
	return n
}
