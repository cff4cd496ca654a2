package audit_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
)

const chainLength = 200

// TestEveryFlippedByteIsFound flips one bit of every byte of a 200-entry chain. The
// break must be reported at the touched entry; for a newline also at the next.
func TestEveryFlippedByteIsFound(t *testing.T) {
	lines := makeChain(t, "test", chainLength, 1)
	var group sync.WaitGroup
	cases := len(join(lines))
	for half := range 2 {
		group.Go(func() {
			stream := join(lines)
			at := 0
			for i, line := range lines {
				for j := range line {
					if (at+j)%2 == half {
						flipped(t, stream, at+j, uint64(i+1), j == len(line)-1)
					}
				}
				at += len(line)
			}
		})
	}
	group.Wait()
	t.Logf("%d flips", cases)
}

func flipped(t *testing.T, stream []byte, at int, seq uint64, newline bool) {
	bit := byte(1) << (at % 8)
	stream[at] ^= bit
	defer func() { stream[at] ^= bit }()
	r := verifyBytes(t, stream, audit.VerifyOptions{Now: fixedClock})
	if r.Valid || *r.BrokenAt != seq && !(newline && *r.BrokenAt == seq+1) {
		t.Errorf("byte %d of entry %d: valid %v, broken at %v", at, seq, r.Valid, r.BrokenAt)
	}
	if at%11 > 0 {
		return
	}
	strict := verifyBytes(t, stream, audit.VerifyOptions{Now: fixedClock, Strict: true, Parallelism: 2})
	if strict.Reason != r.Reason || strict.LastGoodSeq != r.LastGoodSeq || strict.Entries != r.Entries {
		t.Errorf("byte %d: strict says %s at %d, not %s at %d", at, strict.Reason, strict.LastGoodSeq, r.Reason, r.LastGoodSeq)
	}
}

// TestEveryLine deletes, duplicates, swaps, inserts and forges each line.
func TestEveryLine(t *testing.T) {
	lines := makeChain(t, "test", chainLength, 1)
	head := headOf(t, lines)
	anchored := audit.VerifyOptions{Anchors: []audit.Anchor{audit.ExpectHead(head.Seq, head.Hash)}}
	foreign := makeChain(t, "test", chainLength, 2)
	check := func(what string, changed [][]byte, o audit.VerifyOptions, reason audit.Reason, at int) {
		t.Helper()
		r := verifyBytes(t, join(changed), o)
		if r.Reason != reason || r.LastGoodSeq != uint64(at-1) || r.Entries != uint64(len(changed)) {
			t.Errorf("%s: %s at %d of %d, want %s at %d", what, r.Reason, r.LastGoodSeq+1, r.Entries, reason, at)
		}
	}
	for i := range lines {
		seq, what := i+1, fmt.Sprintf("entry %d ", i+1)
		deleted := slices.Delete(clone(lines), i, i+1)
		if seq < chainLength {
			check(what+"deleted", deleted, audit.VerifyOptions{}, audit.SeqGap, seq)
		} else {
			check(what+"deleted", deleted, anchored, audit.Truncated, seq)
		}
		check(what+"duplicated", slices.Insert(clone(lines), i, lines[i]), anchored, audit.DuplicateSeq, seq+1)
		if seq < chainLength {
			swapped := clone(lines)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			check(what+"swapped", swapped, anchored, audit.SeqGap, seq)
		}
		if i > 0 {
			check(what+"preceded by a foreign line", slices.Insert(clone(lines), i, foreign[i]), anchored, audit.PrevMismatch, seq)
			forged := clone(lines)
			forged[i] = relink([][]byte{lines[i-1], foreign[i]}, 1)[1]
			check(what+"preceded by a linked line", slices.Insert(clone(lines), i, forged[i]), anchored, audit.DuplicateSeq, seq+1)
			checkForged(check, what, lines, i, anchored)
		}
	}
}

// checkForged alters one entry and rehashes it.
func checkForged(check func(string, [][]byte, audit.VerifyOptions, audit.Reason, int),
	what string, lines [][]byte, i int, anchored audit.VerifyOptions) {
	altered := edit(lines, i, `"path":"/x402`, `"path":"/free`)
	check(what+"altered", altered, anchored, audit.HashMismatch, i+1)
	altered[i] = audittest.Rehash(altered[i])
	if i+1 < len(lines) {
		check(what+"altered and rehashed", altered, audit.VerifyOptions{}, audit.PrevMismatch, i+2)
	} else {
		check(what+"altered and rehashed", altered, anchored, audit.HeadMismatch, i+1)
	}
	rewritten := relink(altered, i+1)
	check(what+"with the suffix rewritten, no anchor", rewritten, audit.VerifyOptions{}, "", len(lines)+1)
	check(what+"with the suffix rewritten", rewritten, anchored, audit.HeadMismatch, len(lines))
}

