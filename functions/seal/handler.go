// Package seal looks after the audit chain on a schedule and answers nothing over
// HTTP. A run seals what the chain gathered and publishes its checkpoint; with the
// event {"walk":true} it reads the whole chain instead, which verifications of a long
// chain rely on.
//
// A run that may have something to seal reads the unsealed part of the chain, at most
// some 16 MB. Once every few minutes is right, and a walk every few hours.
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

// Event is what the schedule sends; {} is fine.
type Event struct {
	Walk bool `json:"walk"`
}

// Report is the answer of one run.
type Report struct {
	Segments int    `json:"segments"`  // sealed by this run
	SealedTo uint64 `json:"sealed_to"` // the last entry in them, 0 if there are none
	WalkedTo uint64 `json:"walked_to"` // the last entry that a walk found good
}

// New gives the function that the schedule invokes. An error marks the run as failed,
// so that an alarm on failed runs sees a chain that does not verify or a sink that
// takes no checkpoint; what was done before stays, and the next run goes on from there.
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
