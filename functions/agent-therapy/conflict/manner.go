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
		list := byAction[action]
		for i, a := range list {
			if f.full() {
				return
			}
			for _, b := range list[i+1:] {
				if a.word == b.word && sameObject(a.object, b.object) && share(a.value, b.value) == 0 && sameCase(a.Directive, b.Directive) {
					f.report(a.candidate, b.candidate, "choice", "The two instructions do the same in different ways.", "")
				}
			}
		}
	}
}

// mannerOf reads a directive as an object and a manner.
func mannerOf(c *candidate) (manner, bool) {
	m := manner{candidate: c}
	if c.Negative || c.Strength < directive.Should || !slices.Contains(settled, c.Action) || len(c.When) > 0 {
		return m, false
	}

	for _, t := range c.Core {
		switch {
		case isManner(t):
			if m.word != "" {
				return m, false // two manners: only one of them may differ
			}
			m.word = t.Lower
		case !slices.Contains(c.Things, t.Form):
		case m.word == "":
			m.object = appendOnce(m.object, t.Form)
		default:
			m.value = appendOnce(m.value, t.Form)
		}
	}
	return m, m.word != "" && len(m.object) > 0 && len(m.value) > 0
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
