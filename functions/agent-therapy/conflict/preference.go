package conflict

import (
	"slices"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// preference is a directive that sets one thing over another: "X over Y", "X instead of Y".
type preference struct {
	*candidate
	chosen  []string
	refused []string
	named   []string // refused, without "one"
	taken   []string // chosen, with the action
	plain   bool     // what is refused says something by itself
}

// preferences finds what one instruction sets first and another last, or forbids.
func (f *finder) preferences() {
	var all []preference
	for _, c := range f.all {
		p, ok := preferenceOf(c)
		if !ok {
			continue
		}
		p.named = slices.DeleteFunc(slices.Clone(p.refused), func(form string) bool { return form == "one" })
		p.taken = append([]string{p.Action}, p.chosen...)
		p.plain = len(p.named) > 0 && !allBroad(p.named)
		all = append(all, p)
	}

	byTaken := map[string][]int{} // preferences by what they choose
	for i, p := range all {
		for _, form := range p.taken {
			byTaken[form] = append(byTaken[form], i)
		}
	}

	demands := f.plainDemands()
	for i, p := range all {
		if f.full() {
			return
		}
		for _, j := range reached(p.named, byTaken) {
			if q := all[j]; j > i && p.refuses(q) && q.refuses(p) {
				f.report(p.candidate, q.candidate, "preference", "Each instruction prefers what the other sets aside.", "")
			}
		}
		f.compareRefused(p, demands[p.Action])
	}
}

// refuses reports whether a preference sets aside just what another one chooses.
func (p preference) refuses(q preference) bool {
	if p.plain && share(p.named, q.taken) == 1 {
		return true
	}
	return alike(p.named, q.chosen)
}

// plainDemands returns the directives that demand an action in every case, by the action.
func (f *finder) plainDemands() map[string][]demand {
	demands := map[string][]demand{}
	for _, c := range f.all {
		if isPlainDemand(c.Directive) {
			demands[c.Action] = append(demands[c.Action], demand{c, objectOf(c.Directive)})
		}
	}
	return demands
}

// demand is a directive with the object of its action.
type demand struct {
	*candidate
	object []string
}

// compareRefused looks for a directive that asks for just what is refused.
func (f *finder) compareRefused(p preference, demands []demand) {
	if !p.isPlain() || len(p.refused) == 0 || allBroad(p.refused) {
		return
	}

	for _, d := range demands {
		if isSame(p.refused, d.Things) || isObject(p.refused, d.object) {
			f.report(p.candidate, d.candidate, "preference", "One instruction asks for what the other sets aside.", "")
		}
	}
}

// isPlain reports whether a preference holds in every case.
func (p preference) isPlain() bool {
	return !p.Negative && p.Strength >= directive.Should && len(p.When) == 0
}

// isPlainDemand reports whether a directive demands something in every case.
func isPlainDemand(d *directive.Directive) bool {
	demands := !d.Negative && d.Strength == directive.Must
	return demands && len(d.When) == 0 && len(d.Instead) == 0
}

// isObject reports whether some forms name an object, or all of it but one word.
func isObject(forms, object []string) bool {
	return len(object) <= len(forms)+1 && share(forms, object) == 1
}

// isSame reports whether two lists have the same forms.
func isSame(a, b []string) bool { return share(a, b) == 1 && share(b, a) == 1 }

// preferenceOf reads "X over Y", "X instead of Y" and "X, not Y".
func preferenceOf(c *candidate) (preference, bool) {
	p := preference{candidate: c, chosen: c.Things, refused: c.Instead}
	if len(p.refused) > 0 {
		p.chosen = without(slices.Clone(c.Things), p.refused)
		return p, len(p.chosen) > 0
	}

	over := slices.IndexFunc(c.Core, func(t words.Token) bool { return t.Lower == "over" || t.Lower == "than" })
	if over < 0 || !saysFirstChoice(c.Directive) {
		return p, false
	}

	p.chosen, p.refused = nil, nil
	for i, t := range c.Core {
		switch {
		case !slices.Contains(c.Things, t.Form):
			continue
		case i < over:
			p.chosen = appendOnce(p.chosen, t.Form)
		case len(p.refused) < len(p.chosen):
			p.refused = appendOnce(p.refused, t.Form)
		}
	}
	return p, len(p.chosen) > 0 && len(p.refused) > 0
}

// saysFirstChoice reports whether a directive sets one thing over another: "prefer", "prioritize", "matters
// more than".
func saysFirstChoice(d *directive.Directive) bool {
	if hasWord(d, "matters", "important", "precedence", "priority") && hasWord(d, "than", "over") {
		return true
	}
	switch d.Action {
	case "prefer", "use", nameOf("prioritise"), nameOf("prioritize"), "favour":
		return hasWord(d, "over")
	}
	return false
}

// alike reports whether two lists of forms are nearly the same.
func alike(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && share(a, b) >= 0.5 && share(b, a) >= 0.5
}

func allBroad(forms []string) bool {
	return !slices.ContainsFunc(forms, func(form string) bool { return !words.Broad(form) })
}
