// Package openai asks models over the Chat Completions API of OpenAI (POST
// /chat/completions of the API reference), which many other servers speak, too.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"governance.internal/functions/toolserver/agent/chat"
	"governance.internal/functions/toolserver/agent/endpoint"
)

// DefaultURL is where OpenAI answers.
const DefaultURL = "https://api.openai.com/v1"

// Model is a model that is asked so.
type Model struct{ endpoint.Server }

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_completion_tokens"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
}

type tool struct {
	Type     string   `json:"type"` // function
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type message struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"` // null beside tool calls
	Refusal    string  `json:"refusal,omitempty"`
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // function
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON in a text, as far as the model can write it
	} `json:"function"`
}

// Complete implements chat.Model.
func (m *Model) Complete(ctx context.Context, r chat.Request) (chat.Answer, error) {
	header := http.Header{}
	if m.Key != "" {
		header.Set("Authorization", "Bearer "+m.Key)
	}
	body, err := endpoint.Post(ctx, m.HTTP, m.URL+"/chat/completions", header, m.request(r))
	if err != nil {
		return chat.Answer{}, err
	}
	return parse(body)
}

func (m *Model) request(r chat.Request) request {
	out := request{
		Model:     m.Name,
		MaxTokens: r.MaxTokens,
		Messages:  []message{{Role: "system", Content: &r.System}},
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, tool{"function", function{t.Name, t.Description, t.Schema}})
	}

	for _, said := range r.Messages {
		for _, result := range said.Results { // a message for each
			out.Messages = append(out.Messages, message{
				Role:       "tool",
				Content:    &result.Text,
				ToolCallID: result.ID,
			})
		}

		if said.Text == "" && len(said.Calls) == 0 {
			continue
		}
		one := message{Role: said.Role}
		if said.Text != "" {
			one.Content = &said.Text
		}

		for _, c := range said.Calls {
			made := call{ID: c.ID, Type: "function"}
			made.Function.Name, made.Function.Arguments = c.Name, c.Arguments
			one.ToolCalls = append(one.ToolCalls, made)
		}

		out.Messages = append(out.Messages, one)
	}

	return out
}

var stops = map[string]chat.Stop{
	"stop": chat.Done, "tool_calls": chat.CallsTools, "content_filter": chat.Refused, "length": chat.TooLong,
}

// parse reads an answer.
func parse(body []byte) (chat.Answer, error) {
	var answer struct {
		Choices []struct {
			Message      message `json:"message"`
			FinishReason string  `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &answer) != nil ||
		len(answer.Choices) != 1 ||
		answer.Choices[0].Message.Role != chat.Assistant {
		return chat.Answer{}, errors.New("the answer is no chat completion")
	}

	said := answer.Choices[0].Message
	reason := answer.Choices[0].FinishReason
	stop, known := stops[reason]
	if !known {
		return chat.Answer{}, fmt.Errorf("the answer ended with the unknown reason %.40q", reason)
	}
	if stop == chat.Done && len(said.ToolCalls) > 0 { // as some servers say it
		stop = chat.CallsTools
	}

	out := chat.Answer{
		Message: chat.Message{Role: chat.Assistant},
		Stop:    stop,
		Input:   chat.Sum(answer.Usage.Prompt),
		Output:  chat.Sum(answer.Usage.Completion),
	}

	if said.Content != nil {
		out.Message.Text = *said.Content
	}
	if said.Refusal != "" {
		out.Message.Text, out.Stop = said.Refusal, chat.Refused
	}

	for _, c := range said.ToolCalls {
		out.Message.Calls = append(out.Message.Calls, chat.Call{
			ID:        c.ID,
			Name:      c.Function.Name,
			Arguments: c.Function.Arguments,
		})
	}

	return out.Checked()
}