func TestCutTails(t *testing.T) {
	lines := makeChain(t, "test", chainLength, 1)
	head := headOf(t, lines)
	for k := 1; k < chainLength; k++ {
		cut := join(lines[:chainLength-k])
		expectBreak(t, verifyBytes(t, cut, audit.VerifyOptions{}), "", 0)
		for _, a := range []audit.Anchor{audit.ExpectHead(head.Seq, head.Hash), audit.ExpectHead(head.Seq, audit.Hash{})} {
			r := verifyBytes(t, cut, audit.VerifyOptions{Anchors: []audit.Anchor{a}})
			expectBreak(t, r, audit.Truncated, uint64(chainLength-k+1))
		}
		r := verifyBytes(t, cut, audit.VerifyOptions{Anchors: []audit.Anchor{audit.ExpectHead(0, head.Hash)}})
		expectBreak(t, r, audit.HeadMismatch, uint64(chainLength-k))
	}
}

// spellings are damages to the spelling of the line with index 5, which leave its
// meaning to a lenient reader as it is.
var spellings = map[string]func([][]byte) [][]byte{
	"needless escape": func(l [][]byte) [][]byte { return edit(l, 5, `"path"`, `"p\u0061th"`) },
	"escaped solidus": func(l [][]byte) [][]byte { return edit(l, 5, `"/x402/`, `"\/x402/`) },
	"duplicate key":   func(l [][]byte) [][]byte { return edit(l, 5, `"path":`, `"amount":1,"path":`) },
	"other key order": func(l [][]byte) [][]byte { return edit(l, 5, `{"amount":5005,`, `{"zzz":1,"amount":5005,`) },
	"white space":     func(l [][]byte) [][]byte { return edit(l, 5, `"path":`, `"path": `) },
	"float":           func(l [][]byte) [][]byte { return edit(l, 5, `5005`, `5005.0`) },
	"exponent":        func(l [][]byte) [][]byte { return edit(l, 5, `5005`, `5005e0`) },
	"minus zero":      func(l [][]byte) [][]byte { return edit(l, 5, `5005`, `-0`) },
	"large integer":   func(l [][]byte) [][]byte { return edit(l, 5, `5005`, `9007199254740992`) },
	"not UTF-8":       func(l [][]byte) [][]byte { return edit(l, 5, `/x402/`, "/x402\xff") },
}

func TestSpelling(t *testing.T) {
	lines := makeChain(t, "test", 10, 1)
	head := headOf(t, lines)
	for name, change := range spellings {
		t.Run(name, func(t *testing.T) {
			changed := change(lines)
			expectBreak(t, verifyBytes(t, join(changed), audit.VerifyOptions{}), audit.Noncanonical, 6)
			expectBreak(t, verifyBytes(t, join(changed), audit.VerifyOptions{Strict: true}), audit.Noncanonical, 6)
			// The hash covers what is stored, so a forger who rehashes it passes
			// without Strict and without an anchor, as documented.
			changed = relink(changed, 5)
			expectBreak(t, verifyBytes(t, join(changed), audit.VerifyOptions{}), "", 0)
			expectBreak(t, verifyBytes(t, join(changed), audit.VerifyOptions{Strict: true}), audit.Noncanonical, 6)
			anchors := []audit.Anchor{audit.ExpectHead(head.Seq, head.Hash)}
			expectBreak(t, verifyBytes(t, join(changed), audit.VerifyOptions{Anchors: anchors}), audit.HeadMismatch, 10)
		})
	}
}

// TestEndOfLineSpelling covers what the fixed-width end, which is always checked,
// refuses even if rehashed.
func TestEndOfLineSpelling(t *testing.T) {
	lines := makeChain(t, "test", 10, 1)
	upper := func(i int) [][]byte {
		changed := clone(lines)
		at := len(changed[i]) - 67
		copy(changed[i][at:], bytes.ToUpper(changed[i][at:at+64]))
		return changed
	}
	forgedSeq := func(text string) [][]byte {
		changed := edit(lines, 5, `"seq":6,`, `"seq":`+text+`,`)
		changed[5] = audittest.Rehash(changed[5])
		return changed
	}
	noTime := edit(lines, 5, "21T07:53", "21t07:53")
	noTime[5] = audittest.Rehash(noTime[5])
	cases := map[string]struct {
		stream []byte
		reason audit.Reason
		at     uint64
	}{
		"time of another shape": {join(noTime), audit.Malformed, 6},
		"upper-case hash":       {join(upper(5)), audit.Noncanonical, 6},
		"CRLF":                  {bytes.ReplaceAll(join(lines), []byte("\n"), []byte("\r\n")), audit.Noncanonical, 1},
		"BOM":                   {append([]byte("\xEF\xBB\xBF"), join(lines)...), audit.Noncanonical, 1},
		"blank line within":     {join(slices.Insert(clone(lines), 5, []byte("\n"))), audit.Noncanonical, 6},
		"blank line at end":     {append(join(lines), '\n'), audit.Noncanonical, 11},
		"spaces at end":         {append(join(lines), "  \n"...), audit.Noncanonical, 11},
		"no newline at end":     {bytes.TrimSuffix(join(lines), []byte("\n")), audit.Malformed, 10},
		"rubbish at end":        {append(join(lines), "rubbish"...), audit.Malformed, 11},
		"rubbish line":          {append(join(lines), "rubbish\n"...), audit.Malformed, 11},
		"half a line":           {append(join(lines), lines[9][:100]...), audit.Malformed, 11},
		"a member is missing":   {join(edit(lines, 5, `"event":"payment.settled",`, ``)), audit.Malformed, 6},
		"a member is renamed":   {join(edit(lines, 5, `"event":`, `"Event":`)), audit.Noncanonical, 6},
		"leading zero in seq":   {join(forgedSeq("06")), audit.Malformed, 6},
		"float seq":             {join(forgedSeq("6.0")), audit.Malformed, 6},
		"seq zero":              {join(forgedSeq("0")), audit.Malformed, 6},
		"larger seq":            {join(forgedSeq("7")), audit.SeqGap, 6},
		"huge seq":              {join(forgedSeq("9007199254740991")), audit.SeqGap, 6},
		"smaller seq":           {join(forgedSeq("5")), audit.DuplicateSeq, 6},
		"seq beyond 2^53":       {join(forgedSeq("9007199254740992")), audit.Noncanonical, 6},
		"a line over the size":  {join(slices.Insert(clone(lines), 5, append(bytes.Repeat([]byte(" "), 70_000), '\n'))), audit.Malformed, 6},
		"a line over a piece":   {join(slices.Insert(clone(lines), 5, append(bytes.Repeat([]byte(" "), 600_000), '\n'))), audit.Malformed, 6},
		"zeros":                 {make([]byte, 700_000), audit.Malformed, 1},
		"newlines":              {bytes.Repeat([]byte("\n"), 700_000), audit.Noncanonical, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			allModesSay(t, c.stream, c.reason, c.at)
		})
	}
}

