package auditor

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/dynamotest"
)

// dying is a process whose requests come through up to a number; that one still has its
// effect if late is set, but its answer is lost.
type dying struct {
	left atomic.Int64
	late bool
	die  context.CancelFunc
}

func (d *dying) RoundTrip(req *http.Request) (*http.Response, error) {
	left := d.left.Add(-1)
	if left < 0 {
		defer d.die()
	}
	if left < 0 && !(left == -1 && d.late) {
		return nil, io.ErrUnexpectedEOF
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && left < 0 {
		_ = resp.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return resp, err
}

// A process dies at each request of a walk and a publication, before and after its
// effect. The next one goes on: the chain is valid, what was handed out or archived is of
// this chain, and the archive has the newest checkpoint.
func TestADeathAtAnyRequestOfAPublication(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	shelf := &shelf{objects: map[string][]byte{}}
	key := filepath.Join(t.TempDir(), "key")
	process := func(transport http.RoundTripper) *Auditor {
		s, err := dynamo.Open("test", dynamo.Options{Table: table, Endpoint: endpoint, Transport: transport, Limit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		n, err := audit.LoadOrCreateNotary(key, "test.example/test")
		if err != nil {
			t.Fatal(err)
		}
		return &Auditor{Store: s, Notes: s, Notary: n, Chain: "test", Sinks: []Sink{Archive{"archive", shelf, "test"}}, Now: time.Now}
	}
	var handedOut []audit.Anchor
	deaths := 0
	for n := range int64(30) {
		before := deaths
		for _, late := range []bool{false, true} {
			survivor := process(nil)
			if _, err := survivor.Store.Append(t.Context(), audittest.Event(10*int(n)), audittest.Event(10*int(n)+1)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			d := &dying{late: late, die: cancel}
			d.left.Store(n)
			victim := process(d)
			_, walkErr := victim.Walk(ctx)
			publishErr := victim.Publish(ctx)
			cancel()
			if walkErr != nil || publishErr != nil {
				deaths++
			}
			if err := survivor.Publish(t.Context()); err != nil {
				t.Fatalf("after a death at request %d: %v", n, err)
			}
			v := verified(t, survivor, Request{})
			c := v.opened(t)
			handedOut = append(handedOut, audit.Anchor{Kind: "handed_out", Size: c.Size, Root: c.Root})
			if s := stateOf(v.Anchors, "archive"); !v.Valid || s.Size != v.Head.Seq {
				t.Errorf("after a death at request %d: %+v, archive %+v", n, v.Report, s)
			}
		}
		if deaths == before {
			break // it lived through all of its requests
		}
	}
	if deaths < 10 {
		t.Errorf("only %d deaths", deaths)
	}
	survivor := process(nil)
	for _, signed := range shelf.objects {
		c, err := survivor.Notary.Open(signed)
		if err != nil {
			t.Fatal(err)
		}
		handedOut = append(handedOut, audit.Anchor{Kind: "archived", Size: c.Size, Root: c.Root})
	}
	r, err := survivor.Report(t.Context(), handedOut...)
	if err != nil || !r.Valid {
		t.Errorf("%+v (%v)", r, err)
	}
	t.Logf("%d deaths, %d checkpoints", deaths, len(handedOut))
}
