package middleware

import (
	"context"
	"log/slog"

	"governance.internal/functions/toolserver/mcp/tool"
)

// Fence refuses a destructive tool while everything is halted, unless it is
// [tool.Tool.ExemptFromHalt]. It calls halted for each call, and refuses the tool on an
// error as well.
func Fence(halted func(context.Context) (bool, error)) Decorator {
	return func(t *tool.Tool) *tool.Tool {
		if !t.Hints.Destructive || t.ExemptFromHalt {
			return t
		}

		fenced := *t
		fenced.Run = func(ctx context.Context, call *tool.Call) tool.Result {
			if refusal := askHalt(ctx, halted); refusal != nil {
				return tool.Failure(refusal)
			}
			return t.Run(ctx, call)
		}

		return &fenced
	}
}

// askHalt returns the reason why a tool may not work now, nil if it may.
func askHalt(ctx context.Context, halted func(context.Context) (bool, error)) *tool.Error {
	halt, err := halted(ctx)
	if err != nil {
		slog.WarnContext(ctx, "kill switch not read", "error", err.Error())
		return &tool.Error{
			Code:    "unavailable",
			Message: "Cannot read kill-switch state.",
			Hint:    "Try again.",
		}
	}

	if halt {
		return &tool.Error{
			Code:    "halted",
			Message: "Everything is halted by the kill switch.",
			Hint:    "A person must lift the halt first.",
		}
	}

	return nil
}
