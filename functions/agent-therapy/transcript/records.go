package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// record is a message in one of the known forms; members of all of them.
type record struct {
	Type      string            `json:"type"`
	Role      string            `json:"role"`
	Content   json.RawMessage   `json:"content"`
	Parts     json.RawMessage   `json:"parts"`
	Text      string            `json:"text"`
	Message   json.RawMessage   `json:"message"`
	Payload   json.RawMessage   `json:"payload"`
	ToolCalls []toolCall        `json:"tool_calls"`
	CallList  []namedCall       `json:"toolCalls"`
	Name      string            `json:"name"`
	Arguments json.RawMessage   `json:"arguments"`
	Input     json.RawMessage   `json:"input"`
	Output    json.RawMessage   `json:"output"`
	Messages  []json.RawMessage `json:"messages"`
	History   []json.RawMessage `json:"history"`
	Contents  []json.RawMessage `json:"contents"`
	Items     []json.RawMessage `json:"items"`
	IsMeta    bool              `json:"isMeta"`
}

// toolCall is a call in a message of a provider of models.
type toolCall struct {
	Function namedCall `json:"function"`
	Name     string    `json:"name"`
}

// namedCall is a name with arguments.
type namedCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Args      json.RawMessage `json:"args"`
	Status    string          `json:"status"`
}

// part is a block of a message.
type part struct {
	Type             string          `json:"type"`
	Text             string          `json:"text"`
	Name             string          `json:"name"`
	Input            json.RawMessage `json:"input"`
	Content          json.RawMessage `json:"content"`
	IsError          bool            `json:"is_error"`
	FunctionCall     *namedCall      `json:"functionCall"`
	FunctionResponse json.RawMessage `json:"functionResponse"`
}

// readJSON reads one value with a list of messages, or a message a line.
func (t *Transcript) readJSON() {
	text := t.Source.Text
	d := json.NewDecoder(strings.NewReader(text))

	for {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			break
		}
		end := int(d.InputOffset())
		t.addValue(raw, end-len(raw), end)
	}

	if len(t.Turns) == 0 {
		t.readLines()
	}
}

// readLines reads a message a line and leaves out lines that are none.
func (t *Transcript) readLines() {
	at := 0
	for line := range strings.Lines(t.Source.Text) {
		raw := bytes.TrimSpace([]byte(line))
		if json.Valid(raw) && len(raw) > 0 {
			t.addValue(raw, at, at+len(line))
		}
		at += len(line)
	}
}

// addValue adds the messages of a list, or of an object that has a list, or is a message.
func (t *Transcript) addValue(raw json.RawMessage, start, end int) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		t.addList(list, start, end)
		return
	}

	var r record
	if json.Unmarshal(raw, &r) != nil {
		return
	}
	for _, members := range [][]json.RawMessage{r.Messages, r.History, r.Contents, r.Items} {
		if len(members) > 0 {
			t.addList(members, start, end)
			return
		}
	}
	t.addRecord(r, start, end)
}

// addList adds messages; each begins behind the one before.
func (t *Transcript) addList(list []json.RawMessage, start, end int) {
	at := start
	for _, raw := range list {
		from := at
		if found := strings.Index(t.Source.Text[at:end], string(raw)); found >= 0 {
			from = at + found
		}
		to := min(from+len(raw), end)

		var r record
		if json.Unmarshal(raw, &r) == nil {
			t.addRecord(r, from, to)
		}
		at = to
	}
}

// addRecord adds a message. Records of other things, such as summaries, are no turns.
func (t *Transcript) addRecord(r record, start, end int) {
	inner := r.Message
	if len(inner) == 0 {
		inner = r.Payload
	}
	if len(inner) > 0 && inner[0] == '{' {
		var message record
		if json.Unmarshal(inner, &message) == nil && !r.IsMeta {
			if message.Role == "" && message.Type == "" {
				message.Role = r.Type
			}
			t.addMessage(message, start, end)
		}
		return
	}
	t.addMessage(r, start, end)
}

