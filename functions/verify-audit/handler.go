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

// Deps are the dependencies of the verification.
type Deps struct {
	Gate    *x402.Gate
	Auditor *auditor.Auditor
}

// New returns the handler. A broken chain is a result like any other; a chain
// that cannot be read, or takes no entries, is a 503 and costs nothing.
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
			if _, closed := d.Auditor.Store.Append(ctx); closed != nil {
				return httpapi.Response{}, unrecorded(ctx, v, closed)
			}
			return httpapi.JSON(v)
		}, nil
	})
}

// unrecorded answers without a sale: a sale must be recorded, and the chain takes no
// entries, most likely because it was tampered with.
func unrecorded(ctx context.Context, v auditor.Verification, closed error) error {
	slog.ErrorContext(ctx, "audit chain takes no entries", "error", closed.Error())
	return &httpapi.Error{
		Status:     http.StatusServiceUnavailable,
		Code:       "audit_closed",
		RetryAfter: time.Minute,
		Detail:     "The audit chain takes no entries, so nothing can be sold. This verification costs nothing.",
		Members:    map[string]any{"verification": v},
	}
}

func unreadable(ctx context.Context, err error) error {
	slog.ErrorContext(ctx, "audit chain not verified", "error", err.Error())
	return &httpapi.Error{
		Status:     http.StatusServiceUnavailable,
		Code:       "audit_unreadable",
		Detail:     "The audit chain cannot be read right now. Try again later.",
		RetryAfter: 5 * time.Second,
	}
}
