// Package paymentstest holds the contract that every payment store fulfils.
package paymentstest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/payments"
)

// Run checks a store; open gives a fresh, empty one for each test.
func Run(t *testing.T, open func(t *testing.T) payments.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, payments.Store)
	}{
		{"unknown key is not found", unknownKey},
		{"what is saved is loaded", savedIsLoaded},
		{"stale version conflicts and changes nothing", staleVersion},
		{"one of many creators wins", oneCreator},
		{"identifier belongs to one payload", identifier},
		{"wallet nonces rise and are taken once", walletNonces},
		{"refused submit leaves the record alone", refusedSubmit},
		{"one of many submitters gets a nonce", oneSubmitter},
		{"a replacement keeps its nonce", replacement},
		{"a facilitator's attempt claims no wallet", foreignAttempt},
		{"unfinished lists what is not finished", unfinished},
		{"nonce finds all payers", byNonce},
		{"request finds the newest of its payer", byRequest},
		{"due lists what is open and of age", dueRecords},
		{"a settlement that stopped is due after its lease", stoppedSettlement},
		{"an account has what is under way", accounts},
		{"an account admits what its funds cover", admission},
		{"many reservations never exceed the funds", oneBalance},
		{"reverts are added up once", reverts},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// record makes a reserved record whose payer is derived from n.
func record(n int) payments.Record {
	return payments.Record{
		State:       payments.Reserved,
		PayloadHash: fmt.Sprint("hash", n),
		Owner:       "me",
		LeaseUntil:  time.Date(2026, 11, 21, 0, 0, 0, 123, time.UTC),
		Payment: payments.Payment{
			Asset:  "0xa",
			Payer:  fmt.Sprintf("0x%d", n),
			Nonce:  "0xn",
			Amount: 5000,
		},
		Request: payments.Request{Product: "lint", Fingerprint: "f"},
		Result: &payments.Answer{
			Status: 200,
			Header: map[string][]string{"A": {"1", "2"}},
			Body:   []byte("\x00body"),
		},
	}
}

func save(t *testing.T, s payments.Store, r payments.Record) payments.Record {
	t.Helper()
	saved, err := s.Save(context.Background(), r)
	if err != nil {
		t.Fatalf("Save: %v", err)
	}
	return saved
}

func load(t *testing.T, s payments.Store, key payments.Key) payments.Record {
	t.Helper()
	r, err := s.Load(context.Background(), key)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return r
}

func unknownKey(t *testing.T, s payments.Store) {
	_, err := s.Load(context.Background(), record(1).Key())
	if !errors.Is(err, payments.ErrNotFound) {
		t.Errorf("Load: %v", err)
	}

	_, err = s.Identified(context.Background(), "p", "q", "i")
	if !errors.Is(err, payments.ErrNotFound) {
		t.Errorf("Identified: %v", err)
	}
}

func savedIsLoaded(t *testing.T, s payments.Store) {
	saved := save(t, s, record(1))
	if saved.Version != 1 {
		t.Errorf("version %d after the first save", saved.Version)
	}
	if got := load(t, s, saved.Key()); !reflect.DeepEqual(got, saved) {
		t.Errorf("loaded %+v\nsaved %+v", got, saved)
	}
	saved.Result.Body[0] = 'x'
	got := load(t, s, saved.Key())
	if got.Result.Body[0] == 'x' {
		t.Error("the store shares memory with its caller")
	}
}

func staleVersion(t *testing.T, s payments.Store) {
	first := save(t, s, record(1))
	second := first
	second.State = payments.Ready
	save(t, s, second)
	first.State = payments.Failed
	_, err := s.Save(context.Background(), first)
	if !errors.Is(err, payments.ErrConflict) {
		t.Errorf("stale save: %v", err)
	}

	_, err = s.Save(context.Background(), record(1))
	if !errors.Is(err, payments.ErrConflict) {
		t.Errorf("second creation: %v", err)
	}

	got := load(t, s, first.Key())
	if got.State != payments.Ready || got.Version != 2 {
		t.Errorf("state %s version %d", got.State, got.Version)
	}
}

// won runs try n times at once and counts successes; every failure must be want.
func won(t *testing.T, n int, want error, try func(i int) error) int {
	t.Helper()
	var wait sync.WaitGroup
	var mu sync.Mutex
	wins := 0
	for i := range n {
		wait.Go(func() {
			err := try(i)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				wins++
			} else if !errors.Is(err, want) {
				t.Errorf("try %d: %v", i, err)
			}
		})
	}

	wait.Wait()
	return wins
}

