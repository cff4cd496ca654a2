package conflict

import (
	"slices"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// manner is a directive that says how or where something is done: "store sessions in Redis".
type manner struct {
	*candidate
	object []string // what it is done to
	word   string   // the preposition
	value  []string // how or where
}

// settled are actions that are done in one manner: who stores sessions in one place does not store
// them in another.
var settled = []string{"store", "write", "put", "place", "name", "format", "round", "sort", "return", "keep", "order_", "declare", "sign", "address", "encod", "title", "number"}

// manners finds different manners of the same action on the same thing.
func (f *finder) manners() {
	byAction := map[string][]manner{}
	for _, c := range f.all {
		if m, ok := mannerOf(c); ok {
			byAction[m.Action] = append(byAction[m.Action], m)
		}
	}

	for _, action := range settled {
		f.compareManners(byAction[action])
	}
}

func (f *finder) compareManners(list []manner) {
	for i, a := range list {
		if f.full() {
			return
		}
		for _, b := range list[i+1:] {
			if differs(a, b) {
				f.report(a.candidate, b.candidate, "choice", "The two instructions do the same in different ways.", "")
			}
		}
	}
}

// differs reports whether two directives do the same thing in another manner.
func differs(a, b manner) bool {
	same := a.word == b.word && sameObject(a.object, b.object)
	return same && share(a.value, b.value) == 0 && sameCase(a.Directive, b.Directive)
}

// mannerOf reads a directive as an object and a manner.
func mannerOf(c *candidate) (manner, bool) {
	m := manner{candidate: c}
	if !isSettled(c.Directive) {
		return m, false
	}

	for _, t := range c.Core {
		if isManner(t) {
			if m.word != "" {
				return m, false // two manners: only one of them may differ
			}
			m.word = t.Lower
			continue
		}
		if slices.Contains(c.Things, t.Form) {
			m.add(t.Form)
		}
	}

	return m, len(m.object) > 0 && len(m.value) > 0
}

// isSettled reports whether a directive sets once and for all how something is done.
func isSettled(d *directive.Directive) bool {
	asked := !d.Negative && d.Strength >= directive.Should && len(d.When) == 0
	return asked && slices.Contains(settled, d.Action)
}

// add enters a word before or behind the preposition.
func (m *manner) add(form string) {
	if m.word == "" {
		m.object = appendOnce(m.object, form)
	} else {
		m.value = appendOnce(m.value, form)
	}
}

func isManner(t words.Token) bool {
	if t.Code {
		return false
	}
	switch t.Lower {
	case "as", "in", "to", "into", "by", "with", "under":
		return true
	}
	return false
}

// sameObject reports whether two objects are the same thing, and not a broad one.
func sameObject(a, b []string) bool {
	return !allBroad(a) && share(a, b) == 1 && share(b, a) == 1
}
