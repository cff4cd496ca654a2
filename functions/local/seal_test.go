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
	"governance.internal/shared/config"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/s3test"
	"governance.internal/shared/wiring"
)

// The scheduled function seals what is certain, once, in a bucket or in a folder, and
// the chain then verifies from the segments.
func TestEveryLambdaSeals(t *testing.T) {
	const entries = 16_384 + 100
	bootstrap, err := compile(t.Context(), "seal", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	size := weigh(t, "seal")
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	s3, bucket := s3test.Bucket(t)
	c := config.Config{BaseURL: eventBaseURL, AuditTable: table, DynamoDBEndpoint: endpoint, SegmentBucket: bucket, S3Endpoint: s3}
	store, err := wiring.NewSealed(c)
	if err != nil {
		t.Fatal(err)
	}
	var events []audit.Event
	for n := range entries - 1 {
		events = append(events, audit.Event{ID: fmt.Sprint("e-", n), Actor: "tester", Type: "test.appended", Payload: map[string]any{"n": n}})
	}
	for some := range slices.Chunk(events, 960) { // an append has ten seconds
		if _, err := store.Append(t.Context(), some...); err != nil {
			t.Fatal(err)
		}
	}
	environment := []string{"BASE_URL=" + eventBaseURL, "AUDIT_TABLE=" + table, "DYNAMODB_ENDPOINT=" + endpoint, "SEGMENT_BUCKET=" + bucket, "S3_ENDPOINT=" + s3, "SEGMENT_RETENTION_DAYS=1"}
	lambda, err := lambdaruntime.Start(t.Context(), bootstrap, environment, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []seal.Report{{Segments: 1, SealedTo: 16_384}, {}} {
		answer, err := lambda.Invoke(t.Context(), []byte(`{"source":"aws.scheduler"}`))
		var got seal.Report
		if err := errors.Join(err, json.Unmarshal(answer, &got)); err != nil || got != want {
			t.Fatalf("%s, want %+v (%v)", answer, want, err)
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
	t.Logf("figure: %-17s %6.2f MB", "seal", float64(size)/1e6)
}
