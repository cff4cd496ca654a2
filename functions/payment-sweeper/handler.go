// Package sweeper finishes payments that no client came back for: a crash or a
// slow chain left them between reservation and settlement. It runs on a schedule,
// once a minute, and answers nothing over HTTP.
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

// New gives the function that the schedule invokes; the event says nothing. An
// error marks the run as failed, so that an alarm on failed runs sees it; what
// could be done is done all the same. gas is nil when somebody else pays it.
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
