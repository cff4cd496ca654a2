// Package memory is a payment store that forgets at exit, for tests.
package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"governance.internal/shared/payments"
)

// Store implements payments.Store. The zero value is not usable; call [New].
type Store struct {
	mu          sync.Mutex
	records     map[payments.Key]stored
	open        map[payments.Key]time.Time // records that are, and when they are due
	identifiers map[string]string
	wallets     map[string][]payments.Attempt // ascending wallet nonces without gaps
	accounts    map[string]payments.Account
	gas         map[int64]uint64 // by hour
}

// stored is a record, encoded so that no caller shares memory with the store.
type stored struct {
	version uint64
	data    []byte
}

var _ payments.Store = (*Store)(nil)

// New gives an empty store.
func New() *Store {
	return &Store{
		records:     map[payments.Key]stored{},
		open:        map[payments.Key]time.Time{},
		identifiers: map[string]string{},
		wallets:     map[string][]payments.Attempt{},
		accounts:    map[string]payments.Account{},
		gas:         map[int64]uint64{},
	}
}

// Load implements payments.Store.
func (s *Store) Load(_ context.Context, key payments.Key) (payments.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(key)
}

func (s *Store) load(key payments.Key) (payments.Record, error) {
	r, ok := s.records[key]
	if !ok {
		return payments.Record{}, payments.ErrNotFound
	}
	return payments.Decode(r.data)
}

// Save implements payments.Store.
func (s *Store) Save(_ context.Context, r payments.Record) (payments.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save(r)
}

// Reserve implements payments.Store.
func (s *Store) Reserve(_ context.Context, r payments.Record, room int64) (payments.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.records[r.Key()].version != r.Version {
		return payments.Record{}, payments.ErrConflict
	}
	_, change := r.Next()
	err := s.accounts[change.Account].Admits(change, room, r.CreatedAt)
	if err != nil {
		return payments.Record{}, err
	}
	return s.save(r)
}

func (s *Store) save(r payments.Record) (payments.Record, error) {
	key := r.Key()
	if s.records[key].version != r.Version {
		return payments.Record{}, payments.ErrConflict
	}

	next, change := r.Next()
	data, err := next.Encode()
	if err != nil {
		return payments.Record{}, err
	}
	if err := s.identify(r); err != nil {
		return payments.Record{}, err
	}

	s.records[key] = stored{next.Version, data}
	s.apply(change)
	if next.Open() {
		s.open[key] = next.Due()
	} else {
		delete(s.open, key)
	}

	return next, nil
}

// apply adds up what changes beside a record.
func (s *Store) apply(change payments.Change) {
	if change.Empty() {
		return
	}
	s.accounts[change.Account] = s.accounts[change.Account].Apply(change)
	for hour, gas := range change.Gas {
		s.gas[hour] += gas
	}
}

// Account implements payments.Store.
func (s *Store) Account(_ context.Context, asset, payer string) (payments.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts[payments.AccountKey(asset, payer)], nil
}

// WastedGas implements payments.Store.
func (s *Store) WastedGas(_ context.Context, hour int64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gas[hour], nil
}

func (s *Store) identify(r payments.Record) error {
	if r.Identifier == "" {
		return nil
	}
	id := payments.IdentifierKey(r.Payment.Payer, r.Request.Product, r.Identifier)
	if owner, taken := s.identifiers[id]; taken && owner != r.PayloadHash {
		return payments.ErrIdentifierUsed
	}

	s.identifiers[id] = r.PayloadHash
	return nil
}

// Submit implements payments.Store.
func (s *Store) Submit(_ context.Context, r payments.Record) (payments.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	wallet := payments.WalletKey(r.Attempt.Chain, r.Attempt.Wallet)
	sent := s.wallets[wallet]
	place, found := slices.BinarySearchFunc(sent, r.Attempt.WalletNonce, func(a payments.Attempt, nonce uint64) int {
		return cmp.Compare(a.WalletNonce, nonce)
	})

	isBelow := !found && place < len(sent)
	if isBelow || found != r.Attempt.Replacement() {
		return payments.Record{}, payments.ErrNonceTaken
	}

	saved, err := s.save(r)
	switch {
	case err != nil:
	case found:
		sent[place] = r.Attempt
	default:
		s.wallets[wallet] = append(sent, r.Attempt)
	}

	return saved, err
}

// NextNonce implements payments.Store.
func (s *Store) NextNonce(_ context.Context, chain, wallet string) (uint64, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	sent := s.wallets[payments.WalletKey(chain, wallet)]
	if len(sent) == 0 {
		return 0, false, nil
	}

	last := sent[len(sent)-1]
	return last.WalletNonce + 1, true, nil
}

// Attempts implements payments.Store.
func (s *Store) Attempts(_ context.Context, chain, wallet string, from uint64) ([]payments.Attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	var found []payments.Attempt
	for _, attempt := range s.wallets[payments.WalletKey(chain, wallet)] {
		if attempt.WalletNonce >= from {
			found = append(found, attempt)
		}
	}
	return found, nil
}

// Identified implements payments.Store.
func (s *Store) Identified(_ context.Context, payer, product, identifier string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	id := payments.IdentifierKey(payer, product, identifier)
	hash, ok := s.identifiers[id]
	if !ok {
		return "", payments.ErrNotFound
	}
	return hash, nil
}

// ByNonce implements payments.Store.
func (s *Store) ByNonce(_ context.Context, nonce string) ([]payments.Record, error) {
	return s.where(func(r payments.Record) bool {
		return r.Payment.Nonce == nonce
	})
}

// ByRequest implements payments.Store.
func (s *Store) ByRequest(_ context.Context, payer, fingerprint string) ([]payments.Record, error) {
	found, err := s.where(func(r payments.Record) bool {
		return r.Payment.Payer == payer &&
			r.Request.Fingerprint == fingerprint &&
			!r.Unused()
	})
	slices.SortFunc(found, func(a, b payments.Record) int {
		return strings.Compare(payments.RequestOrder(b), payments.RequestOrder(a))
	})

	listed := min(len(found), payments.RecentRequests)
	return found[:listed], err
}

// Unfinished implements payments.Store.
func (s *Store) Unfinished(context.Context) ([]payments.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	keys := slices.SortedFunc(maps.Keys(s.open), func(a, b payments.Key) int {
		return strings.Compare(a.String(), b.String())
	})
	return keys, nil
}

// Due implements payments.Store.
func (s *Store) Due(_ context.Context, by time.Time) ([]payments.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []payments.Key
	for key, due := range s.open {
		if !due.After(by) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func (s *Store) where(want func(payments.Record) bool) ([]payments.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	var found []payments.Record
	for key := range s.records {
		r, err := s.load(key)
		if err != nil {
			return nil, err
		}
		if want(r) {
			found = append(found, r)
		}
	}

	slices.SortFunc(found, func(a, b payments.Record) int {
		return strings.Compare(a.Key().String(), b.Key().String())
	})
	return found, nil
}
