package audit_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/audit"
)

var update = flag.Bool("update", false, "write testdata/chains anew")

const chainsDir = "../../testdata/chains"

// published is a chain of the public contract suite: a file, how to verify it, and
// the report that every implementation should give.
type published struct {
	// File is <name>.jsonl; its report is <name>.report.json.
	File string `json:"file"`
	What string `json:"what"`
	// Strict, Chain and ExpectHead are the options of the verification.
	Strict     bool          `json:"strict"`
	Chain      string        `json:"chain"`
	ExpectHead *expectedHead `json:"expect_head"`

	lines [][]byte
}

type expectedHead struct {
	Size uint64     `json:"size"`
	Hash audit.Hash `json:"hash"`
}

// publishedChains builds the suite. The good chain of 200 entries is the large
// example; the damaged ones derive from a chain of twelve.
func publishedChains(t *testing.T) []published {
	large, good := makeChain(t, "example", 200, 7), makeChain(t, "example", 12, 8)
	other := makeChain(t, "example", 12, 9)
	anchor := func(lines [][]byte) *expectedHead {
		h := headOf(t, lines)
		return &expectedHead{h.Seq, h.Hash}
	}
	damaged := func(name, what string, lines [][]byte) published {
		return published{File: name + ".jsonl", What: what, Chain: "example", ExpectHead: anchor(good), lines: lines}
	}
	strict := func(p published) published {
		p.Strict, p.ExpectHead = true, nil
		return p
	}
	altered := edit(good, 5, `"amount":5005`, `"amount":9005`)
	declared := clone(altered)
	declared[5] = rehash(declared[5])
	upper := clone(good)
	at := len(upper[5]) - 67
	copy(upper[5][at:], bytes.ToUpper(upper[5][at:at+64]))
	swapped := clone(good)
	swapped[5], swapped[6] = swapped[6], swapped[5]
	forged := relink([][]byte{good[4], other[5]}, 1)[1]
	return []published{
		{File: "good-200.jsonl", What: "nothing", Strict: true, Chain: "example", ExpectHead: anchor(large), lines: large},
		{File: "good-12.jsonl", What: "nothing; no anchor is given", Chain: "example", lines: good},
		damaged("edited", "entry 6 was altered", altered),
		damaged("edited-rehashed", "entry 6 was altered and its hash declared anew", declared),
		damaged("inserted", "a forged line that links to entry 5 was put before entry 6", slices.Insert(clone(good), 5, forged)),
		damaged("inserted-foreign", "a line of another chain was put before entry 6", slices.Insert(clone(good), 5, other[5])),
		damaged("duplicated", "entry 6 stands twice", slices.Insert(clone(good), 5, good[5])),
		damaged("swapped", "entries 6 and 7 changed places", swapped),
		damaged("dropped-middle", "entry 6 was deleted", slices.Delete(clone(good), 5, 6)),
		damaged("dropped-first", "the genesis entry was deleted", good[1:]),
		damaged("dropped-tail", "entries 10 to 12 were deleted", good[:9]),
		damaged("dropped-all", "all entries were deleted", nil),
		damaged("rewritten-suffix", "entry 6 was altered and all hashes after it recomputed", relink(altered, 5)),
		damaged("replaced", "another chain of the same name and length", other),
		damaged("other-chain", "a chain of another name", makeChain(t, "elsewhere", 12, 8)),
		damaged("crlf", "every line ends with CR LF", [][]byte{bytes.ReplaceAll(join(good), []byte("\n"), []byte("\r\n"))}),
		damaged("bom", "the file begins with a byte order mark", append([][]byte{[]byte("\xEF\xBB\xBF")}, good...)),
		damaged("blank-line", "an empty line stands before entry 6", slices.Insert(clone(good), 5, []byte("\n"))),
		damaged("no-final-newline", "the last newline is missing", [][]byte{bytes.TrimSuffix(join(good), []byte("\n"))}),
		damaged("upper-case-hash", "the hash of entry 6 is in upper case", upper),
		strict(damaged("duplicate-key", "entry 6 has a key twice, all hashes recomputed", relink(spellings["duplicate key"](good), 5))),
		strict(damaged("needless-escape", `entry 6 writes a letter as \u0061, all hashes recomputed`, relink(spellings["needless escape"](good), 5))),
		strict(damaged("float", "entry 6 has a number with a fraction, all hashes recomputed", relink(spellings["float"](good), 5))),
		damaged("time-regression", "nothing but a warning: entry 6 is dated before entry 5", relink(edit(good, 5, "2026-11-21T", "2026-11-20T"), 5)).without(),
	}
}

// without drops the anchor, for a chain that was made as it is.
func (p published) without() published {
	p.ExpectHead = nil
	return p
}

func (p published) options() audit.VerifyOptions {
	o := audit.VerifyOptions{Strict: p.Strict, Chain: p.Chain, Now: fixedClock}
	if p.ExpectHead != nil {
		o.Anchors = []audit.Anchor{audit.ExpectHead(p.ExpectHead.Size, p.ExpectHead.Hash)}
	}
	return o
}

// TestPublishedChains compares testdata/chains with the suite and each report with
// its golden. -update writes all of it.
func TestPublishedChains(t *testing.T) {
	suite := publishedChains(t)
	golden(t, "cases.json", indented(t, suite))
	names := []string{".gitattributes", "README.md", "cases.json"}
	for _, p := range suite {
		report, _ := strings.CutSuffix(p.File, ".jsonl")
		report += ".report.json"
		names = append(names, p.File, report)
		golden(t, p.File, join(p.lines))
		stored, err := os.ReadFile(filepath.Join(chainsDir, p.File))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, report, indented(t, verifyBytes(t, stored, p.options())))
	}
	found, err := os.ReadDir(chainsDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("%s is not part of the suite", f.Name())
		}
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
