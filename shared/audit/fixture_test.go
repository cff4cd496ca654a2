package audit_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
)

// origin is the time of the genesis entry of every fixture.
var origin = time.Date(2026, 11, 21, 7, 53, 12, 123456789, time.UTC)

// randomReader yields the same bytes for the same seed.
func randomReader(seed uint64) io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return rand.NewChaCha8(key)
}

// makeChain returns n lines of a chain, each with its newline. The same arguments
// give the same bytes.
func makeChain(tb testing.TB, name string, n int, seed uint64) [][]byte {
	tb.Helper()
	random, now := randomReader(seed), origin
	d, err := audit.Genesis(name, "https://audit.example", now, random)
	if err != nil {
		tb.Fatal(err)
	}
	var head audit.Head
	lines := make([][]byte, 0, n)
	for {
		line, e := head.Next(nil, d, now)
		lines, head = append(lines, line), e.Head()
		if len(lines) == n {
			return lines
		}
		now = now.Add(1500 * time.Millisecond)
		if d, err = audit.NewDraft(fixtureEvent(tb, len(lines), now, random)); err != nil {
			tb.Fatal(err)
		}
	}
}

func fixtureEvent(tb testing.TB, n int, now time.Time, random io.Reader) audit.Event {
	id, err := audit.NewID(now, random)
	if err != nil {
		tb.Fatal(err)
	}
	return audit.Event{
		ID: id, Actor: "0x52908400098527886E0F7030069857D2E4169EE7", Type: "payment.settled",
		Payload: map[string]any{"amount": 5000 + n, "path": "/x402/verify-audit", "tx": fmt.Sprintf("0x%040x", n)},
	}
}

func join(lines [][]byte) []byte { return bytes.Join(lines, nil) }

// clone copies lines deeply.
func clone(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = bytes.Clone(l)
	}
	return out
}

// headOf returns the head of a chain.
func headOf(tb testing.TB, lines [][]byte) audit.Head {
	tb.Helper()
	e, err := audit.ParseEntry(bytes.TrimSuffix(lines[len(lines)-1], []byte("\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return e.Head()
}

// relink does what a forger with full access does: it recomputes all links and
// hashes from an index on.
func relink(lines [][]byte, from int) [][]byte {
	lines = clone(lines)
	for i := from; i < len(lines); i++ {
		if i > 0 {
			prev := audit.HashLine(bytes.TrimSuffix(lines[i-1], []byte("\n")))
			at := bytes.LastIndex(lines[i], []byte(`,"prev_hash":"`)) + len(`,"prev_hash":"`)
			hex.Encode(lines[i][at:], prev[:])
		}
		lines[i] = audittest.Rehash(lines[i])
	}
	return lines
}

// edit replaces text in one line.
func edit(lines [][]byte, i int, old, new string) [][]byte {
	lines = clone(lines)
	changed := bytes.Replace(lines[i], []byte(old), []byte(new), 1)
	if bytes.Equal(changed, lines[i]) {
		panic("edit changes nothing: " + old)
	}
	lines[i] = changed
	return lines
}

// fixedClock makes reports reproducible.
func fixedClock() time.Time { return origin.Add(24 * time.Hour) }

func verifyBytes(tb testing.TB, stream []byte, o audit.VerifyOptions) audit.Report {
	tb.Helper()
	r, err := audit.VerifyBytes(stream, o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// expectBreak fails unless the report has the reason and place; "" means valid.
func expectBreak(tb testing.TB, r audit.Report, reason audit.Reason, at uint64) {
	tb.Helper()
	got := uint64(0)
	if r.BrokenAt != nil {
		got = *r.BrokenAt
	}
	if r.Reason != reason || got != at || r.Valid != (reason == "") || at > 0 && r.LastGoodSeq != at-1 {
		tb.Errorf("got %q at %d (valid %v, last good %d), want %q at %d", r.Reason, got, r.Valid, r.LastGoodSeq, reason, at)
	}
}
