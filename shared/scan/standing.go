package scan

import (
	"slices"

	"governance.internal/shared/textkit"
)

// standing is what one paragraph says about one dimension.
type standing struct {
	base   int  // 0 to 2: denied, named, stated
	listed bool // the level comes from a list of names
	named  bool // only the control is named
	sure   bool // the control is stated in so many words
	firm   bool // a line denies the control beyond doubt
	strong bool // a mechanism enforces it
	weak   bool // the mechanism can be skipped, or is a mere instruction
	tested bool // the mechanism is checked

	evidence []textkit.Span
	denials  []textkit.Span
}

func (s *standing) level() int {
	switch {
	case s.base < 2:
		return s.base
	case !s.strong || s.weak:
		return 2
	case s.tested:
		return 4
	}
	return 3
}

// paragraph collects the standings of the dimensions, line by line.
type paragraph struct {
	standings map[*topic]*standing
	last      []*topic // dimensions of the last line that made a claim
	denied    bool     // the line before denies what it speaks of
	gaps      bool     // a line before says that a list of what is missing follows
}

func readParagraph(lines []*line) map[*topic]*standing {
	p := &paragraph{standings: map[*topic]*standing{}}
	for i, l := range lines {
		var next *line
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		p.read(l, next)
	}

	p.demoteNames()
	return p.standings
}

func (p *paragraph) of(t *topic) *standing {
	if p.standings[t] == nil {
		p.standings[t] = &standing{}
	}
	return p.standings[t]
}

func (p *paragraph) read(l, next *line) {
	claims := l.claims()
	if l.Question {
		claims = l.answered(claims, next)
	}
	if p.gaps = p.gaps && l.Kind == textkit.Item || l.announcesGaps(); p.gaps {
		claims = denied(claims)
	}
	list := isList(l, claims)
	same := p.denied && l.has("likewise")
	p.denied = false
	var positive []*topic

	for _, c := range claims {
		s := p.of(c.topic)
		if same || l.has("hypothesis") {
			c.verdict, c.firm = absent, same && c.firm
		}
		if !c.positive() {
			p.denied = true
			s.deny(l, c.firm)
			continue
		}
		positive = append(positive, c.topic)
		p.add(s, l, c, list)
	}

	if onlyHints(claims) {
		p.attach(l)
		return
	}
	p.last = positive
}

func denied(claims []claim) []claim {
	for i := range claims {
		claims[i].verdict = absent
	}
	return claims
}

// announcesGaps reports "Not in place:" before a list.
func (l *line) announcesGaps() bool {
	return l.colon && textkit.IsGapLabel(l.Words)
}

// onlyHints reports whether a line makes no claim that was understood.
func onlyHints(claims []claim) bool {
	for _, c := range claims {
		if !c.hinted {
			return false
		}
	}
	return true
}

// deny notes a denial.
func (s *standing) deny(l *line, firm bool) {
	s.firm = s.firm || firm
	s.denials = append(s.denials, l.Span)
}

// add notes a positive claim.
func (p *paragraph) add(s *standing, l *line, c claim, list bool) {
	level := c.level()
	if list {
		level = min(level, Named)
	}
	if level > s.base {
		s.base = level
		s.listed, s.named = list, c.named
	}

	s.evidence = append(s.evidence, l.Span)
	if level < Stated {
		return
	}
	s.sure = s.sure || c.firm
	if !c.bare {
		s.strengthen(l, c.topic, true)
	}
}

// strengthen notes what a line says of the mechanism behind a control, and reports whether it
// says anything. claims says that the line speaks of the control, too.
func (s *standing) strengthen(l *line, t *topic, claims bool) bool {
	strong, weak, tested := l.enforces(t), l.weakens(), l.tests(t, claims)
	s.strong = s.strong || strong
	s.weak = s.weak || weak
	s.tested = s.tested || tested
	return strong || weak || tested
}

// attach takes a line without a claim of its own as a remark on what stands before it: "The agent
// cannot turn it off", "There is none".
func (p *paragraph) attach(l *line) {
	gone := l.has("nonexistent")
	for _, t := range p.last {
		s := p.of(t)
		if gone {
			s.deny(l, true)
		} else if s.strengthen(l, t, false) {
			s.evidence = append(s.evidence, l.Span)
		}
	}
}

// mostNames is how many controls a paragraph may merely name before it counts as a list.
const mostNames = 3

func (p *paragraph) demoteNames() {
	var named []*standing
	for i := range topics {
		s := p.standings[&topics[i]]
		if s != nil && s.named && s.base > 0 {
			named = append(named, s)
		}
	}
	if len(named) <= mostNames {
		return
	}

	for _, s := range named {
		s.base, s.listed = 1, true
	}
}

// answered reads the claims of a question with the line that follows it. Who denies that a log is
// tamper-proof says that there is one.
func (l *line) answered(claims []claim, next *line) []claim {
	answer := textkit.Asked
	no := false
	if next != nil && !next.Question && len(next.Words) > 0 {
		first := next.Words[:min(len(next.Words), 4)]
		no = saysNo(next.Words)
		if slices.ContainsFunc(first, func(w textkit.Word) bool { return w.Lower == "yes" }) {
			answer = textkit.Stated
		}
	}

	for i := range claims {
		mechanism := claims[i].topic.mechanism
		presumed := no && claims[i].topic.name == AuditChain && l.affirms(mechanism)
		switch {
		case presumed:
			claims[i].meant, claims[i].bare = textkit.Stated, true
		case no:
			claims[i].verdict = absent
		default:
			claims[i].meant = answer
		}
	}
	return claims
}

// longestNo is the longest answer that only says no, in words: "nobody has time for that".
const longestNo = 7

// saysNo reports whether an answer denies what was asked.
func saysNo(answer []textkit.Word) bool {
	if len(answer) > 1 && len(answer[0].Lower) == 1 && answer[1].Break == ":" {
		answer = answer[1:] // "A: No"
	}
	if textkit.IsNegator(answer, 0) {
		return true
	}
	if len(answer) > longestNo {
		return false
	}

	for i := range answer[:min(len(answer), 4)] {
		if textkit.IsNegator(answer, i) {
			return true
		}
	}
	return false
}
