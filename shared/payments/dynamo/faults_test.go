package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/dynamotest"
	"governance.internal/shared/payments"
	"governance.internal/shared/payments/dynamo"
	"governance.internal/shared/payments/paymentstest"
)

// wire is the way to the engine; it counts requests and may lose or refuse some.
type wire struct {
	lose   int64  // each such answer is lost after the engine did the work
	refuse int64  // each such request is answered with refusal instead
	answer string // body of a refusal
	total  atomic.Int64
	lost   atomic.Int64
	mu     sync.Mutex
	names  []string // operations in order
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	n := w.total.Add(1)
	_, name, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	w.names = append(w.names, name)
	w.mu.Unlock()
	if w.refuse > 0 && n%w.refuse == 0 {
		_, _ = io.Copy(io.Discard, req.Body)
		return &http.Response{StatusCode: 400, Status: "400 Bad Request", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
			Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(strings.NewReader(w.answer))}, nil
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && w.lose > 0 && n%w.lose == 0 {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		w.lost.Add(1)
		return nil, io.ErrUnexpectedEOF
	}
	return resp, err
}

// taken gives the operations since the last call.
func (w *wire) taken() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := strings.Join(w.names, " ")
	w.names = nil
	return names
}

const (
	throttled = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`
	collision = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"canceled",
		"CancellationReasons":[{"Code":"TransactionConflict","Message":"busy"},{"Code":"ThrottlingError"},{"Code":"None"}]}`
)

func TestStoreWhoseAnswersGetLost(t *testing.T) {
	for _, every := range []int64{3, 7} {
		t.Run(fmt.Sprintf("every %d", every), func(t *testing.T) {
			paymentstest.Run(t, func(t *testing.T) payments.Store {
				w := &wire{lose: every}
				t.Cleanup(func() {
					if w.total.Load() >= every && w.lost.Load() == 0 {
						t.Error("no answer was lost")
					}
				})
				return open(t, w)
			})
		})
	}
}

func TestStoreThatIsThrottled(t *testing.T) {
	for name, answer := range map[string]string{"throttled": throttled, "transactions collide": collision} {
		t.Run(name, func(t *testing.T) {
			paymentstest.Run(t, func(t *testing.T) payments.Store { return open(t, &wire{refuse: 3, answer: answer}) })
		})
	}
}

func payment(n int) payments.Record {
	return payments.Record{State: payments.Reserved, PayloadHash: "hash",
		Payment: payments.Payment{Asset: "0xa", Payer: fmt.Sprintf("0x%d", n), Nonce: fmt.Sprintf("0xn%d", n)},
		Request: payments.Request{Product: "lint"}}
}

func signed(r payments.Record, nonce uint64) payments.Record {
	r.State = payments.Settling
	r.Attempt = payments.Attempt{Chain: "0xc", Wallet: "0xw", WalletNonce: nonce, Raw: []byte(r.Payment.Payer), Hash: "h-" + r.Payment.Payer}
	return r
}

// Each write is done by its first try, whose answer is lost: the second try must
// recognize it, in each form that a write has.
func TestWriteRecognizesItsOwnEarlierTry(t *testing.T) {
	ctx := context.Background()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	step := func(name, want string, do func(*dynamo.Store, payments.Record) (payments.Record, error), r payments.Record) payments.Record {
		t.Helper()
		w := &wire{}
		store := reopen(t, endpoint, table, firstLost{w, new(atomic.Bool)})
		saved, err := do(store, r)
		if err != nil || saved.Version != r.Version+1 {
			t.Fatalf("%s: version %d, %v", name, saved.Version, err)
		}
		if got := w.taken(); got != want {
			t.Errorf("%s took %q, want %q", name, got, want)
		}
		stored, err := store.Load(ctx, r.Key())
		if err != nil || stored.Version != saved.Version || stored.State != r.State {
			t.Errorf("%s: stored %s %d (%v)", name, stored.State, stored.Version, err)
		}
		return saved
	}
	save := func(s *dynamo.Store, r payments.Record) (payments.Record, error) { return s.Save(ctx, r) }
	submit := func(s *dynamo.Store, r payments.Record) (payments.Record, error) { return s.Submit(ctx, r) }
	const transaction = "TransactWriteItems TransactWriteItems"
	r := payment(1)
	r.Identifier = "identifier-000001"
	r = step("reserve", transaction, save, r)
	r.State = payments.Ready
	r = step("ready", "PutItem PutItem", save, r)
	r = step("submit", transaction, submit, signed(r, 7))
	r.State = payments.Settled
	step("settled", transaction, save, r)
}

// firstLost loses the answer of the first request, and changes the token of the
// second so that the engine cannot recognize the transaction: ours must.
type firstLost struct {
	*wire
	lost *atomic.Bool
}

func (f firstLost) RoundTrip(req *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if f.lost.Load() {
		text = bytes.Replace(text, []byte(`"ClientRequestToken":"`), []byte(`"ClientRequestToken":"x`), 1)
	}
	other := req.Clone(req.Context())
	other.Body, other.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp, err := f.wire.RoundTrip(other)
	if err == nil && f.lost.CompareAndSwap(false, true) {
		_ = resp.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return resp, err
}

func TestSixteenWritersWithLostAnswers(t *testing.T) {
	ctx := context.Background()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	var wait sync.WaitGroup
	var created, wins atomic.Int64
	nonces := make([]uint64, 16)
	for i := range nonces {
		store := reopen(t, endpoint, table, &wire{lose: int64(3 + i%2*4)})
		wait.Go(func() {
			if _, err := store.Save(ctx, payment(99)); err == nil {
				created.Add(1)
			} else if !errors.Is(err, payments.ErrConflict) {
				t.Errorf("create: %v", err)
			}
			r, err := store.Save(ctx, payment(i))
			if err != nil {
				t.Errorf("reserve: %v", err)
				return
			}
			nonce := uint64(0)
			for {
				_, err := store.Submit(ctx, signed(r, nonce))
				if err == nil {
					nonces[i] = nonce
					wins.Add(1)
					return
				}
				if !errors.Is(err, payments.ErrNonceTaken) {
					t.Errorf("submit: %v", err)
					return
				}
				if nonce, _, err = store.NextNonce(ctx, "0xc", "0xw"); err != nil {
					t.Errorf("next nonce: %v", err)
					return
				}
			}
		})
	}
	wait.Wait()
	if created.Load() != 1 || wins.Load() != 16 {
		t.Errorf("%d creators, %d submitters", created.Load(), wins.Load())
	}
	store := reopen(t, endpoint, table, nil)
	attempts, err := store.Attempts(ctx, "0xc", "0xw", 0)
	if err != nil || len(attempts) != 16 {
		t.Fatalf("%d attempts: %v", len(attempts), err)
	}
	for i, nonce := range nonces {
		if want := payment(i).Payment.Payer; string(attempts[nonce].Raw) != want || attempts[nonce].WalletNonce != nonce {
			t.Errorf("nonce %d belongs to %s, want %s", nonce, attempts[nonce].Raw, want)
		}
	}
}

func TestEndOfTheContextEndsTheTries(t *testing.T) {
	store := open(t, &wire{refuse: 1, answer: throttled})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := store.Save(ctx, payment(1)); !errors.Is(err, context.DeadlineExceeded) { // else the tries ran out
		t.Error(err)
	}
}
