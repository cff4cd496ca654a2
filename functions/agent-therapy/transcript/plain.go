package transcript

import (
	"strings"
	"unicode"

	"governance.internal/functions/agent-therapy/document"
)

// speakers are names at the beginning of a line, in lower case.
var speakers = map[string]Role{
	"user": User, "human": User, "customer": User, "me": User, "client": User, "caller": User,
	"developer": User, "operator": User, "guest": User, "student": User, "you": User, "patient": User,
	"assistant": Assistant, "ai": Assistant, "agent": Assistant, "bot": Assistant, "claude": Assistant,
	"chatgpt": Assistant, "gpt": Assistant, "model": Assistant, "codex": Assistant, "gemini": Assistant,
	"copilot": Assistant, "cursor": Assistant, "support": Assistant, "gpt-4": Assistant,
	"system": System,
	"tool":   Result, "result": Result, "tool result": Result, "tool_result": Result, "output": Result,
	"tool output": Result, "function": Result, "observation": Result, "tool response": Result,
	"function result": Result, "stdout": Result, "stderr": Result,
}

// calls are labels of a use of a tool.
var calls = map[string]bool{
	"tool_call": true, "tool call": true, "tool use": true, "tool_use": true, "action": true,
	"function call": true, "function_call": true, "calls": true, "bash": true, "call": true, "run": true,
}

// readPlain reads lines with names of speakers. Lines without one belong to the turn before.
func (t *Transcript) readPlain() {
	person, agent := document.Speakers(t.Source.Text)
	names := naming{
		results:    hasResultLabels(t.Source.Text),
		toolsAreIt: !hasCallLabels(t.Source.Text),
		own:        map[string]Role{person: User, agent: Assistant},
	}

	at := 0
	for line := range strings.Lines(t.Source.Text) {
		text := strings.TrimRight(line, "\r\n")
		t.readLine(text, at, names)
		at += len(line)
	}
}

// naming says how the lines of a transcript name who speaks.
type naming struct {
	results bool            // some lines are labelled as what a tool answered
	own     map[string]Role // names of its own

	toolsAreIt bool // no label of a use stands anywhere: "Tool (bash): ls" is one, and what follows is its answer
}

// readLine reads a line that begins at a byte.
func (t *Transcript) readLine(text string, start int, names naming) {
	end := start + len(text)
	switch mark, words := marked(text); mark {
	case "use":
		t.addCall("shell", words, start, end)
		return
	case "answer":
		t.addAnswer(words, start, end)
		return
	}

	label, detail, rest, isLabelled := speaker(text)
	if isLabelled {
		t.addLabelled(label, detail, rest, start, end, names)
		return
	}
	name, said := document.SpeakerOf(text)
	role, isOwn := names.own[name]
	if isOwn && name != "" {
		t.addSpoken(role, said, start, end)
		return
	}
	if names.toolsAreIt && t.endsWithUse() && text != "" {
		t.addSpoken(Result, text, start, end)
		return
	}
	t.goOn(text, end)
}

// endsWithUse reports whether the last turn is the use of a tool and nothing else.
func (t *Transcript) endsWithUse() bool {
	if len(t.Turns) == 0 {
		return false
	}
	last := t.Turns[len(t.Turns)-1]
	return len(last.Calls) > 0 && last.Text == ""
}

// addLabelled adds the turn of a line with a label that is known.
func (t *Transcript) addLabelled(label, detail, rest string, start, end int, names naming) {
	isUse := calls[label]
	if label == "tool" && (names.results || names.toolsAreIt) {
		isUse = detail != "" || isWrittenCall(rest)
	}
	if isUse {
		t.addCall(detail, rest, start, end)
		return
	}
	t.addSpoken(speakers[label], rest, start, end)
}

// marked reads a line that a mark tells to be a use of a tool, or what it answered: "RUN> ls", "→ shell: ls",
// "← 2 files".
func marked(line string) (mark, words string) {
	text := strings.TrimSpace(line)
	for _, prefix := range []string{"RUN> ", "→ shell: ", "-!- exec: "} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return "use", rest
		}
	}
	for _, prefix := range []string{"OUT> ", "← ", "-!- out: "} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return "answer", rest
		}
	}
	return "", ""
}

// addAnswer adds a line that a tool answered to its turn.
func (t *Transcript) addAnswer(text string, start, end int) {
	if last := len(t.Turns) - 1; last >= 0 && t.Turns[last].Role == Result {
		t.goOn(text, end)
		return
	}
	t.addSpoken(Result, text, start, end)
}

// hasResultLabels reports whether lines name what a tool answered, so that "Tool (bash): ..." is its use.
func hasResultLabels(text string) bool {
	return hasLabel(text, func(label string) bool {
		return label != "tool" && speakers[label] == Result && !calls[label]
	})
}

// hasCallLabels reports whether lines are labelled as the use of a tool.
func hasCallLabels(text string) bool {
	return hasLabel(text, func(label string) bool { return calls[label] })
}

// hasLabel reports whether a line has a label of some kind.
func hasLabel(text string, isWanted func(label string) bool) bool {
	for line := range strings.Lines(text) {
		label, _, _, ok := speaker(strings.TrimRight(line, "\r\n"))
		if ok && isWanted(label) {
			return true
		}
	}
	return false
}

