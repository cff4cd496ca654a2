package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"governance.internal/shared/audit"
)

func TestReportDoesNotDependOnParallelismOrReads(t *testing.T) {
	lines := makeChain(t, "test", 3000, 1) // more than four pieces
	streams := map[string][]byte{
		"good":           join(lines),
		"early break":    join(edit(lines, 3, "5003", "5103")),
		"late break":     join(edit(lines, 2900, "7900", "7901")),
		"linked forgery": join(relink(edit(lines, 1500, "6500", "6501"), 1500)),
		"gap":            join(append(clone(lines[:1200]), lines[1201:]...)),
		"time":           join(relink(edit(lines, 1800, "2026-11-21T08", "2025-11-21T08"), 1800)),
	}
	descending := clone(lines)
	for i := range lines {
		descending[i] = bytes.Replace(lines[i], []byte(`"time":"2026`), fmt.Appendf(nil, `"time":"%04d`, 9000-i), 1)
	}
	streams["every entry dated before the last"] = join(relink(descending, 0))
	head := headOf(t, lines)
	anchors := []audit.Anchor{audit.ExpectHead(head.Seq, head.Hash), audit.ExpectHead(700, audit.Hash{}), audit.ExpectHead(0, head.Hash)}
	for _, size := range []int{1, 700, 1999, 3000} {
		root := verifyBytes(t, join(lines[:size]), audit.VerifyOptions{Tree: true}).Root
		anchors = append(anchors, audit.Anchor{Kind: "checkpoint", Size: uint64(size), Root: *root})
	}
	for name, stream := range streams {
		o := audit.VerifyOptions{Anchors: anchors, Now: fixedClock}
		want := verifyBytes(t, stream, o)
		if name == "good" && !want.Valid {
			t.Errorf("%+v", want)
		}
		for _, n := range []int{1, 2, 3, 8} {
			o.Parallelism = n
			fromReader, err := audit.VerifyReader(iotest.OneByteReader(bytes.NewReader(stream)), o)
			if got := verifyBytes(t, stream, o); err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(fromReader, want) {
				t.Errorf("%s with %d: %+v, reader %+v, want %+v (%v)", name, n, got, fromReader, want, err)
			}
		}
	}
}

func TestAnchors(t *testing.T) {
	lines := makeChain(t, "test", 50, 1)
	at := func(n int) audit.Hash { return headOf(t, lines[:n]).Hash }
	wrong := audit.Hash{1}
	cases := map[string]struct {
		anchors []audit.Anchor
		reason  audit.Reason
		at      uint64
		results []string
	}{
		"none":               {nil, "", 0, []string{}},
		"head":               {[]audit.Anchor{audit.ExpectHead(50, at(50))}, "", 0, []string{"match"}},
		"an earlier head":    {[]audit.Anchor{audit.ExpectHead(20, at(20))}, "", 0, []string{"match"}},
		"genesis":            {[]audit.Anchor{audit.ExpectHead(1, at(1))}, "", 0, []string{"match"}},
		"hash of the head":   {[]audit.Anchor{audit.ExpectHead(0, at(50))}, "", 0, []string{"match"}},
		"an earlier hash":    {[]audit.Anchor{audit.ExpectHead(0, at(7))}, "", 0, []string{"match"}},
		"size":               {[]audit.Anchor{audit.ExpectHead(50, audit.Hash{})}, "", 0, []string{"match"}},
		"another hash":       {[]audit.Anchor{audit.ExpectHead(50, wrong)}, audit.HeadMismatch, 50, []string{"mismatch"}},
		"an absent hash":     {[]audit.Anchor{audit.ExpectHead(0, wrong)}, audit.HeadMismatch, 50, []string{"mismatch"}},
		"a larger size":      {[]audit.Anchor{audit.ExpectHead(60, wrong)}, audit.Truncated, 51, []string{"missing"}},
		"lowest first":       {[]audit.Anchor{audit.ExpectHead(30, wrong), audit.ExpectHead(20, wrong), audit.ExpectHead(10, at(10))}, audit.HeadMismatch, 20, []string{"mismatch", "mismatch", "match"}},
		"mismatch over size": {[]audit.Anchor{audit.ExpectHead(60, wrong), audit.ExpectHead(20, wrong)}, audit.HeadMismatch, 20, []string{"missing", "mismatch"}},
		"size over absence":  {[]audit.Anchor{audit.ExpectHead(0, wrong), audit.ExpectHead(60, wrong)}, audit.Truncated, 51, []string{"mismatch", "missing"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := verifyBytes(t, join(lines), audit.VerifyOptions{Anchors: c.anchors})
			expectBreak(t, r, c.reason, c.at)
			results := []string{}
			for _, a := range r.Truncation.Against {
				results = append(results, a.Result)
			}
			if !reflect.DeepEqual(results, c.results) || r.Truncation.Checked != (len(c.anchors) > 0) {
				t.Errorf("truncation %+v", r.Truncation)
			}
		})
	}
	r := verifyBytes(t, join(edit(lines, 30, "5030", "5031")), audit.VerifyOptions{Anchors: []audit.Anchor{audit.ExpectHead(50, at(50)), audit.ExpectHead(20, at(20))}})
	if r.Truncation.Against[0].Result != audit.ResultNotReached || r.Truncation.Against[1].Result != audit.ResultMatch {
		t.Errorf("after a break: %+v", r.Truncation)
	}
	if _, err := audit.VerifyBytes(nil, audit.VerifyOptions{Anchors: []audit.Anchor{{}}}); err == nil {
		t.Error("an anchor without anything was accepted")
	}
}

