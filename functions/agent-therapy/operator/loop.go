package operator

import (
	"strings"

	"governance.internal/functions/agent-therapy/transcript"
)

// leastRepeats is how often a step is repeated before it is a loop.
const leastRepeats = 3

// longestCycle is how many different steps a loop may go through.
const longestCycle = 3

// step is a use of a tool and what came of it.
type step struct {
	turn   *transcript.Turn
	call   transcript.Call
	result string
	failed bool
}

// loops finds steps that repeat with the same outcome, and answers that repeat word by word.
func (f *finder) loops() {
	steps := f.steps()
	for period := 1; period <= longestCycle; period++ {
		f.cycles(steps, period)
	}
	f.echoes()
}

// steps returns the uses of tools in order, each with its answer.
func (f *finder) steps() []step {
	var steps []step
	for i := range f.t.Turns {
		turn := f.turn(i)
		for n, call := range turn.Calls {
			s := step{turn: turn, call: call}
			if answer := f.answer(i, n); answer != nil {
				s.result = answer.Text
				s.failed = answer.Failed
			}
			steps = append(steps, s)
		}
	}
	return steps
}

// answer returns the turn in which a tool answers call n of turn i; nil without one.
func (f *finder) answer(i, n int) *transcript.Turn {
	for j := i + 1; j < len(f.t.Turns); j++ {
		next := f.turn(j)
		if next.Role != transcript.Result {
			return nil
		}
		if j-i-1 == n || len(f.turn(i).Calls) == 1 {
			return next
		}
	}
	return nil
}

// cycles finds the same steps in the same order, at least three times without another between.
func (f *finder) cycles(steps []step, period int) {
	run := period
	for i := period; i <= len(steps); i++ {
		if i < len(steps) && sameStep(steps[i], steps[i-period]) {
			run++
			continue
		}
		if run >= leastRepeats*period {
			for _, s := range steps[i-run : i] {
				f.add(Loop, s.turn, s.turn.Text)
			}
		}
		run = period
	}
}

// sameStep reports whether two steps do the same and come to the same.
func sameStep(a, b step) bool {
	if a.call.Name != b.call.Name {
		return false
	}
	sameArguments := sameText(a.call.Arguments, b.call.Arguments)
	return sameArguments && sameText(a.result, b.result)
}

// sameText reports whether two texts are equal but for white space around them.
func sameText(a, b string) bool {
	return strings.TrimSpace(a) == strings.TrimSpace(b)
}

// shortestEcho is the length from which equal answers are no mere courtesy.
const shortestEcho = 20

// echoes finds answers that are given three times.
func (f *finder) echoes() {
	byText := map[string][]*transcript.Turn{}
	for i := range f.t.Turns {
		turn := f.turn(i)
		text := strings.Join(strings.Fields(plain(turn.Text)), " ")
		if turn.Role != transcript.Assistant || len(text) < shortestEcho || len(turn.Calls) > 0 {
			continue
		}

		byText[text] = append(byText[text], turn)
		if len(byText[text]) < leastRepeats {
			continue
		}
		for _, same := range byText[text] {
			f.add(Loop, same, same.Text)
		}
	}
}
