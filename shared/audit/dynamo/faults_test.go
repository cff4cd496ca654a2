package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/dynamotest"
)

// wire is the way to the engine; it counts requests and may lose or refuse some.
type wire struct {
	lose        int64 // each such exchange is lost, by turns before and after the engine did the work
	refuse      int64 // each such request is throttled instead
	collide     int64 // each such transaction is refused: it met another one
	kill        int64 // from this request on nothing comes through, for good
	late        bool  // but the engine does the work of that one
	total       atomic.Int64
	transacted  atomic.Int64
	lost        atomic.Int64
	refused     atomic.Int64
	collided    atomic.Int64
	conditional atomic.Int64 // writes with a condition
	writes      atomic.Int64
}

var errLost = io.ErrUnexpectedEOF

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	n := w.total.Add(1)
	_, name, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	collides := name == "TransactWriteItems" && w.transacted.Add(1)%max(w.collide, 1) == 0 && w.collide > 0
	switch name {
	case "TransactWriteItems", "UpdateItem":
		w.conditional.Add(1)
		w.writes.Add(1)
	case "PutItem", "DeleteItem":
		w.writes.Add(1)
	}
	loses := w.lose > 0 && n%w.lose == 0
	killed := w.kill > 0 && n >= w.kill
	switch {
	case loses && n/w.lose%2 == 0, killed && (n > w.kill || !w.late):
		w.lost.Add(1)
		return nil, errLost
	case collides:
		w.collided.Add(1)
		return refusal(req, collision), nil
	case w.refuse > 0 && n%w.refuse == 0:
		w.refused.Add(1)
		return refusal(req, throttled), nil
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && (loses || killed) {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		w.lost.Add(1)
		return nil, errLost
	}
	return resp, err
}

func refusal(req *http.Request, body string) *http.Response {
	return &http.Response{StatusCode: 400, Status: "400 Bad Request", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(strings.NewReader(body))}
}

const (
	throttled = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`
	collision = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"canceled",
		"CancellationReasons":[{"Code":"TransactionConflict","Message":"busy"},{"Code":"None"},{"Code":"None"}]}`
)

// Exchanges are lost before and after their effect, requests throttled and
// transactions refused, all of it in one run: the contract holds.
func TestContractOverABadWire(t *testing.T) {
	t.Parallel()
	var lost, refused, collided atomic.Int64
	audittest.Run(t, func(t *testing.T) audit.Store {
		w := &wire{lose: 9, refuse: 7, collide: 4}
		t.Cleanup(func() {
			lost.Add(w.lost.Load())
			refused.Add(w.refused.Load())
			collided.Add(w.collided.Load())
		})
		return open(t, w)
	})
	if lost.Load() < 50 || refused.Load() < 50 || collided.Load() < 20 {
		t.Errorf("only %d lost, %d refused, %d collided", lost.Load(), refused.Load(), collided.Load())
	}
	t.Logf("%d lost, %d refused, %d collided", lost.Load(), refused.Load(), collided.Load())
}

// firstLost loses the answer of the first transaction, and changes the token of
// later ones, as if it was forgotten: only the id items can tell.
type firstLost struct{ lost atomic.Bool }

func (f *firstLost) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	transaction := strings.HasSuffix(req.Header.Get("X-Amz-Target"), "TransactWriteItems")
	if f.lost.Load() {
		body = bytes.Replace(body, []byte(`"ClientRequestToken":"`), []byte(`"ClientRequestToken":"x`), 1)
	}
	other := req.Clone(req.Context())
	other.Body, other.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp, err := http.DefaultTransport.RoundTrip(other)
	if err == nil && transaction && f.lost.CompareAndSwap(false, true) {
		_ = resp.Body.Close()
		return nil, errLost
	}
	return resp, err
}

func TestAnAppendRecognizesItsOwnEarlierTry(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	first := reopen(t, endpoint, table, nil)
	if _, err := first.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := &firstLost{}
	entries, err := reopen(t, endpoint, table, w).Append(t.Context(), audittest.Event(1), audittest.Event(2))
	if err != nil || len(entries) != 2 || entries[0].Seq != 2 || entries[1].Seq != 3 || !w.lost.Load() {
		t.Fatalf("%+v, %v", entries, err)
	}
	if head, err := first.Head(t.Context()); err != nil || head != entries[1].Head() {
		t.Errorf("head %+v, %v: the append was done twice", head, err)
	}
}

// deadly is the wire of a writer that dies: at one of its requests it loses the
// connection for good, and its caller ends too. rival runs before its first
// transaction, once.
type deadly struct {
	wire
	cancel context.CancelFunc
	rival  func()
	met    atomic.Bool
}

func (d *deadly) RoundTrip(req *http.Request) (*http.Response, error) {
	if d.rival != nil && strings.HasSuffix(req.Header.Get("X-Amz-Target"), "TransactWriteItems") && d.met.CompareAndSwap(false, true) {
		d.rival()
	}
	resp, err := d.wire.RoundTrip(req)
	if err != nil && d.lost.Load() > 0 {
		d.cancel()
	}
	return resp, err
}

