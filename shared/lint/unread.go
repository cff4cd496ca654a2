package lint

import (
	"slices"
	"strings"
)

// unread is MCP000: the parts of a server that the lint cannot judge. A server that was not understood
// always has a finding.
func unread(s *server, r *report) {
	isBlank := func(w word) bool { return strings.TrimSpace(w.text) == "" }
	runs := slices.ContainsFunc(s.argv, func(w word) bool { return !isBlank(w) })
	connects := slices.ContainsFunc(s.urls, func(w word) bool { return !isBlank(w) })
	if !runs && !connects {
		r.add(
			ruleNotUnderstood,
			Info,
			s.at,
			say("this server has no command and no url that the lint understands, so nothing about it was judged"),
			hintUnderstood,
		)
	}

	for _, f := range fieldKinds {
		value := s.node.get(f.key)
		if value == nil || value.kind == null {
			continue
		}

		at := s.at.member(f.key, value)

		if !f.allows(value.kind) {
			reportUnread(r, f.key, value, at)
			continue
		}

		judgeItems(r, f.key, value, at)
	}
}

var hintUnderstood = say("write command as a string, args as an array of strings, env and headers as objects of strings, url as a string")

func reportUnread(r *report, name string, value *node, at *place) {
	r.add(
		ruleNotUnderstood,
		Info,
		at,
		say(shown(name), " is "+value.kind.String()+", so it was not judged"),
		hintUnderstood,
	)
}

// field is a member of a server that the checks read, with the JSON types that they accept.
type field struct {
	key   string
	kinds []kind
}

func (f field) allows(k kind) bool {
	return slices.Contains(f.kinds, k)
}

var fieldKinds = []field{
	{"command", []kind{text, list, object}},
	{"args", []kind{text, list}},
	{"env", []kind{object, list, boolean}}, // a boolean passes the whole environment or none
	{"environment", []kind{object, list, boolean}},
	{"headers", []kind{object, list}},
	{"http_headers", []kind{object, list}},
	{"url", []kind{text}},
	{"serverUrl", []kind{text}},
	{"httpUrl", []kind{text}},
}

// judgeItems reports the items of a field that are not strings, numbers or booleans. The pairs of an
// array are objects and are read (settings).
func judgeItems(r *report, key string, value *node, at *place) {
	if key == "command" && value.kind == object {
		return // Zed's form, with path and args
	}

	for i, item := range value.items {
		if isReadItem(key, value, item) {
			continue
		}

		if value.kind == object {
			name := value.keys[i]
			reportUnread(r, name, item, at.member(name, item))
			continue
		}
		reportUnread(r, key, item, at.item(i, item))
	}
}

// isReadItem reports whether the rules read an item of a field: a scalar, or a pair of an array of
// settings.
func isReadItem(key string, value, item *node) bool {
	isScalar := item.kind < list
	if isScalar {
		return true
	}

	holdsWords := key == "command" || key == "args"
	return value.kind == list && !holdsWords && isPair(item)
}
