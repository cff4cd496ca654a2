package middleware

import (
	"context"
	"encoding/json"

	"governance.internal/functions/toolserver/mcp/tool"
)

// Redact applies hide to every result of a tool. Tools that know more about a text redact
// it themselves; this is the last check. The answer of a forwarded tool quotes what the caller
// sent, and is left alone.
func Redact(hide func(string) string) Decorator {
	return func(t *tool.Tool) *tool.Tool {
		if t.Forwarded {
			return t
		}

		clean := *t
		clean.Run = func(ctx context.Context, call *tool.Call) tool.Result {
			result := t.Run(ctx, call)
			if result.Err != nil {
				return tool.Failure(redactError(*result.Err, hide))
			}
			return redactResult(result, hide)
		}

		return &clean
	}
}

func redactError(problem tool.Error, hide func(string) string) *tool.Error {
	problem.Message = hide(problem.Message)
	problem.Hint = hide(problem.Hint)
	problem.Field = hide(problem.Field)
	return &problem
}

func redactResult(result tool.Result, hide func(string) string) tool.Result {
	whole := string(result.Structured)
	text := hide(whole)
	if text == whole || !json.Valid([]byte(text)) {
		return result
	}

	result.Structured = json.RawMessage(text)
	result.Content = []any{tool.Text{
		Type: "text",
		Text: text,
	}}
	return result
}
