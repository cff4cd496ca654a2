package scan

import (
	"slices"

	"governance.internal/shared/textkit"
)

// claim is what one line says about one dimension.
type claim struct {
	topic   *topic
	part    int // of the line
	verdict verdict
	meant   textkit.Modality

	// named says that the line only names the control.
	named bool

	// bare says that the line denies what would make the control strong.
	bare bool

	// amongDenials says that the same part of the line denies another control.
	amongDenials bool

	// hinted says that the line speaks of the control and nobody knows what it says.
	hinted bool

	// firm says that a denial is beyond doubt: it denies the name, or says the opposite.
	firm bool
}

// positive reports whether the control is said to be there, or to come.
func (c claim) positive() bool {
	return c.verdict != absent && c.meant != textkit.Past
}

// level is the level of the claim without regard to its strength.
func (c claim) level() int {
	switch {
	case !c.positive():
		return 0
	case c.hinted, c.amongDenials, isReserve(c.meant), c.meant == textkit.Imagined, c.meant == textkit.Asked:
		return 1
	case c.named:
		return c.topic.named
	}
	return 2
}

// claims returns what a line says, at most one claim for each dimension. The caller may change
// them.
func (l *line) claims() []claim {
	if !l.read {
		l.said = l.readClaims()
		l.read = true
	}
	return slices.Clone(l.said)
}

func (l *line) readClaims() []claim {
	found := map[*topic][]sighting{}
	busy := map[int]bool{}

	for i := range topics {
		t := &topics[i]
		found[t] = t.sightings(l)
		for _, s := range found[t] {
			busy[l.scopes.ClauseAt(s.at.at)] = true
		}
	}

	var all []claim
	for i := range topics {
		t := &topics[i]
		if c, ok := l.claim(t, found[t], busy); ok {
			all = append(all, c)
		}
	}

	markAmongDenials(all)
	return all
}

// markAmongDenials marks what stands beside denials: it is seldom meant as a claim.
func markAmongDenials(claims []claim) {
	denied := map[int]bool{}
	for _, c := range claims {
		if c.verdict == absent && c.firm {
			denied[c.part] = true
		}
	}

	for i := range claims {
		if claims[i].verdict == claimed {
			claims[i].amongDenials = denied[claims[i].part]
		}
	}
}

// claim joins what the sightings of one dimension say.
func (l *line) claim(t *topic, sightings []sighting, busy map[int]bool) (claim, bool) {
	if len(sightings) == 0 {
		return claim{}, false
	}

	denied, opposite := map[int]bool{}, map[int]bool{}
	for _, s := range sightings {
		if s.verdict == absent {
			denied[l.part(s.at)] = true
			opposite[l.part(s.at)] = s.opposite
		}
	}

	hollow := l.substance() < leastSubstance
	missing := l.has("nonexistent")
	best, found := claim{}, false
	for _, s := range sightings {
		part := l.part(s.at)
		if s.verdict == claimed && denied[part] || s.verdict == protected && opposite[part] {
			continue
		}
		c := claim{
			topic:   t,
			part:    part,
			verdict: s.verdict,
			meant:   l.modality(s.at, busy),
			named:   s.named || hollow,
		}
		if missing && c.meant != textkit.Stated {
			c.verdict = absent
		}
		c.firm, c.hinted = s.firm, s.hinted
		if !found || c.level() > best.level() {
			best, found = c, true
		}
	}
	return best, found
}

// part returns the number of the part of a line in which a mark stands. Parts are joined by a
// contrast or a semicolon; what is denied in one may be claimed in another.
func (l *line) part(m mark) int {
	part := 0
	for i := 1; i <= m.at; i++ {
		w := l.Words[i]
		if w.Break == ";" || w.Break == ":" || w.Lower == "but" || w.Lower == "however" {
			part++
		}
	}
	return part
}

// sighting is a place where a frame, or a name, of a dimension stands in a line.
type sighting struct {
	at      mark
	verdict verdict
	named   bool
	hinted  bool // see [claim]

	// opposite says that the words claim the opposite of the control.
	opposite bool
	firm     bool // see [claim]
}

// sightings returns all places of a dimension in a line. Names count where no frame is found.
func (t *topic) sightings(l *line) []sighting {
	all := t.framed(l, func(f frame) bool { return f.form != hint })
	if len(all) > 0 {
		return all
	}

	for _, m := range l.marks[t.names] {
		all = append(all, sighting{
			at:      m,
			verdict: t.denial(l, m),
			named:   true,
			firm:    true,
		})
	}
	if len(all) > 0 {
		return all
	}
	return t.framed(l, func(f frame) bool { return f.form == hint })
}

