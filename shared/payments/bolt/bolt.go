// Package bolt is the payment store of one machine: a bbolt file. Every write is on disk
// when it returns; concurrent writes share a transaction.
package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"governance.internal/shared/payments"
)

// Buckets of the file. Keys are text but for the wallet nonce, 8 bytes big endian.
var (
	records     = []byte("records")     // payment key -> record
	nonces      = []byte("nonces")      // nonce/payment key -> empty
	requests    = []byte("requests")    // request key/request order -> payment key
	unfinished  = []byte("unfinished")  // payment key -> JSON of openEntry
	identifiers = []byte("identifiers") // identifier key -> payload hash
	attempts    = []byte("attempts")    // wallet key + 0x00 + wallet nonce -> attempt
	accounts    = []byte("accounts")    // account key -> account
	gas         = []byte("gas")         // hour, 8 bytes big endian -> burned gas, 8 bytes big endian
)

// Store implements payments.Store.
type Store struct {
	db    *bbolt.DB
	group group
}

var _ payments.Store = (*Store)(nil)

// Open opens or creates the file. Only one process may have it open; another one
// gets an error after a second.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return nil, fmt.Errorf("payment store %s: %w", path, err)
	}

	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{records, nonces, requests, unfinished, identifiers, attempts, accounts, gas} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		_ = db.Close() // the first error tells more
		return nil, err
	}

	return &Store{db: db}, nil
}

// Close releases the file.
func (s *Store) Close() error {
	return s.db.Close()
}

// Load implements payments.Store.
func (s *Store) Load(_ context.Context, key payments.Key) (r payments.Record, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		r, err = load(tx, key)
		return err
	})
	return r, err
}

func load(tx *bbolt.Tx, key payments.Key) (payments.Record, error) {
	data := tx.Bucket(records).Get([]byte(key.String()))
	if data == nil {
		return payments.Record{}, payments.ErrNotFound
	}
	return payments.Decode(data)
}

// Save implements payments.Store.
func (s *Store) Save(_ context.Context, r payments.Record) (saved payments.Record, err error) {
	err = s.commit(func(tx *bbolt.Tx) (err error) {
		saved, err = save(tx, r)
		return err
	})
	return saved, err
}

func save(tx *bbolt.Tx, r payments.Record) (payments.Record, error) {
	if err := current(tx, r); err != nil {
		return payments.Record{}, err
	}
	next, change := r.Next()
	data, err := next.Encode()
	if err != nil {
		return payments.Record{}, err
	}
	if err := identify(tx, next); err != nil {
		return payments.Record{}, err
	}

	err = tx.Bucket(records).Put([]byte(next.Key().String()), data)
	if err != nil {
		return payments.Record{}, err
	}
	if err := apply(tx, change); err != nil {
		return payments.Record{}, err
	}

	return next, index(tx, next)
}

// current returns ErrConflict for a record of another version than the stored one.
func current(tx *bbolt.Tx, r payments.Record) error {
	stored, err := versionOf(tx, r.Key())
	if err == nil && stored != r.Version {
		err = payments.ErrConflict
	}
	return err
}

// Reserve implements payments.Store.
func (s *Store) Reserve(_ context.Context, r payments.Record, room int64) (saved payments.Record, err error) {
	err = s.commit(func(tx *bbolt.Tx) (err error) {
		if err := current(tx, r); err != nil {
			return err
		}
		_, change := r.Next()
		account, err := accountOf(tx, change.Account)
		if err != nil {
			return err
		}
		if err := account.Admits(change, room, r.CreatedAt); err != nil {
			return err
		}

		saved, err = save(tx, r)
		return err
	})
	return saved, err
}

// versionOf reads only the version of a stored record, 0 for none.
func versionOf(tx *bbolt.Tx, key payments.Key) (uint64, error) {
	data := tx.Bucket(records).Get([]byte(key.String()))
	if data == nil {
		return 0, nil
	}
	return payments.DecodeVersion(data)
}

