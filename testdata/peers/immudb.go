package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/codenotary/immudb/embedded/logger"
	"github.com/codenotary/immudb/embedded/store"
)

// openImmudb opens an embedded store that synchronizes after at most a
// millisecond; its default of 20 would be unfair to a lone caller.
func openImmudb(dir string, callers int) (*store.ImmuStore, error) {
	return store.Open(dir, store.DefaultOptions().WithSynced(true).WithSyncFrequency(time.Millisecond).
		WithMaxConcurrency(max(callers, 1)).WithLogger(logger.NewMemoryLogger()))
}

// appendImmudb commits one transaction for each of the bytes of encode. A commit returns when it is
// durable and does not wait for the index.
func appendImmudb(callers, n int, encode encoding) func(context.Context, string) (result, error) {
	return func(ctx context.Context, dir string) (r result, err error) {
		all, err := encode(n)
		if err != nil {
			return r, err
		}
		s, err := openImmudb(dir, callers)
		if err != nil {
			return r, err
		}
		r, err = each(callers, n, func(i int) error {
			tx, err := s.NewWriteOnlyTx(ctx)
			if err != nil {
				return err
			}
			if err := tx.Set(binary.BigEndian.AppendUint64(nil, uint64(i)), nil, all[i]); err != nil {
				return err
			}
			_, err = tx.AsyncCommit(ctx)
			return err
		})
		return r, errors.Join(err, s.Close())
	}
}

// verifyImmudb reads all transactions, follows their chain of hashes and hashes
// every value.
func verifyImmudb(_ context.Context, dir string) (r result, err error) {
	s, err := openImmudb(dir, 1)
	if err != nil {
		return r, err
	}
	defer s.Close()
	return timed(stored, func() error {
		reader, err := s.NewTxReader(1, false, store.NewTx(s.MaxTxEntries(), s.MaxKeyLen()))
		if err != nil {
			return err
		}
		var last [sha256.Size]byte
		for n := 0; ; n++ {
			tx, err := reader.Read()
			if errors.Is(err, store.ErrNoMoreEntries) && n == stored {
				return nil
			}
			if err != nil {
				return fmt.Errorf("transaction %d: %w", n+1, err)
			}
			if n > 0 && tx.Header().PrevAlh != last {
				return fmt.Errorf("transaction %d does not follow", n+1)
			}
			last = tx.Header().Alh()
			if err := hashValue(s, tx.Entries()[0]); err != nil {
				return fmt.Errorf("transaction %d: %w", n+1, err)
			}
		}
	})
}

func hashValue(s *store.ImmuStore, entry *store.TxEntry) error {
	value, err := s.ReadValue(entry)
	if err == nil && sha256.Sum256(value) != entry.HVal() {
		err = errors.New("another value")
	}
	return err
}
