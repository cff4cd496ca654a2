package wiring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/config"
	"governance.internal/shared/dynamotest"
)

func TestSealingNamesWhatIsMissing(t *testing.T) {
	_, err := NewAuditor(config.Config{})
	for _, name := range []string{"BASE_URL", "AUDIT_TABLE", "SEGMENT_BUCKET or DATA_DIR", "CHECKPOINT_KEY_KMS"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
	t.Setenv("AWS_REGION", "")
	c := config.Config{BaseURL: "https://one.example", AuditTable: "a", DynamoDBEndpoint: "http://127.0.0.1:1", SegmentBucket: "b", SegmentRetention: time.Hour, CheckpointKeyFile: "c.key"}
	if _, err := NewAuditor(c); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("a bucket without an account: %v", err)
	}
}

// Without a bucket the segments are in the data directory.
func TestSegmentsInTheDataDirectory(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	data := t.TempDir()
	a, err := NewAuditor(config.Config{BaseURL: "https://one.example", AuditTable: table, DynamoDBEndpoint: endpoint, DataDir: data})
	if err != nil {
		t.Fatal(err)
	}
	if segments, err := a.Sealed.Seal(t.Context()); err != nil || len(segments) != 0 {
		t.Errorf("%v, %v", segments, err)
	}
	if head, err := a.Store.Head(t.Context()); err != nil || head.Seq != 1 {
		t.Errorf("%+v, %v", head, err)
	}
	if info, err := os.Stat(filepath.Join(data, "segments")); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}