// speaker reads the label of a line: "User:", "**Assistant:**", "### Human", "[tool_call] bash:",
// "[12:30] User:", "Tool (bash):".
func speaker(line string) (label, detail, rest string, ok bool) {
	plain := strings.TrimSpace(line)
	if label, rest, ok := slanted(plain); ok {
		return strings.ToLower(label), "", rest, true
	}
	plain = strings.TrimLeft(plain, "#>*- ")
	plain = withoutTime(plain)

	if inner, after, found := strings.Cut(plain, "]"); found && strings.HasPrefix(inner, "[") {
		label = strings.ToLower(strings.TrimSpace(inner[1:]))
		name, extra, _ := strings.Cut(label, ":")
		if known(strings.TrimSpace(name)) {
			rest = strings.TrimPrefix(strings.TrimSpace(after), ":")
			return strings.TrimSpace(name), strings.TrimSpace(extra), strings.TrimSpace(rest), true
		}
	}

	head, after, found := strings.Cut(plain, ":")
	if !found && (strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**")) {
		head, after, found = plain, "", true
	}
	if !found || len(head) > 40 {
		return "", "", "", false
	}

	head = strings.Trim(head, "*_ ")
	if open := strings.IndexAny(head, "(["); open > 0 {
		detail = strings.Trim(head[open:], "()[] ")
		head = strings.TrimSpace(head[:open])
	}
	label = strings.ToLower(head)
	return label, detail, strings.Trim(after, "* "), known(label)
}

// slanted reads a label between asterisks or underscores, without a colon: "*tool* get_price(...)".
func slanted(line string) (label, rest string, ok bool) {
	for _, mark := range []string{"*", "_"} {
		inner, isMarked := strings.CutPrefix(line, mark)
		label, rest, closed := strings.Cut(inner, mark+" ")
		if isMarked && closed && known(strings.ToLower(label)) {
			return label, rest, true
		}
	}
	return "", "", false
}

func known(label string) bool {
	_, isName := speakers[label]
	return isName || calls[label]
}

// withoutTime drops a time in front of a name: "[12:30] User:", "12:30:05 User:".
func withoutTime(line string) string {
	trimmed := strings.TrimLeft(line, "[(")
	end := strings.IndexFunc(trimmed, func(r rune) bool {
		return !unicode.IsDigit(r) && !strings.ContainsRune(":-.TZ ", r)
	})
	if end < 4 || !strings.ContainsRune(trimmed[:end], ':') {
		return line
	}
	return strings.TrimLeft(trimmed[end:], "]) -")
}

func (t *Transcript) addSpoken(role Role, text string, start, end int) {
	t.Turns = append(t.Turns, Turn{Role: role, Text: text, start: start, end: end, Failed: role == Result && saysError(text)})
}

// isWrittenCall reports whether a text is a name with arguments: "get_price(plan=\"Basic\")".
func isWrittenCall(text string) bool {
	name, _, ok := strings.Cut(text, "(")
	return ok && name != "" && !strings.ContainsAny(name, " .,") && strings.HasSuffix(text, ")")
}

// addCall adds a turn that uses a tool: "bash: npm test", or a name and arguments.
func (t *Transcript) addCall(detail, rest string, start, end int) {
	t.Turns = append(t.Turns, Turn{Role: Assistant, Calls: []Call{writtenCall(detail, rest)}, start: start, end: end})
}

// writtenCall reads what stands behind the label of a call.
func writtenCall(detail, rest string) Call {
	if isWrittenCall(rest) && detail == "" {
		name, arguments, _ := strings.Cut(rest, "(")
		return Call{name, strings.TrimSuffix(arguments, ")")}
	}
	name, arguments, ok := strings.Cut(rest, ":")
	if !ok || strings.ContainsAny(name, " {\"") {
		name, arguments, _ = strings.Cut(rest, " ")
	}
	if detail != "" {
		name, arguments = detail, rest
	}
	return Call{strings.TrimSpace(name), strings.TrimSpace(arguments)}
}

// takeWrittenCalls moves the lines of a message that are uses of tools, such as "[tool_call] bash: ls", to
// its calls.
func (turn *Turn) takeWrittenCalls() {
	var said []string
	for line := range strings.Lines(turn.Text) {
		text := strings.TrimRight(line, "\r\n")
		label, detail, rest, ok := speaker(text)
		isCall := ok && strings.HasPrefix(strings.TrimSpace(text), "[") && calls[label]
		if !isCall {
			said = append(said, text)
			continue
		}
		turn.Calls = append(turn.Calls, writtenCall(detail, rest))
	}
	turn.Text = strings.Join(said, "\n")
}

// goOn adds a line to the last turn.
func (t *Transcript) goOn(text string, end int) {
	if len(t.Turns) == 0 {
		return
	}
	last := &t.Turns[len(t.Turns)-1]
	last.Text = strings.TrimPrefix(last.Text+"\n"+text, "\n")
	last.end = end
}

// errorWords say that a tool failed.
var errorWords = []string{"error", "failed", "failure", "denied", "not found", "exception", "traceback", "fatal", "cannot ", "exit code 1", "no such file", "timed out", "refused"}

// saysError reports whether the answer of a tool tells of a failure.
func saysError(text string) bool {
	lower := strings.ToLower(text)
	lower = strings.NewReplacer("0 failed", "", "0 errors", "", "no errors", "", "0 failures", "", "without error", "").Replace(lower)
	for _, word := range errorWords {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
