// Package seal maintains the audit chain on a schedule; it has no HTTP route. A run seals
// the complete segments of the chain and publishes its checkpoint; with the
// event {"walk":true} it reads the whole chain instead, which verifications of a long
// chain rely on.
//
// A run that may have something to seal reads the unsealed part of the chain, at most
// some 16 MB. Run it every few minutes, and a walk every few hours.
//
// Its role needs, on the table, dynamodb:GetItem and dynamodb:Query and, by
// dynamodb:LeadingKeys, dynamodb:PutItem for s#* and n#*; on the objects of the bucket
// s3:PutObject, s3:PutObjectRetention and s3:GetObject; s3:ListBucket, without which
// S3 calls a missing object forbidden; and kms:Sign and kms:GetPublicKey on the key of
// the checkpoints. It must not have any permission to delete.
package seal

import (
	"context"
	"errors"
	"fmt"

	"governance.internal/shared/audit/auditor"
)

// Event is the event of the schedule; {} is valid.
type Event struct {
	Walk bool `json:"walk"`
}

// Report is the answer of one run.
type Report struct {
	Segments int    `json:"segments"`  // sealed by this run
	SealedTo uint64 `json:"sealed_to"` // the last entry in them, 0 if there are none
	WalkedTo uint64 `json:"walked_to"` // the last entry that a walk found valid
}

// New returns the function that the schedule invokes. An error marks the run as failed, so
// that an alarm on failed runs reports a chain that does not verify or a sink that fails.
// The results of the run up to then remain, and the next run continues.
func New(a *auditor.Auditor) func(context.Context, Event) (Report, error) {
	return func(ctx context.Context, e Event) (Report, error) {
		begun, err := a.Begun(ctx)
		if err != nil || !begun {
			return Report{}, err
		}
		if e.Walk {
			return walk(ctx, a)
		}

		segments, err := a.Sealed.Seal(ctx)
		report := Report{Segments: len(segments)}
		if n := len(segments); n > 0 {
			report.SealedTo = segments[n-1].Last
		}
		return report, errors.Join(err, a.Publish(ctx))
	}
}

func walk(ctx context.Context, a *auditor.Auditor) (Report, error) {
	r, err := a.Walk(ctx)
	if err == nil && !r.Valid {
		err = fmt.Errorf("the audit chain breaks at entry %d: %s", *r.BrokenAt, r.Reason)
	}
	return Report{WalkedTo: r.LastGoodSeq}, err
}
