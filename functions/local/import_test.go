package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

// oldChain writes a file as the program before this service did.
func oldChain(t *testing.T, details ...string) string {
	t.Helper()
	records, prev := []map[string]any{}, strings.Repeat("0", 64)
	for i, detail := range details {
		sum := sha256.Sum256([]byte(prev + "2026-03-01T10:00:00.000Z|KILL_SWITCH|" + detail))
		hash := hex.EncodeToString(sum[:])
		records = append(records, map[string]any{"id": i + 1, "timestamp": "2026-03-01T10:00:00.000Z", "type": "KILL_SWITCH", "detail": detail, "hash": hash, "prev_hash": prev})
		prev = hash
	}
	text, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "audit-chain.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAnOldChainIsImportedOnce(t *testing.T) {
	r := start(t) // the service runs and appends meanwhile
	file := oldChain(t, "one", "two | three", "four")
	out, _ := session(t, 0, "import", file, "-data", r.data)
	if !strings.Contains(out, "3 records, valid by its own rule") || !strings.Contains(out, "recorded as entry 3") || !strings.Contains(out, "removed from the end") {
		t.Error(out)
	}
	buyVerification(t, r.url, "")
	if out, _ := session(t, 0, "import", file, "-data", r.data); !strings.Contains(out, "imported before, as entry 3") {
		t.Error(out)
	}
	chain := filepath.Join(r.data, "governance.jsonl")
	session(t, 0, "verify", "chain", chain)
	lines := strings.Split(readFile(t, chain), "\n")
	e, err := audit.ParseEntry([]byte(lines[2]))
	if err != nil {
		t.Fatal(err)
	}
	notary, err := audit.LoadOrCreateNotary(filepath.Join(r.data, "checkpoint.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(notary.Key)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := audit.CheckImport(e, notary.Origin, note.VerifierList(key)); err != nil || l.Records != 3 {
		t.Errorf("%+v (%v)", l, err)
	}
	if strings.Contains(readFile(t, chain), "two | three") {
		t.Error("the old records were copied")
	}
}

// With the old file and the key, a reader verifies that the chain imported exactly this
// file and that the import entry describes its content.
func TestAnImportIsCheckedAgainstItsFile(t *testing.T) {
	data := t.TempDir()
	v := buyVerification(t, startIn(t, data).url, "")
	file, chain := oldChain(t, "one", "two"), filepath.Join(data, "governance.jsonl")
	if out, _ := session(t, 1, "verify", "import", file, "-chain", chain, "-vkey", v.VKey); !strings.Contains(out, "no entry of the chain records this file") {
		t.Error(out)
	}
	session(t, 0, "import", file, "-data", data)
	out, _ := session(t, 0, "verify", "import", file, "-chain", chain, "-vkey", v.VKey)
	if !strings.Contains(out, "2 records, valid by its own rule") || !strings.Contains(out, "removed from the end") {
		t.Error(out)
	}
	session(t, 1, "verify", "import", oldChain(t, "one", "two", "three"), "-chain", chain, "-vkey", v.VKey)
	_, stranger, err := note.GenerateKey(rand.Reader, "x.example/y")
	if err != nil {
		t.Fatal(err)
	}
	session(t, 1, "verify", "import", file, "-chain", chain, "-vkey", stranger)
	session(t, 2, "verify", "import", file, "-chain", chain, "-vkey", "x")
	session(t, 3, "verify", "import", chain, "-chain", chain, "-vkey", v.VKey)
	session(t, 3, "verify", "import", file, "-chain", data+"/none", "-vkey", v.VKey)
	forged := strings.Replace(readFile(t, chain), `"records":2`, `"records":9`, 1)
	if err := os.WriteFile(data+"/forged.jsonl", []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	session(t, 1, "verify", "import", file, "-chain", data+"/forged.jsonl", "-vkey", v.VKey)
}

func TestABrokenOldChainIsImportedOnlyOnDemandAndSaysSo(t *testing.T) {
	data := t.TempDir()
	file := oldChain(t, "one", "two", "three")
	edited := strings.Replace(readFile(t, file), `"detail": "two"`, `"detail": "TWO"`, 1)
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, notes := session(t, 2, "import", file, "-broken-ok", "-data", data); !strings.Contains(notes, "start the service once") {
		t.Error(notes)
	}
	startIn(t, data)
	out, notes := session(t, 1, "import", file, "-data", data)
	if !strings.Contains(out, "BROKEN at record 2") || !strings.Contains(notes, "-broken-ok") {
		t.Error(out, notes)
	}
	chain := filepath.Join(data, "governance.jsonl")
	if strings.Contains(readFile(t, chain), "chain.imported") {
		t.Fatal("a broken chain was imported without consent")
	}
	session(t, 0, "import", file, "-broken-ok", "-data", data)
	if text := readFile(t, chain); !strings.Contains(text, `"broken_at":2`) || !strings.Contains(text, `"valid":false`) {
		t.Error(text)
	}
}

func TestWhatIsNoOldChainIsNotImported(t *testing.T) {
	data := t.TempDir()
	session(t, 2, "import", "-data", data)
	session(t, 3, "import", "nowhere.json", "-data", data)
	if _, notes := session(t, 3, "import", published+"good-12.jsonl", "-data", data); !strings.Contains(notes, "not a JSON array") {
		t.Error(notes)
	}
	if _, notes := session(t, 1, "import", oldChain(t), "-data", data); !strings.Contains(notes, "holds no records") {
		t.Error(notes)
	}
}
