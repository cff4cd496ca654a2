package scan

import "governance.internal/shared/textkit"

// enforces reports whether a line names a mechanism that enforces a control.
func (l *line) enforces(t *topic) bool {
	if isReserve(textkit.ModalityOf(l.Words)) {
		return false
	}
	if t.mechanism != "" && l.affirms(t.mechanism) {
		return true
	}

	if l.deniesBypass() {
		return true
	}
	return l.refuses() || l.affirms("component") && l.affirms("enforce")
}

// refuses reports a part of the system that refuses a request: "the API does not take
// payments without the token".
func (l *line) refuses() bool {
	for _, c := range l.marks["component"] {
		for _, r := range l.marks["refusal"] {
			ahead := r.at - c.at - c.length
			if 0 <= ahead && ahead <= 3 {
				return true
			}
		}
	}
	return false
}

// deniesBypass reports "it cannot be skipped".
func (l *line) deniesBypass() bool {
	for _, m := range l.marks["bypass"] {
		if !l.affirmed(m) {
			return true
		}
	}
	return false
}

// weakens reports whether a line says that a control can be skipped, or that it is an instruction
// to the agent and no more.
func (l *line) weakens() bool {
	if l.has("attempt|tester") {
		return false // a test tries to get around it
	}
	return l.affirms("bypass") || l.affirms("instruct")
}

// tests reports whether a line tells of a check of the mechanism itself. claims says that the
// line speaks of the control, too; its own verbs are then no check of it.
func (l *line) tests(t *topic, claims bool) bool {
	if isReserve(textkit.ModalityOf(l.Words)) {
		return false
	}
	if l.verifies(t) || l.affirms("attempt") && l.has("period") {
		return true
	}

	if l.affirms("tester") {
		return l.has("try_verb|period|outcome")
	}
	return !claims && l.affirms("try_verb") && l.has("period|outcome")
}

// verifies reports whether a line names the check that a dimension has of its own.
func (l *line) verifies(t *topic) bool {
	if t.checks == "" {
		return false
	}
	return l.affirms(t.checks) && l.has("period|outcome|component|tester")
}