// allModesSay expects a break, the same whether verified strictly or with several
// goroutines, and the lines counted.
func allModesSay(t *testing.T, stream []byte, reason audit.Reason, at uint64) {
	t.Helper()
	plain := verifyBytes(t, stream, audit.VerifyOptions{Now: fixedClock})
	expectBreak(t, plain, reason, at)
	expectBreak(t, verifyBytes(t, stream, audit.VerifyOptions{Strict: true}), reason, at)
	parallel, err := audit.VerifyReader(bytes.NewReader(stream), audit.VerifyOptions{Now: fixedClock, Parallelism: 3})
	if err != nil || !reflect.DeepEqual(parallel, plain) {
		t.Errorf("report %+v differs from %+v, %v", parallel, plain, err)
	}
	lines := uint64(bytes.Count(stream, []byte("\n")))
	if stream[len(stream)-1] != '\n' {
		lines++
	}
	if plain.Entries != lines {
		t.Errorf("%d entries, want %d", plain.Entries, lines)
	}
}

func TestOtherChains(t *testing.T) {
	lines := makeChain(t, "test", 20, 1)
	head := headOf(t, lines)
	anchors := []audit.Anchor{audit.ExpectHead(head.Seq, head.Hash)}
	other, sameName := makeChain(t, "other", 20, 2), makeChain(t, "test", 20, 3)
	suffix := relink(append(clone(lines[:10]), sameName[10:]...), 10)
	cases := map[string]struct {
		lines  [][]byte
		o      audit.VerifyOptions
		reason audit.Reason
		at     uint64
	}{
		"nothing":                          {nil, audit.VerifyOptions{}, audit.Missing, 1},
		"nothing, allowed":                 {nil, audit.VerifyOptions{AllowEmpty: true}, "", 0},
		"nothing, allowed but chain named": {nil, audit.VerifyOptions{AllowEmpty: true, Chain: "test"}, audit.Missing, 1},
		"nothing, allowed but anchored":    {nil, audit.VerifyOptions{AllowEmpty: true, Anchors: anchors}, audit.Missing, 1},
		"other name":                       {other, audit.VerifyOptions{Chain: "test"}, audit.GenesisMismatch, 1},
		"other name, any accepted":         {other, audit.VerifyOptions{}, "", 0},
		"other name, anchored":             {other, audit.VerifyOptions{Anchors: anchors}, audit.HeadMismatch, 20},
		"same name, anchored":              {sameName, audit.VerifyOptions{Chain: "test", Anchors: anchors}, audit.HeadMismatch, 20},
		"other suffix of the same length":  {suffix, audit.VerifyOptions{Anchors: anchors}, audit.HeadMismatch, 20},
		"other suffix, no anchor":          {suffix, audit.VerifyOptions{}, "", 0},
		"no genesis":                       {lines[1:], audit.VerifyOptions{}, audit.SeqGap, 1},
		"genesis of another version":       {relink(edit(lines, 0, "chain/v1", "chain/v2"), 0), audit.VerifyOptions{}, audit.GenesisMismatch, 1},
		"genesis of another event":         {relink(edit(lines, 0, "chain.created", "chain.imported"), 0), audit.VerifyOptions{}, audit.GenesisMismatch, 1},
		"genesis with a predecessor":       {relink(edit(lines, 0, `_hash":"0`, `_hash":"1`), 0), audit.VerifyOptions{}, audit.GenesisMismatch, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			expectBreak(t, verifyBytes(t, join(c.lines), c.o), c.reason, c.at)
		})
	}
}