// framed returns the places of some of the frames of a dimension.
func (t *topic) framed(l *line, wanted func(frame) bool) []sighting {
	var all []sighting
	for _, f := range t.frames {
		if !wanted(f) {
			continue
		}
		for _, anchor := range l.of(f.anchor) {
			if s, ok := t.sighting(l, f, anchor); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

func (t *topic) sighting(l *line, f frame, anchor mark) (sighting, bool) {
	if !l.completes(f, anchor) {
		return sighting{}, false
	}
	v, ok := t.judge(l, f, anchor)
	return sighting{
		at:       anchor,
		verdict:  v,
		hinted:   f.form == hint,
		opposite: f.form == open,
		firm:     f.firm || f.form == open || l.marksAt(t.names, anchor.at),
	}, ok
}

func (l *line) completes(f frame, anchor mark) bool {
	if f.not != "" && l.has(f.not) {
		return false
	}

	for i, classes := range f.with {
		marks := l.of(classes)
		if i == 0 && f.object && !l.passive(anchor) {
			marks = behind(anchor, marks)
		}
		if _, ok := l.nearest(anchor, f.within, marks); !ok {
			return false
		}
	}
	return true
}

func behind(m mark, marks []mark) []mark {
	var after []mark
	for _, other := range marks {
		if other.at > m.at {
			after = append(after, other)
		}
	}
	return after
}

// passive reports whether a form of "be" stands right before a verb.
func (l *line) passive(m mark) bool {
	if m.at == 0 {
		return false
	}
	return l.Words[m.at-1].Stem == "be"
}

// judge returns the verdict of a frame; false means that the words make no claim.
func (t *topic) judge(l *line, f frame, anchor mark) (verdict, bool) {
	switch f.form {
	case plain:
		return protected, true
	case ban:
		return protected, l.isBanned(anchor)
	case open:
		return l.openness(anchor), true
	case automatic:
		return t.denial(l, anchor), !l.hasDecider(anchor)
	case control:
		if l.deniesObject(f, anchor) {
			return absent, true
		}
	}
	return t.denial(l, anchor), true
}

// hasDecider reports whether a person stands in the clause of a mark.
func (l *line) hasDecider(m mark) bool {
	own := l.scopes.ClauseAt(m.at)
	for _, d := range l.marks["decider"] {
		if l.scopes.ClauseAt(d.at) == own {
			return true
		}
	}
	return false
}

// isBanned reports whether the line says that what a mark names must not happen.
func (l *line) isBanned(m mark) bool {
	if !l.affirmed(m) && l.bans(m) {
		return true
	}
	verb, after := textkit.DeniedAfter(l.Words, m.at+m.length-1)
	return after && l.marksAt("possible", verb)
}

// openness judges words that say that there is no limit: denied, they are a control.
func (l *line) openness(m mark) verdict {
	if l.affirmed(m) {
		return absent
	}
	return claimed
}

// deniesObject reports "keeps no record": the negation stands before the object of the anchor.
func (l *line) deniesObject(f frame, anchor mark) bool {
	for _, classes := range f.with {
		other, _ := l.near(anchor, classes, f.within)
		for i := max(anchor.at+anchor.length, other.at-2); i < other.at; i++ {
			same := l.scopes.ClauseAt(i) == l.scopes.ClauseAt(anchor.at)
			if same && objectNo[l.Words[i].Lower] {
				return true
			}
		}
	}
	return false
}

var objectNo = map[string]bool{"no": true, "neither": true, "nobody": true}

func (t *topic) denial(l *line, m mark) verdict {
	if t.isGone(l, m) {
		return absent
	}
	v := l.denial(m, t.harm)
	if v == absent && t.protectsSo(l, m) {
		return protected
	}
	return v
}

// isGone reports whether the line tells that a control was damaged or taken away.
func (t *topic) isGone(l *line, m mark) bool {
	if t.name != MemoryGovernance && l.harmed(m) {
		return true
	}
	return !t.keepsUndoing && l.undone(m)
}

// protectsSo reports whether what is denied is the agent's, or is turned away: "what carries no
// name is rejected", "the agent cannot approve its own changes".
func (t *topic) protectsSo(l *line, m mark) bool {
	if !l.affirmed(m) && l.affirms("turn_away") {
		return true
	}
	if t.name == MemoryGovernance {
		return l.has("time_limit") // "no memory is kept for more than a week"
	}
	return t.name == HumanApprovalGates && l.approvesItself(m)
}
