package auditor

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

// testWitness follows C2SP tlog-witness for one log.
type testWitness struct {
	t    *testing.T
	log  note.Verifiers
	name string
	key  ed25519.PrivateKey

	mu     sync.Mutex
	last   audit.Checkpoint
	answer func(http.ResponseWriter) bool // in its place; nil: as the standard says
	calls  int
}

func newWitness(t *testing.T, log *audit.Notary) (*testWitness, *Witness) {
	t.Helper()
	public, private, _ := ed25519.GenerateKey(nil)
	logKey, err := note.NewVerifier(log.Key)
	if err != nil {
		t.Fatal(err)
	}
	w := &testWitness{t: t, log: note.VerifierList(logKey), name: "witness.example/w1", key: private}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	sink, err := NewWitness(server.URL+"/prefix/", vkeyOf(w.name, public), server.Client())
	if err != nil {
		t.Fatal(err)
	}
	return w, sink
}

func vkeyOf(name string, public ed25519.PublicKey) string {
	raw := append([]byte{cosignatureType}, public...)
	sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
	return fmt.Sprintf("%s+%08x+%s", name, binary.BigEndian.Uint32(sum[:]), base64.StdEncoding.EncodeToString(raw))
}

func (w *testWitness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if w.answer != nil && w.answer(rw) {
		return
	}
	body, _ := io.ReadAll(r.Body)
	head, signed, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	old, err := strconv.ParseUint(strings.TrimPrefix(lines[0], "old "), 10, 63)
	opened, openErr := note.Open([]byte(signed), w.log)
	if err := errors.Join(err, openErr); err != nil || r.Method != "POST" || r.URL.Path != "/prefix/add-checkpoint" {
		w.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		rw.WriteHeader(http.StatusForbidden)
		return
	}
	c, err := audit.ParseCheckpoint(opened.Text)
	if err != nil {
		w.t.Error(err)
	}
	if old != w.last.Size {
		rw.Header().Set("Content-Type", "text/x.tlog.size")
		rw.WriteHeader(http.StatusConflict)
		fmt.Fprintln(rw, w.last.Size)
		return
	}
	if old > 0 && audit.CheckConsistency(decode(w.t, lines[1:]), w.last, c) != nil {
		rw.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	w.last = c
	now := binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()))
	sig := ed25519.Sign(w.key, cosigned(binary.BigEndian.Uint64(now), []byte(opened.Text)))
	public, _ := w.key.Public().(ed25519.PublicKey)
	sum := sha256.Sum256(append([]byte(w.name+"\n"), append([]byte{cosignatureType}, public...)...))
	fmt.Fprintf(rw, "— stranger.example %s\n", base64.StdEncoding.EncodeToString([]byte("abcdefgh")))
	fmt.Fprintf(rw, "— %s %s\n", w.name, base64.StdEncoding.EncodeToString(append(append(sum[:4:4], now...), sig...)))
}

// shelf keeps objects in memory.
type shelf struct {
	objects map[string][]byte
	broken  error
}

func (s *shelf) Create(_ context.Context, key string, body []byte) error {
	if s.broken != nil {
		return s.broken
	}
	if _, ok := s.objects[key]; ok {
		return fmt.Errorf("%s: %w", key, fs.ErrExist)
	}
	s.objects[key] = bytes.Clone(body)
	return nil
}

func (s *shelf) Get(_ context.Context, key string, _ int64) ([]byte, error) {
	return s.objects[key], s.broken
}

func stateIn(t *testing.T, a *Auditor, sink string) SinkState {
	t.Helper()
	return stateOf(verified(t, a, Request{}).Anchors, sink)
}

// A witness signs each checkpoint after it saw that it continues the last one.
func TestAWitnessSignsWhatContinuesTheLast(t *testing.T) {
	a, c := newAuditor(t, 40)
	w, sink := newWitness(t, a.Notary)
	a.Sinks = []Sink{sink}
	for _, size := range []int{40, 41, 60, 60} {
		grow(t, c, size-20, size)
		if err := a.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := mustHead(t, c).Seq
		s := stateIn(t, a, sink.Name())
		if s.Size != now || w.last.Size != now || s.LagEntries != 0 || s.FailingSince != nil {
			t.Fatalf("%d: %+v, the witness has %d", now, s, w.last.Size)
		}
		opened, err := note.Open([]byte(s.Receipt), note.VerifierList(sink.key))
		if err != nil || len(opened.Sigs) != 1 || len(opened.UnverifiedSigs) != 1 {
			t.Errorf("%+v (%v)", opened, err)
		}
		if _, err := a.Notary.Open([]byte(s.Receipt)); err != nil {
			t.Errorf("without our own signature: %v", err)
		}
	}
	calls := w.calls
	if err := a.Publish(t.Context()); err != nil || w.calls != calls {
		t.Errorf("what it has is sent again: %d calls (%v)", w.calls-calls, err)
	}
	grow(t, c, 900, 905)
	if s := stateIn(t, a, sink.Name()); s.LagEntries != 5 {
		t.Errorf("%+v", s)
	}
}

