// Package seal moves what the audit chain gathered into sealed segments. It runs on
// a schedule and answers nothing over HTTP. Each run that may have something to
// seal reads the unsealed part of the chain, at most some 16 MB: once an hour is right.
//
// Its role needs, on the table, dynamodb:GetItem and dynamodb:Query and, by
// dynamodb:LeadingKeys, dynamodb:PutItem for s#*; on the objects of the bucket
// s3:PutObject, s3:PutObjectRetention and s3:GetObject; and s3:ListBucket, without
// which S3 calls a missing object forbidden. It must not have any permission to delete.
package seal

import (
	"context"

	"governance.internal/shared/audit/sealed"
)

// Report is the answer of one run.
type Report struct {
	Segments int    `json:"segments"`  // sealed by this run
	SealedTo uint64 `json:"sealed_to"` // the last entry in them, 0 if there are none
}

// New gives the function that the schedule invokes; the event says nothing. An error
// marks the run as failed, so that an alarm on failed runs sees a chain that does not
// verify; what was sealed before stays sealed, and the next run goes on from there.
func New(store *sealed.Store) func(context.Context) (Report, error) {
	return func(ctx context.Context) (Report, error) {
		segments, err := store.Seal(ctx)
		report := Report{Segments: len(segments)}
		if n := len(segments); n > 0 {
			report.SealedTo = segments[n-1].Last
		}
		return report, err
	}
}