func TestClaimsSayNoMoreThanWasChecked(t *testing.T) {
	lines := makeChain(t, "test", 10, 1)
	head := headOf(t, lines)
	verdicts := func(r audit.Report) string {
		var all []string
		for _, c := range r.Claims {
			all = append(all, c.ID+" "+c.Verdict)
		}
		return strings.Join(all[:4], ", ")
	}
	anchor := func(size uint64, hash audit.Hash) audit.VerifyOptions {
		return audit.VerifyOptions{Anchors: []audit.Anchor{audit.ExpectHead(size, hash)}}
	}
	for _, c := range []struct {
		name   string
		report audit.Report
		want   string
	}{
		{"plain", verifyBytes(t, join(lines), audit.VerifyOptions{}),
			"integrity proved, tail_complete not_checked, not_rewritten not_checked, canonical not_checked"},
		{"strict and anchored", verifyBytes(t, join(lines), audit.VerifyOptions{Strict: true, Anchors: anchor(10, head.Hash).Anchors}),
			"integrity proved, tail_complete conditional, not_rewritten conditional, canonical proved"},
		{"size only", verifyBytes(t, join(lines), anchor(10, audit.Hash{})),
			"integrity proved, tail_complete conditional, not_rewritten not_checked, canonical not_checked"},
		{"truncated", verifyBytes(t, join(lines[:5]), anchor(10, head.Hash)),
			"integrity proved, tail_complete refuted, not_rewritten not_checked, canonical not_checked"},
		{"rewritten", verifyBytes(t, join(relink(edit(lines, 4, "5004", "5005"), 4)), anchor(10, head.Hash)),
			"integrity proved, tail_complete refuted, not_rewritten refuted, canonical not_checked"},
		{"altered", verifyBytes(t, join(edit(lines, 4, "5004", "5005")), anchor(10, head.Hash)),
			"integrity refuted, tail_complete not_checked, not_rewritten not_checked, canonical not_checked"},
		{"empty", verifyBytes(t, nil, audit.VerifyOptions{AllowEmpty: true}),
			"integrity not_checked, tail_complete not_checked, not_rewritten not_checked, canonical not_checked"},
		{"dropped", verifyBytes(t, nil, anchor(10, head.Hash)),
			"integrity not_checked, tail_complete refuted, not_rewritten refuted, canonical not_checked"},
	} {
		if got := verdicts(c.report); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestTimeRegressionIsAWarning(t *testing.T) {
	lines := makeChain(t, "test", 10, 1)
	lines = relink(edit(edit(lines, 4, "2026-11-21T", "2026-11-20T"), 7, "2026-11-21T", "2026-11-20T"), 4)
	r := verifyBytes(t, join(lines), audit.VerifyOptions{})
	expectBreak(t, r, "", 0)
	want := []audit.Warning{{Kind: audit.TimeRegression, Seq: 5, Count: 2}}
	if !reflect.DeepEqual(r.Warnings, want) {
		t.Errorf("warnings %+v", r.Warnings)
	}
}

func TestReadErrorIsNoVerdict(t *testing.T) {
	stream := join(makeChain(t, "test", 2000, 1))
	// io.ErrUnexpectedEOF is what a connection says that broke.
	for _, broken := range []error{errors.New("disk on fire"), io.ErrUnexpectedEOF} {
		for _, n := range []int{1, 2, 4} {
			for _, after := range []int{0, 10, 300_000, len(stream)} {
				r := io.MultiReader(bytes.NewReader(stream[:after]), iotest.ErrReader(broken))
				if _, err := audit.VerifyReader(r, audit.VerifyOptions{Parallelism: n}); !errors.Is(err, broken) {
					t.Errorf("after %d bytes: error %v", after, err)
				}
			}
		}
	}
}

// fakeStore is a store of function results.
type fakeStore struct {
	head    audit.Head
	headErr error
	blocks  []audit.Block
	err     error
}

func (f fakeStore) Append(context.Context, ...audit.Event) ([]audit.Entry, error) { return nil, nil }
func (f fakeStore) Head(context.Context) (audit.Head, error)                      { return f.head, f.headErr }
func (f fakeStore) Blocks(context.Context, uint64, uint64) iter.Seq2[audit.Block, error] {
	return func(yield func(audit.Block, error) bool) {
		for _, b := range f.blocks {
			if !yield(b, nil) {
				return
			}
		}
		if f.err != nil {
			yield(audit.Block{}, f.err)
		}
	}
}

func TestVerifyComparesWithTheHeadOfTheStore(t *testing.T) {
	lines := makeChain(t, "test", 20, 1)
	block := func(from, to int) audit.Block {
		return audit.Block{First: uint64(from), Last: uint64(to), Lines: join(lines[from-1 : to])}
	}
	broken := errors.New("throttled")
	head := headOf(t, lines)
	forged := head
	forged.Hash[0] ^= 1
	cases := map[string]struct {
		store  fakeStore
		reason audit.Reason
		at     uint64
		err    error
	}{
		"whole":           {fakeStore{head: head, blocks: []audit.Block{block(1, 7), block(8, 20)}}, "", 0, nil},
		"a block is gone": {fakeStore{head: head, blocks: []audit.Block{block(1, 7), block(9, 20)}}, audit.SeqGap, 8, nil},
		"tail is gone":    {fakeStore{head: head, blocks: []audit.Block{block(1, 7)}}, audit.Truncated, 8, nil},
		"all is gone":     {fakeStore{head: head}, audit.Missing, 1, nil},
		"other head":      {fakeStore{head: forged, blocks: []audit.Block{block(1, 20)}}, audit.HeadMismatch, 20, nil},
		"empty":           {fakeStore{}, audit.Missing, 1, nil},
		"head unreadable": {fakeStore{headErr: broken}, "", 0, broken},
		"unreadable":      {fakeStore{head: head, blocks: []audit.Block{block(1, 7)}, err: broken}, "", 0, broken},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := audit.Verify(t.Context(), c.store, audit.VerifyOptions{})
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v", err)
			}
			if err == nil {
				expectBreak(t, r, c.reason, c.at)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := audit.Verify(ctx, cases["whole"].store, audit.VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestVerifyAllocatesNothingPerEntry(t *testing.T) {
	const n = 6000 // more than eight pieces: every place for a piece is in use
	long := join(makeChain(t, "test", 2*n, 1))
	short := long[:len(long)/2]
	for _, o := range []audit.VerifyOptions{{}, {Strict: true}, {Tree: true}, {Tree: true, Parallelism: 2}} {
		allocs := func(stream []byte) float64 {
			return testing.AllocsPerRun(5, func() { verifyBytes(t, stream, o) })
		}
		// The race detector and a busy machine cost some of their own, and the edge of the
		// tree grows; one for each hundredth entry would already be seen.
		if a, b := allocs(short), allocs(long); b > a+n/100 {
			t.Errorf("%+v: %v allocations for %d entries, %v for twice as many", o, a, n, b)
		}
	}
}

// TestReportShape pins the order of the members, which is part of the contract.
func TestReportShape(t *testing.T) {
	text, err := json.Marshal(verifyBytes(t, nil, audit.VerifyOptions{Now: fixedClock}))
	if err != nil {
		t.Fatal(err)
	}
	const begin = `{"valid":false,"entries":0,"broken_at":1,"reason":"missing","last_good_seq":0,"chain":"","first_seq":0,` +
		`"head":null,"mode":"full","rehashed":{"entries":0,"bytes":0,"from":0,"to":0},"truncation":{"checked":false,"against":[]},"claims":[`
	const end = `"warnings":[],"segments":0,"duration_ms":0,"verified_at":"2026-11-22T07:53:12.123456789Z","limits":"`
	if !strings.HasPrefix(string(text), begin) || !strings.Contains(string(text), end) {
		t.Errorf("report %s", text)
	}
	text, _ = json.Marshal(verifyBytes(t, join(makeChain(t, "test", 2, 1)), audit.VerifyOptions{Now: fixedClock}))
	if !strings.HasPrefix(string(text), `{"valid":true,"entries":2,"broken_at":null,"reason":null,`) ||
		!strings.Contains(string(text), `"time":"2026-11-21T07:53:13.623456789Z"}`) {
		t.Errorf("report %s", text)
	}
	var back audit.Report
	if err := json.Unmarshal(text, &back); err != nil || back.Reason != "" || back.Head.Seq != 2 {
		t.Errorf("read back %+v, %v", back, err)
	}
}

func TestDurationUsesTheClock(t *testing.T) {
	now := origin
	r := verifyBytes(t, nil, audit.VerifyOptions{Now: func() time.Time { now = now.Add(42 * time.Millisecond); return now }})
	if r.DurationMS != 42 || !r.VerifiedAt.Equal(origin.Add(42*time.Millisecond)) {
		t.Errorf("duration %d, at %v", r.DurationMS, r.VerifiedAt)
	}
}
