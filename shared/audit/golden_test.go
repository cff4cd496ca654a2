package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/file"
)

var update = flag.Bool("update", false, "rewrite testdata/chains")

const chainsDir = "../../testdata/chains"

// published is a case of the public contract suite: a file, how to verify it, and,
// in <name>.report.json, the report that every implementation should give.
type published struct {
	Name string `json:"name"`
	What string `json:"what"`
	File string `json:"file"`
	// Strict, Chain, ExpectHead, Checkpoint (a file) and VKey are the options of the
	// verification.
	Strict     bool          `json:"strict"`
	Chain      string        `json:"chain"`
	ExpectHead *expectedHead `json:"expect_head"`
	Checkpoint string        `json:"checkpoint,omitempty"`
	VKey       string        `json:"vkey,omitempty"`
	// Live says that a writer may be at work: an incomplete last line is a warning.
	Live bool `json:"live,omitempty"`

	lines [][]byte
}

// expectedHead is a head noted before the damage; a member may be missing.
type expectedHead struct {
	Size uint64      `json:"size,omitempty"`
	Hash *audit.Hash `json:"hash,omitempty"`
}

const (
	checkpointFile   = "good-12.checkpoint"
	checkpointOrigin = "audit.example/example"
)

// publishedKey signs the published checkpoint. It is no secret.
func publishedKey(t *testing.T) (note.Signer, string) {
	t.Helper()
	seed := sha256.Sum256([]byte("the key of testdata/chains"))
	public, _ := ed25519.NewKeyFromSeed(seed[:]).Public().(ed25519.PublicKey)
	vkey, err := note.NewEd25519VerifierKey(checkpointOrigin, public)
	if err != nil {
		t.Fatal(err)
	}
	begin := vkey[:len(checkpointOrigin)+9] // name and the eight digits of the hash
	signer, err := note.NewSigner("PRIVATE+KEY+" + begin + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, seed[:]...)))
	if err != nil {
		t.Fatal(err)
	}
	return signer, vkey
}

// publishedChains builds the suite. The good chain of 64 entries is the large
// example; the damaged ones derive from a chain of twelve.
func publishedChains(t *testing.T) []published {
	large, good := makeChain(t, "example", 64, 7), makeChain(t, "example", 12, 8)
	other := makeChain(t, "example", 12, 9)
	anchor := func(lines [][]byte) *expectedHead {
		h := headOf(t, lines)
		return &expectedHead{h.Seq, &h.Hash}
	}
	damaged := func(name, what string, lines [][]byte) published {
		return published{Name: name, File: name + ".jsonl", What: what, Chain: "example", ExpectHead: anchor(good), lines: lines}
	}
	altered := edit(good, 5, `"amount":5005`, `"amount":9005`)
	declared := clone(altered)
	declared[5] = audittest.Rehash(declared[5])
	last := edit(good, 11, `"amount":5011`, `"amount":9011`)
	last[11] = audittest.Rehash(last[11])
	upper := clone(good)
	at := len(upper[5]) - 67
	copy(upper[5][at:], bytes.ToUpper(upper[5][at:at+64]))
	swapped := clone(good)
	swapped[5], swapped[6] = swapped[6], swapped[5]
	forged := relink([][]byte{good[4], other[5]}, 1)[1]
	suite := []published{
		{Name: "good-64", File: "good-64.jsonl", What: "nothing", Strict: true, Chain: "example", ExpectHead: anchor(large), lines: large},
		{Name: "good-12", File: "good-12.jsonl", What: "nothing; no anchor is given", Chain: "example", lines: good},
		damaged("edited", "entry 6 was altered", altered),
		damaged("edited-rehashed", "entry 6 was altered and rehashed", declared),
		damaged("edited-rehashed-last", "the last entry was altered and rehashed", last),
		damaged("inserted", "a forged line that links to entry 5 was put before entry 6", slices.Insert(clone(good), 5, forged)),
		damaged("inserted-foreign", "a line of another chain was put before entry 6", slices.Insert(clone(good), 5, other[5])),
		damaged("duplicated", "entry 6 stands twice", slices.Insert(clone(good), 5, good[5])),
		damaged("swapped", "entries 6 and 7 changed places", swapped),
		damaged("dropped-middle", "entry 6 was deleted", slices.Delete(clone(good), 5, 6)),
		damaged("dropped-first", "the genesis entry was deleted", good[1:]),
		damaged("dropped-tail", "entries 10 to 12 were deleted", good[:9]),
		damaged("dropped-all", "all entries were deleted", nil),
		damaged("rewritten-suffix", "entry 6 was altered and all hashes after it recomputed", relink(altered, 5)),
		damaged("other-suffix", "entries 7 to 12 are those of another chain, linked to entry 6", relink(slices.Concat(good[:6], other[6:]), 6)),
		damaged("replaced", "another chain of the same name and length", other),
		damaged("other-chain", "a chain of another name", makeChain(t, "elsewhere", 12, 8)),
		damaged("genesis-version", "the genesis entry is of another format, all hashes recomputed", relink(edit(good, 0, "chain/v1", "chain/v2"), 0)),
		damaged("seq-skipped", "entry 6 has seq 7 and was rehashed", rehashed(edit(good, 5, `"seq":6,`, `"seq":7,`), 5)),
		damaged("crlf", "every line ends with CR LF", [][]byte{bytes.ReplaceAll(join(good), []byte("\n"), []byte("\r\n"))}),
		damaged("bom", "the file begins with a byte order mark", append([][]byte{[]byte("\xEF\xBB\xBF")}, good...)),
		damaged("blank-line", "an empty line stands before entry 6", slices.Insert(clone(good), 5, []byte("\n"))),
		damaged("no-final-newline", "the last newline is missing", [][]byte{bytes.TrimSuffix(join(good), []byte("\n"))}),
		damaged("upper-case-hash", "the hash of entry 6 is in upper case", upper),
	}
	return append(append(suite, publishedSpellings(damaged, good)...), publishedAnchors(t, damaged, good)...)
}

