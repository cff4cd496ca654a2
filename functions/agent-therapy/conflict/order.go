package conflict

import (
	"slices"

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

	for i, a := range all {
		if f.full() {
			return
		}
		for _, b := range all[i+1:] {
			if alikeSteps(a.early, b.late) && alikeSteps(a.late, b.early) && !alikeSteps(a.early, b.early) {
				f.report(a.candidate, b.candidate, "order", "The two instructions set opposite orders.", "")
			}
		}
	}
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
		if isCovered(form, large) || violatedBy(form, large) {
			n++
		}
	}
	return 5*n >= 3*len(small)
}