// dies appends events 10 and 11 through a wire that dies at the n-th request, and
// reports whether it came so far. What the append promised must be true of the
// chain, and another append of the same must settle it.
func dies(t *testing.T, endpoint, table string, n int64, late, contended bool) (reached bool) {
	t.Helper()
	survivor := reopen(t, endpoint, table, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &deadly{wire: wire{kill: n, late: late}, cancel: cancel}
	if contended {
		w.rival = func() { appended(t, survivor, 20) }
	}
	events := []audit.Event{audittest.Event(10), audittest.Event(11)}
	entries, err := reopen(t, endpoint, table, w).Append(ctx, events...)
	head, headErr := survivor.Head(t.Context())
	if headErr != nil {
		t.Fatal(headErr)
	}
	stored := string(audittest.Lines(t, survivor, 1, head.Seq))
	present := strings.Contains(stored, events[0].ID)
	switch {
	case err == nil && !strings.Contains(stored, string(entries[0].AppendLine(nil))):
		t.Errorf("request %d, late %v: an acknowledged entry is lost", n, late)
	case err != nil && !errors.As(err, new(audit.Unknown)) && present:
		t.Errorf("request %d, late %v: recorded, but the error says that nothing was: %v", n, late, err)
	}
	again := appended(t, survivor, 10, 11)
	if present && !strings.Contains(stored, string(again[0].AppendLine(nil))) {
		t.Errorf("request %d, late %v: recorded twice", n, late)
	}
	return w.lost.Load() > 0
}

func appended(t testing.TB, s *dynamo.Store, events ...int) []audit.Entry {
	t.Helper()
	var all []audit.Event
	for _, n := range events {
		all = append(all, audittest.Event(n))
	}
	entries, err := s.Append(t.Context(), all...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// A writer dies at each of its requests, before and after the engine did the work:
// on an empty table, on a chain, and when it lost the race and combines.
func TestAWriterThatDiesAtAnyRequestLeavesAGoodChain(t *testing.T) {
	t.Parallel()
	for _, situation := range []struct {
		name             string
		chain, contended bool
		least            int64 // requests that it must take to be the situation meant
	}{{"empty table", false, false, 6}, {"a chain", true, false, 4}, {"contended", true, true, 15}} {
		t.Run(situation.name, func(t *testing.T) {
			n := int64(0)
			for reached := true; reached; {
				n++
				for _, late := range []bool{false, true} {
					endpoint, table := dynamotest.Table(t, "pk", "sk")
					want := []int{10, 11}
					if situation.chain {
						appended(t, reopen(t, endpoint, table, nil), 1, 2)
						want = append(want, 1, 2)
					}
					reached = dies(t, endpoint, table, n, late, situation.contended)
					sound(t, reopen(t, endpoint, table, nil), want...)
				}
			}
			if n-1 < situation.least {
				t.Errorf("only %d requests", n-1)
			}
			t.Logf("%d requests, each lost before and after its effect", n-1)
		})
	}
}

// Events whose writer died while they waited, one of them with the lease in hand,
// are recorded when writers meet the next time.
func TestAbandonedEventsAreRecordedByTheNextCombiner(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	rival := reopen(t, endpoint, table, nil)
	appended(t, rival, 1)
	next := 100
	meet := func(kill int64, events ...int) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := &deadly{wire: wire{kill: kill, late: true}, cancel: cancel, rival: func() { next++; appended(t, rival, next) }}
		var all []audit.Event
		for _, n := range events {
			all = append(all, audittest.Event(n))
		}
		_, err := reopen(t, endpoint, table, w).Append(ctx, all...)
		return err
	}
	// Head, tail, head, transaction, look, intent, lease.
	for i, kill := range []int64{6, 7} {
		if err := meet(kill, 10+i); !errors.As(err, new(audit.Unknown)) {
			t.Fatalf("dead writer: %v", err)
		}
	}
	if err := meet(0, 30); err != nil {
		t.Fatal(err)
	}
	if report := sound(t, rival, 1, 10, 11, 30, 101, 102, 103); report.Entries != 8 {
		t.Errorf("%d entries", report.Entries)
	}
	for _, i := range dynamotest.Scan(t, endpoint, table) {
		if pk := i["pk"]["S"].(string); strings.HasPrefix(pk, "q#") {
			t.Errorf("left in the inbox: %s", pk)
		}
	}
}

// sound verifies the chain and that it holds each of the events exactly once.
func sound(t testing.TB, s audit.Store, events ...int) audit.Report {
	t.Helper()
	report, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Chain: "test", Strict: true})
	if err != nil || !report.Valid {
		t.Fatalf("%+v, %v", report, err)
	}
	stored := string(audittest.Lines(t, s, 1, report.Entries))
	for _, n := range events {
		if count := strings.Count(stored, `"id":"`+audittest.Event(n).ID+`"`); count != 1 {
			t.Errorf("event %d stands %d times in the chain", n, count)
		}
	}
	return report
}
