package dynamo_test

import (
	"context"
	"net/http"
	"testing"

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
	store, err := dynamo.Open(context.Background(), dynamo.Options{Table: table, Endpoint: endpoint, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestStore(t *testing.T) {
	paymentstest.Run(t, func(t *testing.T) payments.Store { return open(t, nil) })
}
