package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
)

// step is a call of a tool that the model asks for.
type step struct {
	tool  string
	input map[string]any
}

// model plays a script, one call of a tool in each turn, and ignores the answers of the
// agent. It records what the agent reports about each call.
type model struct {
	mu    sync.Mutex
	steps []step
	turn  int
	told  map[string]string // by the id of the call
}

// listen serves the model on a free port of this machine.
func (m *model) listen() (address string, err error) {
	m.told = map[string]string{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(listener, m) }()
	return "http://" + listener.Addr().String(), nil
}

func idOf(turn int) string { return fmt.Sprintf("call_%03d", turn) }

// ServeHTTP speaks the streaming protocols of the agents, chosen by path.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&body) // what is not JSON asks for nothing
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		m.messages(w, body)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		m.responses(w, body)
	case strings.HasSuffix(r.URL.Path, ":streamGenerateContent"):
		m.contents(w, body)
	case strings.HasSuffix(r.URL.Path, ":generateContent"): // a side question, such as which model to take
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, textOf(candidate(object("text", "{}"))))
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"input_tokens":1,"data":[],"models":[]}`)
	}
}

// next is the step of this turn; nil when all is said, and for requests without tools,
// which ask for a title or a summary.
func (m *model) next(body map[string]any) *step {
	if tools, _ := body["tools"].([]any); len(tools) == 0 || m.turn >= len(m.steps) {
		return nil
	}
	m.turn++
	return &m.steps[m.turn-1]
}

func stream(w http.ResponseWriter, events ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range events {
		text, err := json.Marshal(event)
		if err != nil {
			panic(err) // of plain values
		}
		if name, ok := event["type"].(string); ok {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
}

func object(pairs ...any) map[string]any {
	o := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		o[pairs[i].(string)] = pairs[i+1]
	}
	return o
}

func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // came as JSON
	}
	return string(text)
}

func list(value any) []any { l, _ := value.([]any); return l }

func member(value any, names ...string) any {
	for _, name := range names {
		o, _ := value.(map[string]any)
		value = o[name]
	}
	return value
}

// messages speaks as the Messages API.
func (m *model) messages(w http.ResponseWriter, body map[string]any) {
	for _, message := range list(body["messages"]) {
		for _, part := range list(member(message, "content")) {
			if member(part, "type") == "tool_result" {
				m.told[member(part, "tool_use_id").(string)] = textOf(member(part, "content"))
			}
		}
	}

	block := object("type", "text", "text", "")
	delta := object("type", "text_delta", "text", "Done.")
	reason := "end_turn"

	if s := m.next(body); s != nil {
		block = object("type", "tool_use", "id", idOf(m.turn), "name", s.tool, "input", object())
		delta, reason = object("type", "input_json_delta", "partial_json", textOf(s.input)), "tool_use"
	}

	usage := object("input_tokens", 1, "output_tokens", 1)
	stream(w,
		object(
			"type",
			"message_start",
			"message",
			object(
				"id",
				"msg",
				"type",
				"message",
				"role",
				"assistant",
				"model",
				body["model"],
				"content",
				[]any{},
				"stop_reason",
				nil,
				"stop_sequence",
				nil,
				"usage",
				usage,
			),
		),
		object("type", "content_block_start", "index", 0, "content_block", block),
		object("type", "content_block_delta", "index", 0, "delta", delta),
		object("type", "content_block_stop", "index", 0),
		object(
			"type",
			"message_delta",
			"delta",
			object("stop_reason", reason, "stop_sequence", nil),
			"usage",
			usage,
		),
		object("type", "message_stop"))
}

// responses speaks as the Responses API.
func (m *model) responses(w http.ResponseWriter, body map[string]any) {
	for _, item := range list(body["input"]) {
		if kind := member(item, "type"); kind == "function_call_output" ||
			kind == "custom_tool_call_output" {
			m.told[member(item, "call_id").(string)] = textOf(member(item, "output"))
		}
	}

	item := object(
		"type",
		"message",
		"id",
		"msg",
		"role",
		"assistant",
		"content",
		[]any{object("type", "output_text", "text", "Done.")},
	)

	if s := m.next(body); s != nil {
		item = object(
			"type",
			"function_call",
			"id",
			"fc_"+idOf(m.turn),
			"call_id",
			idOf(m.turn),
			"name",
			s.tool,
			"arguments",
			textOf(s.input),
		)

		if patch, ok := s.input["patch"].(string); ok { // a tool that takes a plain text
			item = object(
				"type",
				"custom_tool_call",
				"id",
				"ctc_"+idOf(m.turn),
				"call_id",
				idOf(m.turn),
				"name",
				s.tool,
				"input",
				patch,
			)
		}
	}

	usage := object(
		"input_tokens",
		1,
		"input_tokens_details",
		nil,
		"output_tokens",
		1,
		"output_tokens_details",
		nil,
		"total_tokens",
		2,
	)
	stream(w,
		object("type", "response.created", "response", object("id", "resp")),
		object("type", "response.output_item.done", "item", item),
		object("type", "response.completed", "response", object("id", "resp", "usage", usage)))
}

// contents speaks as the generateContent API.
func (m *model) contents(w http.ResponseWriter, body map[string]any) {
	for _, content := range list(body["contents"]) {
		for _, part := range list(member(content, "parts")) {
			if id, ok := member(part, "functionResponse", "id").(string); ok {
				m.told[id] = textOf(member(part, "functionResponse", "response"))
			}
		}
	}

	part := object("text", "Done.")
	if s := m.next(body); s != nil {
		part = object("functionCall", object("id", idOf(m.turn), "name", s.tool, "args", s.input))
	}

	stream(w, candidate(part))
}

func candidate(part map[string]any) map[string]any {
	return object("candidates", []any{object(
		"index",
		0,
		"finishReason",
		"STOP",
		"content",
		object("role", "model", "parts", []any{part}),
	)},
		"usageMetadata", object("promptTokenCount", 1, "candidatesTokenCount", 1, "totalTokenCount", 2))
}
