package dynamo_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"governance.internal/shared/dynamotest"
	"governance.internal/shared/payments"
	"governance.internal/shared/payments/dynamo"
	"governance.internal/shared/payments/paymentstest"
)

// open gives a store on a table of its own.
func open(t *testing.T, transport http.RoundTripper) *dynamo.Store {
	t.Helper()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	return reopen(t, endpoint, table, transport)
}

func reopen(t *testing.T, endpoint, table string, transport http.RoundTripper) *dynamo.Store {
	t.Helper()
	store, err := dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestStore(t *testing.T) {
	paymentstest.Run(t, func(t *testing.T) payments.Store { return open(t, nil) })
}

// What one paid call costs, operation by operation.
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

	// Nobody does this, but a short write must not assume it away.
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
	if _, err := dynamo.Open(dynamo.Options{Table: "t", Endpoint: "http://127.0.0.1:1", Transport: w}); err != nil || w.total.Load() != 0 {
		t.Errorf("%d requests (%v)", w.total.Load(), err)
	}
}

func TestOpenNamesWhatTheEnvironmentLacks(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv("AWS_REGION", "eu-central-1")
		t.Setenv("AWS_ACCESS_KEY_ID", "id")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		if _, err := dynamo.Open(dynamo.Options{Table: "t"}); err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, "")
		if _, err := dynamo.Open(dynamo.Options{Table: "t"}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// Requests to AWS are signed with the function's own role.
func TestRequestsAreSignedWithTheEnvironmentsKeys(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "EXAMPLEID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "session")
	var host, authorization, session string
	store, err := dynamo.Open(dynamo.Options{Table: "t", Transport: transport(func(req *http.Request) (*http.Response, error) {
		host, authorization, session = req.URL.Host, req.Header.Get("Authorization"), req.Header.Get("X-Amz-Security-Token")
		return nil, context.Canceled
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = store.Load(t.Context(), payments.Key{}); err == nil {
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
func TestEveryItemHasATimeToLive(t *testing.T) {
	ctx := context.Background()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	now := time.Unix(1_000_000, 0)
	store, err := dynamo.Open(dynamo.Options{Table: table, Endpoint: endpoint, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	late := uint64(now.Add(90 * 24 * time.Hour).Unix())
	for i, until := range []uint64{0, late, math.MaxUint64} {
		r := payment(i)
		r.Payment.ValidBefore, r.Identifier = until, "identifier-000001"
		if _, err := store.Submit(ctx, signed(r, uint64(i))); err != nil {
			t.Fatal(err)
		}
		for _, item := range dynamotest.Scan(t, endpoint, table) {
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
