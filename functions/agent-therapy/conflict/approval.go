package conflict

import (
	"slices"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// gate is a directive about asking before something is done.
type gate struct {
	*candidate
	asks   bool     // asking is demanded; otherwise it is left out
	things []string // what is done after asking; empty for everything
	plain  bool     // the answer is not awaited by the words "without asking"
}

// approvalForms are words for the agreement of a person.
var approvalForms = []string{"approval", "approve", "ask", "clarifying"}

// isApproval reports whether words are about asking a person.
func isApproval(forms []string) bool {
	return slices.ContainsFunc(forms, func(form string) bool {
		return slices.Contains(approvalForms, form)
	})
}

// approvals finds actions that need agreement by one instruction and none by another.
func (f *finder) approvals() {
	var asking, going []gate
	for _, c := range f.all {
		g, ok := gateOf(c)
		if !ok {
			continue
		}
		if g.asks {
			asking = append(asking, g)
		} else {
			going = append(going, g)
		}
	}

	for _, a := range asking {
		if f.full() {
			return
		}
		for _, b := range going {
			if meet(a, b) && !exceptedGate(a, b) {
				f.report(a.candidate, b.candidate, "approval",
					"One instruction wants agreement before the action, the other wants it done without.", "")
			}
		}
	}
}

// gateOf reads a directive as one about asking.
func gateOf(c *candidate) (gate, bool) {
	if c.Negative {
		return forbiddenGate(c)
	}

	things := actedOn(c.Directive)
	switch {
	case isUnasked(c.Without):
		return gate{candidate: c, things: things}, true

	case isOnItsOwn(c.Directive):
		return gate{candidate: c, things: things}, true

	case needsPerson(c.Directive):
		return gate{candidate: c, asks: true, things: withoutPersons(things)}, true

	case isAsking(c.Directive) && c.Strength != directive.States:
		about := askedAbout(c.Directive)
		return gate{candidate: c, asks: true, things: about}, len(about) > 0 || c.Universal

	case saysAtOnce(c.Directive):
		return gate{candidate: c, things: things, plain: true}, len(things) > 0
	}

	return gate{}, false
}

// alone are words for doing something without anybody else.
var alone = []string{"autonomously", "independently", "unattended", "unsupervised"}

// isOnItsOwn reports whether something is done without anybody else: "on your own".
func isOnItsOwn(d *directive.Directive) bool {
	for i, t := range d.Whole {
		if slices.Contains(alone, t.Lower) {
			return true
		}
		if t.Lower == "own" && i > 1 && d.Whole[i-2].Lower == "on" && isLast(d.Whole, i) {
			return true
		}
	}

	return false
}

// isLast reports whether nothing but marks follows a token: "on your own", but not "on your own
// branch".
func isLast(tokens []words.Token, at int) bool {
	return at+1 == len(tokens) || tokens[at+1].Mark || words.Empty(tokens[at+1].Lower)
}

// persons decide about what an agent does.
const persons = `manager supervisor human maintainer lead reviewer owner administrator admin officer
	teammate colleague boss dba engineer doctor nurse teacher lawyer director deputy person`

// needsPerson reports whether something needs a person: "refunds require a manager".
func needsPerson(d *directive.Directive) bool {
	isHandedOver := d.Action == "escalate" && d.Strength >= directive.Should
	if !isHandedOver && !hasWord(d, "need", "needs", "require", "requires") {
		return false
	}
	return slices.ContainsFunc(d.Whole, func(t words.Token) bool { return isPerson(t.Form) })
}

// isPerson reports whether a normal form is a person who decides.
func isPerson(form string) bool { return personForms()[form] }

var personForms = sync.OnceValue(func() map[string]bool { return formsOf(persons) })

// withoutPersons returns what needs the person, or the agreement of one.
func withoutPersons(forms []string) []string {
	var things []string
	for _, form := range forms {
		if !isPerson(form) && !slices.Contains(approvalForms, form) {
			things = append(things, form)
		}
	}
	return things
}

// isUnasked reports whether what is left out is to ask, or to wait.
func isUnasked(forms []string) bool {
	return isApproval(forms) || slices.ContainsFunc(forms, func(form string) bool { return slices.Contains(oversight, form) })
}

// oversight is what one does without when nobody else decides.
var oversight = []string{"wait", "review", "supervise", "supervision", "oversight"}

// forbiddenGate reads a prohibition: of asking, or of acting without.
func forbiddenGate(c *candidate) (gate, bool) {
	switch {
	case c.Left:
		return gate{}, false
	case isAsking(c.Directive):
		return gate{candidate: c, things: askedAbout(c.Directive)}, true
	case isApproval(c.Except):
		return gate{candidate: c, asks: true, things: actedOn(c.Directive)}, true
	}

	return gate{}, false
}

// isAsking reports whether the directive itself is to ask, or to have approval. Who asks about something
// or for something wants to know it, and no leave.
func isAsking(d *directive.Directive) bool {
	if d.Action == "ask" && wantsToKnow(d) {
		return false
	}
	if d.Action == "ask" || d.Action == "approve" {
		return true
	}
	return slices.Contains(d.Things, "approval") && gettingActions[d.Action]
}

// wantsToKnow reports whether "about" or "for" and what is asked for stand behind "ask".
func wantsToKnow(d *directive.Directive) bool {
	for i, t := range d.Core[:max(0, len(d.Core)-1)] {
		if t.Lower != "about" && t.Lower != "for" {
			continue
		}
		behind := d.Core[i+1:]
		isEach := behind[0].Lower == "each" || behind[0].Lower == "every"
		isLeave := slices.ContainsFunc(behind, isPermission)
		return !isLeave && !isEach
	}

	return false
}

// isPermission reports whether a word is about leave.
func isPermission(t words.Token) bool {
	return permission[t.Lower] || slices.Contains(approvalForms, t.Form)
}

// permission are words for leave that are no words for asking.
var permission = map[string]bool{"permission": true, "leave": true, "consent": true, "confirmation": true, "agreement": true, "sign-off": true}

// gettingActions are what one does with an approval.
var gettingActions = map[string]bool{"use": true, "wait": true, "need": true, "require": true, "get": true, "seek": true, "obtain": true, "": true}

// askedAbout returns what the agreement is about.
func askedAbout(d *directive.Directive) []string {
	var about []string
	for _, list := range [][]string{d.Before, d.Things} {
		for _, form := range list {
			if !slices.Contains(approvalForms, form) && form != "user" {
				about = append(about, form)
			}
		}
	}

	return about
}

// actedOn returns the action and its things.
func actedOn(d *directive.Directive) []string {
	if d.Action == "" || d.Action == directive.Use {
		return d.Things
	}
	return append([]string{d.Action}, d.Things...)
}

// atOnce are words for doing something without a pause to ask.
var atOnce = []string{"automatically", "immediately", "straight", "autonomously", "right", "directly"}

// saysAtOnce reports whether something is done without waiting for anybody.
func saysAtOnce(d *directive.Directive) bool {
	if d.Strength == directive.States || d.Strength == directive.May {
		return false
	}
	for i, t := range d.Core {
		if !slices.Contains(atOnce, t.Lower) {
			continue
		}
		if t.Lower != "right" || i+1 < len(d.Core) && d.Core[i+1].Lower == "away" {
			return true
		}
	}

	return false
}

// meet reports whether both gates are about the same action.
func meet(asking, going gate) bool {
	if len(going.things) == 0 {
		return true // nothing is ever asked
	}
	if len(asking.things) == 0 {
		return !going.plain
	}

	if going.plain {
		return matches(asking.things, going.things)
	}
	return sharesSpecific(asking.things, going.things)
}

// matches reports whether most of the forms of the shorter list occur in the other.
func matches(a, b []string) bool {
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

	return 3*n >= 2*len(small)
}

// sharesSpecific reports whether two actions are about the same thing: they share a thing that is
// not broad, or their action if one of them names no such thing.
func sharesSpecific(a, b []string) bool {
	thingsA, thingsB := specificThings(a), specificThings(b)
	if len(thingsA) == 0 || len(thingsB) == 0 {
		return matches(a, b)
	}
	return slices.ContainsFunc(thingsA, func(form string) bool { return isCovered(form, thingsB) })
}

// specificThings returns the forms that are neither actions nor broad.
func specificThings(forms []string) []string {
	var things []string
	for _, form := range forms {
		if violators()[form] == nil && !words.Broad(form) {
			things = append(things, form)
		}
	}
	return things
}

func violatedBy(form string, others []string) bool {
	table := violators()[form]
	return slices.ContainsFunc(others, func(other string) bool { return table[other] })
}

// exceptedGate reports whether the one without asking is bound to an exception or a condition that
// the other does not have, such as small changes.
func exceptedGate(asking, going gate) bool {
	if len(going.When) > 0 && len(asking.When) > 0 {
		return share(going.When, asking.When) < 0.5
	}
	if len(asking.When) > 0 && len(going.When) == 0 {
		return !going.Universal && share(asking.When, everyForm(going.Directive)) < 0.5
	}
	if len(asking.Except) > 0 && !asking.Negative {
		return share(asking.Except, everyForm(going.Directive)) >= 0.5
	}
	return false
}
