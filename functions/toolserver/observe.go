package toolserver

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/telemetry"
)

// callLimit is how long a tool may work.
const callLimit = 20 * time.Second

// observed counts, logs and traces the calls of a tool, without their arguments, ends
// them after [callLimit] and keeps a defect of one tool from ending the process.
func observed(t *tool.Tool, calls *atomic.Uint64, d Deps) *tool.Tool {
	watched := *t
	watched.Run = func(ctx context.Context, call *tool.Call) (result tool.Result) {
		calls.Add(1)
		began := d.Now()
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()

		ctx, span := traced(ctx, t, call, d.Telemetry)
		defer func() {
			if cause := recover(); cause != nil {
				slog.ErrorContext(ctx, "tool panicked",
					"tool", t.Name,
					"error", fmt.Sprintf("%v\n%s", cause, debug.Stack()))
				result = tool.Failure(&tool.Error{
					Code:    "internal",
					Message: "Something failed on our side.",
				})
			}

			outcome := "ok"
			if result.Err != nil {
				outcome = result.Err.Code
			}

			took := d.Now().Sub(began)
			slog.InfoContext(ctx, "tool called",
				"tool", t.Name,
				"transport", call.Transport,
				"outcome", outcome,
				"ms", took.Milliseconds())

			span.Set(slog.String("governance.outcome", outcome))
			span.End()
			d.Telemetry.Observe("mcp.server.operation.duration", took,
				slog.String("mcp.method.name", "tools/call"), slog.String("gen_ai.tool.name", t.Name), slog.String("governance.outcome", outcome))
		}()

		return t.Run(ctx, call)
	}
	return &watched
}

// traced begins the span of a call, within the trace that its client names.
func traced(
	ctx context.Context,
	t *tool.Tool,
	call *tool.Call,
	recorder *telemetry.Recorder,
) (context.Context, *telemetry.Span) {
	ctx = recorder.NewContext(ctx)
	if call.Traceparent != "" {
		ctx = telemetry.Continue(ctx, call.Traceparent)
	}
	return telemetry.Start(ctx, telemetry.Server, "tools/call "+t.Name,
		slog.String("mcp.method.name", "tools/call"), slog.String("gen_ai.tool.name", t.Name),
		slog.String("gen_ai.operation.name", "execute_tool"), slog.String("network.transport", call.Transport))
}
