package toolserver

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"governance.internal/functions/toolserver/tool"
)

// callLimit is how long a tool may work.
const callLimit = 20 * time.Second

// observed counts and logs the calls of a tool, without their arguments, ends them
// after [callLimit] and keeps a defect of one tool from ending the process.
func observed(t *tool.Tool, calls *atomic.Uint64, now func() time.Time) *tool.Tool {
	watched := *t
	watched.Run = func(ctx context.Context, call *tool.Call) (result tool.Result) {
		calls.Add(1)
		began := now()
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		defer func() {
			if cause := recover(); cause != nil {
				slog.ErrorContext(ctx, "tool panicked", "tool", t.Name, "error", fmt.Sprintf("%v\n%s", cause, debug.Stack()))
				result = tool.Failure(&tool.Error{Code: "internal", Message: "Something failed on our side."})
			}
			outcome := "ok"
			if result.Err != nil {
				outcome = result.Err.Code
			}
			slog.InfoContext(ctx, "tool called", "tool", t.Name, "transport", call.Transport, "outcome", outcome, "ms", now().Sub(began).Milliseconds())
		}()
		return t.Run(ctx, call)
	}
	return &watched
}
