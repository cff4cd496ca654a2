// Package verifyaudit sells the verification of the audit chain:
// GET /x402/verify-audit.
package verifyaudit

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/httpapi"
	"governance.internal/shared/x402"
)

// Deps are what the verification needs.
type Deps struct {
	Gate    *x402.Gate
	Auditor *auditor.Auditor
}

// New returns the handler. A broken chain is a result like any other; a chain
// that cannot be read is a 503 and costs nothing.
func New(d Deps) http.Handler {
	return d.Gate.Sell("verify-audit", func(c x402.Call) (x402.Work, error) {
		wanted, err := d.read(c.Request)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (httpapi.Response, error) {
			v, err := d.Auditor.Verify(ctx, wanted)
			if err != nil {
				return httpapi.Response{}, unreadable(ctx, err)
			}
			return httpapi.JSON(v)
		}, nil
	})
}

func unreadable(ctx context.Context, err error) error {
	slog.ErrorContext(ctx, "audit chain not verified", "error", err.Error())
	return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "audit_unreadable",
		Detail: "The audit chain cannot be read right now. Try again later.", RetryAfter: 5 * time.Second}
}
