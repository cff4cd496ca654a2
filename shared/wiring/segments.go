package wiring

import (
	"os"
	"path/filepath"

	auditdynamo "governance.internal/shared/audit/dynamo"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/config"
	"governance.internal/shared/objects/dir"
	"governance.internal/shared/objects/s3"
)

// SealedFromEnvironment is [NewSealed] of this process's environment.
func SealedFromEnvironment() (*sealed.Store, error) {
	c, err := config.Load(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return NewSealed(c)
}

// NewSealed opens the audit chain of the table with its segments in the bucket, or
// in a folder of the data directory. The error names every missing setting.
func NewSealed(c config.Config) (*sealed.Store, error) {
	settings := []config.Setting{{Name: "BASE_URL", Value: c.BaseURL}, {Name: "AUDIT_TABLE", Value: c.AuditTable}}
	if c.SegmentBucket == "" {
		settings = append(settings, config.Setting{Name: "SEGMENT_BUCKET or DATA_DIR", Value: c.DataDir})
	}
	if err := config.Need(settings...); err != nil {
		return nil, err
	}
	hot, err := openAuditTable(c, c.BaseURL)
	if err != nil {
		return nil, err
	}
	objects, err := openSegments(c)
	if err != nil {
		return nil, err
	}
	return sealed.Open(ChainName, hot, objects), nil
}

func openSegments(c config.Config) (sealed.Objects, error) {
	if c.SegmentBucket == "" {
		return dir.Open(filepath.Join(c.DataDir, "segments"))
	}
	a, err := account(c.S3Endpoint)
	if err != nil {
		return nil, err
	}
	return s3.OpenLocked(c.SegmentBucket, a, c.SegmentRetention), nil
}

func openAuditTable(c config.Config, origin string) (*auditdynamo.Store, error) {
	a, err := account(c.DynamoDBEndpoint)
	if err != nil {
		return nil, err
	}
	return auditdynamo.Open(ChainName, auditdynamo.Options{
		Table: c.AuditTable, Region: a.Region, Credentials: a.Credentials, Endpoint: a.Endpoint, Origin: origin,
	})
}
