// Package objectstest is the contract that every store of objects must pass.
package objectstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
)

// Store has the methods that packages s3 and dir share.
type Store interface {
	Put(ctx context.Context, key string, body []byte) error
	Create(ctx context.Context, key string, body []byte) error
	Get(ctx context.Context, key string, most int64) ([]byte, error)
}

// Run runs the contract on an empty store.
func Run(t *testing.T, s Store) {
	for name, part := range map[string]func(*testing.T, Store){
		"what is put comes back":           put,
		"an object is created once":        create,
		"of many who create one wins":      race,
		"a missing object":                 missing,
		"an object above the limit":        large,
		"a cancelled context does nothing": cancelled,
	} {
		t.Run(name, func(t *testing.T) { part(t, s) })
	}
}

func put(t *testing.T, s Store) {
	for key, body := range map[string][]byte{
		"a/b-c.1": []byte("text"),
		"empty":   {},
		"large":   bytes.Repeat([]byte{7}, 1<<20),
	} {
		for _, content := range [][]byte{[]byte("before"), body, body} {
			if err := s.Put(t.Context(), key, content); err != nil {
				t.Fatal(err)
			}
		}
		expect(t, s, key, body)
	}
}

func create(t *testing.T, s Store) {
	key := "chain/seg/1.jsonl"
	body := bytes.Repeat([]byte("line\n"), 1<<18)
	if err := s.Create(t.Context(), key, body); err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]byte{body, []byte("other"), {}} {
		if err := s.Create(t.Context(), key, other); !errors.Is(err, fs.ErrExist) {
			t.Errorf("created again: %v", err)
		}
	}

	expect(t, s, key, body)
}

func race(t *testing.T, s Store) {
	var group sync.WaitGroup
	var winner atomic.Int32
	for i := range int32(8) {
		group.Go(func() {
			switch err := s.Create(t.Context(), "contended", []byte{byte(i + 1)}); {
			case err == nil && !winner.CompareAndSwap(0, i+1):
				t.Error("two created it")
			case err != nil && !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}

	group.Wait()
	expect(t, s, "contended", []byte{byte(winner.Load())})
}

func missing(t *testing.T, s Store) {
	for _, key := range []string{"missing", "no/such/folder"} {
		if _, err := s.Get(t.Context(), key, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func large(t *testing.T, s Store) {
	if err := s.Put(t.Context(), "ten", []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), "ten", 10); err != nil || len(got) != 10 {
		t.Errorf("%q (%v)", got, err)
	}
	if _, err := s.Get(t.Context(), "ten", 9); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("%v", err)
	}
}

func cancelled(t *testing.T, s Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Get(ctx, "ten", 10)
	for _, err := range []error{err, s.Put(ctx, "late", nil), s.Create(ctx, "late", nil)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}

	if _, err := s.Get(t.Context(), "late", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was stored all the same: %v", err)
	}
}

func expect(t *testing.T, s Store, key string, want []byte) {
	t.Helper()
	if got, err := s.Get(t.Context(), key, 2<<20); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d (%v)", key, len(got), len(want), err)
	}
}
