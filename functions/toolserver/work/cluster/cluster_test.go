package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/mcp/caller"
	"governance.internal/shared/porttest"
)

// table is one in memory.
type table struct {
	secret string
	leases map[string]Lease
	reads  atomic.Int64
	err    error
}

func (t *table) Secret(_ context.Context, proposal string) (string, error) {
	if t.secret == "" {
		t.secret = proposal
	}
	return t.secret, t.err
}

func (t *table) Renew(_ context.Context, l Lease) error { t.leases[l.Task] = l; return t.err }

func (t *table) Lease(_ context.Context, task string) (Lease, bool, error) {
	t.reads.Add(1)
	l, found := t.leases[task]
	return l, found, t.err
}

func (t *table) Release(_ context.Context, task string) error { delete(t.leases, task); return t.err }

// pair are two tasks; what reaches the first one is answered by handler.
func pair(t *testing.T, handler http.HandlerFunc) (shared *table, owner, other *Node, now *time.Time) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	shared = &table{leases: map[string]Lease{}}
	at := time.Unix(1_800_000_000, 0)
	join := func(address string) *Node {
		n, err := Join(t.Context(), shared, address, func() time.Time { return at }, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return shared, join(server.Listener.Addr().String()), join("127.0.0.1:1"), &at
}

func forward(n *Node, id string, headers ...string) (int, bool) {
	r := httptest.NewRequest("POST", "/message", strings.NewReader("{}"))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	sent := n.Forward(w, r, id)
	return w.Code, sent
}

func TestTheOwnerKnowsTheHopAndTheClientsHeaders(t *testing.T) {
	var owner *Node
	_, owner, other, _ := pair(t, func(w http.ResponseWriter, r *http.Request) {
		if !owner.Trusts(r) || r.Header.Get("Authorization") != "Bearer of the client" || r.URL.Path != "/message" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		w.WriteHeader(http.StatusAccepted)
	})
	if status, sent := forward(other, owner.SessionID("x"), "Authorization", "Bearer of the client"); !sent || status != 202 {
		t.Errorf("%d, %v", status, sent)
	}
	stranger := httptest.NewRequest("POST", "/message", nil)
	for _, guess := range []string{"", "x", owner.SessionID("x")} {
		if stranger.Header.Set(hopHeader, guess); owner.Trusts(stranger) {
			t.Errorf("%q is trusted", guess)
		}
	}
}

// The owner of a session learns who sends the message from the task that asked him, not from
// a header of the client.
func TestTheOwnerLearnsWhoSendsTheMessage(t *testing.T) {
	var owner *Node
	callers := make(chan string, 1)
	_, owner, other, _ := pair(t, func(w http.ResponseWriter, r *http.Request) {
		callers <- owner.Caller(r)
		w.WriteHeader(http.StatusAccepted)
	})
	r := httptest.NewRequest("POST", "/message", strings.NewReader("{}"))
	r = r.WithContext(caller.With(r.Context(), "subject one"))
	r.Header.Set(callerHeader, "subject two")
	if !other.Forward(httptest.NewRecorder(), r, owner.SessionID("x")) {
		t.Fatal("not forwarded")
	}
	if caller := <-callers; caller != "subject one" {
		t.Errorf("%q", caller)
	}
}

// Only ids that a task made cost a look at the table, and one look lasts a while.
func TestMadeUpIDsCostNothing(t *testing.T) {
	shared, owner, other, now := pair(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	good := owner.SessionID("x")
	for _, id := range []string{"", ".", "..", "a.b.c", good + "x", good[1:], strings.Repeat("a", 100_000), other.SessionID("x")} {
		if _, sent := forward(other, id); sent {
			t.Errorf("%.60q is forwarded", id)
		}
	}
	if n := shared.reads.Load(); n != 0 {
		t.Errorf("%d looks at the table", n)
	}
	for range 10 {
		forward(other, good)
	}
	if n := shared.reads.Load(); n != 1 {
		t.Errorf("%d looks for ten messages", n)
	}
	*now = now.Add(leaseLife + time.Second)
	if _, sent := forward(other, good); sent {
		t.Error("forwarded to a task whose lease is over")
	}
}

// A slow task is distinguished from a gone one: only the sessions of a gone task end.
func TestTheFateOfAMessageIsReported(t *testing.T) {
	shared, owner, other, _ := pair(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	id := owner.SessionID("x")
	if status, sent := forward(other, id); !sent || status != 503 {
		t.Errorf("a connection that broke: %d, %v", status, sent)
	}
	shared.leases[owner.task] = Lease{owner.task, porttest.Address(t), owner.now().Add(leaseLife)}
	if _, sent := forward(other, id); sent {
		t.Error("sent to an address without a listener")
	}
	shared.err = errors.New("out of reach")
	if status, sent := forward(other, id); !sent || status != 503 {
		t.Errorf("the table cannot be read: %d, %v", status, sent)
	}
}
