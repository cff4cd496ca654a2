// Package scan judges how well a description of an agent system speaks of its governance.
//
// It reads plain English, never keywords alone: for each of nine dimensions it looks for who acts,
// by what means, whether the means can be skipped, and whether the means is itself checked. The
// levels are 0, absent or denied; 1, named, planned, hoped or doubted; 2, stated as present
// practice; 3, enforced by a named mechanism that the agent cannot skip; 4, enforced, and the
// enforcement is checked. A list of names is worth 1 at most.
//
// Beside the frames that are written by hand stands a model that was learned from labelled
// sentences: it says which sentence speaks of which dimension, and confirms, lowers or adds a level.
//
// The answer to a text is always the same bytes. The order of paragraphs has no effect.
package scan

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"governance.internal/shared/textkit"
)

// MaxPoints is the longest description, in Unicode code points.
const MaxPoints = 20_000

// Levels of a dimension.
const (
	Absent   = 0
	Named    = 1
	Stated   = 2
	Enforced = 3
	Checked  = 4
)

// Result is the answer to one description.
type Result struct {
	Score        int          `json:"score"` // 0 to 100
	Dimensions   []Dimension  `json:"dimensions"`
	Gaps         []Gap        `json:"gaps"`  // the three that cost the most points
	Fixes        []Fix        `json:"fixes"` // one for each gap
	Prescription Prescription `json:"prescription"`
}

// Dimension is one of the nine.
type Dimension struct {
	Name     string          `json:"name"`
	Weight   int             `json:"weight"` // share of the score; all nine make 100
	Level    int             `json:"level"`  // 0 to 4
	Evidence []textkit.Quote `json:"evidence"`
	Found    []string        `json:"found,omitempty"` // in a workspace, instead of evidence
	Next     string          `json:"next"`            // the sentence which, if it were true, would raise the level
}

// Errors of descriptions.
var (
	ErrNotUTF8 = errors.New("the description is not valid UTF-8; save it as UTF-8 and send it again")
	ErrTooLong = fmt.Errorf("the description is longer than %d characters; shorten it", MaxPoints)
)

// Describe judges a description. An empty one has the score 0.
func Describe(description string) (*Result, error) {
	if !utf8.ValidString(description) {
		return nil, ErrNotUTF8
	}
	if utf8.RuneCountInString(description) > MaxPoints {
		return nil, ErrTooLong
	}

	text := textkit.New(description)
	verdicts := judge(text)
	result := &Result{
		Score:        score(verdicts),
		Dimensions:   dimensions(text, verdicts),
		Prescription: prescribe(),
	}

	result.addGaps(verdicts, reasonOfText)
	return result, nil
}

// finding is what a whole text says about one dimension.
type finding struct {
	topic         *topic
	level         int
	listed, named bool
	sure          bool
	denied        bool
	contradicted  bool
	evidence      []textkit.Span
}

// judge reads the paragraphs, each by itself, and joins what they say; at the end, what the
// frames found is weighed with what the model makes of the same lines.
func judge(t *textkit.Text) []finding {
	findings := make([]finding, len(topics))
	denials := make([][]textkit.Span, len(topics))
	firm := make([]bool, len(topics))
	for i := range topics {
		findings[i].topic = &topics[i]
	}

	lessons := make([]lesson, len(topics))
	for _, lines := range paragraphs(t) {
		standings := readParagraph(lines)
		teachAll(lessons, lines, standings)
		for i := range topics {
			s := standings[&topics[i]]
			if s == nil {
				continue
			}
			findings[i].join(s)
			denials[i] = append(denials[i], s.denials...)
			firm[i] = firm[i] || s.firm
		}
	}

	for i := range findings {
		findings[i].deny(denials[i], firm[i])
	}

	doubtful := deniesMore(findings)
	for i, l := range lessons {
		if doubtful {
			findings[i].doubt()
		}
		findings[i].weigh(l, doubtful)
	}
	return findings
}

// deniesMore reports whether a text denies more than it claims.
func deniesMore(findings []finding) bool {
	denied, claimed := 0, 0
	for _, f := range findings {
		switch {
		case f.level > 0 && !f.listed:
			claimed++
		case f.denied:
			denied++
		}
	}
	return denied > claimed
}

// doubt lowers what is merely stated in a text that denies more than it claims.
func (f *finding) doubt() {
	if f.level == Stated && !f.sure {
		f.level = Named
	}
}

// join takes over what a paragraph says when it says more than the others.
func (f *finding) join(s *standing) {
	level := s.level()
	switch {
	case level == 0:
		return
	case level > f.level || level == f.level && f.listed && !s.listed:
		f.level = level
		f.listed, f.named, f.sure = s.listed, s.named, s.sure
		f.evidence = slices.Clone(s.evidence)
	case level == f.level:
		f.evidence = append(f.evidence, s.evidence...)
	}
}

// deny lowers a finding that another line of the text denies beyond doubt.
func (f *finding) deny(denials []textkit.Span, firm bool) {
	f.denied = len(denials) > 0
	if f.level > 0 && !firm {
		return
	}

	f.evidence = append(f.evidence, denials...)
	if f.level == 0 {
		return
	}
	f.contradicted = true
	f.level = min(f.level-1, Named)
}

// paragraphs returns the lines of each paragraph.
func paragraphs(t *textkit.Text) [][]*line {
	var all [][]*line
	last := -1
	for _, s := range t.Sentences() {
		if len(s.Words) == 0 || s.Kind == textkit.Code {
			continue
		}
		if s.Paragraph != last {
			all = append(all, nil)
			last = s.Paragraph
		}
		end := len(all) - 1
		l := newLine(s)
		l.markPaths(t)
		all[end] = append(all[end], l)
	}
	return all
}

// Points of texts that string names together.
const (
	mostForLists = 3  // what lists add to a text that says more
	mostForNames = 12 // what a text is worth that says nothing more
)

// score returns the points of a text, 0 to 100.
func score(findings []finding) int {
	quarters, listed, named := 0, 0, 0
	substance := false

	for _, f := range findings {
		points := f.topic.weight * f.level
		if f.listed {
			listed += points
			continue
		}
		quarters += points
		if f.named && f.level > 0 {
			named++
		}
		substance = substance || f.level > 0 && !f.named
	}

	total := (quarters+2)/4 + min((listed+2)/4, mostForLists)
	if !substance && (named > mostNames || listed > 0) {
		total = min(total, mostForNames)
	}
	return total
}

func dimensions(t *textkit.Text, findings []finding) []Dimension {
	all := make([]Dimension, 0, len(findings))
	for _, f := range findings {
		all = append(all, Dimension{
			Name:     f.topic.name,
			Weight:   f.topic.weight,
			Level:    f.level,
			Evidence: quotes(t, f.evidence),
			Next:     next(f),
		})
	}
	return all
}

// mostEvidence is how many quotes a dimension has at most.
const mostEvidence = 4

func quotes(t *textkit.Text, spans []textkit.Span) []textkit.Quote {
	slices.SortFunc(spans, func(a, b textkit.Span) int { return a.Start - b.Start })
	spans = slices.Compact(spans)

	all := []textkit.Quote{}
	for _, s := range spans[:min(len(spans), mostEvidence)] {
		all = append(all, t.Quote(s))
	}
	return all
}
