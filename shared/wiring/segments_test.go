package wiring

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
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
	if head, err := a.Store.Head(t.Context()); err != nil || head.Seq != 0 { // a sealer begins no chain
		t.Errorf("%+v, %v", head, err)
	}
	if info, err := os.Stat(filepath.Join(data, "segments")); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestSinksAreWhatTheSettingsName(t *testing.T) {
	c := config.Config{CheckpointDir: t.TempDir(), CheckpointWitnesses: []string{"https://w.example/w1 x+y+z"}}
	if _, err := openSinks(c); err == nil || !strings.Contains(err.Error(), "CHECKPOINT_WITNESSES") {
		t.Errorf("a witness without a key: %v", err)
	}
	raw := append([]byte{4}, make([]byte, 32)...)
	sum := sha256.Sum256(append([]byte("w.example/w1\n"), raw...))
	c.CheckpointWitnesses = []string{fmt.Sprintf("https://w.example/w1 w.example/w1+%x+%s", sum[:4], base64.StdEncoding.EncodeToString(raw))}
	sinks, err := openSinks(c)
	if err != nil || len(sinks) != 2 || sinks[0].Name() != "directory" || sinks[1].Name() != fmt.Sprintf("witness-%x", sum[:4]) {
		t.Errorf("%v (%v)", sinks, err)
	}
	c.CheckpointMemoKeyFile = filepath.Join(t.TempDir(), "missing")
	if _, err := openSinks(c); err == nil {
		t.Error("a memo without a key")
	}
}
