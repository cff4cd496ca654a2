// Package anthropic asks models over Anthropic's Messages API (POST /v1/messages, version
// 2023-06-01 of the API reference).
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"governance.internal/functions/toolserver/agent/chat"
	"governance.internal/functions/toolserver/agent/endpoint"
)

// DefaultURL is where Anthropic answers.
const DefaultURL = "https://api.anthropic.com"

const version = "2023-06-01"

// Model is a model that is asked so.
type Model struct{ endpoint.Server }

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    string    `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is one of text, tool_use and tool_result.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

// Complete implements chat.Model.
func (m *Model) Complete(ctx context.Context, r chat.Request) (chat.Answer, error) {
	header := http.Header{"Anthropic-Version": {version}}
	if m.Key != "" {
		header.Set("X-Api-Key", m.Key)
	}
	body, err := endpoint.Post(ctx, m.HTTP, m.URL+"/v1/messages", header, m.request(r))
	if err != nil {
		return chat.Answer{}, err
	}
	return parse(body)
}

func (m *Model) request(r chat.Request) request {
	out := request{
		Model:     m.Name,
		MaxTokens: r.MaxTokens,
		System:    r.System,
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, tool{t.Name, t.Description, t.Schema})
	}

	for _, said := range r.Messages {
		blocks := []block{}
		for _, result := range said.Results { // they must come first
			blocks = append(blocks, block{
				Type:      "tool_result",
				ToolUseID: result.ID,
				Content:   result.Text,
				IsError:   result.Failed,
			})
		}

		if said.Text != "" {
			blocks = append(blocks, block{Type: "text", Text: said.Text})
		}

		for _, call := range said.Calls {
			blocks = append(blocks, block{
				Type:  "tool_use",
				ID:    call.ID,
				Name:  call.Name,
				Input: json.RawMessage(call.Arguments),
			})
		}

		out.Messages = append(out.Messages, message{said.Role, blocks})
	}

	return out
}

var stops = map[string]chat.Stop{
	"end_turn": chat.Done, "stop_sequence": chat.Done, "tool_use": chat.CallsTools, "refusal": chat.Refused,
	"max_tokens": chat.TooLong, "model_context_window_exceeded": chat.ContextFull,
}

// parse reads an answer. Blocks of other kinds, such as thinking, are left out.
func parse(body []byte) (chat.Answer, error) {
	var answer struct {
		Type       string  `json:"type"`
		Role       string  `json:"role"`
		Content    []block `json:"content"`
		StopReason string  `json:"stop_reason"`
		Usage      struct {
			Input      int `json:"input_tokens"`
			Output     int `json:"output_tokens"`
			CacheWrite int `json:"cache_creation_input_tokens"`
			CacheRead  int `json:"cache_read_input_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &answer) != nil ||
		answer.Type != "message" ||
		answer.Role != chat.Assistant {
		return chat.Answer{}, errors.New("the answer is no message of the Messages API")
	}

	stop, known := stops[answer.StopReason]
	if !known {
		return chat.Answer{}, fmt.Errorf("the answer ended with the unknown reason %.40q", answer.StopReason)
	}

	u := answer.Usage
	out := chat.Answer{
		Message: chat.Message{Role: chat.Assistant},
		Stop:    stop,
		Input:   chat.Sum(u.Input, u.CacheWrite, u.CacheRead),
		Output:  chat.Sum(u.Output),
	}
	for _, b := range answer.Content {
		switch b.Type {
		case "text":
			out.Message.Text += b.Text
		case "tool_use":
			if len(b.Input) == 0 {
				b.Input = json.RawMessage("{}")
			}
			out.Message.Calls = append(out.Message.Calls, chat.Call{
				ID:        b.ID,
				Name:      b.Name,
				Arguments: string(b.Input),
			})
		}
	}

	return out.Checked()
}
