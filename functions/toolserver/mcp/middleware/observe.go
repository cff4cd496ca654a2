package middleware

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/telemetry"
)

// CallLimit is how long a tool may work.
const CallLimit = 20 * time.Second

// Observer receives what [Observe] measures.
type Observer struct {
	Count     func() // called once for each call
	Now       func() time.Time
	Telemetry *telemetry.Recorder // nil if no collector is named
}

// Observe counts, logs and traces the calls of a tool, without their arguments, ends
// them after [CallLimit] and keeps a panic of one tool from ending the process.
func Observe(o Observer) Decorator {
	return func(t *tool.Tool) *tool.Tool {
		watched := *t
		watched.Run = func(ctx context.Context, call *tool.Call) tool.Result {
			return o.run(ctx, t, call)
		}

		return &watched
	}
}

func (o Observer) run(ctx context.Context, t *tool.Tool, call *tool.Call) (result tool.Result) {
	o.Count()
	began := o.Now()

	ctx, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()

	ctx, span := o.trace(ctx, t, call)
	defer func() {
		if cause := recover(); cause != nil {
			result = panicked(ctx, t, cause)
		}
		o.report(ctx, t, call, span, result, o.Now().Sub(began))
	}()

	return t.Run(ctx, call)
}

// panicked logs a panic, and returns an error without its details.
func panicked(ctx context.Context, t *tool.Tool, cause any) tool.Result {
	slog.ErrorContext(ctx, "tool panicked",
		"tool", t.Name,
		"error", fmt.Sprintf("%v\n%s", cause, debug.Stack()))
	return tool.Failure(&tool.Error{
		Code:    "internal",
		Message: "Something failed on our side.",
	})
}

func (o Observer) report(
	ctx context.Context,
	t *tool.Tool,
	call *tool.Call,
	span *telemetry.Span,
	result tool.Result,
	took time.Duration,
) {
	outcome := "ok"
	if result.Err != nil {
		outcome = result.Err.Code
	}

	slog.InfoContext(ctx, "tool called",
		"tool", t.Name,
		"transport", call.Transport,
		"outcome", outcome,
		"ms", took.Milliseconds())

	span.Set(slog.String("governance.outcome", outcome))
	span.End()
	o.Telemetry.Observe("mcp.server.operation.duration", took,
		slog.String("mcp.method.name", "tools/call"),
		slog.String("gen_ai.tool.name", t.Name),
		slog.String("governance.outcome", outcome))
}

// trace begins the span of a call, within the trace that its client names.
func (o Observer) trace(ctx context.Context, t *tool.Tool, call *tool.Call) (context.Context, *telemetry.Span) {
	ctx = o.Telemetry.NewContext(ctx)
	if call.Traceparent != "" {
		ctx = telemetry.Continue(ctx, call.Traceparent)
	}

	return telemetry.Start(ctx, telemetry.Server, "tools/call "+t.Name,
		slog.String("mcp.method.name", "tools/call"),
		slog.String("gen_ai.tool.name", t.Name),
		slog.String("gen_ai.operation.name", "execute_tool"),
		slog.String("network.transport", call.Transport))
}
