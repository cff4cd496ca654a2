package middleware

import (
	"context"
	"log/slog"

	"governance.internal/functions/toolserver/mcp/tool"
)

// Fence refuses a tool that destroys while everything is halted, except one that is
// [tool.Tool.ExemptFromHalt]. It asks halted for each call; while that cannot be read,
// the tool is refused as well.
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

// askHalt is why a tool may not work now, nil if it may.
func askHalt(ctx context.Context, halted func(context.Context) (bool, error)) *tool.Error {
	halt, err := halted(ctx)
	if err != nil {
		slog.WarnContext(ctx, "kill switch not read", "error", err.Error())
		return &tool.Error{
			Code:    "unavailable",
			Message: "Whether everything is halted cannot be read right now.",
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