func oneCreator(t *testing.T, s payments.Store) {
	wins := won(t, 32, payments.ErrConflict, func(int) error {
		_, err := s.Save(context.Background(), record(1))
		return err
	})
	if wins != 1 {
		t.Errorf("%d creators won", wins)
	}
}

func identifier(t *testing.T, s payments.Store) {
	a := record(1)
	b := record(1)
	a.Identifier = "identifier-000001"
	b.Identifier = "identifier-000001"
	b.Payment.Nonce = "0xother"
	b.PayloadHash = "other"
	a = save(t, s, a)
	_, err := s.Save(context.Background(), b)
	if !errors.Is(err, payments.ErrIdentifierUsed) {
		t.Errorf("other payload: %v", err)
	}

	_, err = s.Load(context.Background(), b.Key())
	if !errors.Is(err, payments.ErrNotFound) {
		t.Errorf("the refused record was stored: %v", err)
	}

	a.State = payments.Ready
	save(t, s, a)
	hash, err := s.Identified(context.Background(), a.Payment.Payer, a.Request.Product, a.Identifier)
	if err != nil || hash != a.PayloadHash {
		t.Errorf("Identified %q, %v", hash, err)
	}

	b.Payment.Payer = "0x2"
	save(t, s, b) // another payer has its own identifiers
}

func attempt(nonce uint64) payments.Attempt {
	return payments.Attempt{
		Chain:       "0xc",
		Wallet:      "0xw",
		WalletNonce: nonce,
		Raw:         []byte{byte(nonce), 1},
		Hash:        fmt.Sprint("0xh", nonce),
	}
}

func walletNonces(t *testing.T, s payments.Store) {
	ctx := context.Background()
	if _, known, err := s.NextNonce(ctx, "0xc", "0xw"); known || err != nil {
		t.Errorf("an unused wallet is known (%v)", err)
	}

	for i, nonce := range []uint64{7, 8, 300} {
		r := record(i)
		r.Attempt = attempt(nonce)
		if _, err := s.Submit(ctx, r); err != nil {
			t.Fatalf("Submit %d: %v", nonce, err)
		}
	}

	next, known, err := s.NextNonce(ctx, "0xc", "0xw")
	if next != 301 || !known || err != nil {
		t.Errorf("NextNonce %d, %v, %v", next, known, err)
	}

	for _, other := range [][2]string{{"0xc", "0xv"}, {"0xc", "0xx"}, {"0xb", "0xw"}, {"0xd", "0xw"}} {
		if _, known, _ := s.NextNonce(ctx, other[0], other[1]); known {
			t.Errorf("%v is known", other)
		}
	}

	got, err := s.Attempts(ctx, "0xc", "0xw", 8)
	if err != nil || !reflect.DeepEqual(got, []payments.Attempt{attempt(8), attempt(300)}) {
		t.Errorf("Attempts %+v, %v", got, err)
	}
}

