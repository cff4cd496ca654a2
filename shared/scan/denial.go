package scan

import (
	"strings"

	"governance.internal/shared/textkit"
)

// affirmed reports whether the sentence claims what stands at a mark.
func (l *line) affirmed(m mark) bool {
	return !l.isListedAsMissing(m) && l.scopes.Polarity(m.at) != textkit.Denied
}

// affirms reports whether a phrase of classes stands in the line and is not denied.
func (l *line) affirms(classes string) bool {
	for _, m := range l.of(classes) {
		if l.affirmed(m) {
			return true
		}
	}
	return false
}

// denial tells how a line denies a mark: not at all, or so that it protects ("cannot be changed"),
// or so that the thing is not there.
func (l *line) denial(m mark, protective string) verdict {
	if l.isListedAsMissing(m) {
		return absent
	}
	if l.isConditional(m) {
		return claimed
	}
	if l.scopes.Polarity(m.at) == textkit.Denied {
		if l.protects(m, protective) {
			return protected
		}
		return absent
	}

	verb, denied := textkit.DeniedAfter(l.Words, m.at+m.length-1)
	if !denied || textkit.IsActive(l.Words, m.at) {
		return claimed
	}
	if label := l.Words[verb].Break; label != "" && label != "," {
		return absent
	}
	if l.marksAt(protective+"|let_verb", verb) {
		return protected
	}
	return absent
}

// longestHead is how many words stand before the colon of a list at most.
const longestHead = 9

// isListedAsMissing reports whether a mark stands in a list of what is not there: "what you will not
// find here: an audit log, locked files".
func (l *line) isListedAsMissing(m mark) bool {
	for i := 1; i < min(len(l.Words), longestHead+1) && i <= m.at; i++ {
		if l.Words[i].Break == ":" {
			return l.isMissingHead(i)
		}
	}
	return false
}

// isMissingHead reports whether the first words say that something is not there, and name no control.
func (l *line) isMissingHead(end int) bool {
	missing, speaksOfHaving := false, false
	for i := range end {
		for t := range topics {
			if l.marksAt(topics[t].names, i) {
				return false
			}
		}
		switch l.Words[i].Lower {
		case "missing", "lacking", "absent", "lack", "lacks", "none", "nonexistent", "off", "disabled", "removed", "dropped", "abandoned":
			missing, speaksOfHaving = true, true
		case "have", "has", "find", "exist", "exists", "there", "offer", "provide", "place", "do", "get", "see":
			speaksOfHaving = true
		}
		missing = missing || textkit.IsNegator(l.Words, i)
	}
	return missing && speaksOfHaving
}

// isConditional reports whether a mark stands in a condition, where nothing is denied: "the build
// fails if the notice is missing".
func (l *line) isConditional(m mark) bool {
	switch l.scopes.Clauses[l.scopes.ClauseAt(m.at)].Link {
	case "if", "when", "whenever":
		return true
	case "whose", "which", "who":
		return l.affirms("turn_away") // "rejects calls whose key is not known"
	}
	return false
}

// verdict is what a line says about a control.
type verdict int

const (
	claimed verdict = iota
	protected
	absent
)

// reach is how far before a mark the verb of a ban may stand, in words.
const reach = 6

// protects reports whether the negation before a mark is that of a harmful verb: "cannot turn
// the hook off", "nobody edits the log".
func (l *line) protects(m mark, protective string) bool {
	clause := l.scopes.Clauses[l.scopes.ClauseAt(m.at)]
	from := max(clause.First, m.at-reach)
	negated := false

	for i := clause.First; i < m.at; i++ {
		if textkit.IsNegator(l.Words, i) {
			negated = true
		}
		if negated && i >= from && !textkit.IsNegator(l.Words, i) && l.marksAt(protective, i) {
			return true
		}
	}
	return false
}

// harmed reports whether the line tells that a control was damaged: "its log had been truncated".
func (l *line) harmed(m mark) bool {
	at := m.at + m.length
	if at+1 >= len(l.Words) || !textkit.IsAuxiliary(l.Words[at]) {
		return false
	}

	switch l.Words[at].Lower {
	case "was", "were", "had", "has", "have":
	default:
		return false
	}
	return l.marksAt("alter", at+1) || l.Words[at+1].Lower == "been" && l.marksAt("alter", at+2)
}

// approvesItself reports whether it is the agent that must not approve: "the agent cannot approve
// its own changes".
func (l *line) approvesItself(m mark) bool {
	if _, own := l.near(m, "self", 4); own {
		return true
	}
	clause := l.scopes.Clauses[l.scopes.ClauseAt(m.at)]
	return l.marksAt("agent", clause.First) || l.marksAt("agent", clause.First+1)
}

// bans reports whether the negation before a verb is its own: "may not send", but not "is not
// limited in what it may send".
func (l *line) bans(m mark) bool {
	clause := l.scopes.Clauses[l.scopes.ClauseAt(m.at)]
	for i := m.at - 1; i >= clause.First; i-- {
		if textkit.IsNegator(l.Words, i) {
			return true
		}
		w := l.Words[i]
		participle := strings.HasSuffix(w.Lower, "ed") && len(w.Lower) > 4
		if participle && !l.marksAt("let_verb|light", i) {
			return false
		}
	}
	return false
}

// undone reports whether the line tells that a control was taken away: "we removed the approval
// step", "we skip the approvals".
func (l *line) undone(m mark) bool {
	if l.has("attempt|tester") {
		return false // "a red team attempts to bypass the gate"
	}
	for _, u := range l.marks["undo"] {
		if l.affirmed(u) && l.isObject(u, m) && (l.isPast(u) || l.marksAt("skipped", u.at)) {
			return true
		}
	}
	return false
}

// isObject reports whether a mark stands right behind a verb, with no preposition between.
func (l *line) isObject(verb, m mark) bool {
	behind := verb.at + verb.length
	if behind > m.at || m.at-behind > 3 {
		return false
	}
	return !l.marksAt("preposition", behind)
}

func (l *line) isPast(verb mark) bool {
	lower := l.Words[verb.at].Lower
	return strings.HasSuffix(lower, "ed") || strings.HasSuffix(lower, "ing")
}