func index(tx *bbolt.Tx, r payments.Record) error {
	key := r.Key()
	if r.Version == 1 {
		err := tx.Bucket(nonces).Put([]byte(key.Nonce+"/"+key.String()), nil)
		if err != nil {
			return err
		}
	}

	if err := list(tx, r); err != nil {
		return err
	}
	if !r.Open() {
		return tx.Bucket(unfinished).Delete([]byte(key.String()))
	}

	data, err := json.Marshal(openEntry{Key: key, Due: r.Due().UnixMilli()})
	if err != nil {
		return err
	}

	return tx.Bucket(unfinished).Put([]byte(key.String()), data)
}

// openEntry is the entry of an open record. An older entry has no time and is due.
type openEntry struct {
	payments.Key
	Due int64 `json:"due"` // Unix milliseconds
}

// list keeps the record's place among those of equal requests.
func list(tx *bbolt.Tx, r payments.Record) error {
	list := payments.RequestKey(r.Payment.Payer, r.Request.Fingerprint)
	place := []byte(list + "/" + payments.RequestOrder(r))
	bucket := tx.Bucket(requests)

	switch {
	case r.State == payments.Reserved:
		name := r.Key().String()
		return bucket.Put(place, []byte(name))
	case r.Unused():
		return bucket.Delete(place)
	}
	return nil
}

func identify(tx *bbolt.Tx, r payments.Record) error {
	if r.Identifier == "" {
		return nil
	}
	bucket := tx.Bucket(identifiers)
	id := []byte(payments.IdentifierKey(r.Payment.Payer, r.Request.Product, r.Identifier))
	owner := bucket.Get(id)
	if owner != nil && string(owner) != r.PayloadHash {
		return payments.ErrIdentifierUsed
	}
	return bucket.Put(id, []byte(r.PayloadHash))
}

// Submit implements payments.Store.
func (s *Store) Submit(_ context.Context, r payments.Record) (saved payments.Record, err error) {
	err = s.commit(func(tx *bbolt.Tx) (err error) {
		if !mayHold(tx, r.Attempt) {
			return payments.ErrNonceTaken
		}

		saved, err = save(tx, r)
		if err != nil {
			return err
		}

		a := r.Attempt
		data, err := json.Marshal(a)
		if err != nil {
			return err
		}

		place := attemptKey(a.Chain, a.Wallet, a.WalletNonce)
		return tx.Bucket(attempts).Put(place, data)
	})
	return saved, err
}

// mayHold reports whether an attempt may take its wallet nonce.
func mayHold(tx *bbolt.Tx, a payments.Attempt) bool {
	if a.Replacement() {
		place := attemptKey(a.Chain, a.Wallet, a.WalletNonce)
		return tx.Bucket(attempts).Get(place) != nil
	}

	next, known := nextNonce(tx, a.Chain, a.Wallet)
	return !known || a.WalletNonce >= next
}

func walletPrefix(chain, wallet string) []byte {
	return append([]byte(payments.WalletKey(chain, wallet)), 0)
}

func attemptKey(chain, wallet string, nonce uint64) []byte {
	return binary.BigEndian.AppendUint64(walletPrefix(chain, wallet), nonce)
}

// nextNonce reads the wallet's last attempt: the greatest key with its prefix.
func nextNonce(tx *bbolt.Tx, chain, wallet string) (uint64, bool) {
	prefix := walletPrefix(chain, wallet)
	key, _ := last(tx.Bucket(attempts).Cursor(), prefix)
	if !bytes.HasPrefix(key, prefix) {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[len(prefix):]) + 1, true
}

// last moves to the greatest key with a prefix, or to a key without it.
func last(cursor *bbolt.Cursor, prefix []byte) (key, value []byte) {
	end := bytes.Clone(prefix)
	end[len(end)-1]++ // our prefixes end in 0x00 or a slash
	if key, _ = cursor.Seek(end); key == nil {
		return cursor.Last()
	}
	return cursor.Prev()
}