// publishedSpellings are lines with correct hashes that only a strict verification
// refuses, and what is no damage at all.
func publishedSpellings(damaged func(name, what string, lines [][]byte) published, good [][]byte) []published {
	suite := []published{
		damaged("duplicate-key", "entry 6 has a key twice", spellings["duplicate key"](good)),
		damaged("needless-escape", `entry 6 writes a letter as \u0061`, spellings["needless escape"](good)),
		damaged("float", "entry 6 has a number with a fraction", spellings["float"](good)),
		damaged("missing-member", "entry 6 has no event", edit(good, 5, `"event":"payment.settled",`, ``)),
	}
	for i := range suite {
		p := &suite[i]
		p.What, p.lines = p.What+", all hashes recomputed", relink(p.lines, 5)
		p.Strict, p.ExpectHead = true, nil
	}
	late := damaged("time-regression", "nothing but a warning: entry 6 is dated before entry 5", relink(edit(good, 5, "2026-11-21T", "2026-11-20T"), 5))
	late.ExpectHead = nil
	torn := damaged("torn-tail", "nothing but a warning: half a line at the end, as a writer leaves it that was killed", append(clone(good), good[11][:150]))
	torn.Live = true
	return append(suite, late, torn)
}

// publishedAnchors hold files against other anchors than the head.
func publishedAnchors(t *testing.T, damaged func(name, what string, lines [][]byte) published, good [][]byte) []published {
	t.Helper()
	_, vkey := publishedKey(t)
	against := func(name, file, what string, head *expectedHead, checkpoint bool) published {
		p := damaged(name, what, nil)
		p.File, p.ExpectHead = file, head
		if checkpoint {
			p.Checkpoint, p.VKey = checkpointFile, vkey
		}
		return p
	}
	hash := headOf(t, good).Hash
	return []published{
		against("checkpoint", "good-12.jsonl", "nothing; held against a checkpoint", nil, true),
		against("checkpoint-tail", "dropped-tail.jsonl", "entries 10 to 12 were deleted; held against a checkpoint", nil, true),
		against("checkpoint-suffix", "rewritten-suffix.jsonl", "entry 6 was altered and all hashes after it recomputed; held against a checkpoint", nil, true),
		against("hash-only", "dropped-tail.jsonl", "entries 10 to 12 were deleted; only the hash of the head was noted", &expectedHead{Hash: &hash}, false),
		against("size-only", "dropped-tail.jsonl", "entries 10 to 12 were deleted; only the number of entries was noted", &expectedHead{Size: 12}, false),
	}
}

