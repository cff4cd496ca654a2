package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

type legacyRecord struct {
	ID        int    `json:"id"`
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"`
	Detail    string `json:"detail"`
	Hash      string `json:"hash"`
	PrevHash  string `json:"prev_hash"`
}

// legacyChain makes an old chain; the text is that of the program that wrote them.
func legacyChain(tb testing.TB, n int, change func([]legacyRecord) any) string {
	tb.Helper()
	prev := strings.Repeat("0", 64)
	records := make([]legacyRecord, n)
	for i := range records {
		r := legacyRecord{ID: i + 1, Timestamp: "2026-03-01T10:00:00.000Z", Type: "DISPATCH", Detail: fmt.Sprintf("Task \"%d\" | é ☃ \n", i), PrevHash: prev}
		sum := sha256.Sum256([]byte(prev + r.Timestamp + "|" + r.Type + "|" + r.Detail))
		r.Hash = hex.EncodeToString(sum[:])
		prev = r.Hash
		records[i] = r
	}
	var file any = records
	if change != nil {
		file = change(records)
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func readLegacy(t *testing.T, text string) audit.Legacy {
	t.Helper()
	l, err := audit.ReadLegacy(iotest.HalfReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256([]byte(text)); l.SHA256 != sum {
		t.Errorf("digest %s of a file with %x", l.SHA256, sum)
	}
	return l
}

func TestAnOldChainIsCheckedByItsOwnRule(t *testing.T) {
	good := readLegacy(t, legacyChain(t, 7, nil)+"\n\n")
	if good.Records != 7 || good.BrokenAt != 0 || good.Reason != "" || good.Head.IsZero() {
		t.Errorf("%+v", good)
	}
	for name, c := range map[string]struct {
		change func([]legacyRecord) any
		at     uint64
		reason audit.Reason
	}{
		"detail edited": {func(r []legacyRecord) any { r[3].Detail += "!"; return r }, 4, audit.HashMismatch},
		"edited, declared": {func(r []legacyRecord) any {
			r[3].Detail = "other"
			sum := sha256.Sum256([]byte(r[3].PrevHash + r[3].Timestamp + "|" + r[3].Type + "|other"))
			r[3].Hash = hex.EncodeToString(sum[:])
			return r
		}, 5, audit.PrevMismatch},
		"first dropped":   {func(r []legacyRecord) any { return r[1:] }, 1, audit.PrevMismatch},
		"middle dropped":  {func(r []legacyRecord) any { return append(r[:3], r[4:]...) }, 4, audit.PrevMismatch},
		"upper-case hash": {func(r []legacyRecord) any { r[6].Hash = strings.ToUpper(r[6].Hash); return r }, 7, audit.HashMismatch},
		"no record":       {func(r []legacyRecord) any { return []any{r[0], 7, r[1]} }, 2, audit.Malformed},
		"null":            {func(r []legacyRecord) any { return []any{nil} }, 1, audit.Malformed},
		"detail a number": {func(r []legacyRecord) any { return []any{map[string]any{"detail": 1}} }, 1, audit.Malformed},
		"names in capitals": {func(r []legacyRecord) any {
			return []any{map[string]any{"Timestamp": r[0].Timestamp, "Type": r[0].Type, "Detail": r[0].Detail, "Hash": r[0].Hash, "Prev_hash": r[0].PrevHash}}
		}, 1, audit.Malformed},
		// A change that the format cannot detect passes, and is named in LegacyUnproven.
		"tail dropped": {func(r []legacyRecord) any { return r[:5] }, 0, ""},
		"ids":          {func(r []legacyRecord) any { r[2].ID = 99; return r }, 0, ""},
		"bar moved":    {moveBar, 0, ""},
	} {
		if l := readLegacy(t, legacyChain(t, 7, c.change)); l.BrokenAt != c.at || l.Reason != c.reason {
			t.Errorf("%s: %+v, want %q at %d", name, l, c.reason, c.at)
		}
	}
}

// moveBar makes the third record of the same bytes with the bar elsewhere.
func moveBar(r []legacyRecord) any {
	whole := "DISPATCH|" + r[2].Detail
	bar := strings.LastIndex(whole, "|")
	r[2].Type, r[2].Detail = whole[:bar], whole[bar+1:]
	return r
}

func TestWhatIsNoOldChainIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "an object": `{"id":1}`, "a chain of this format": string(makeChain(t, "test", 1, 1)[0]), "half an array": `[{"id":1}`,
		"not JSON": `[{]`, "more behind": `[] []`, "a record without end": `[{"detail":"` + strings.Repeat("x", 3<<20),
	} {
		if l, err := audit.ReadLegacy(strings.NewReader(text)); !errors.Is(err, audit.ErrNotLegacy) {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
	broken := errors.New("disk on fire")
	if _, err := audit.ReadLegacy(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestAnImportIsSignedAndRecordedOnce(t *testing.T) {
	notary, err := audit.LoadOrCreateNotary(filepath.Join(t.TempDir(), "key"), "audit.example/test")
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(notary.Key)
	if err != nil {
		t.Fatal(err)
	}
	keys := note.VerifierList(key)
	s, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{legacyChain(t, 5, nil), legacyChain(t, 5, func(r []legacyRecord) any { r[1].Type = "KILL"; return r })} {
		l := readLegacy(t, text)
		var seqs []uint64
		for range 2 {
			e, err := notary.Import(l)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := s.Append(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			seqs = append(seqs, entries[0].Seq)
			if got, err := audit.CheckImport(entries[0], notary.Origin, keys); err != nil || got != l {
				t.Errorf("%+v, want %+v (%v)", got, l, err)
			}
			forgedImports(t, entries[0], notary.Origin, keys)
		}
		if seqs[0] != seqs[1] {
			t.Errorf("recorded twice: %v", seqs)
		}
	}
	if r, err := audit.Verify(t.Context(), s, audit.VerifyOptions{Strict: true}); err != nil || !r.Valid || r.Entries != 3 {
		t.Errorf("%+v (%v)", r, err)
	}
}

// forgedImports are refused.
func forgedImports(t *testing.T, e audit.Entry, origin string, keys note.Verifiers) {
	t.Helper()
	for _, change := range [][2]string{{`"records":5`, `"records":6`}, {`"valid":`, `"Valid":`}, {`"note":"`, `"note":"x`}, {`"format"`, `"a":1,"format"`}} {
		forged := e
		forged.Payload = []byte(strings.Replace(string(e.Payload), change[0], change[1], 1))
		if string(forged.Payload) == string(e.Payload) {
			t.Fatalf("%s is not in %s", change[0], e.Payload)
		}
		if l, err := audit.CheckImport(forged, origin, keys); err == nil {
			t.Errorf("%v passes as %+v", change, l)
		}
	}
	if _, err := audit.CheckImport(e, "other.example/test", keys); err == nil {
		t.Error("it is another chain's too")
	}
	e.Event = "payment.settled"
	if _, err := audit.CheckImport(e, origin, keys); err == nil {
		t.Error("any entry passes as an import")
	}
}

// FuzzCheckImport: whatever a payload holds, only what the key signed passes.
func FuzzCheckImport(f *testing.F) {
	notary, err := audit.LoadOrCreateNotary(filepath.Join(f.TempDir(), "key"), "audit.example/test")
	if err != nil {
		f.Fatal(err)
	}
	key, err := note.NewVerifier(notary.Key)
	if err != nil {
		f.Fatal(err)
	}
	l := audit.Legacy{Records: 3, BrokenAt: 2, Reason: audit.HashMismatch, Head: audit.Hash{1}, SHA256: audit.Hash{2}}
	event, err := notary.Import(l)
	if err != nil {
		f.Fatal(err)
	}
	payload, err := json.Marshal(event.Payload)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Add([]byte(`{"note":7}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		got, err := audit.CheckImport(audit.Entry{Event: audit.EventImported, Payload: payload}, notary.Origin, note.VerifierList(key))
		if err == nil && got != l {
			t.Fatalf("%s passes as %+v", payload, got)
		}
	})
}

func FuzzReadLegacy(f *testing.F) {
	f.Add(legacyChain(f, 3, nil))
	f.Add(`[]`)
	f.Add(`[{"timestamp":"","type":"","detail":"","hash":"","prev_hash":""},null,7]`)
	f.Add(`[{"a":1,"a":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := audit.ReadLegacy(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, audit.ErrNotLegacy) {
				t.Fatal(err)
			}
			return
		}
		var all []json.RawMessage
		if err := json.Unmarshal([]byte(text), &all); err != nil || uint64(len(all)) != l.Records {
			t.Fatalf("%+v of %q (%v)", l, text, err)
		}
		if (l.BrokenAt == 0) != (l.Reason == "") || l.BrokenAt > l.Records || l.Records > 0 && l.BrokenAt == 0 && l.Head.IsZero() {
			t.Fatalf("inconsistent %+v", l)
		}
	})
}