func mustHead(t *testing.T, s audit.Store) audit.Head {
	t.Helper()
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// The notes that the service keeps were all removed and the chain rewritten: the
// witness does not sign.
func TestAWitnessDoesNotSignARewrittenChain(t *testing.T) {
	a, _ := newAuditor(t, 40)
	w, sink := newWitness(t, a.Notary)
	a.Sinks = []Sink{sink}
	if err := a.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{30, 40, 50} {
		other, _ := newAuditor(t, size)
		other.Notary, other.Sinks = a.Notary, a.Sinks
		if err := other.Publish(t.Context()); err == nil || w.last.Size != 40 {
			t.Errorf("%d entries: %v", size, err)
		}
		if s := stateIn(t, other, sink.Name()); s.FailingSince == nil || s.Size != 0 || s.LagEntries != uint64(size) {
			t.Errorf("%d entries: %+v", size, s)
		}
	}
}

func TestWhatAWitnessAnswersIsChecked(t *testing.T) {
	a, _ := newAuditor(t, 40)
	w, sink := newWitness(t, a.Notary)
	other, _ := newWitness(t, a.Notary)
	public, _ := other.key.Public().(ed25519.PublicKey)
	stranger, err := NewWitness(sink.url, vkeyOf("other.example/w", public), sink.client)
	if err != nil {
		t.Fatal(err)
	}
	a.Sinks = []Sink{stranger}
	if err := a.Publish(t.Context()); err == nil {
		t.Error("another key's signature is taken")
	}
	a.Sinks = []Sink{sink}
	for name, answer := range map[string]func(http.ResponseWriter){
		"nothing":       func(rw http.ResponseWriter) {},
		"rubbish":       func(rw http.ResponseWriter) { fmt.Fprintln(rw, "ok") },
		"endless":       func(rw http.ResponseWriter) { _, _ = rw.Write(bytes.Repeat([]byte("— x x\n"), 1<<16)) },
		"bad size":      func(rw http.ResponseWriter) { rw.WriteHeader(409); fmt.Fprintln(rw, "many") },
		"a later size":  func(rw http.ResponseWriter) { rw.WriteHeader(409); fmt.Fprintln(rw, 41) },
		"the same size": func(rw http.ResponseWriter) { rw.WriteHeader(409); fmt.Fprintln(rw, 0) },
		"not found":     func(rw http.ResponseWriter) { rw.WriteHeader(404) },
	} {
		w.answer = func(rw http.ResponseWriter) bool { answer(rw); return true }
		if err := a.Publish(t.Context()); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	w.answer = nil
	w.last = audit.Checkpoint{}
	if err := a.Publish(t.Context()); err != nil || stateIn(t, a, sink.Name()).FailingSince != nil {
		t.Errorf("%v", err)
	}
	for _, vkey := range []string{"", "a+b", a.Notary.Key, sink.key.name + "+00000000+" + strings.SplitN(vkeyOf("x", sink.key.key), "+", 3)[2]} {
		if _, err := NewWitness("http://w.example", vkey, nil); err == nil {
			t.Errorf("%q is taken for a witness", vkey)
		}
	}
}

// A sink that fails holds up neither the answer nor the other sinks.
func TestASinkThatFailsHoldsNothingUp(t *testing.T) {
	a, c := newAuditor(t, 40)
	good, bad := &shelf{objects: map[string][]byte{}}, &shelf{broken: errors.New("no such bucket")}
	a.Sinks = []Sink{Archive{"bad", bad, "test"}, Archive{"good", good, "test"}}
	if err := a.Publish(t.Context()); err == nil || !strings.Contains(err.Error(), "no such bucket") {
		t.Errorf("%v", err)
	}
	since := stateIn(t, a, "bad").FailingSince
	if since == nil || stateIn(t, a, "good").Size != 40 || len(good.objects) != 1 {
		t.Fatalf("%+v", verified(t, a, Request{}).Anchors)
	}
	if _, err := a.Notary.Open(good.objects["test/checkpoint/0000000000000040"]); err != nil {
		t.Error(err)
	}
	grow(t, c, 500, 501)
	if err := a.Publish(t.Context()); err == nil || !stateIn(t, a, "bad").FailingSince.Equal(*since) {
		t.Error("the failure is reported as a new one")
	}
	bad.broken, bad.objects = nil, map[string][]byte{}
	err := a.Publish(t.Context())
	if now := stateIn(t, a, "bad"); err != nil || now.Size != 41 || now.FailingSince != nil || now.At == nil {
		t.Errorf("%+v (%v)", now, err)
	}
}

func TestAnArchiveNeverTakesTwoCheckpointsOfOneSize(t *testing.T) {
	a, _ := newAuditor(t, 40)
	other, _ := newAuditor(t, 40)
	s := &shelf{objects: map[string][]byte{}}
	a.Sinks = []Sink{Archive{"archive", s, "test"}}
	other.Notary, other.Sinks = a.Notary, a.Sinks
	again, _ := newAuditor(t, 40)
	again.Store, again.Notary, again.Sinks = a.Store, a.Notary, a.Sinks
	for _, one := range []*Auditor{a, again} { // the second forgot that it did
		if err := one.Publish(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := other.Publish(t.Context()); !errors.Is(err, audit.ErrTampered) {
		t.Errorf("%v", err)
	}
}

// A broken chain is not published.
func TestABrokenChainIsNotPublished(t *testing.T) {
	a, c := newAuditor(t, 40)
	s := &shelf{objects: map[string][]byte{}}
	a.Sinks = []Sink{Archive{"archive", s, "test"}}
	c.edit = func(seq uint64, line []byte) []byte {
		line[12] ^= 1
		return line
	}
	if err := a.Publish(t.Context()); err == nil || len(s.objects) != 0 {
		t.Errorf("%v, %d objects", err, len(s.objects))
	}
}
