package dynamo_test

import (
	"net/http"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/dynamotest"
)

// open returns a store on a table of its own.
func open(t *testing.T, transport http.RoundTripper) *dynamo.Store {
	t.Helper()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	return reopen(t, endpoint, table, transport)
}

func reopen(t testing.TB, endpoint, table string, transport http.RoundTripper) *dynamo.Store {
	t.Helper()
	s, err := dynamo.Open("test", dynamo.Options{Table: table, Endpoint: endpoint, Transport: transport, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reopenAs(t *testing.T, chain, endpoint, table string) *dynamo.Store {
	t.Helper()
	s, err := dynamo.Open(chain, dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	t.Parallel()
	audittest.Run(t, func(t *testing.T) audit.Store { return open(t, nil) })
}

// Every third answer is lost after the effect; the SDK asks again.
func TestNotes(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	w := &wire{lose: 3}
	audittest.RunNotes(t, reopen(t, endpoint, table, nil), reopen(t, endpoint, table, w))
}
