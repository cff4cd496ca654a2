package dynamo_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"governance.internal/shared/dynamotest"
	"governance.internal/shared/objects/s3"
	"governance.internal/shared/payments"
	"governance.internal/shared/payments/dynamo"
	"governance.internal/shared/payments/paymentstest"
	"governance.internal/shared/s3test"
)

// open gives a store on a table of its own.
func open(t *testing.T, transport http.RoundTripper) *dynamo.Store {
	t.Helper()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	return reopen(t, endpoint, table, transport)
}

func reopen(t *testing.T, endpoint, table string, transport http.RoundTripper) *dynamo.Store {
	t.Helper()
	return dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Transport: transport, Limit: time.Minute})
}

func TestStore(t *testing.T) {
	paymentstest.Run(t, func(t *testing.T) payments.Store { return open(t, nil) })
}

// The cost of one paid call, operation by operation.
func TestRequestsOfEachOperation(t *testing.T) {
	ctx := context.Background()
	w := &wire{}
	store := open(t, w)
	took := func(what, want string, err error) {
		t.Helper()
		if got := w.taken(); got != want || err != nil {
			t.Errorf("%s took %q, want %q (%v)", what, got, want, err)
		}
	}
	r := payment(1)
	r.Identifier = "identifier-000001"
	if _, err := store.Load(ctx, r.Key()); !errors.Is(err, payments.ErrNotFound) {
		t.Error(err)
	}
	took("lookup", "GetItem", nil)
	r, err := store.Save(ctx, r)
	took("reserve", "TransactWriteItems", err)
	_, err = store.Identified(ctx, r.Payment.Payer, r.Request.Product, r.Identifier)
	took("identifier", "GetItem", err)
	r.State = payments.Ready
	r, err = store.Save(ctx, r)
	took("ready", "PutItem", err)
	_, _, err = store.NextNonce(ctx, "0xc", "0xw")
	took("next nonce", "GetItem", err)
	r, err = store.Submit(ctx, signed(r, 7))
	took("submit", "TransactWriteItems", err)
	r, err = store.Save(ctx, r)
	took("lease", "PutItem", err)
	r.State = payments.Settled
	r, err = store.Save(ctx, r)
	took("settled", "TransactWriteItems", err)
	_, err = store.ByNonce(ctx, r.Payment.Nonce)
	took("status", "Query GetItem", err)
	_, err = store.Attempts(ctx, "0xc", "0xw", 0)
	took("attempts", "Query", err)
	_, err = store.Unfinished(ctx)
	took("sweep", strings.TrimSpace(strings.Repeat("Query ", 16)), err)

	// No caller does this, but a short write must handle it.
	r.State = payments.Settling
	if _, err = store.Save(ctx, r); err != nil {
		t.Error(err)
	}
	took("reopened", "PutItem TransactWriteItems", err)
	if keys, err := store.Unfinished(ctx); len(keys) != 1 || err != nil {
		t.Errorf("%v (%v)", keys, err)
	}
}

func TestOpenSendsNothing(t *testing.T) {
	w := &wire{}
	dynamo.Open(dynamo.Options{Table: "t", Endpoint: "http://127.0.0.1:1", Transport: w})
	if sent := w.total.Load(); sent != 0 {
		t.Errorf("%d requests", sent)
	}
}

