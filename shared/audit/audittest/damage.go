package audittest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"governance.internal/shared/audit"
)

// Damaged is a store whose stored lines a test can change.
type Damaged struct {
	audit.Store
	// Replace stores these lines, each with its newline, in place of all.
	Replace func(lines [][]byte)
}

// DamageLength is how many entries the chain for [RunDamage] must have.
const DamageLength = 200

// RunDamage changes a stored chain in every way that the stride leaves: one bit of
// every so manieth byte, from a random one on, and each kind of edit, newlines included,
// of every twentieth line. Each must be found by a verification of the store, at
// its place. With the environment variable TAMPER_STRIDE=1 nothing is left out.
func RunDamage(t *testing.T, d Damaged, stride int) {
	if text := os.Getenv("TAMPER_STRIDE"); text != "" {
		var err error
		if stride, err = strconv.Atoi(text); err != nil || stride < 1 {
			t.Fatalf("TAMPER_STRIDE is %q", text)
		}
	}

	lines := bytes.SplitAfter(Lines(t, d.Store, 1, DamageLength), []byte("\n"))
	lines = lines[:len(lines)-1] // what follows the last newline is nothing
	if len(lines) != DamageLength {
		t.Fatalf("%d lines", len(lines))
	}

	offset := rand.IntN(stride)
	t.Logf("every %d, from %d on", stride, offset)
	m := damage{t, d, lines}
	t.Logf("%d flips", m.flips(stride, offset))
	edits := 0
	for i := range lines {
		if chosen(i, stride, offset) {
			edits += m.edits(i)
		}
	}

	t.Logf("%d edits", edits)
	d.Replace(lines)
	if r := m.report(); !r.Valid {
		t.Errorf("restored: %+v", r)
	}
}

// chosen reports whether the line with an index is one of those that are edited.
func chosen(i, stride, offset int) bool {
	return stride == 1 || i%20 == offset%20
}

type damage struct {
	t     *testing.T
	d     Damaged
	lines [][]byte
}

func (m damage) report() audit.Report {
	r, err := audit.Verify(m.t.Context(), m.d.Store, audit.VerifyOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// flips flips one bit of bytes, and gives their number.
func (m damage) flips(stride, offset int) (cases int) {
	at := 0
	changed := slices.Clone(m.lines)
	for i, line := range m.lines {
		for j := range line {
			newline := j == len(line)-1
			if at++; at%stride != offset && !(newline && chosen(i, stride, offset)) {
				continue
			}

			cases++
			changed[i] = bytes.Clone(line)
			changed[i][j] ^= 1 << (at % 8)
			m.d.Replace(changed)
			r := m.report()
			if r.Valid || *r.BrokenAt != uint64(i+1) && !(newline && *r.BrokenAt == uint64(i+2)) {
				m.t.Errorf("byte %d of entry %d: valid %v, broken at %v, %s",
					j, i+1, r.Valid, r.BrokenAt, r.Reason)
			}
		}

		changed[i] = line
		m.d.Replace(changed)
	}

	return cases
}

// edits makes each kind of edit at one line, and gives their number. Lines after the head
// are not part of the chain, so nothing is written there.
func (m damage) edits(i int) (cases int) {
	first := i == 0
	last := i == len(m.lines)-1

	for _, e := range m.editsOf(i) {
		if first && e.notFirst || last && e.notLast {
			continue
		}
		cases++
		m.d.Replace(e.lines)

		r := m.report()
		broken := uint64(e.at + 1)
		if r.Valid || r.Reason != e.reason || *r.BrokenAt != broken {
			m.t.Errorf("entry %d %s: %s at %s, want %s at %d",
				i+1, e.what, r.Reason, place(r), e.reason, broken)
		}

		m.d.Replace(m.lines)
	}

	return cases
}

// An edit is what somebody made of the lines of a chain.
type edit struct {
	what     string
	lines    [][]byte
	reason   audit.Reason
	at       int  // index of the line that is found broken
	notFirst bool // not an edit of the first line
	notLast  bool // not an edit of the last line
}

// editsOf returns the edits of one line.
func (m damage) editsOf(i int) []edit {
	line := m.lines[i]
	altered := bytes.Replace(line, []byte(`"actor":"`), []byte(`"actor":"x`), 1)

	return []edit{
		{
			what:    "deleted",
			lines:   slices.Delete(slices.Clone(m.lines), i, i+1),
			reason:  audit.SeqGap,
			at:      i,
			notLast: true,
		},
		{
			what:     "cut off, with all after it",
			lines:    m.lines[:i:i],
			reason:   audit.Truncated,
			at:       i,
			notFirst: true,
		},
		{
			what:    "duplicated",
			lines:   slices.Insert(slices.Clone(m.lines), i, line),
			reason:  audit.DuplicateSeq,
			at:      i + 1,
			notLast: true,
		},
		{
			what:    "swapped with the next",
			lines:   swap(m.lines, i),
			reason:  audit.SeqGap,
			at:      i,
			notLast: true,
		},
		{
			what:   "altered",
			lines:  put(m.lines, i, altered),
			reason: audit.HashMismatch,
			at:     i,
		},
		{
			what:     "altered and rehashed",
			lines:    put(m.lines, i, Rehash(altered)),
			reason:   audit.PrevMismatch,
			at:       i + 1,
			notFirst: true,
			notLast:  true,
		},
		{
			what:     "altered, with all later entries relinked",
			lines:    relink(put(m.lines, i, altered), i),
			reason:   audit.HeadMismatch,
			at:       len(m.lines) - 1,
			notFirst: true,
		},
	}
}

func place(r audit.Report) string {
	if r.BrokenAt == nil {
		return "no place"
	}
	return fmt.Sprint(*r.BrokenAt)
}

func put(lines [][]byte, i int, line []byte) [][]byte {
	lines = slices.Clone(lines)
	lines[i] = line
	return lines
}

func swap(lines [][]byte, i int) [][]byte {
	lines = slices.Clone(lines)
	if i+1 < len(lines) {
		lines[i], lines[i+1] = lines[i+1], lines[i]
	}
	return lines
}

// Rehash declares the right hash for what a line, with its newline, now contains.
func Rehash(line []byte) []byte {
	line = bytes.TrimSuffix(bytes.Clone(line), []byte("\n"))
	h := audit.HashLine(line)
	hex.Encode(line[len(line)-66:], h[:])
	return append(line, '\n')
}

// relink does what a forger with full access does: it recomputes all links and hashes
// from an index on.
func relink(lines [][]byte, from int) [][]byte {
	member := []byte(`,"prev_hash":"`)
	lines = slices.Clone(lines)
	lines[from] = Rehash(lines[from])

	for i := from + 1; i < len(lines); i++ {
		before := bytes.TrimSuffix(lines[i-1], []byte("\n"))
		prev := audit.HashLine(before)

		line := bytes.Clone(lines[i])
		at := bytes.LastIndex(line, member) + len(member)
		hex.Encode(line[at:], prev[:])
		lines[i] = Rehash(line)
	}

	return lines
}