func refusedSubmit(t *testing.T, s payments.Store) {
	ctx := context.Background()
	first := record(1)
	first.Attempt = attempt(7)
	if _, err := s.Submit(ctx, first); err != nil {
		t.Fatal(err)
	}

	second := save(t, s, record(2))
	taken := second
	taken.State = payments.Settling
	taken.Attempt = attempt(7)
	_, err := s.Submit(ctx, taken)
	if !errors.Is(err, payments.ErrNonceTaken) {
		t.Errorf("taken nonce: %v", err)
	}
	if got := load(t, s, second.Key()); !reflect.DeepEqual(got, second) {
		t.Errorf("the refused submit changed the record: %+v", got)
	}

	stale := second
	stale.Version = 0
	stale.Attempt = attempt(8)
	_, err = s.Submit(ctx, stale)
	if !errors.Is(err, payments.ErrConflict) {
		t.Errorf("stale submit: %v", err)
	}
	if next, _, _ := s.NextNonce(ctx, "0xc", "0xw"); next != 8 {
		t.Errorf("a refused submit took nonce %d", next-1)
	}
}

func oneSubmitter(t *testing.T, s payments.Store) {
	wins := won(t, 16, payments.ErrNonceTaken, func(i int) error {
		r := record(i)
		r.Attempt = attempt(7)
		_, err := s.Submit(context.Background(), r)
		return err
	})
	if wins != 1 {
		t.Errorf("%d submitters got the nonce", wins)
	}
}

func replacement(t *testing.T, s payments.Store) {
	ctx := context.Background()
	first := record(1)
	first.Attempt = attempt(7)
	first, err := s.Submit(ctx, first)
	if err != nil {
		t.Fatal(err)
	}

	second := record(2)
	second.Attempt = attempt(8)
	if _, err := s.Submit(ctx, second); err != nil {
		t.Fatal(err)
	}

	dearer := attempt(7)
	dearer.Hash = "0xdearer"
	dearer.Replaced = []string{first.Attempt.Hash}
	stale := first
	stale.Version = first.Version + 1
	stale.Attempt = dearer
	_, err = s.Submit(ctx, stale)
	if !errors.Is(err, payments.ErrConflict) {
		t.Errorf("stale replacement: %v", err)
	}

	first.Attempt = dearer
	first, err = s.Submit(ctx, first)
	if err != nil {
		t.Fatalf("replacement: %v", err)
	}
	if got := load(t, s, first.Key()); !reflect.DeepEqual(got, first) {
		t.Errorf("stored %+v, want %+v", got, first)
	}

	sent, err := s.Attempts(ctx, "0xc", "0xw", 0)
	if err != nil || !reflect.DeepEqual(sent, []payments.Attempt{dearer, attempt(8)}) {
		t.Errorf("Attempts %+v, %v", sent, err)
	}
	if next, _, _ := s.NextNonce(ctx, "0xc", "0xw"); next != 9 {
		t.Errorf("next nonce %d", next)
	}

	nobodys := attempt(9)
	nobodys.Replaced = []string{"0x"}
	first.Attempt = nobodys
	_, err = s.Submit(ctx, first)
	if !errors.Is(err, payments.ErrNonceTaken) {
		t.Errorf("replacement of nothing: %v", err)
	}
}

func foreignAttempt(t *testing.T, s payments.Store) {
	ctx := context.Background()
	for i := range 2 {
		r := save(t, s, record(i))
		r.State = payments.Settling
		r.Attempt = payments.Attempt{
			Chain:       "0xc",
			Facilitator: "https://facilitator.example/x402",
		}
		r = save(t, s, r)
		r.Attempt.Hash = "0xh"
		r = save(t, s, r)
		if got := load(t, s, r.Key()); !reflect.DeepEqual(got, r) {
			t.Errorf("loaded %+v\nsaved %+v", got, r)
		}
	}

	if _, known, err := s.NextNonce(ctx, "0xc", ""); known || err != nil {
		t.Errorf("it took a nonce (%v)", err)
	}

	all, err := s.Attempts(ctx, "0xc", "", 0)
	if len(all) != 0 || err != nil {
		t.Errorf("it is among the signed transactions: %+v (%v)", all, err)
	}
}

