package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   string          `json:"content"`
	IsError   bool            `json:"is_error"`
}

// anthropic: tool results come first in a message, no text is empty, and max_tokens must
// be there.
var anthropic = format{
	path: "/v1/messages",
	judge: func(h http.Header) error {
		if h.Get("X-Api-Key") != Key || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" {
			return errors.New("headers of the Messages API")
		}
		return nil
	},
	read: func(body []byte) (list []said, most int, err error) {
		var r struct {
			Model     string `json:"model"`
			MaxTokens int    `json:"max_tokens"`
			System    string `json:"system"`
			Messages  []struct {
				Role    string           `json:"role"`
				Content []anthropicBlock `json:"content"`
			} `json:"messages"`
			Tools []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				InputSchema json.RawMessage `json:"input_schema"`
			} `json:"tools"`
		}
		if err := strict(body, &r); err != nil || r.Model != Model || r.System == "" || len(r.Tools) == 0 {
			return nil, 0, fmt.Errorf("no request of the Messages API: %w", err)
		}
		for _, t := range r.Tools {
			err = errors.Join(err, toolSchema(t.Name, t.Description, t.InputSchema))
		}
		for _, m := range r.Messages {
			one := said{role: m.Role}
			for i, b := range m.Content {
				switch {
				case b.Type == "text" && b.Text != "":
				case b.Type == "tool_use" && m.Role == "assistant" && strings.HasPrefix(string(b.Input), "{"):
					one.calls = append(one.calls, b.ID)
				case b.Type == "tool_result" && m.Role == "user" && len(one.results) == i:
					one.results = append(one.results, b.ToolUseID)
				default:
					err = errors.Join(err, fmt.Errorf("block %d of %s is %+v", i, m.Role, b))
				}
			}
			list = append(list, one)
		}
		return list, r.MaxTokens, err
	},
	calls: func(body []byte) (ids []string) {
		var a struct{ Content []anthropicBlock }
		_ = json.Unmarshal(body, &a)
		for _, b := range a.Content {
			if b.Type == "tool_use" {
				ids = append(ids, b.ID)
			}
		}
		return ids
	},
}

type openaiMessage struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"`
	ToolCallID string  `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// openai: the system comes first, and each result is a message of the role tool; here they
// count as one message of the user.
var openai = format{
	path: "/chat/completions",
	judge: func(h http.Header) error {
		if h.Get("Authorization") != "Bearer "+Key {
			return errors.New("headers of chat completions")
		}
		return nil
	},
	read: func(body []byte) (list []said, most int, err error) {
		var r struct {
			Model     string          `json:"model"`
			MaxTokens int             `json:"max_completion_tokens"`
			Messages  []openaiMessage `json:"messages"`
			Tools     []struct {
				Type     string `json:"type"`
				Function struct {
					Name        string          `json:"name"`
					Description string          `json:"description"`
					Parameters  json.RawMessage `json:"parameters"`
				} `json:"function"`
			} `json:"tools"`
		}
		if err := strict(body, &r); err != nil || r.Model != Model || len(r.Messages) < 2 || r.Messages[0].Role != "system" || len(r.Tools) == 0 {
			return nil, 0, fmt.Errorf("no request of chat completions: %w", err)
		}
		for _, t := range r.Tools {
			err = errors.Join(err, toolSchema(t.Function.Name, t.Function.Description, t.Function.Parameters))
		}
		for i, m := range r.Messages[1:] {
			if m.Content == nil && len(m.ToolCalls) == 0 || m.Content != nil && *m.Content == "" && m.Role != "tool" {
				err = errors.Join(err, fmt.Errorf("message %d is empty", i))
			}
			one := said{role: m.Role}
			for _, c := range m.ToolCalls {
				one.calls = append(one.calls, c.ID)
			}
			if m.Role == "tool" {
				if last := len(list) - 1; list[last].role == "user" {
					list[last].results = append(list[last].results, m.ToolCallID)
					continue
				}
				one = said{role: "user", results: []string{m.ToolCallID}}
			}
			list = append(list, one)
		}
		return list, r.MaxTokens, err
	},
	calls: func(body []byte) (ids []string) {
		var a struct {
			Choices []struct{ Message openaiMessage }
		}
		_ = json.Unmarshal(body, &a)
		for _, choice := range a.Choices {
			for _, c := range choice.Message.ToolCalls {
				ids = append(ids, c.ID)
			}
		}
		return ids
	},
}

type bedrockBlock struct {
	Text    string `json:"text"`
	ToolUse *struct {
		ToolUseID string          `json:"toolUseId"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	} `json:"toolUse"`
	ToolResult *struct {
		ToolUseID string                  `json:"toolUseId"`
		Content   []struct{ Text string } `json:"content"`
		Status    string                  `json:"status"`
	} `json:"toolResult"`
}

// bedrock: requests are signed for the service bedrock, the model is in the path.
var bedrock = format{
	path: "/model/" + Model + "/converse",
	judge: func(h http.Header) error {
		if a := h.Get("Authorization"); !strings.HasPrefix(a, "AWS4-HMAC-SHA256 Credential=") || !strings.Contains(a, "/bedrock/aws4_request") || h.Get("X-Amz-Date") == "" {
			return errors.New("the signature of Converse")
		}
		return nil
	},
	read: func(body []byte) (list []said, most int, err error) {
		var r struct {
			System          []struct{ Text string } `json:"system"`
			InferenceConfig struct{ MaxTokens int } `json:"inferenceConfig"`
			Messages        []struct {
				Role    string         `json:"role"`
				Content []bedrockBlock `json:"content"`
			} `json:"messages"`
			ToolConfig struct {
				Tools []struct {
					ToolSpec struct {
						Name        string
						Description string
						InputSchema struct{ JSON json.RawMessage }
					}
				}
			} `json:"toolConfig"`
		}
		if err := strict(body, &r); err != nil || len(r.System) != 1 || r.System[0].Text == "" || len(r.ToolConfig.Tools) == 0 {
			return nil, 0, fmt.Errorf("no request of Converse: %w", err)
		}
		for _, t := range r.ToolConfig.Tools {
			err = errors.Join(err, toolSchema(t.ToolSpec.Name, t.ToolSpec.Description, t.ToolSpec.InputSchema.JSON))
		}
		for _, m := range r.Messages {
			one := said{role: m.Role}
			for i, b := range m.Content {
				switch {
				case b.Text != "" && b.ToolUse == nil && b.ToolResult == nil:
				case b.ToolUse != nil && m.Role == "assistant" && strings.HasPrefix(string(b.ToolUse.Input), "{"):
					one.calls = append(one.calls, b.ToolUse.ToolUseID)
				case b.ToolResult != nil && m.Role == "user" && len(b.ToolResult.Content) == 1 && (b.ToolResult.Status == "success" || b.ToolResult.Status == "error"):
					one.results = append(one.results, b.ToolResult.ToolUseID)
				default:
					err = errors.Join(err, fmt.Errorf("block %d of %s is %+v", i, m.Role, b))
				}
			}
			list = append(list, one)
		}
		return list, r.InferenceConfig.MaxTokens, err
	},
	calls: func(body []byte) (ids []string) {
		var a struct {
			Output struct {
				Message struct{ Content []bedrockBlock }
			}
		}
		_ = json.Unmarshal(body, &a)
		for _, b := range a.Output.Message.Content {
			if b.ToolUse != nil {
				ids = append(ids, b.ToolUse.ToolUseID)
			}
		}
		return ids
	},
}
