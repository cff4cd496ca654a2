package lint

import (
	"slices"
	"strings"
)

// inputDefault is the default of a VS Code input: it is used when the user enters nothing.
type inputDefault struct {
	setting
	order int // in the document
}

// inputDefaults reads the inputs that have a default, by their id.
func inputDefaults(inputs *node, top *place) map[string][]inputDefault {
	if inputs == nil || inputs.kind != list {
		return nil
	}
	found := map[string][]inputDefault{}
	at := top.member("inputs", inputs)
	for i, input := range inputs.items {
		id, ok := input.get("id").scalar()
		value, has := input.get("default").scalar()
		if !ok || !has {
			continue
		}
		name := id
		if secret, _ := input.get("password").scalar(); secret == "true" {
			name += "-password"
		}
		p := at.item(i, input).member("default", input.get("default"))
		found[id] = append(found[id], inputDefault{setting{name, value, p}, i})
	}

	return found
}

// readInputs adds the defaults of the inputs that this server refers to.
func (s *server) readInputs(inputs map[string][]inputDefault) {
	if len(inputs) == 0 {
		return
	}
	used := map[string]bool{}
	for _, list := range [][]setting{s.env, s.headers, s.fields} {
		for _, v := range list {
			inputIDs(v.value, used)
		}
	}

	for _, list := range [][]word{s.argv, s.urls} {
		for _, w := range list {
			inputIDs(w.text, used)
		}
	}

	var defaults []inputDefault
	for id := range used {
		defaults = append(defaults, inputs[id]...)
	}

	slices.SortFunc(defaults, func(a, b inputDefault) int { return a.order - b.order })
	for _, d := range defaults {
		s.fields = append(s.fields, d.setting)
	}
}

// inputIDs collects the ids of the ${input:id} in a text.
func inputIDs(s string, used map[string]bool) {
	for {
		_, rest, ok := strings.Cut(s, "${input:")
		if !ok {
			return
		}

		id, after, closed := strings.Cut(rest, "}")
		if !closed {
			return
		}
		if inner := strings.LastIndex(id, "${input:"); inner >= 0 {
			id = id[inner+len("${input:"):]
		}

		used[id] = true
		s = after
	}
}
