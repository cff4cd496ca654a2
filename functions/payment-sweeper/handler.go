// Package sweeper finishes payments that a crash or a slow chain left between
// reservation and settlement and that their clients did not repeat. It runs on a
// schedule, once a minute, and has no HTTP route.
package sweeper

import (
	"context"
	"log/slog"

	"governance.internal/shared/payments"
)

// Report is the answer of one run.
type Report struct {
	Moved int `json:"moved"` // payments that went on: settled, failed, released or confirmed
}

// New returns the function that the schedule invokes; it ignores the event. An error
// marks the run as failed, for an alarm on failed runs, but does not stop the other
// payments. gas is nil if a remote facilitator pays it.
func New(machine *payments.Machine, gas *Gas) func(context.Context, any) (Report, error) {
	return func(ctx context.Context, _ any) (Report, error) {
		moved, err := machine.Sweep(ctx)
		if gas != nil {
			if err := gas.report(ctx); err != nil {
				slog.WarnContext(ctx, "gas of the wallet not known", "error", err.Error())
			}
		}
		return Report{Moved: moved}, err
	}
}
