package conflict

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
)

// sequence is a directive that sets an order.
type sequence struct {
	*candidate
	early, late []string
}

// orders finds orders that are turned round.
func (f *finder) orders() {
	all := f.sequences()
	steps := newSteps()
	byLate := map[int][]int{} // sequences by their second step
	for i, s := range all {
		late := steps.number(s.late)
		byLate[late] = append(byLate[late], i)
		steps.number(s.early)
	}
	alike := steps.alike()

	for i, a := range all {
		if f.full() {
			return
		}
		for _, late := range alike[steps.number(a.early)] {
			for _, j := range byLate[late] {
				if b := all[j]; j > i && turnsRound(a, b) {
					f.report(a.candidate, b.candidate, "order", "The two instructions set opposite orders.", "")
				}
			}
		}
	}
}

// turnsRound reports whether what comes second in one sequence comes first in the other, given that
// the first step of a is like the second one of b.
func turnsRound(a, b sequence) bool {
	return alikeSteps(a.late, b.early) && !alikeSteps(a.early, b.early)
}

// steps are the distinct steps of sequences, so that each two are compared once.
type steps struct {
	list    [][]string
	numbers map[string]int
}

func newSteps() *steps { return &steps{numbers: map[string]int{}} }

// number returns the number of a step, the same for the same words.
func (s *steps) number(step []string) int {
	text := strings.Join(step, " ")
	number, known := s.numbers[text]
	if !known {
		number = len(s.list)
		s.numbers[text] = number
		s.list = append(s.list, step)
	}
	return number
}

// alike returns for each step the numbers of those like it, in their order.
func (s *steps) alike() [][]int {
	byForm := map[string][]int{}
	for number, step := range s.list {
		for _, form := range step {
			byForm[form] = append(byForm[form], number)
		}
	}

	alike := make([][]int, len(s.list))
	for number, step := range s.list {
		for _, other := range reached(step, byForm) {
			if alikeSteps(step, s.list[other]) {
				alike[number] = append(alike[number], other)
				alike[other] = append(alike[other], number)
			}
		}
	}

	for number := range alike {
		slices.Sort(alike[number])
		alike[number] = slices.Compact(alike[number])
	}
	return alike
}

// reached returns the steps of which a form is one of a step, or a case of one.
func reached(step []string, byForm map[string][]int) []int {
	var found []int
	for _, form := range step {
		found = append(found, byForm[form]...)
		for _, narrower := range kinds()[form] {
			found = append(found, byForm[narrower]...)
		}
		for violator := range violators()[form] {
			found = append(found, byForm[violator]...)
		}
	}

	slices.Sort(found)
	return slices.Compact(found)
}

// sequences returns the directives that say what comes first.
func (f *finder) sequences() []sequence {
	var all []sequence

	for i, c := range f.all {
		if c.Negative {
			continue
		}
		done := actedOn(c.Directive)
		if len(c.Before) > 0 && len(done) > 0 {
			all = append(all, sequence{c, done, c.Before})
		}
		if len(c.After) > 0 && len(done) > 0 {
			all = append(all, sequence{c, c.After, done})
		}
		if next := f.following(i); next != nil {
			all = append(all, sequence{c, done, actedOn(next)})
		}
	}

	return all
}

// following returns the directive of the same sentence that comes second, as in "first X, then Y".
func (f *finder) following(at int) *directive.Directive {
	if at+1 >= len(f.all) || !sameSentence(f.all[at], f.all[at+1]) {
		return nil
	}

	first, second := f.all[at].Directive, f.all[at+1].Directive
	if second.Negative || len(second.Things)+len(second.Action) == 0 {
		return nil
	}
	saysFirst := hasWord(first, "first") || hasWord(second, "then", "afterwards", "after", "later", "finally")
	if !saysFirst {
		return nil
	}
	return second
}

func hasWord(d *directive.Directive, wanted ...string) bool {
	for _, t := range d.Core {
		if !t.Code && slices.Contains(wanted, t.Lower) {
			return true
		}
	}
	return false
}

// alikeSteps reports whether two steps are the same: they share an action or a thing, and most of
// what the shorter one says.
func alikeSteps(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	small, large := a, b
	if len(small) > len(large) {
		small, large = large, small
	}
	n := 0
	for _, form := range small {
		if isCovered(form, large) || isCaseOf(form, large) || violatedBy(form, large) {
			n++
		}
	}
	return 5*n >= 3*len(small)
}

// isCaseOf reports whether a form is a special case of one of some others.
func isCaseOf(form string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool { return slices.Contains(kinds()[other], form) })
}