func (t *Transcript) addMessage(r record, start, end int) {
	turn := Turn{start: start, end: end}

	switch {
	case r.Type == "function_call" || r.Type == "custom_tool_call" || r.Type == "tool_use" || r.Type == "tool_call":
		arguments := firstOf(r.Arguments, r.Input)
		turn.Role = Assistant
		turn.Calls = []Call{{r.Name, compact(arguments)}}

	case r.Type == "function_call_output" || r.Type == "custom_tool_call_output" || r.Type == "tool_result":
		turn.Role = Result
		turn.Text = plainText(firstOf(r.Output, r.Content))
		turn.Failed = saysError(turn.Text)

	default:
		role, ok := roleOf(r)
		if !ok {
			return
		}
		turn.Role = role
		turn.addContent(firstOf(r.Content, r.Parts))
		turn.Text = strings.TrimPrefix(turn.Text+"\n"+r.Text, "\n")
		turn.addCalls(r)
	}

	if turn.Role == Assistant {
		turn.takeWrittenCalls()
	}
	turn.Text = strings.TrimSpace(turn.Text)
	if turn.Role == Result && saysError(turn.Text) {
		turn.Failed = true
	}
	if turn.Text != "" || len(turn.Calls) > 0 || turn.Role == Result {
		t.Turns = append(t.Turns, turn)
	}
}

// roleOf returns who speaks; false for a record that is no message.
func roleOf(r record) (Role, bool) {
	name := r.Role
	if name == "" {
		name = r.Type
	}
	switch strings.ToLower(name) {
	case "user", "human":
		return User, true
	case "assistant", "model", "gemini", "ai", "agent", "agent_message":
		return Assistant, true
	case "system", "developer":
		return System, true
	case "tool", "function", "toolresult", "tool_response":
		return Result, true
	}
	return 0, false
}

func firstOf(a, b json.RawMessage) json.RawMessage {
	if len(a) > 0 && string(a) != "null" {
		return a
	}
	return b
}

// addContent reads a text, or blocks of text, calls and answers of tools.
func (turn *Turn) addContent(raw json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		turn.Text = text
		return
	}

	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		return
	}
	for _, p := range parts {
		turn.addPart(p)
	}
}

func (turn *Turn) addPart(p part) {
	switch {
	case p.Type == "tool_use":
		turn.Calls = append(turn.Calls, Call{p.Name, compact(p.Input)})

	case p.FunctionCall != nil:
		turn.Calls = append(turn.Calls, Call{p.FunctionCall.Name, compact(p.FunctionCall.Args)})

	case p.Type == "tool_result":
		turn.Role = Result
		turn.Failed = turn.Failed || p.IsError
		turn.say(plainText(p.Content))

	case len(p.FunctionResponse) > 0:
		turn.Role = Result
		turn.say(plainText(p.FunctionResponse))

	case p.Type == "thinking" || p.Type == "reasoning":

	default:
		turn.say(p.Text)
	}
}

func (turn *Turn) say(text string) {
	turn.Text = strings.TrimPrefix(turn.Text+"\n"+text, "\n")
}

func (turn *Turn) addCalls(r record) {
	for _, c := range r.ToolCalls {
		name := c.Function.Name
		if name == "" {
			name = c.Name
		}
		turn.Calls = append(turn.Calls, Call{name, compact(c.Function.Arguments)})
	}
	for _, c := range r.CallList {
		turn.Calls = append(turn.Calls, Call{c.Name, compact(firstOf(c.Args, c.Arguments))})
	}
}

// compact returns JSON in one form: without white space, and a text in quotes as the text.
func compact(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// plainText returns the texts of a value, however deep they lie.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}

	var parts []part
	if json.Unmarshal(raw, &parts) == nil {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text + "\n")
		}
		return strings.TrimSpace(b.String())
	}
	return compact(raw)
}
