package audit

import (
	"context"
	"log/slog"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/audit"
)

type verifyInput struct {
	From          int64  `json:"from" default:"1" min:"1" doc:"Entry of interest; all are verified."`
	ExpectHead    string `json:"expect_head,omitempty" pattern:"^[0-9a-f]{64}$" doc:"Hash noted earlier."`
	ExpectEntries int64  `json:"expect_entries,omitempty" min:"1"`
}

// Verification is the answer of verify_audit_chain and of GET /audit/verify.
type Verification struct {
	Valid    bool    `json:"valid"`
	Entries  uint64  `json:"entries"`
	BrokenAt *uint64 `json:"broken_at"`
	Reason   *string `json:"reason"`
	Head     *Head   `json:"head"`
	Anchored bool    `json:"anchored"` // the end was compared with something noted earlier
	Chain    string  `json:"chain"`
	Mode     string  `json:"mode"` // full, or incremental behind prefix
	// Prefix are entries that an earlier full walk read and hashed, absent in mode full.
	Prefix     *audit.PrefixUsed `json:"prefix,omitempty"`
	Rehashed   audit.Rehashed    `json:"rehashed"`
	Claims     []audit.Claim     `json:"claims"`
	Warnings   []audit.Warning   `json:"warnings"`
	DurationMS int64             `json:"duration_ms"`
	Limits     string            `json:"limits"`
}

// Head is the last good entry.
type Head struct {
	Seq  uint64     `json:"seq"`
	Hash audit.Hash `json:"hash"`
}

// Verify verifies the chain against the anchors of the server and further ones.
type Verify func(ctx context.Context, further ...audit.Anchor) (audit.Report, error)

// VerifyAuditChain verifies the audit chain.
func VerifyAuditChain(verify Verify) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "verify_audit_chain",
		Title:       "Verify the chain",
		Toolset:     "audit",
		Description: "Recomputes the hashes of the audit chain. Says where it breaks and what is not proved.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Product:     tool.Product{Method: http.MethodGet, Path: "/x402/verify-audit"},
	}, func(ctx context.Context, _ *tool.Call, in verifyInput) (Verification, error) {
		var further []audit.Anchor
		if in.ExpectHead != "" || in.ExpectEntries > 0 {
			var hash audit.Hash
			if in.ExpectHead != "" {
				var err error
				if hash, err = audit.ParseHash(in.ExpectHead); err != nil {
					return Verification{}, &tool.Error{
						Code:    "invalid_argument",
						Field:   "/expect_head",
						Message: "expect_head is no hash.",
						Hint:    "Give the 64 hexadecimal digits of a head.",
					}
				}
			}

			further = append(further, audit.ExpectHead(uint64(in.ExpectEntries), hash))
		}

		return VerifyNow(ctx, verify, further...)
	})
}

// VerifyNow verifies the chain for the tool and for the route.
func VerifyNow(ctx context.Context, verify Verify, further ...audit.Anchor) (Verification, error) {
	report, err := verify(ctx, further...)
	if err != nil {
		slog.WarnContext(ctx, "audit chain not verified", "error", err.Error())
		return Verification{}, &tool.Error{
			Code:    "unavailable",
			Message: "The audit chain cannot be read right now.",
			Hint:    "Try again. This says nothing about whether the chain is valid.",
		}
	}

	v := Verification{
		Valid:      report.Valid,
		Entries:    report.Entries,
		BrokenAt:   report.BrokenAt,
		Anchored:   report.Truncation.Checked,
		Chain:      report.Chain,
		Mode:       report.Mode,
		Prefix:     report.Prefix,
		Rehashed:   report.Rehashed,
		Claims:     report.Claims,
		Warnings:   report.Warnings,
		DurationMS: report.DurationMS,
		Limits:     report.Limits,
	}

	if report.Head != nil {
		v.Head = &Head{report.Head.Seq, report.Head.Hash}
	}

	if report.Reason != "" {
		reason := string(report.Reason)
		v.Reason = &reason
	}

	return v, nil
}
