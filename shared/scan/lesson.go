package scan

import (
	"slices"

	"governance.internal/shared/textkit"
)

// lesson is what the learned model makes of a whole text for one dimension.
type lesson struct {
	spoken   bool
	level    int // in hundredths, the highest of all lines
	evidence []textkit.Span
}

// teachAll adds what the lines of a paragraph say, each beside the one before it. standings is
// what the frames make of the paragraph.
func teachAll(lessons []lesson, lines []*line, standings map[*topic]*standing) {
	strung := stringsNames(standings)
	var before *line
	for _, l := range lines {
		if !strung || !l.isThin() {
			l.teach(lessons, before)
		}
		before = l
	}
}

// stringsNames reports whether a paragraph strings names together, so that they count as a list.
func stringsNames(standings map[*topic]*standing) bool {
	for _, s := range standings {
		if s.listed {
			return true
		}
	}
	return false
}

// teach adds what a line says. A list says nothing; a line of names, a question and a mere thought
// say nothing that the frames do not see.
func (l *line) teach(lessons []lesson, before *line) {
	claims := l.claims()
	if isList(l, claims) {
		return
	}

	m := learned()
	seen := observe(l, before)
	unsaid := l.isThin() || l.isUnreal()
	for i := range topics {
		if unsaid && !claimsOf(claims, &topics[i]) {
			continue
		}
		if m.speaksOf(seen.Topics, i) {
			lessons[i].add(l, m.level(seen.Levels[i]))
		}
	}
}

// thinnest is how many words of substance a line with names needs to say something new.
const thinnest = 4

// isThin reports whether a line holds a name and little else.
func (l *line) isThin() bool {
	return l.names() > 0 && l.substance() < thinnest
}

// isUnreal reports whether a line asks or imagines.
func (l *line) isUnreal() bool {
	if l.Question || l.has("hypothesis") {
		return true
	}
	meant := textkit.ModalityOf(l.Words)
	return meant == textkit.Imagined || meant == textkit.Asked
}

// claimsOf reports whether one of the claims is about a dimension.
func claimsOf(claims []claim, t *topic) bool {
	return slices.ContainsFunc(claims, func(c claim) bool { return c.topic == t })
}

// add takes over the level of a line when it is the highest.
func (s *lesson) add(l *line, level int) {
	switch {
	case s.spoken && level < s.level:
		return
	case level > s.level:
		s.evidence = nil
	}

	s.spoken = true
	s.level = level
	s.evidence = append(s.evidence, l.Span)
}

// Shares of the frames and of the model in a level, of a hundred.
const (
	shareOfFrames = 45
	shareOfModel  = 55
)

// weigh joins a finding of the frames with what the model makes of the text. What the frames
// take for named only stays so. In a doubtful text the model adds nothing.
func (f *finding) weigh(s lesson, doubtful bool) {
	if f.level >= Stated {
		f.level = joined(f.level, s.level)
		f.evidence = append(f.evidence, s.evidence...)
		return
	}

	unseen := f.level == Absent || f.listed
	if unseen && s.spoken && !f.denied && !doubtful {
		f.addLesson(s)
	}
}

// addLesson takes over what the model alone sees, or what the frames see in a list only.
func (f *finding) addLesson(s lesson) {
	level := joined(Absent, s.level)
	if level < max(f.level, Named) {
		return
	}

	f.level = level
	f.listed, f.named = false, false
	f.evidence = append(f.evidence, s.evidence...)
}

// joined returns the level between that of the frames and that of the model, which is in
// hundredths. Only the frames know whether an enforcement is checked.
func joined(frames, model int) int {
	hundredths := shareOfFrames*frames + shareOfModel*model/Scale
	level := (hundredths + 50) / 100
	if frames == Enforced {
		return min(level, Enforced)
	}
	return level
}