// rehashed declares the right hash of one line.
func rehashed(lines [][]byte, i int) [][]byte {
	lines[i] = audittest.Rehash(lines[i])
	return lines
}

// verify verifies the stored file as the case says.
func (p published) verify(t *testing.T) audit.Report {
	t.Helper()
	o := audit.VerifyOptions{Strict: p.Strict, Chain: p.Chain, Now: fixedClock}
	if p.ExpectHead != nil {
		var hash audit.Hash
		if p.ExpectHead.Hash != nil {
			hash = *p.ExpectHead.Hash
		}
		o.Anchors = append(o.Anchors, audit.ExpectHead(p.ExpectHead.Size, hash))
	}
	if p.Checkpoint != "" {
		key, err := note.NewVerifier(p.VKey)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := os.ReadFile(filepath.Join(chainsDir, p.Checkpoint))
		if err != nil {
			t.Fatal(err)
		}
		c, err := audit.OpenCheckpoint(signed, key.Name(), note.VerifierList(key))
		if err != nil {
			t.Fatal(err)
		}
		o.Anchors = append(o.Anchors, audit.Anchor{Kind: "checkpoint", Size: c.Size, Root: c.Root})
	}
	path := filepath.Join(chainsDir, p.File)
	if p.Live {
		r, err := file.Verify(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return verifyBytes(t, stored, o)
}

// TestPublishedChains compares testdata/chains with the suite and each report with
// its golden. -update writes all of it.
func TestPublishedChains(t *testing.T) {
	suite := publishedChains(t)
	golden(t, "cases.json", indented(t, suite))
	golden(t, checkpointFile, publishedCheckpoint(t))
	names := []string{".gitattributes", "README.md", "cases.json", checkpointFile}
	seen := map[string]bool{}
	for _, p := range suite {
		if p.File == p.Name+".jsonl" {
			golden(t, p.File, join(p.lines))
		}
		r := p.verify(t)
		golden(t, p.Name+".report.json", indented(t, r))
		names = append(names, p.File, p.Name+".report.json")
		seen[string(r.Reason)] = true
		for _, w := range r.Warnings {
			seen[w.Kind] = true
		}
	}
	for _, reason := range []audit.Reason{"", audit.Malformed, audit.Noncanonical, audit.HashMismatch, audit.DuplicateSeq, audit.SeqGap, audit.PrevMismatch,
		audit.GenesisMismatch, audit.Missing, audit.Truncated, audit.HeadMismatch, audit.CheckpointMismatch, audit.TimeRegression, audit.TornTail} {
		if !seen[string(reason)] {
			t.Errorf("no case shows %q", reason)
		}
	}
	onlyThese(t, names)
}

// publishedCheckpoint is the signed note of the good chain of twelve entries.
func publishedCheckpoint(t *testing.T) []byte {
	t.Helper()
	signer, _ := publishedKey(t)
	root := verifyBytes(t, join(makeChain(t, "example", 12, 8)), audit.VerifyOptions{Tree: true}).Root
	signed, err := audit.Checkpoint{Origin: checkpointOrigin, Size: 12, Root: *root}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// onlyThese fails for other files in the folder, and if it grows beyond 300 KB.
func onlyThese(t *testing.T, names []string) {
	t.Helper()
	found, err := os.ReadDir(chainsDir)
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, f := range found {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("%s is not part of the suite", f.Name())
		}
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 300_000 {
		t.Errorf("the suite has %d bytes", size)
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func golden(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join(chainsDir, name)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs (%v); if that is wanted, run with -update. Want:\n%.2000s", name, err, want)
	}
}
