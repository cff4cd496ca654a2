package bolt

import (
	"context"
	"path/filepath"
	"testing"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/paymentstest"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func TestStore(t *testing.T) {
	paymentstest.Run(t, func(t *testing.T) payments.Store { return open(t, filepath.Join(t.TempDir(), "payments.db")) })
}

func TestRecordsSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "payments.db")
	store := open(t, path)
	r := payments.Record{State: payments.Reserved, Payment: payments.Payment{Asset: "0xa", Payer: "0xb", Nonce: "0xc"}}
	if _, err := store.Save(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).Load(context.Background(), r.Key())
	if err != nil || got.State != payments.Reserved {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "payments.db")
	open(t, path)
	if second, err := Open(path); err == nil {
		_ = second.Close()
		t.Error("two openers of one file")
	}
}
