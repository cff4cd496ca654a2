package scan

import "governance.internal/shared/textkit"

// leastSubstance is how many words of substance a line needs for each dimension that it claims.
const leastSubstance = 2

// mostTopics is how many dimensions one clause may claim.
const mostTopics = 2

// isList reports whether a line strings names together instead of telling what is done.
func isList(l *line, claims []claim) bool {
	topics, named := 0, 0
	for _, c := range claims {
		if !c.positive() {
			continue
		}
		topics++
		if c.named {
			named++
		}
	}
	if topics == 0 {
		return false
	}

	if l.has("praise") && l.names() > 0 {
		return true
	}
	if n := l.names(); n >= fewestNames && l.substance() < n {
		return true
	}
	if !textkit.HasVerb(l.Words) && (named > 0 || topics > mostTopics) {
		return true
	}
	if topics <= mostTopics {
		return false
	}
	return topics > mostTopics*verbs(l) || l.substance() < leastSubstance*topics
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
