package bots

import (
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// A typing indicator is repeated at most every 5 seconds, in milliseconds.
const (
	leastTyping = 200
	mostTyping  = 5000
)

// typingNames are the last names of calls that show the indicator for a while.
var typingNames = regexp.MustCompile(`^(?i:send_?chat_?action|answer_?chat_?action|reply_?chat_?action|reply_?with_?chat_?action|set_?chat_?action|new_?chat_?action|send_?typing|trigger_?typing|typing|channel_?typing|send_?state_?typing|set_?typing|user_?typing|room_?typing|start_?typing|send_?presence_?update|send_?chat_?presence|(send|show)_?typing(_?\w*)|notify|simulate_?typing)$`)

// typingWord is how the argument of a general call asks for the indicator.
var typingWord = regexp.MustCompile(`(?i)^(\w*typing|\w*composing|chat_?action)$`)

// generalNames are calls that show the indicator only if an argument says so.
var generalNames = regexp.MustCompile(`^(?i:notify|send_?presence_?update|send_?chat_?presence|.*chat_?action)$`)

// typingPath is the path of an interface that shows it.
var typingPath = regexp.MustCompile(`sendChatAction|/typing\b|typing_on|typing_indicator`)

// stopped are the arguments that end the indicator.
var stopped = regexp.MustCompile(`^(?i:paused|cancel|false|typing_off|available|unavailable|ChatPresencePaused)$`)

// isTyping reports whether a call shows the indicator.
func (b *bot) isTyping(call *code.Node) bool {
	name := call.Callee().Last()
	if isLog(call) || slices.ContainsFunc(call.Args(), stops) {
		return false
	}

	if local := b.Functions(name); len(local) > 0 {
		return b.asksByPath(call) && slices.ContainsFunc(local, b.sendsAnything)
	}
	if generalNames.MatchString(name) {
		return b.asksForTyping(call)
	}
	return typingNames.MatchString(name) || isSend(call) && b.asksByPath(call)
}

// stops reports whether an argument ends the indicator.
func stops(n *code.Node) bool {
	if n.Kind == code.Keyword {
		n = n.Parts[0]
	}
	return stopped.MatchString(n.Text)
}

// asksByPath reports whether an argument of a request is the path that shows typing.
func (b *bot) asksByPath(call *code.Node) bool {
	return slices.ContainsFunc(call.Args(), func(n *code.Node) bool {
		return b.says(n, typingPath)
	})
}

// asksForTyping reports whether an argument of a call asks for typing.
func (b *bot) asksForTyping(call *code.Node) bool {
	return slices.ContainsFunc(call.Args(), func(n *code.Node) bool {
		if names(n, typingWord) {
			return true
		}
		return slices.ContainsFunc(b.texts(n), typingWord.MatchString)
	})
}

// typingIndicator judges whether the indicator lasts as long as the work.
func (b *bot) typingIndicator() Verdict {
	if line := b.keptByPlatform(); line > 0 {
		return pass(line, "a helper of the platform keeps the typing indicator")
	}

	for _, each := range b.pauses(leastTyping, mostTyping) {
		if b.repeatsTyping(each) {
			return pass(each.at.Line, "the typing indicator is repeated at least every 5 seconds")
		}
	}

	return b.noTyping()
}

func (b *bot) noTyping() Verdict {
	for _, call := range b.Calls() {
		if b.isTyping(call) {
			return fail(call.Line, "the typing indicator is shown, but not repeated at least every 5 seconds")
		}
	}

	return fail(0, "no code that runs shows a typing indicator")
}

// keepers are calls of platforms that repeat the indicator themselves.
var keepers = regexp.MustCompile(`^(persistentChatAction|withChatAction|ChatActionMiddleware)$`)

// keptByPlatform is the line where a helper of the platform keeps the indicator, 0 for none.
func (b *bot) keptByPlatform() int {
	for _, call := range b.Calls() {
		if b.keepsTyping(call) {
			return call.Line
		}
	}
	return 0
}

// keepsTyping reports whether a call is of a helper that repeats the indicator itself.
func (b *bot) keepsTyping(call *code.Node) bool {
	name := call.Callee().Last()
	switch {
	case len(b.Functions(name)) > 0:
		return false
	case keepers.MatchString(name):
		return true
	case name == "autoChatAction":
		return b.setsChatAction()
	}
	return isContext(call) && b.lastsInContext(call)
}

// isContext reports whether a call makes the context of a with statement.
func isContext(call *code.Node) bool {
	return call.Parent.Kind == code.Unary && call.Parent.Text == "with"
}

func (b *bot) lastsInContext(call *code.Node) bool {
	switch call.Callee().Last() {
	case "typing", "ChatActionSender":
		return true
	case "action", "chat_action":
		return b.asksForTyping(call)
	}

	return strings.HasPrefix(call.Callee().Path(), "ChatActionSender.")
}

// setsChatAction reports whether the action that a plug-in repeats is chosen.
func (b *bot) setsChatAction() bool {
	found := false
	b.Root.Walk(func(n *code.Node) bool {
		if n.Kind == code.Assign && n.Live && n.Parts[0].Last() == "chatAction" && len(n.Parts) > 1 {
			found = found || slices.ContainsFunc(b.texts(n.Parts[1]), typingWord.MatchString)
		}
		return !found
	})
	return found
}

// repeatsTyping reports whether what a pause separates is the indicator, again and again.
func (b *bot) repeatsTyping(p pause) bool {
	for _, each := range p.timer.later {
		if p.timer.repeat && b.reaches(each, 0, b.isTyping) && !cleared(p.at) {
			return true
		}
	}

	if p.timer.repeat && b.decorates(p.at) {
		return true
	}
	return b.repeatsInLoop(p) || b.callsItself(p)
}

// decorates reports whether a call is the decorator of a function that shows the indicator.
func (b *bot) decorates(call *code.Node) bool {
	f := call.Parent
	return f != nil && f.Kind == code.Function && f.Body() != call && b.reaches(f.Body(), 0, b.isTyping)
}

// repeatsInLoop reports whether a loop that shows the indicator waits at a place, or at a
// ticker that was made there.
func (b *bot) repeatsInLoop(p pause) bool {
	scope := b.scope(p.at)
	if loop := p.at.Enclosing(code.Loop); loop != nil && loop.Within(scope) && !p.timer.repeat {
		return b.isTypingLoop(loop)
	}

	if p.timer.repeat && p.at.Parent.Kind == code.Assign {
		return b.ticks(p.at.Parent.Parts[0].Last())
	}

	if loop := p.at.Enclosing(code.Loop); loop != nil && loop.Within(scope) {
		return b.isTypingLoop(loop)
	}
	return false
}

// receives are calls that wait for messages: their loop is the work, and not the indicator.
var receives = regexp.MustCompile(`^(?i:get_?updates(chan)?|poll|receive\w*|next_?message|read_?message)$`)

// isTypingLoop reports whether the indicator is shown in a loop, there or in a function that
// does little else.
func (b *bot) isTypingLoop(loop *code.Node) bool {
	if b.goesThrough(loop) || b.reaches(loop, maxFollowed-1, func(call *code.Node) bool {
		return receives.MatchString(call.Callee().Last()) || slices.ContainsFunc(call.Args(), func(n *code.Node) bool {
			return n.Kind == code.String && receives.MatchString(n.Text)
		})
	}) {
		return false
	}
	return b.reaches(loop, maxFollowed-2, b.isTyping)
}

// goesThrough reports whether a loop goes through a list of things, such as messages.
func (b *bot) goesThrough(loop *code.Node) bool {
	header := loop.Parts[:len(loop.Parts)-1]
	if len(header) == 0 {
		return false
	}

	last := header[len(header)-1]
	if b.isTicking(last) {
		return false
	}
	if b.language == ".go" {
		return loop.Text == "range" && last.Kind != code.Number
	}
	if loop.Text != "for" {
		return false
	}
	if b.language == ".py" {
		return !counts(last)
	}
	return len(header) == 2 && declares(header[0])
}

// isTicking reports whether an expression is a channel or a call on which time passes.
func (b *bot) isTicking(n *code.Node) bool {
	return n.Last() == "C" || b.isTimer(n)
}

// counts reports whether a loop over an expression only counts.
func counts(n *code.Node) bool {
	return n.Last() == "range" || n.Last() == "count"
}

// declares reports whether the first part of the header of a loop only names what comes next.
func declares(n *code.Node) bool {
	return n.Kind == code.Name || n.Kind == code.Object || n.Kind == code.List
}

// isTimer reports whether an expression is a call after which time passes.
func (b *bot) isTimer(n *code.Node) bool {
	if n.Kind != code.Call {
		return false
	}

	_, ok := b.timerOf(n)
	return ok
}

// ticks reports whether a loop waits for a ticker with a name, and shows the indicator.
func (b *bot) ticks(name string) bool {
	found := false
	b.Root.Walk(func(n *code.Node) bool {
		if n.Kind == code.Loop && n.Live && !found && mentions(n, name) {
			found = b.isTypingLoop(n)
		}
		return !found
	})
	return found
}

func mentions(n *code.Node, name string) bool {
	found := false
	n.Walk(func(each *code.Node) bool {
		found = found || each.Kind == code.Name && each.Text == name
		return !found
	})
	return found
}

// callsItself reports whether a function shows the indicator, waits and begins again.
func (b *bot) callsItself(p pause) bool {
	for f := p.at.Enclosing(code.Function); f != nil; f = f.Enclosing(code.Function) {
		name := f.Func.Name
		if f.Parent != nil && f.Parent.Kind == code.Assign {
			name = f.Parent.Parts[0].Last()
		}

		if name == "" || !b.reaches(f.Body(), maxFollowed-2, b.isTyping) {
			continue
		}

		if b.again(f, name, p) {
			return true
		}
	}

	return false
}

// again reports whether a function calls itself after a pause, or has a timer call it.
func (b *bot) again(f *code.Node, name string, p pause) bool {
	found := false
	f.Body().Walk(func(n *code.Node) bool {
		named := (n.Kind == code.Name || n.Kind == code.Member) && n.Text == name && n.Live
		found = found || named && n.Order > p.at.Order
		return !found
	})
	return found
}
