package scan

import (
	"slices"
	"strings"

	"governance.internal/shared/textkit"
)

// line is a sentence with what the lexicon knows of its words.
type line struct {
	textkit.Sentence
	scopes *textkit.Scopes
	marks  map[string][]mark
	colon  bool // it ends with a colon: a list follows

	said []claim // see [line.claims]
	read bool    // said is known
}

func newLine(s textkit.Sentence) *line {
	l := &line{
		Sentence: s,
		scopes:   textkit.NewScopes(s.Words),
		marks:    words().marksOf(s.Words),
	}
	l.marks["record_verb"] = slices.DeleteFunc(l.marks["record_verb"], l.isNoun)
	l.markNames()
	l.markRuns()
	l.markWhich()
	return l
}

// of returns the marks of classes that are separated by "|".
func (l *line) of(classes string) []mark {
	if !strings.Contains(classes, "|") {
		return l.marks[classes]
	}

	var all []mark
	for class := range strings.SplitSeq(classes, "|") {
		all = append(all, l.marks[class]...)
	}
	return all
}

func (l *line) has(classes string) bool { return len(l.of(classes)) > 0 }

// near returns the mark of classes that is nearest to another mark, within a number of words, and
// does not overlap it.
func (l *line) near(m mark, classes string, within int) (mark, bool) {
	return l.nearest(m, within, l.of(classes))
}

// nearest returns the nearest of several marks that stand in the same part of the line.
func (l *line) nearest(m mark, within int, others []mark) (mark, bool) {
	best, distance := mark{}, within+1
	part := l.part(m)
	for _, other := range others {
		d := gap(m, other)
		if d >= 0 && d < distance && l.part(other) == part {
			best, distance = other, d
		}
	}
	return best, distance <= within
}

// gap is the number of words from one mark to another, or -1 when they overlap.
func gap(a, b mark) int {
	if b.at < a.at {
		a, b = b, a
	}
	if b.at < a.at+a.length {
		return -1
	}
	return b.at - a.at - a.length
}

func (l *line) marksAt(classes string, at int) bool {
	for _, m := range l.of(classes) {
		if m.at <= at && at < m.at+m.length {
			return true
		}
	}
	return false
}

// modality returns how the clause of a mark is meant. A clause of the same sentence that only
// comments on it ("ideally", "there is a ticket for it") counts, too; busy clauses make claims of
// their own.
func (l *line) modality(m mark, busy map[int]bool) textkit.Modality {
	own := l.scopes.ClauseAt(m.at)
	meant := textkit.ModalityOf(l.scopes.Clauses[own].Words)
	if meant != textkit.Stated && meant != textkit.Demanded {
		return meant
	}

	condition := isCondition(l.scopes.Clauses[own].Link)
	for n, c := range l.scopes.Clauses {
		main := condition && n == own-1
		if busy[n] && !main {
			continue
		}
		if comment := textkit.ModalityOf(c.Words); isReserve(comment) {
			return comment
		}
	}
	return meant
}

func isCondition(link string) bool {
	switch link {
	case "if", "when", "once", "until", "unless", "after", "before":
		return true
	}
	return false
}

// isReserve reports whether something is only planned, wished, doubted or advised.
func isReserve(m textkit.Modality) bool {
	switch m {
	case textkit.Advised, textkit.Planned, textkit.Wished, textkit.Doubted:
		return true
	}
	return false
}
