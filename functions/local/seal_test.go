package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"governance.internal/functions/local/lambdaruntime"
	"governance.internal/functions/seal"
	"governance.internal/shared/audit"
	auditing "governance.internal/shared/audit/auditor"
	"governance.internal/shared/config"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/s3test"
	"governance.internal/shared/wiring"
)

// The scheduled function seals what is certain, once, publishes the checkpoint, and walks
// the chain; a verification then reads one segment again.
func TestEveryLambdaSeals(t *testing.T) {
	const entries = 16_384 + 100
	bootstrap, err := compile(t.Context(), "seal", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	size := weigh(t, "seal")
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	s3, bucket := s3test.Bucket(t)
	c := config.Config{BaseURL: eventBaseURL, AuditTable: table, DynamoDBEndpoint: endpoint, SegmentBucket: bucket, S3Endpoint: s3, CheckpointKeyFile: t.TempDir() + "/checkpoint.key"}
	auditor, err := wiring.NewAuditor(c)
	if err != nil {
		t.Fatal(err)
	}
	store := auditor.Sealed
	var events []audit.Event
	for n := range entries - 1 {
		events = append(events, audit.Event{ID: fmt.Sprint("e-", n), Actor: "tester", Type: "test.appended", Payload: map[string]any{"n": n}})
	}
	for chunk := range slices.Chunk(events, 960) {
		if _, err := store.Append(t.Context(), chunk...); err != nil {
			t.Fatal(err)
		}
	}
	environment := []string{"BASE_URL=" + eventBaseURL, "AUDIT_TABLE=" + table, "DYNAMODB_ENDPOINT=" + endpoint, "SEGMENT_BUCKET=" + bucket, "S3_ENDPOINT=" + s3, "SEGMENT_RETENTION_DAYS=1", "CHECKPOINT_KEY_FILE=" + c.CheckpointKeyFile}
	lambda, err := lambdaruntime.Start(t.Context(), bootstrap, environment, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []struct {
		event string
		want  seal.Report
	}{{`{"source":"aws.scheduler"}`, seal.Report{Segments: 1, SealedTo: 16_384}}, {`{}`, seal.Report{}}, {`{"walk":true}`, seal.Report{WalkedTo: entries}}} {
		answer, err := lambda.Invoke(t.Context(), []byte(run.event))
		var got seal.Report
		if err := errors.Join(err, json.Unmarshal(answer, &got)); err != nil || got != run.want {
			t.Fatalf("%s: %s, want %+v (%v)", run.event, answer, run.want, err)
		}
	}
	if err := lambda.Stop(); err != nil {
		t.Error(err)
	}
	segments, err := store.Segments(t.Context())
	if err != nil || len(segments) != 1 {
		t.Fatalf("%v, %v", segments, err)
	}
	for _, found := range []func() (audit.Report, error){
		func() (audit.Report, error) { return store.Check(t.Context(), segments[0]) },
		func() (audit.Report, error) {
			return audit.Verify(t.Context(), store, audit.VerifyOptions{Chain: wiring.ChainName})
		},
	} {
		if r, err := found(); err != nil || !r.Valid {
			t.Errorf("%+v, %v", r, err)
		}
	}
	v, err := auditor.Verify(t.Context(), auditing.Request{Seq: 20})
	if err != nil || !v.Valid || v.Mode != "incremental" || v.Sampled == nil || *v.Sampled != (audit.Sampled{From: 1, To: 16_384, Of: 1}) || len(v.Anchors) != 1 || v.Anchors[0].Size != entries || v.Anchors[0].LagEntries != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	t.Logf("figure: %-17s %6.2f MB", "seal", float64(size)/1e6)
}

// On the first day the schedule runs before anything is sold. A table without a chain is
// no failure, and the alarm on failed runs stays quiet.
func TestSealingAnEmptyTableIsNoFailure(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	s3, bucket := s3test.Bucket(t)
	auditor, err := wiring.NewAuditor(config.Config{
		BaseURL:           eventBaseURL,
		AuditTable:        table,
		DynamoDBEndpoint:  endpoint,
		SegmentBucket:     bucket,
		S3Endpoint:        s3,
		CheckpointKeyFile: t.TempDir() + "/checkpoint.key",
	})
	if err != nil {
		t.Fatal(err)
	}
	run := seal.New(auditor)

	for _, event := range []seal.Event{{}, {Walk: true}, {}} {
		report, err := run(t.Context(), event)
		if err != nil || report != (seal.Report{}) {
			t.Errorf("%+v: %+v, %v", event, report, err)
		}
	}
}
