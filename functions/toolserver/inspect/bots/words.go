package bots

import (
	"regexp"
	"strings"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// sendNames are the last names of calls that send a message to a chat.
var sendNames = regexp.MustCompile(`^(?i:(reply|send|post|say|answer|respond|followup|follow_up|notify|room_send|channelmessagesend|fetch|request|axios|urlopen|do|mutation|chat_postmessage|edit_?text|edit_?reply|edit_?message(_?text)?)|(send|reply|post|answer|write)_?(text|message|msg|html|markdown|markdownv2|with\w*|notice|reply|chat|to|thinking|event|ephemeral|complex|simple|whatsapp\w*|room\w*|to_?\w*)|(channelmessagesend|chat_post|room_?send)\w*|follow_?up\w*|postmessage\w*|interaction_?respond\w*)$`)

// logNames are the first names of calls that only tell the operator.
var logNames = regexp.MustCompile(`^(?i:console|log|logger|logging|print|println|slog|fmt|debug|winston|pino|warnings?|self\.log(ger)?|this\.log(ger)?|app\.log(ger)?)(\.|$)`)

// isLog reports whether a call only writes a log.
func isLog(call *code.Node) bool {
	path := call.Callee().Path()
	if strings.HasPrefix(path, "fmt.Sprint") || strings.HasPrefix(path, "fmt.Append") {
		return false
	}
	return logNames.MatchString(path) || logMethods.MatchString(path)
}

// logMethods are the last names of calls on a logger that is part of something else.
var logMethods = regexp.MustCompile(`(?i)\b(logger|log)\.(debug|info|warn|warning|error|trace)$`)

// isSend reports whether a call sends something to a chat.
func isSend(call *code.Node) bool {
	if isLog(call) {
		return false
	}
	return sendNames.MatchString(call.Callee().Last()) || isAddressed(call)
}

// isAddressed reports whether a call creates a message that says to whom it goes.
func isAddressed(call *code.Node) bool {
	if !strings.HasSuffix(call.Callee().Path(), "messages.create") {
		return false
	}
	return call.Any(func(n *code.Node) bool {
		return n.Kind == code.Keyword && n.Text == "to"
	})
}

// maxFollowed is how many names are followed from one to the next.
const maxFollowed = 5

// texts are the texts that an expression is made of, as far as the program says. What a
// parameter holds is not followed.
func (b *bot) texts(n *code.Node) []string {
	var list []string
	b.eachText(n, 0, map[*code.Node]bool{}, func(s *code.Node) {
		list = append(list, s.Text)
	})
	return list
}

func (b *bot) eachText(n *code.Node, depth int, seen map[*code.Node]bool, visit func(*code.Node)) {
	if depth > maxFollowed || seen[n] {
		return
	}

	seen[n] = true
	n.Walk(func(each *code.Node) bool {
		if each.Kind == code.String {
			visit(each)
		}
		if isFollowed(each) {
			b.eachTextOf(each.Text, depth, seen, visit)
		}
		return each == n || each.Kind != code.Function
	})
}

// isFollowed reports whether a node is a name whose values tell something.
func isFollowed(n *code.Node) bool {
	switch n.Kind {
	case code.Name:
		return !n.IsParam()
	case code.Member:
		return !plainKey[n.Text]
	}
	return false
}

// eachTextOf visits the texts of what is assigned to a name.
func (b *bot) eachTextOf(name string, depth int, seen map[*code.Node]bool, visit func(*code.Node)) {
	for _, value := range b.Values(name) {
		if value.Kind != code.Function {
			b.eachText(value, depth+1, seen, visit)
		}
	}
}

// says reports whether one of the texts of an expression matches.
func (b *bot) says(n *code.Node, pattern *regexp.Regexp) bool {
	for _, text := range b.texts(n) {
		if pattern.MatchString(text) {
			return true
		}
	}

	return false
}

// names reports whether an expression, without the functions in it, has a name that matches.
func names(n *code.Node, pattern *regexp.Regexp) bool {
	found := false
	n.Walk(func(each *code.Node) bool {
		if each.Kind == code.Function && each != n {
			return false
		}

		if (each.Kind == code.Name || each.Kind == code.Member) && pattern.MatchString(each.Text) {
			found = true
		}
		return !found
	})
	return found
}

// reaches reports whether something that matches happens in a node, or in the functions that it
// uses by name.
func (b *bot) reaches(n *code.Node, depth int, matches func(call *code.Node) bool) bool {
	if depth > maxFollowed {
		return false
	}

	found := false
	n.Walk(func(each *code.Node) bool {
		if found || !each.Live {
			return false
		}

		switch each.Kind {
		case code.Call:
			found = matches(each)
		case code.Name, code.Member:
			found = b.functionReaches(each.Text, n, depth, matches)
		}
		return !found
	})
	return found
}

func (b *bot) functionReaches(name string, from *code.Node, depth int, matches func(*code.Node) bool) bool {
	for _, f := range b.Functions(name) {
		if f.Live && !from.Within(f) && b.reaches(f.Body(), depth+1, matches) {
			return true
		}
	}

	return false
}
