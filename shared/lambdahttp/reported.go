package lambdahttp

import (
	"context"
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	"governance.internal/shared/telemetry"
	"governance.internal/shared/wiring/environment"
)

// Run serves a function that is invoked by a schedule or an operator.
func Run[Event, Result any](name string, run func(context.Context, Event) (Result, error)) {
	c, err := environment.Load()
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(reported(environment.Telemetry(c, name), func(ctx context.Context, event Event) (result Result, err error) {
		ctx, span := telemetry.Start(ctx, telemetry.Internal, name)
		defer span.End()
		result, err = run(ctx, event)
		span.Fail(err)
		return result, err
	}))
}

// reported flushes the telemetry of each invocation before its answer, because the process
// is frozen afterwards.
func reported[Event, Result any](recorder *telemetry.Recorder, invoke func(context.Context, Event) (Result, error)) func(context.Context, Event) (Result, error) {
	if recorder == nil {
		return invoke
	}
	return func(ctx context.Context, event Event) (Result, error) {
		defer recorder.Flush(context.WithoutCancel(ctx))
		return invoke(recorder.NewContext(ctx), event)
	}
}
