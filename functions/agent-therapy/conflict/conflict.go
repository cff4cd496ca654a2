// Package conflict finds instructions that cannot both be followed.
//
// Two directives are compared by meaning, not by words: the same action on the same thing is asked
// for and forbidden, two options of one choice are demanded, bounds of one quantity differ, or an
// order is turned round. Pairs that never hold at once are no conflicts; package scope decides that.
// Decision trees and a small network judge what these rules find, and what else speaks of the same matter.
package conflict

import (
	"cmp"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/meaning"
	"governance.internal/functions/agent-therapy/scope"
)

// Severities, the gravest first.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Conflict is two directives that cannot both be followed. A stands before B.
type Conflict struct {
	A, B     *directive.Directive
	Code     string
	Why      string
	Severity string
	Together string // how both come to hold at once
}

// candidate is a directive with what is asked of it often.
type candidate struct {
	*directive.Directive
	index         int
	circumstances scope.Circumstances

	stances map[int]stance // what it says about choices, once it was asked for
}

// choices returns what a candidate says about choices, by the index of the axis.
func (c *candidate) choices() map[int]stance {
	if c.stances == nil {
		c.stances = stancesOf(c)
	}
	return c.stances
}

// finder collects conflicts.
type finder struct {
	all   []*candidate
	found map[[2]int]Conflict // by the statements' first directives
	table *meaning.Table
}

// Find returns the conflicts among the directives of some documents, in the order of the text.
func Find(directives []*directive.Directive) []Conflict {
	f := &finder{found: map[[2]int]Conflict{}, table: meaning.Embedded()}
	f.take(directives)
	f.followRules()
	f.judge()

	return f.sorted()
}

// followRules collects what the rules find.
func (f *finder) followRules() {
	f.opposites()
	f.approvals()
	f.choices()
	f.preferences()
	f.exclusives()
	f.antonymPairs()
	f.manners()
	f.numbers()
	f.orders()
}

// take makes candidates of directives. A sentence that is repeated counts once in a document.
func (f *finder) take(directives []*directive.Directive) {
	type place struct {
		document *document.Document
		text     string
		under    string
	}
	first := map[place]int{}
	var reader scope.Reader
	var circumstances scope.Circumstances
	var of *document.Statement

	for _, d := range directives {
		s := d.Sentence()
		here := place{d.Document, s.Text, strings.Join(s.Under, "\n")}
		statement, known := first[here]
		if known && statement != d.Statement {
			continue
		}
		first[here] = d.Statement
		if s != of {
			of, circumstances = s, reader.Of(d)
		}
		f.all = append(f.all, &candidate{Directive: d, index: len(f.all), circumstances: circumstances})
	}
}

func (f *finder) sorted() []Conflict {
	keys := make([][2]int, 0, len(f.found))
	for key := range f.found {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})

	conflicts := make([]Conflict, 0, len(keys))
	for _, key := range keys {
		conflicts = append(conflicts, f.found[key])
	}
	return conflicts
}

// Most is how many conflicts are reported; who has so many does not read more.
const Most = 500

// full reports whether as many conflicts are found as are reported.
func (f *finder) full() bool { return len(f.found) >= Most }

// report enters a conflict unless the pair is known, or never holds at once. The family free does
// not tell circumstances apart, because the conflict is about its values.
func (f *finder) report(a, b *candidate, code, why, free string) {
	if f.full() || sameSentence(a, b) || sameWords(a, b) {
		return
	}
	how, together := scope.Together(a.Document, b.Document)
	if !together || a.circumstances.Exclude(b.circumstances, free) || isException(a, b, code) || isOtherRange(a.Core, b.Core) {
		return
	}

	a, b = inOrder(a, b)
	key := f.key(a, b)
	if _, known := f.found[key]; known {
		return
	}

	f.found[key] = Conflict{
		A:        a.Directive,
		B:        b.Directive,
		Code:     code,
		Why:      why,
		Severity: severity(a.Directive, b.Directive, a.Document != b.Document),
		Together: how,
	}
}

// key names the pair of sentences, so that a pair is reported once.
func (f *finder) key(a, b *candidate) [2]int {
	return [2]int{f.first(a), f.first(b)}
}

// first returns the index of the first directive of the sentence.
func (f *finder) first(c *candidate) int {
	i := c.index
	for i > 0 && sameSentence(f.all[i-1], c) {
		i--
	}
	return i
}

func sameSentence(a, b *candidate) bool {
	return a.Document == b.Document && a.Statement == b.Statement
}

// sameWords reports whether both sentences say the very same.
func sameWords(a, b *candidate) bool {
	return a.Sentence().Text == b.Sentence().Text
}

// exceptionWords begin a sentence that limits the one before it.
var exceptionWords = []string{"however", "but", "except", "exception", "exceptions", "only exception"}

// exceptionPhrases stand in a sentence that says of itself that it is an exception.
var exceptionPhrases = []string{
	"one exception", "only exception", "sole exception", "exception to this", "exception from this", "is exempt", "are exempt",
}

// isException reports whether one sentence is written as an exception from the other: it says so, follows in
// the same block, or begins as one does. Of values only one can be chosen, so there the second
// sentence must also be limited to a case.
func isException(a, b *candidate, code string) bool {
	if a.Document != b.Document {
		return false
	}

	if saysException(a) || saysException(b) {
		return true
	}
	first, second := inOrder(a, b)
	distance := second.Statement - first.Statement
	isNext := distance == 1 && second.Sentence().Topic != ""
	if isNext && (code == "opposite" || isLimited(second.Directive)) {
		return true
	}
	return distance <= 2 && beginsException(second.Directive)
}

// inOrder returns two candidates in the order of the text.
func inOrder(a, b *candidate) (first, second *candidate) {
	if a.index > b.index {
		return b, a
	}
	return a, b
}

// saysException reports whether a sentence calls itself an exception.
func saysException(c *candidate) bool {
	return containsAny(strings.ToLower(c.Sentence().Text), exceptionPhrases...)
}

// beginsException reports whether the first word of a sentence makes it an exception.
func beginsException(d *directive.Directive) bool {
	return len(d.Whole) > 0 && slices.Contains(exceptionWords, d.Whole[0].Lower)
}

// isLimited reports whether a sentence holds only in some case, or only allows: so does one that
// makes an exception from the sentence before it.
func isLimited(d *directive.Directive) bool {
	hasCase := len(d.When) > 0 || len(d.Except) > 0
	return hasCase || d.Strength == directive.May || d.Strength == directive.States
}

// severity weighs a conflict: by how strictly both are said, and what is at stake.
func severity(a, b *directive.Directive, nested bool) string {
	weaker := min(a.Strength, b.Strength)
	stronger := max(a.Strength, b.Strength)
	absolute := isAbsolute(a) || isAbsolute(b)

	switch {
	case touches(a) || touches(b):
		return High
	case nested:
		return Low
	case weaker == directive.Must && absolute:
		return High
	case stronger == directive.Must:
		return Medium
	default:
		return Low
	}
}

// isAbsolute reports whether a directive leaves no room.
func isAbsolute(d *directive.Directive) bool { return d.Universal || d.Negative }

// stakes are what cannot be taken back when it goes wrong.
var stakes = []string{
	"secret", "personaldata", "production", "delete", "forcepush", "deploy", "payment", "refund",
	"approval", "ask", "medicaladvice", "legaladvice", "migration", "push",
}

func touches(d *directive.Directive) bool {
	return slices.ContainsFunc(stakes, d.Has)
}

// Quotes returns the two quoted lines.
func (c Conflict) Quotes() (a, b document.Quote) { return c.A.Quote(), c.B.Quote() }