func unfinished(t *testing.T, s payments.Store) {
	states := []payments.State{payments.Reserved, payments.Released, payments.Ready, payments.Settling, payments.Settled, payments.Failed}
	for i, state := range states {
		r := save(t, s, record(i))
		r.State = state
		save(t, s, r)
	}

	watched := save(t, s, record(len(states)))
	watched.State = payments.Settled
	watched.Watched = true
	watched = save(t, s, watched)
	watched.Deliveries = 2
	watched = save(t, s, watched)
	keys, err := s.Unfinished(context.Background())
	if err != nil || len(keys) != 4 {
		t.Fatalf("%d unfinished: %v", len(keys), err)
	}

	for _, key := range keys {
		if r := load(t, s, key); !r.Open() {
			t.Errorf("%s is listed", r.State)
		}
	}

	watched.Watched = false
	save(t, s, watched)
	keys, err = s.Unfinished(context.Background())
	if err != nil || len(keys) != 3 {
		t.Fatalf("%d unfinished without the confirmed one: %v", len(keys), err)
	}
}

func byNonce(t *testing.T, s payments.Store) {
	save(t, s, record(1))
	save(t, s, record(2))
	other := record(3)
	other.Payment.Nonce = "0xnn"
	save(t, s, other)
	found, err := s.ByNonce(context.Background(), "0xn")
	if err != nil || len(found) != 2 {
		t.Errorf("%d found: %v", len(found), err)
	}
}

// The list has what a payer asked for, and not what a payment was used for before.
func byRequest(t *testing.T, s payments.Store) {
	ctx := context.Background()
	for i := range payments.RecentRequests + 2 {
		r := record(1)
		r.Payment.Nonce = fmt.Sprint("0x", i)
		r.CreatedAt = time.UnixMilli(int64(1000 * i))
		save(t, s, r)
	}

	save(t, s, record(2))
	reserveForAnother(t, s)
	addUnused(t, s)

	found, err := s.ByRequest(ctx, "0x1", "f")
	if err != nil {
		t.Fatal(err)
	}

	n := len(found)
	if n > payments.RecentRequests || n < payments.RecentRequests-1 {
		t.Fatalf("%d found", n)
	}

	for i, r := range found {
		want := fmt.Sprint("0x", payments.RecentRequests+1-i)
		if r.Payment.Nonce != want ||
			r.Payment.Payer != "0x1" {
			t.Errorf("place %d has %s of %s, want %s", i, r.Payment.Nonce, r.Payment.Payer, want)
		}
	}

	again, err := s.ByRequest(ctx, "0x1", "g")
	if err != nil ||
		len(again) != 1 ||
		again[0].State != payments.Settled {
		t.Errorf("reserved again: %d found, %v", len(again), err)
	}

	unknown := []struct {
		payer, fingerprint string
	}{
		{"0x1", "ff"},
		{"0x1", ""},
		{"0x", "f"},
		{"0x3", "f"},
	}
	for _, u := range unknown {
		found, err := s.ByRequest(ctx, u.payer, u.fingerprint)
		if err != nil || len(found) != 0 {
			t.Errorf("%q finds %d, %v", u, len(found), err)
		}
	}
}

// reserveForAnother releases a payment for request f and settles it for request g.
func reserveForAnother(t *testing.T, s payments.Store) {
	r := record(1)
	r.Payment.Nonce = "0xreleased"
	r.CreatedAt = time.UnixMilli(50_000)
	r = save(t, s, r)

	r.State = payments.Released
	r = save(t, s, r)

	r.State = payments.Reserved
	r.Request.Fingerprint = "g"
	r.CreatedAt = time.UnixMilli(60_000)
	r = save(t, s, r)

	r.State = payments.Settled
	save(t, s, r)
}

// addUnused adds newer payments that bought nothing, which must not hide the others.
func addUnused(t *testing.T, s payments.Store) {
	ends := []payments.State{payments.Released, payments.Failed}
	for i := range 2 * payments.RecentRequests {
		r := record(1)
		r.Payment.Nonce = fmt.Sprint("0xunused", i)
		r.CreatedAt = time.UnixMilli(int64(70_000 + i))
		r = save(t, s, r)

		r.State = ends[i%2]
		save(t, s, r)
	}
}