// Requests to AWS are signed with the function's own role.
func TestRequestsAreSigned(t *testing.T) {
	var host, authorization, session string
	keys := credentials.NewStaticCredentialsProvider("EXAMPLEID", "secret", "session")
	store := dynamo.Open(dynamo.Options{Table: "t", Region: "eu-central-1", Credentials: keys, Transport: transport(func(req *http.Request) (*http.Response, error) {
		host, authorization, session = req.URL.Host, req.Header.Get("Authorization"), req.Header.Get("X-Amz-Security-Token")
		return nil, context.Canceled
	})})
	if _, err := store.Load(t.Context(), payments.Key{}); err == nil {
		t.Error("no error")
	}
	if host != "dynamodb.eu-central-1.amazonaws.com" || session != "session" || !strings.Contains(authorization, "EXAMPLEID/") ||
		!strings.Contains(authorization, "/eu-central-1/dynamodb/aws4_request") {
		t.Errorf("host %q, authorization %q, session %q", host, authorization, session)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

func TestLargeResultsAreRefusedAndLargeRepliesFit(t *testing.T) {
	ctx := context.Background()
	store := open(t, nil)
	r, err := store.Save(ctx, payment(1))
	if err != nil {
		t.Fatal(err)
	}
	r.State, r.Result = payments.Ready, &payments.Answer{Status: 200, Body: make([]byte, 240<<10)}
	if _, err := store.Save(ctx, r); err == nil || !strings.Contains(err.Error(), "at most 307200 fit") {
		t.Errorf("a large result: %v", err)
	}
	r.Result.Body = make([]byte, 224<<10)
	if r, err = store.Save(ctx, r); err != nil {
		t.Fatal(err)
	}
	r.State, r.Reply, r.Result = payments.Settled, &payments.Answer{Status: 200, Body: make([]byte, 284<<10)}, nil
	if _, err = store.Save(ctx, r); err != nil {
		t.Errorf("the reply does not fit any more: %v", err)
	}
}

// The broom never comes early: not before the authorization ended, not within 30 days.
func TestWhatIsClosedHasATimeToLive(t *testing.T) {
	ctx := context.Background()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	now := time.Unix(1_000_000, 0)
	store := dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute, Now: func() time.Time { return now }})
	late := uint64(now.Add(90 * 24 * time.Hour).Unix())
	for i, until := range []uint64{0, late, math.MaxUint64} {
		r := payment(i)
		r.Payment.ValidBefore, r.Identifier = until, "identifier-000001"
		if _, err := store.Submit(ctx, signed(r, uint64(i))); err != nil {
			t.Fatal(err)
		}
		for _, item := range dynamotest.Scan(t, endpoint, table) {
			if strings.HasPrefix(item["pk"]["S"].(string), "OPEN#") {
				if item["ttl"] != nil {
					t.Errorf("%v goes while it is open", item["sk"])
				}
				continue
			}
			ttl, err := strconv.ParseUint(item["ttl"]["N"].(string), 10, 64)
			if err != nil || ttl < uint64(now.Unix())+30*24*3600 {
				t.Errorf("%v: ttl %v", item["pk"], item["ttl"])
			}
			own := strings.Contains(item["pk"]["S"].(string)+item["sk"]["S"].(string), r.Payment.Payer)
			if own && ttl < until {
				t.Errorf("%v goes before its authorization ends", item["pk"])
			}
		}
	}
}

// A result of any size that a function may answer is stored and comes back; the
// object is there before the item that names it.
func TestLargeAnswersAreObjects(t *testing.T) {
	ctx := context.Background()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	bucketEndpoint, bucket := s3test.Bucket(t)
	objects := s3.Open(s3.Options{Bucket: bucket, Endpoint: bucketEndpoint})
	store := dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute, Objects: objects})
	r, err := store.Save(ctx, payment(1))
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Repeat([]byte("0123456789abcdef"), 6<<20/16)
	same := func(got *payments.Answer) bool {
		return got != nil && got.Status == 200 && bytes.Equal(got.Body, body) && got.Header.Get("A") == "b"
	}
	answer := &payments.Answer{Status: 200, Header: http.Header{"A": {"b"}}, Body: body}
	r.State, r.Result = payments.Ready, answer
	if r, err = store.Save(ctx, r); err != nil || !same(r.Result) {
		t.Fatalf("saved with %d bytes: %v", len(r.Result.Body), err)
	}
	if got, err := store.Load(ctx, r.Key()); err != nil || !same(got.Result) {
		t.Errorf("the result: %v", err)
	}
	r.State, r.Result, r.Reply = payments.Settled, nil, answer
	if r, err = store.Save(ctx, r); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Load(ctx, r.Key()); err != nil || !same(got.Reply) || got.Result != nil {
		t.Errorf("the reply: %v", err)
	}
	r.Reply = &payments.Answer{Status: 200, Body: append(body, 0)}
	if _, err := store.Save(ctx, r); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("more than a function may answer: %v", err)
	}

	blind := dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute})
	if _, err := blind.Load(ctx, r.Key()); err == nil || !strings.Contains(err.Error(), "RESULT_BUCKET") {
		t.Errorf("without a bucket: %v", err)
	}
	sum := sha256.Sum256(body)
	if err := objects.Put(ctx, "payments/"+hex.EncodeToString(sum[:]), []byte("forged")); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Load(ctx, r.Key()); err == nil || !strings.Contains(err.Error(), "not as it was written") {
		t.Errorf("a forged object: %v", err)
	}
}