// NextNonce implements payments.Store.
func (s *Store) NextNonce(_ context.Context, chain, wallet string) (next uint64, known bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		next, known = nextNonce(tx, chain, wallet)
		return nil
	})
	return next, known, err
}

// Attempts implements payments.Store.
func (s *Store) Attempts(_ context.Context, chain, wallet string, from uint64) (found []payments.Attempt, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		prefix := walletPrefix(chain, wallet)
		cursor := tx.Bucket(attempts).Cursor()

		key, data := cursor.Seek(attemptKey(chain, wallet, from))
		for bytes.HasPrefix(key, prefix) {
			var attempt payments.Attempt
			err := json.Unmarshal(data, &attempt)
			if err != nil {
				return fmt.Errorf("stored transaction: %w", err)
			}

			found = append(found, attempt)
			key, data = cursor.Next()
		}
		return nil
	})
	return found, err
}

// Identified implements payments.Store.
func (s *Store) Identified(_ context.Context, payer, product, identifier string) (hash string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		id := payments.IdentifierKey(payer, product, identifier)
		data := tx.Bucket(identifiers).Get([]byte(id))
		if data == nil {
			return payments.ErrNotFound
		}
		hash = string(data)
		return nil
	})
	return hash, err
}

// ByNonce implements payments.Store.
func (s *Store) ByNonce(_ context.Context, nonce string) (found []payments.Record, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		prefix := []byte(nonce + "/")
		cursor := tx.Bucket(nonces).Cursor()

		key, _ := cursor.Seek(prefix)
		for bytes.HasPrefix(key, prefix) {
			name := key[len(prefix):]
			r, err := payments.Decode(tx.Bucket(records).Get(name))
			if err != nil {
				return err
			}

			found = append(found, r)
			key, _ = cursor.Next()
		}
		return nil
	})
	return found, err
}

// ByRequest implements payments.Store.
func (s *Store) ByRequest(_ context.Context, payer, fingerprint string) (found []payments.Record, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		prefix := []byte(payments.RequestKey(payer, fingerprint) + "/")
		cursor := tx.Bucket(requests).Cursor()

		key, name := last(cursor, prefix)
		for bytes.HasPrefix(key, prefix) && len(found) < payments.RecentRequests {
			r, err := payments.Decode(tx.Bucket(records).Get(name))
			if err != nil {
				return err
			}

			order := string(key[len(prefix):])
			reservedAgain := r.Request.Fingerprint != fingerprint || order != payments.RequestOrder(r)
			if !reservedAgain {
				found = append(found, r)
			}
			key, name = cursor.Prev()
		}
		return nil
	})
	return found, err
}

// Account implements payments.Store.
func (s *Store) Account(_ context.Context, asset, payer string) (account payments.Account, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		account, err = accountOf(tx, payments.AccountKey(asset, payer))
		return err
	})
	return account, err
}

// WastedGas implements payments.Store.
func (s *Store) WastedGas(_ context.Context, hour int64) (burned uint64, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		burned = gasOf(tx, hour)
		return nil
	})
	return burned, err
}

// Unfinished implements payments.Store.
func (s *Store) Unfinished(context.Context) ([]payments.Key, error) {
	return s.openBy(math.MaxInt64)
}

// Due implements payments.Store.
func (s *Store) Due(_ context.Context, by time.Time) ([]payments.Key, error) {
	return s.openBy(by.UnixMilli())
}

func (s *Store) openBy(milliseconds int64) (keys []payments.Key, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(unfinished).ForEach(func(_, data []byte) error {
			var entry openEntry
			if err := json.Unmarshal(data, &entry); err != nil {
				return fmt.Errorf("unfinished payment: %w", err)
			}
			if entry.Due <= milliseconds {
				keys = append(keys, entry.Key)
			}
			return nil
		})
	})
	return keys, err
}
