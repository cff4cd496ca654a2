package bots

import (
	"slices"
	"strings"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// timer is a call after which time passes, or which lets something happen later.
type timer struct {
	call   *code.Node
	delay  *code.Node // what says how long
	later  []*code.Node
	unit   float64 // milliseconds
	repeat bool
}

// clock tells how a call names its delay.
type clock struct {
	position int    // of the delay among the arguments
	keyword  string // its name
	unit     float64
	repeat   bool
}

const (
	millisecond = 1
	second      = 1000
)

var scriptClocks = map[string]clock{
	"setTimeout":  {1, "", millisecond, false},
	"setInterval": {1, "", millisecond, true},
	"sleep":       {0, "ms", millisecond, false},
	"delay":       {0, "ms", millisecond, false},
	"wait":        {0, "ms", millisecond, false},
	"pause":       {0, "ms", millisecond, false},
	"timeout":     {0, "ms", millisecond, false},
	"debounce":    {1, "wait", millisecond, false},
	"timer":       {0, "ms", millisecond, false},
}

var pythonClocks = map[string]clock{
	"sleep":         {0, "delay", second, false},
	"call_later":    {0, "delay", second, false},
	"Timer":         {0, "interval", second, false},
	"run_once":      {1, "when", second, false},
	"run_repeating": {1, "interval", second, true},
	"add_job":       {9, "seconds", second, true},
	"loop":          {9, "seconds", second, true},
	"wait_for":      {1, "timeout", second, false},
	"wait":          {0, "timeout", second, false},
	"timeout":       {0, "delay", second, false},
	"move_on_after": {0, "delay", second, false},
	"fail_after":    {0, "delay", second, false},
	"result":        {0, "timeout", second, false},
	"join":          {0, "timeout", second, false},
	"get":           {9, "timeout", second, false},
}

var goClocks = map[string]clock{
	"Sleep":       {0, "", millisecond, false},
	"After":       {0, "", millisecond, false},
	"NewTimer":    {0, "", millisecond, false},
	"NewTicker":   {0, "", millisecond, true},
	"Tick":        {0, "", millisecond, true},
	"AfterFunc":   {0, "", millisecond, false},
	"WithTimeout": {1, "", millisecond, false},
}

func (b *bot) clocks() map[string]clock {
	switch b.language {
	case ".go":
		return goClocks
	case ".py":
		return pythonClocks
	}

	return scriptClocks
}

// timerOf reads a call as a timer, and reports whether it is one.
func (b *bot) timerOf(call *code.Node) (timer, bool) {
	c, known := b.clocks()[call.Callee().Last()]
	if !known {
		return timer{}, false
	}

	t := timer{
		call:   call,
		unit:   c.unit,
		repeat: c.repeat,
	}

	position := 0
	for _, each := range call.Args() {
		if each.Kind == code.Keyword {
			if each.Text == c.keyword || each.Text == "seconds" || each.Text == "timeout" {
				t.delay = each.Parts[0]
			}

			continue
		}

		if position == c.position && t.delay == nil {
			t.delay = each
		} else {
			t.later = append(t.later, each)
		}

		position++
	}

	if promised(call, c) {
		t.delay = call.Args()[0]
		t.later = nil
	}
	return t, t.delay != nil && b.hasUnit(t)
}

// promised reports whether setTimeout is the one that returns a promise: the delay comes first.
func promised(call *code.Node, c clock) bool {
	args := call.Args()
	if c.position != 1 || c.repeat || len(args) == 0 || call.Callee().Last() != "setTimeout" {
		return false
	}

	first := args[0].Kind
	return first == code.Number || first == code.Binary && len(args) == 1
}

// hasUnit reports whether the delay of a timer says in which unit it is, which Go requires.
func (b *bot) hasUnit(t timer) bool {
	if b.language != ".go" {
		return true
	}
	return b.mentionsTime(t.delay, 0)
}

// mentionsTime reports whether an expression, or what is assigned to its names, has a unit of
// time.
func (b *bot) mentionsTime(n *code.Node, depth int) bool {
	if depth > maxFollowed || n.Kind == code.Function {
		return false
	}
	return n.Any(func(each *code.Node) bool {
		if !each.IsName() {
			return false
		}
		if strings.HasPrefix(each.Path(), "time.") && each.Text != "Duration" {
			return each.Kind == code.Member
		}
		return slices.ContainsFunc(b.Values(each.Text), func(value *code.Node) bool {
			return b.mentionsTime(value, depth+1)
		})
	})
}

// lengths are how long a timer may take, in milliseconds.
func (b *bot) lengths(t timer, bound map[string]*code.Node) []float64 {
	values := b.Numbers(t.delay, bound)
	for i := range values {
		values[i] *= t.unit
	}
	return values
}

// lasts reports whether a timer may take a time between two, in milliseconds.
func (b *bot) lasts(t timer, least, most float64) bool {
	return anyBetween(b.lengths(t, nil), least, most)
}

func anyBetween(values []float64, least, most float64) bool {
	for _, each := range values {
		if each >= least && each <= most {
			return true
		}
	}

	return false
}

// isCallback reports whether an argument holds a function, or names one of the program.
func (b *bot) isCallback(n *code.Node) bool {
	found := false
	n.Walk(func(each *code.Node) bool {
		switch each.Kind {
		case code.Function:
			found = true
		case code.Name, code.Member:
			found = found || len(b.Functions(each.Text)) > 0 && !(each.Kind == code.Name && each.IsParam())
		}
		return !found
	})
	return found
}

// pause is a place where a function waits.
type pause struct {
	at    *code.Node
	timer timer
}

// pauses are the places where the program waits a time between two, in milliseconds: the timer
// itself, or the call of a function of the program that only wraps one.
func (b *bot) pauses(least, most float64) []pause {
	var list []pause
	for _, call := range b.Calls() {
		if t, ok := b.timerOf(call); ok && b.lasts(t, least, most) {
			list = append(list, pause{call, t})
		}

		if b.wraps(call, least, most) {
			list = append(list, pause{at: call})
		}
	}

	return list
}

// wraps reports whether a call is of a function of the program that waits for as long as it is
// told, and is told a time between two.
func (b *bot) wraps(call *code.Node, least, most float64) bool {
	for _, f := range b.Functions(call.Callee().Last()) {
		bound := map[string]*code.Node{}
		for i, each := range call.Args() {
			if i < len(f.Func.Params) {
				bound[f.Func.Params[i].Text] = each
			}
		}

		if len(bound) > 0 && b.waits(f, bound, least, most) {
			return true
		}
	}

	return false
}

// waits reports whether a function waits for a time that its arguments say.
func (b *bot) waits(f *code.Node, bound map[string]*code.Node, least, most float64) bool {
	found := false
	f.Walk(func(each *code.Node) bool {
		if found || each.Kind != code.Call {
			return !found
		}

		t, ok := b.timerOf(each)
		if ok && usesAny(t.delay, bound) {
			found = anyBetween(b.lengths(t, bound), least, most)
		}
		return !found
	})
	return found
}

func usesAny(n *code.Node, bound map[string]*code.Node) bool {
	found := false
	n.Walk(func(each *code.Node) bool {
		if each.Kind == code.Name && bound[each.Text] != nil {
			found = true
		}
		return !found
	})
	return found
}

// scope is the function that waits where a timer stands: that of a promise waits for nothing
// itself. It is the whole program outside of all functions.
func (b *bot) scope(n *code.Node) *code.Node {
	f := n.Enclosing(code.Function)
	for f != nil && f.Parent != nil && f.Parent.Kind == code.Call && f.Parent.Callee().Last() == "Promise" {
		f = f.Enclosing(code.Function)
	}

	if f == nil {
		return b.Root
	}
	return f
}
