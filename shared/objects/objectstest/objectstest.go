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
	parts := map[string]func(*testing.T, Store){
		"what is put comes back":           put,
		"an object is created once":        create,
		"one of many creators wins":        race,
		"a missing object":                 missing,
		"an object above the limit":        large,
		"a cancelled context does nothing": cancelled,
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) {
			part(t, s)
		})
	}
}

func put(t *testing.T, s Store) {
	bodies := map[string][]byte{
		"a/b-c.1": []byte("text"),
		"empty":   {},
		"large":   bytes.Repeat([]byte{7}, 1<<20),
	}
	for key, body := range bodies {
		contents := [][]byte{[]byte("before"), body, body}
		for _, content := range contents {
			err := s.Put(t.Context(), key, content)
			if err != nil {
				t.Fatal(err)
			}
		}
		expect(t, s, key, body)
	}
}

func create(t *testing.T, s Store) {
	key := "chain/seg/1.jsonl"
	body := bytes.Repeat([]byte("line\n"), 1<<18)
	err := s.Create(t.Context(), key, body)
	if err != nil {
		t.Fatal(err)
	}

	others := [][]byte{body, []byte("other"), {}}
	for _, other := range others {
		err := s.Create(t.Context(), key, other)
		if !errors.Is(err, fs.ErrExist) {
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
			number := i + 1
			err := s.Create(t.Context(), "contended", []byte{byte(number)})
			if errors.Is(err, fs.ErrExist) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}

			isFirst := winner.CompareAndSwap(0, number)
			if !isFirst {
				t.Error("two created it")
			}
		})
	}

	group.Wait()
	expect(t, s, "contended", []byte{byte(winner.Load())})
}

func missing(t *testing.T, s Store) {
	for _, key := range []string{"missing", "no/such/folder"} {
		_, err := s.Get(t.Context(), key, 10)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func large(t *testing.T, s Store) {
	err := s.Put(t.Context(), "ten", []byte("0123456789"))
	if err != nil {
		t.Fatal(err)
	}

	got, err := s.Get(t.Context(), "ten", 10)
	if err != nil || len(got) != 10 {
		t.Errorf("%q (%v)", got, err)
	}

	_, err = s.Get(t.Context(), "ten", 9)
	if !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("%v", err)
	}
}

func cancelled(t *testing.T, s Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := s.Get(ctx, "ten", 10)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("get: %v", err)
	}
	err = s.Put(ctx, "late", nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	err = s.Create(ctx, "late", nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v", err)
	}

	_, err = s.Get(t.Context(), "late", 10)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was stored all the same: %v", err)
	}
}

func expect(t *testing.T, s Store, key string, want []byte) {
	t.Helper()
	got, err := s.Get(t.Context(), key, 2<<20)
	if err != nil {
		t.Errorf("%s: %v", key, err)
		return
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d", key, len(got), len(want))
	}
}
