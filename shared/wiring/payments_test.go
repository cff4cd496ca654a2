package wiring

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"governance.internal/shared/config"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/payments"
)

// Two processes share a table; a file belongs to one.
func TestPaymentsOfATableAreShared(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	c := config.Config{DataDir: t.TempDir(), PaymentsTable: table, DynamoDBEndpoint: endpoint}
	r := payments.Record{State: payments.Reserved, Payment: payments.Payment{Asset: "0xa", Payer: "0xb", Nonce: "0xc"}}
	for i := range 2 {
		store, closeStore, err := openPayments(c)
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore()
		_, err = store.Save(context.Background(), r)
		if i == 0 && err != nil || i == 1 && !errors.Is(err, payments.ErrConflict) {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if files, err := os.ReadDir(c.DataDir); err != nil || len(files) != 0 {
		t.Errorf("the table's store left %d files (%v)", len(files), err)
	}
}

func TestWithoutATablePaymentsAreAFile(t *testing.T) {
	c := config.Config{DataDir: t.TempDir(), DynamoDBEndpoint: "http://127.0.0.1:1"}
	_, closeStore, err := openPayments(c)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	if _, err := os.Stat(PaymentsFile(c.DataDir)); err != nil {
		t.Error(err)
	}
}

func TestTheSigningKeyMayBeASetting(t *testing.T) {
	digits := strings.Repeat("01", 32)
	key, err := openSigner(config.Config{SigningKey: digits, DataDir: t.TempDir()})
	if err != nil || key.Address() != "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1" {
		t.Errorf("%v (%v)", key, err)
	}
	if _, err := openSigner(config.Config{SigningKey: digits[1:]}); err == nil || !strings.Contains(err.Error(), "SIGNING_KEY") || strings.Contains(err.Error(), digits[1:]) {
		t.Error(err)
	}
}

// A function that only reports payments needs no key, no node and no address.
func TestPaymentsAloneNeedOnlyTheirTable(t *testing.T) {
	if _, err := NewPayments(config.Config{}); err == nil || !strings.Contains(err.Error(), "PAYMENTS_TABLE") {
		t.Error(err)
	}
	if _, err := NewPayments(config.Config{PaymentsTable: "t", DynamoDBEndpoint: "http://127.0.0.1:1"}); err != nil {
		t.Error(err)
	}
}
