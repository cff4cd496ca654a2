package auditor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/audit/memory"
	"governance.internal/shared/dynamotest"
)

// chain is a store that another writer may change without the auditor.
type chain struct {
	audit.Store
	audit.Notes
	edit  func(seq uint64, line []byte) []byte // nil: as stored
	cutTo audit.Head                           // zero: as stored
	read  uint64                               // entries, in all
}

func (c *chain) Head(ctx context.Context) (audit.Head, error) {
	if c.cutTo.Seq > 0 {
		return c.cutTo, nil
	}
	return c.Store.Head(ctx)
}

func (c *chain) Blocks(ctx context.Context, from, to uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		for b, err := range c.Store.Blocks(ctx, from, to) {
			c.read += b.Last - b.First + 1
			if c.edit != nil {
				var lines []byte
				seq := b.First
				for line := range bytes.Lines(b.Lines) {
					lines = append(lines, c.edit(seq, bytes.Clone(line))...)
					seq++
				}
				b.Lines = lines
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func newAuditor(t *testing.T, entries int) (*Auditor, *chain) {
	t.Helper()
	s, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{Store: s, Notes: s}
	grow(t, s, 1, entries)
	return &Auditor{Store: c, Notes: c, Notary: notary(t), Chain: "test", Now: time.Now}, c
}

func notary(t *testing.T) *audit.Notary {
	t.Helper()
	n, err := audit.LoadOrCreateNotary(filepath.Join(t.TempDir(), "key"), "test.example/test")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// grow appends until the chain has so many entries.
func grow(t *testing.T, s audit.Store, from, to int) {
	t.Helper()
	for from < to {
		var events []audit.Event
		for ; from < to && len(events) < 50; from++ {
			events = append(events, audittest.Event(from))
		}
		if _, err := s.Append(t.Context(), events...); err != nil {
			t.Fatal(err)
		}
	}
}

func verified(t *testing.T, a *Auditor, r Request) Verification {
	t.Helper()
	v, err := a.Verify(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v Verification) opened(t *testing.T) *audit.Checkpoint {
	t.Helper()
	key, err := note.NewVerifier(v.VKey)
	if err != nil {
		t.Fatal(err)
	}
	c, err := audit.OpenCheckpoint([]byte(v.Checkpoint), key.Name(), note.VerifierList(key))
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func breaks(v Verification, reason audit.Reason, at uint64) bool {
	return !v.Valid && v.Reason == reason && v.BrokenAt != nil && *v.BrokenAt == at && v.Checkpoint == ""
}

const long = alwaysFull + 300

// After a walk a call reads what came since, and its proofs hold all the same.
func TestALongChainIsReadOnceByTheWalkAndItsEndByEachCall(t *testing.T) {
	a, c := newAuditor(t, long)
	first := verified(t, a, Request{})
	if first.Mode != "full" || first.Rehashed.Entries != long {
		t.Fatalf("%+v", first.Report)
	}
	if r, err := a.Walk(t.Context()); err != nil || !r.Valid {
		t.Fatalf("%+v (%v)", r, err)
	}
	for _, more := range []int{0, 1, 70} {
		grow(t, c, long, long+more)
		c.read = 0
		v := verified(t, a, Request{})
		if !v.Valid || v.Mode != "incremental" || v.Prefix.To != long || v.Rehashed.Entries != uint64(more) || c.read != uint64(more) {
			t.Errorf("%d more: %+v, %d read", more, v.Report, c.read)
		}
		now := v.opened(t)
		if proof := decode(t, v.HeadProof); audit.CheckInclusion(proof, *now, now.Size, v.Head.Hash) != nil || now.Size != v.Head.Seq {
			t.Errorf("%d more: the head is not proven", more)
		}
		v = verified(t, a, Request{Earlier: first.opened(t), Seq: 17})
		if err := audit.CheckConsistency(decode(t, v.Consistency.Proof), *first.opened(t), *v.opened(t)); err != nil {
			t.Error(err)
		}
	}
}

func decode(t *testing.T, texts []string) []audit.Hash {
	t.Helper()
	hashes := make([]audit.Hash, len(texts))
	for i, text := range texts {
		var p audit.Proof
		if err := p.UnmarshalText([]byte("c2sp.org/tlog-proof@v1\nindex 0\n" + text + "\n\nx")); err != nil {
			t.Fatal(err)
		}
		hashes[i] = p.Hashes[0]
	}
	return hashes
}

// The last signed checkpoint detects a chain that was truncated or rewritten, even without
// an earlier checkpoint and although the chain is valid by itself.
func TestTheLastCheckpointExposesARollback(t *testing.T) {
	a, c := newAuditor(t, 40)
	verified(t, a, Request{})
	c.cutTo = headAt(t, c, 30)
	if v := verified(t, a, Request{}); !breaks(v, audit.Truncated, 31) {
		t.Errorf("%+v", v.Report)
	}
	other, _ := newAuditor(t, 60)
	other.Notes, other.Notary = c, a.Notary
	if v := verified(t, other, Request{}); !breaks(v, audit.CheckpointMismatch, 40) {
		t.Errorf("%+v", v.Report)
	}
	c.cutTo = audit.Head{}
	if v := verified(t, a, Request{}); !v.Valid {
		t.Errorf("restored: %+v", v.Report)
	}
}

func headAt(t *testing.T, s audit.Store, seq uint64) audit.Head {
	t.Helper()
	e, err := audit.ParseEntry(bytes.TrimSuffix(audittest.Lines(t, s, seq, seq), []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	return e.Head()
}

// The walk finds a change at rest before its end. From then on every call reports it, until
// a walk finds the chain intact again.
func TestTheResultOfTheWalkIsReported(t *testing.T) {
	a, c := newAuditor(t, long)
	walk := func(valid bool) {
		t.Helper()
		if r, err := a.Walk(t.Context()); err != nil || r.Valid != valid {
			t.Fatalf("%+v (%v)", r, err)
		}
	}
	walk(true)
	c.edit = func(seq uint64, line []byte) []byte {
		if seq == 99 {
			line[12] ^= 1
		}
		return line
	}
	if v := verified(t, a, Request{}); !v.Valid || v.Claims[0].Verdict != audit.Conditional {
		t.Errorf("an incremental call claims to have seen it: %+v", v.Report)
	}
	walk(false)
	if v := verified(t, a, Request{}); !breaks(v, audit.HashMismatch, 99) || v.Mode != "incremental" || v.Prefix.To != 98 || v.Rehashed.Entries != 0 {
		t.Errorf("%+v", v.Report)
	}
	c.edit = nil
	walk(true)
	if v := verified(t, a, Request{}); !v.Valid {
		t.Errorf("%+v", v.Report)
	}
}

// A writer of the notes cannot forge what the notary did not sign, nor pass
// a checkpoint off as a walk.
func TestForgedNotesAreNoVerdict(t *testing.T) {
	a, c := newAuditor(t, 40)
	good := verified(t, a, Request{})
	stranger := &Auditor{Store: c, Notes: &chain{Store: c, Notes: mustMemory(t)}, Notary: notary(t), Chain: "test", Now: time.Now}
	if _, err := stranger.Walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	forged, _ := stranger.Notes.Note(t.Context(), walkNote)
	for _, text := range []string{string(forged), good.Checkpoint, "rubbish"} {
		set(t, c, walkNote, text)
		if _, err := a.Verify(t.Context(), Request{}); err == nil {
			t.Errorf("%q is taken for a walk", text)
		}
	}
	walked, _ := newAuditor(t, 40)
	walked.Notary = a.Notary
	if _, err := walked.Walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, _ := walked.Notes.Note(t.Context(), walkNote)
	set(t, c, walkNote, string(text))
	set(t, c, checkpointNote, string(text))
	if _, err := a.Verify(t.Context(), Request{}); err == nil {
		t.Error("a walk is taken for a checkpoint")
	}
}

func mustMemory(t *testing.T) *memory.Store {
	t.Helper()
	s, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t *testing.T, n audit.Notes, name, text string) {
	t.Helper()
	old, err := n.Note(t.Context(), name)
	if err == nil {
		err = n.SetNote(t.Context(), name, old, []byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnEarlierWalkDoesNotReplaceALater(t *testing.T) {
	a, _ := newAuditor(t, 40)
	now := time.Now()
	for _, at := range []time.Duration{2 * time.Hour, time.Hour} {
		a.Now = func() time.Time { return now.Add(at) }
		if _, err := a.Walk(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w, err := a.lastWalk(t.Context())
	if err != nil || !w.Report.VerifiedAt.Equal(now.Add(2*time.Hour).Round(0)) {
		t.Errorf("%+v (%v)", w, err)
	}
}

// Many processes sign over one table while it grows: each checkpoint is one of the
// same chain.
func TestAllCheckpointsAreOfOneChain(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	n := notary(t)
	var mu sync.Mutex
	var all []*audit.Checkpoint
	var group sync.WaitGroup
	for i := range 8 {
		s, err := dynamo.Open("test", dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		a := &Auditor{Store: s, Notes: s, Notary: n, Chain: "test", Now: time.Now}
		group.Go(func() {
			for k := range 5 {
				_, err := s.Append(t.Context(), audittest.Event(10*i+k))
				v, verifyErr := a.Verify(t.Context(), Request{})
				if err := errors.Join(err, verifyErr); err != nil || !v.Valid {
					t.Errorf("%+v (%v)", v.Report, err)
					return
				}
				mu.Lock()
				all = append(all, v.opened(t))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	s, err := dynamo.Open("test", dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var anchors []audit.Anchor
	for i, c := range all {
		anchors = append(anchors, audit.Anchor{Kind: fmt.Sprint(i), Size: c.Size, Root: c.Root})
	}
	r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Anchors: anchors})
	if err != nil || !r.Valid || len(all) != 40 {
		t.Errorf("%d checkpoints: %+v (%v)", len(all), r, err)
	}
}

// While another one signs a checkpoint of another chain, ours is not signed.
func TestACheckpointOfAnotherChainSignedMeanwhile(t *testing.T) {
	for _, size := range []int{20, 40, 60} {
		a, c := newAuditor(t, 40)
		other, _ := newAuditor(t, size)
		other.Notary, other.Chain = a.Notary, "test"
		rival := verified(t, other, Request{}).Checkpoint
		a.Notes = &meanwhile{Notes: c, do: func() { set(t, c, checkpointNote, rival) }}
		_, err := a.Verify(t.Context(), Request{})
		if !errors.Is(err, audit.ErrTampered) || !strings.Contains(err.Error(), "another chain") {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

// meanwhile does something before the first replacement of a note.
type meanwhile struct {
	audit.Notes
	do func()
}

func (m *meanwhile) SetNote(ctx context.Context, name string, old, next []byte) error {
	if m.do != nil {
		do := m.do
		m.do = nil
		do()
	}
	return m.Notes.SetNote(ctx, name, old, next)
}
