package wiring

import (
	"path/filepath"

	auditdynamo "governance.internal/shared/audit/dynamo"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/config"
	"governance.internal/shared/objects/dir"
	"governance.internal/shared/objects/s3"
	"governance.internal/shared/wiring/environment"
)

// openSegments opens the place of sealed segments: the bucket, or a folder of the
// data directory.
func openSegments(c config.Config) (sealed.Objects, error) {
	if c.SegmentBucket == "" {
		return dir.Open(filepath.Join(c.DataDir, "segments"))
	}
	a, err := environment.OpenAccount(c.S3Endpoint)
	if err != nil {
		return nil, err
	}

	return s3.Open(s3.Options{
		Bucket:      c.SegmentBucket,
		Region:      a.Region,
		Credentials: a.Credentials,
		Endpoint:    a.Endpoint,
		Lock:        s3.Lock{Retention: c.SegmentRetention, Mode: c.SegmentLockMode},
	}), nil
}

// openAuditTable opens the table of the audit chain, for a role that appends to it or,
// readOnly, for one that does not.
func openAuditTable(c config.Config, origin string, readOnly bool) (*auditdynamo.Store, error) {
	a, err := environment.OpenAccount(c.DynamoDBEndpoint)
	if err != nil {
		return nil, err
	}

	return auditdynamo.Open(ChainName, auditdynamo.Options{
		Table:       c.AuditTable,
		Region:      a.Region,
		Credentials: a.Credentials,
		Endpoint:    a.Endpoint,
		Origin:      origin,
		ReadOnly:    readOnly,
	})
}
