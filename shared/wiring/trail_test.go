package wiring

import (
	"os"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/config"
	"governance.internal/shared/dynamotest"
)

// Two processes write one chain, each knows what it appended, and a chain that was
// exchanged is found by the process that appended to the old one.
func TestTrailOfATableIsShared(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	c := config.Config{DataDir: t.TempDir(), AuditTable: table, DynamoDBEndpoint: endpoint}
	var trails []*trail
	for i := range 2 {
		one, err := openTrail(c, "https://one.example")
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		trails = append(trails, one)
		if entries, err := one.Append(t.Context(), audittest.Event(i)); err != nil || entries[0].Seq != uint64(i+2) {
			t.Fatalf("process %d: %v, %v", i, entries, err)
		}
	}
	for i, one := range trails {
		anchors := one.Anchors()
		report, err := audit.Verify(t.Context(), one, audit.VerifyOptions{Chain: ChainName, Anchors: anchors, Strict: true})
		if err != nil || !report.Valid || report.Entries != 3 || len(anchors) != 1 || anchors[0].Size != uint64(i+2) {
			t.Errorf("process %d: %+v, %v, anchors %v", i, report, err, anchors)
		}
	}
	if files, err := os.ReadDir(c.DataDir); err != nil || len(files) != 1 || files[0].Name() != "segments" {
		t.Errorf("the table's trail left %v (%v)", files, err)
	}

	_, c.AuditTable = dynamotest.Table(t, "pk", "sk")
	other, err := openTrail(c, "https://one.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Append(t.Context(), audittest.Event(1), audittest.Event(2), audittest.Event(3)); err != nil {
		t.Fatal(err)
	}
	report, err := audit.Verify(t.Context(), other, audit.VerifyOptions{Chain: ChainName, Anchors: trails[1].Anchors()})
	if err != nil || report.Valid || report.Reason != audit.HeadMismatch {
		t.Errorf("another chain: %+v, %v", report, err)
	}
}

// With a table each and a signing key no directory is needed.
func TestTablesNeedNoDataDirectory(t *testing.T) {
	c := config.Config{RPCURLs: []string{"http://node.example"}, GasKeyFile: "gas.key", PaymentsTable: "p", AuditTable: "a", SigningKeyFile: "sign.key", CheckpointKeyKMS: "alias/c"}
	if err := needPaid(c); err != nil {
		t.Error(err)
	}
	c.AuditTable = ""
	if err := needPaid(c); err == nil {
		t.Error("a file chain without a directory")
	}
}
