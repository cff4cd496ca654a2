package bots

import (
	"fmt"
	"regexp"
	"slices"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// The delay of a thinking message is 3 seconds or so, in milliseconds.
const (
	leastThinking = 2000
	mostThinking  = 5000
)

// nearby is how many lines after a pause a message belongs to it.
const nearby = 20

// thinkingText is what a bot says while it works.
var thinkingText = regexp.MustCompile(`(?i)think|thought|moment|\bsec(ond)?s?\b|minute|\bwait|work(ing)? on|\bworking|process|hold on|hang on|look(ing)? (in|at|up|for)|let me|\bon it\b|still |check|bear with|patien|prepar|generat|compos|\breading|consider|ponder|reflect|\bbusy|almost|give me|one sec|just a|gathering|searching|writing|denk|pensa|réfléch|reflech|думаю|подожд|секунд|espera|warte|arbeite|attend|…|\.\.\.|⏳|⌛|🤔|💭|🧠|🕐`)

// thinkingName is the name of such a text.
var thinkingName = regexp.MustCompile(`(?i)think|placeholder|hold_?on|progress|wait(ing)?_?(text|message|msg|notice)|interim|busy`)

// thinkingMessage judges whether a message says after 3 seconds that the answer takes longer.
func (b *bot) thinkingMessage() Verdict {
	for _, each := range b.pauses(leastThinking, mostThinking) {
		if b.sendsLater(each) || b.sendsAfter(each) {
			return pass(each.at.Line, "a message says after about 3 seconds that the bot is thinking")
		}
	}

	if line := b.sendsWhenElapsed(); line > 0 {
		return pass(line, "a message says after about 3 seconds that the bot is thinking")
	}
	return b.noThinking()
}

// saysThinking reports whether a call sends a message which says that the bot is thinking.
func (b *bot) saysThinking(call *code.Node) bool {
	if isLog(call) || !b.sends(call) {
		return false
	}
	return slices.ContainsFunc(call.Args(), func(n *code.Node) bool {
		return b.says(n, thinkingText) || names(n, thinkingName) || b.isHandedThinking(n)
	})
}

// sends reports whether a call sends a message. A function of the program is judged by what it
// does, and not by its name.
func (b *bot) sends(call *code.Node) bool {
	local := b.Functions(call.Callee().Last())
	if len(local) > 0 {
		return slices.ContainsFunc(local, b.sendsAnything)
	}
	return isSend(call)
}

// isHandedThinking reports whether an argument is a parameter for which a call hands over a
// text that says it.
func (b *bot) isHandedThinking(n *code.Node) bool {
	if n.Kind != code.Name || !n.IsParam() {
		return false
	}

	for f := n.Enclosing(code.Function); f != nil; f = f.Enclosing(code.Function) {
		at := slices.IndexFunc(f.Func.Params, func(p *code.Node) bool { return p.Text == n.Text })
		if at < 0 {
			continue
		}
		return slices.ContainsFunc(b.Calls(), func(call *code.Node) bool {
			args := call.Args()
			return call.Callee().Last() == functionName(f) && at < len(args) && b.says(args[at], thinkingText)
		})
	}

	return false
}

// sendsAnything reports whether a function sends a message.
func (b *bot) sendsAnything(f *code.Node) bool {
	return b.reaches(f.Body(), 2, func(call *code.Node) bool {
		return isSend(call) && len(b.Functions(call.Callee().Last())) == 0
	})
}

// sendsLater reports whether what a timer calls sends the message.
func (b *bot) sendsLater(p pause) bool {
	if cleared(p.at) {
		return false
	}

	for _, each := range p.timer.later {
		if b.isCallback(each) && b.reaches(each, 0, b.saysThinking) {
			return true
		}
	}

	return false
}

// sendsAfter reports whether the message follows a pause in the same function.
func (b *bot) sendsAfter(p pause) bool {
	scope := b.scope(p.at)
	if !b.isPause(p, scope) {
		return false
	}

	found := false
	scope.Walk(func(n *code.Node) bool {
		if found || !n.Live {
			return !found && n == scope
		}
		if follows(n, p.at) {
			found = b.saysThinking(n) || b.functionReaches(n.Callee().Last(), n, 1, b.saysThinking)
		}
		return !found
	})
	return found
}

// follows reports whether a node is a call that comes soon after another one.
func follows(n, other *code.Node) bool {
	if n.Kind != code.Call || n.Order <= other.Order || n.Within(other) {
		return false
	}
	return n.Line <= other.Line+nearby
}

// isPause reports whether a timer makes its function wait: it calls nothing itself.
func (b *bot) isPause(p pause, scope *code.Node) bool {
	if f := p.at.Enclosing(code.Function); f != nil && f != scope {
		return true // in a promise
	}

	switch p.at.Callee().Last() {
	case "AfterFunc", "call_later", "Timer", "run_once", "setInterval":
		return false
	}
	return !slices.ContainsFunc(p.timer.later, b.isCallback) || b.language == ".py"
}

// cleared reports whether the statement after a timer takes it back.
func cleared(at *code.Node) bool {
	statement := at
	for statement.Parent != nil && statement.Parent.Kind != code.Block {
		statement = statement.Parent
	}

	if statement.Parent == nil || statement.Kind != code.Assign {
		return false
	}

	next := slices.Index(statement.Parent.Parts, statement) + 1
	if next >= len(statement.Parent.Parts) {
		return false
	}

	name := statement.Parts[0].Last()
	call := statement.Parent.Parts[next]
	if call.Kind != code.Call {
		return false
	}

	switch call.Callee().Last() {
	case "clearTimeout", "clearInterval":
		return len(call.Args()) > 0 && call.Args()[0].Last() == name
	case "cancel", "Stop":
		return call.Callee().Kind == code.Member && call.Callee().Parts[0].Last() == name
	}

	return false
}

// clockName is the name of a time that has passed.
var clockName = regexp.MustCompile(`(?i)^(now|since|elapsed|start(ed)?|time|monotonic|begin|began|waited|duration)`)

// sendsWhenElapsed is the line of a condition which compares the time that passed, and under
// which the message is sent; 0 if there is none.
func (b *bot) sendsWhenElapsed() int {
	line := 0
	b.Root.Walk(func(n *code.Node) bool {
		if line == 0 && n.Kind == code.If && n.Live && b.isLate(n.Parts[0]) && b.reaches(n.Parts[1], 0, b.saysThinking) {
			line = n.Line
		}
		return line == 0
	})
	return line
}

// isLate reports whether a condition asks whether about 3 seconds have passed.
func (b *bot) isLate(condition *code.Node) bool {
	unit := float64(millisecond)
	if b.language == ".py" {
		unit = second
	}

	late := false
	condition.Walk(func(n *code.Node) bool {
		if n.Kind != code.Binary || n.Text != ">" && n.Text != ">=" {
			return !late
		}

		values := b.Numbers(n.Parts[1], nil)
		late = late || anyBetween(values, leastThinking/unit, mostThinking/unit) && names(n.Parts[0], clockName)
		return !late
	})
	return late
}

// noThinking says why there is no thinking message.
func (b *bot) noThinking() Verdict {
	for _, call := range b.Calls() {
		t, ok := b.timerOf(call)
		if !ok {
			continue
		}

		lengths := b.lengths(t, nil)
		if len(lengths) > 0 && slices.ContainsFunc(t.later, func(n *code.Node) bool { return b.reaches(n, 0, b.saysThinking) }) {
			return fail(call.Line, fmt.Sprintf("the thinking message comes after %g ms, not after 3 seconds or so", lengths[0]))
		}
	}

	for _, call := range b.Calls() {
		if b.saysThinking(call) {
			return fail(call.Line, "a thinking message is sent, but no wait of 3 seconds or so comes before it")
		}
	}

	return fail(0, "no code that runs sends a thinking message after 3 seconds or so")
}
