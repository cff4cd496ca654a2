package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
	"governance.internal/shared/porttest"
)

// verification is what a buyer reads of a report.
type verification struct {
	Valid       bool
	Reason      *string
	Entries     uint64
	Mode        string
	Sampled     *audit.Sampled
	Head        struct{ Seq uint64 }
	Checkpoint  string
	VKey        string
	HeadProof   []string `json:"head_proof"`
	Inclusion   string
	Consistency *struct{ Proof []string }
}

func buyVerification(t *testing.T, base, query string) verification {
	t.Helper()
	path := "/x402/verify-audit" + query
	header := paymentFor(t, base, "GET", path)
	b := &buyer{client: http.DefaultClient, waited: func(string, time.Duration) {}}
	a, err := b.redeem(t.Context(), order{method: "GET", url: base + path}, header)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, a, 200, path)
	var v verification
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// opened reads a checkpoint with nothing but the key.
func (v verification) opened(t *testing.T) audit.Checkpoint {
	t.Helper()
	key, err := note.NewVerifier(v.VKey)
	if err != nil {
		t.Fatal(err)
	}
	c, err := audit.OpenCheckpoint([]byte(v.Checkpoint), key.Name(), note.VerifierList(key))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func hashesOf(t *testing.T, texts []string) (hashes []audit.Hash) {
	t.Helper()
	for _, text := range texts {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != 32 {
			t.Fatalf("%q (%v)", text, err)
		}
		hashes = append(hashes, audit.Hash(raw))
	}
	return hashes
}

func asQuery(v verification) string {
	return "?checkpoint=" + url.QueryEscape(base64.URLEncoding.EncodeToString([]byte(v.Checkpoint)))
}

// A buyer who kept a checkpoint detects a rollback with one call, although the shorter
// chain is valid by itself and matches its note.
func TestABuyersCheckpointExposesARollback(t *testing.T) {
	data, addr, chain := t.TempDir(), porttest.Address(t), newChain(t)
	p := spawn(t, data, addr, chain.URL(), "")
	for range 6 {
		buyVerification(t, p.url, "")
	}
	earlier := buyVerification(t, p.url, "")
	now := buyVerification(t, p.url, asQuery(earlier))
	if !now.Valid || now.Consistency == nil {
		t.Fatalf("%+v", now)
	}
	if err := audit.CheckConsistency(hashesOf(t, now.Consistency.Proof), earlier.opened(t), now.opened(t)); err != nil {
		t.Error(err)
	}
	proven := buyVerification(t, p.url, "?seq=2")
	var file audit.Proof
	if err := file.UnmarshalText([]byte(proven.Inclusion)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(readFile(t, data+"/governance.jsonl"), "\n")
	second, err := audit.ParseEntry([]byte(strings.TrimSuffix(lines[1], "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if err := audit.CheckInclusion(file.Hashes, proven.opened(t), 2, second.Hash); err != nil {
		t.Error(err)
	}
	p.kill()

	if err := os.WriteFile(data+"/governance.jsonl", []byte(lines[0]+lines[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(data + "/governance.jsonl.head"); err != nil {
		t.Fatal(err)
	}
	p = spawn(t, data, addr, chain.URL(), "")
	if v := buyVerification(t, p.url, ""); v.Valid || v.Reason == nil || *v.Reason != "truncated" {
		t.Fatalf("the service has forgotten what it signed last: %+v", v)
	}
	p.kill()
	if err := os.Remove(data + "/governance.checkpoint.note"); err != nil {
		t.Fatal(err)
	}
	p = spawn(t, data, addr, chain.URL(), "")
	if v := buyVerification(t, p.url, ""); !v.Valid {
		t.Fatalf("by itself the chain is valid: %+v", v)
	}
	if v := buyVerification(t, p.url, asQuery(now)); v.Valid || v.Reason == nil || *v.Reason != "truncated" || v.Checkpoint != "" {
		t.Errorf("shorter than the checkpoint: %+v", v)
	}
	for range 9 {
		buyVerification(t, p.url, "")
	}
	if v := buyVerification(t, p.url, asQuery(now)); v.Valid || v.Reason == nil || *v.Reason != "checkpoint_mismatch" {
		t.Errorf("rewritten: %+v", v)
	}
}

// A service whose chain is cut while it runs can record no sale any more: it sells
// nothing, and gives the verdict away.
func TestAChainThatIsCutWhileTheServiceRunsChargesNoBuyer(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	for range 3 {
		buyVerification(t, r.url, "")
	}
	earlier := buyVerification(t, r.url, "")
	lines := strings.SplitAfter(readFile(t, data+"/governance.jsonl"), "\n")
	if err := os.WriteFile(data+"/governance.jsonl", []byte(lines[0]+lines[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	path := "/x402/verify-audit" + asQuery(earlier)
	a := r.call("GET", path, "", "PAYMENT-SIGNATURE", r.payment("GET", path))
	wantStatus(t, a, 503, "verification")
	var told struct {
		Code         string
		Charged      *bool
		Verification verification
	}
	if err := json.Unmarshal(a.body, &told); err != nil {
		t.Fatal(err)
	}
	if told.Code != "audit_closed" || told.Charged == nil || *told.Charged || told.Verification.Valid || told.Verification.Reason == nil || *told.Verification.Reason != "truncated" {
		t.Errorf("%s", a.body)
	}
	a = r.call("GET", "/x402/tip", "", "PAYMENT-SIGNATURE", r.payment("GET", "/x402/tip"))
	wantStatus(t, a, 503, "tip")
	if a.json(t)["code"] != "payment_backend_unavailable" {
		t.Errorf("%s", a.body)
	}
	r.wantReceived(4*5_000, "what was sold before")
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestACheckpointThatIsNotOursCostsNothing(t *testing.T) {
	r := start(t)
	other := buyVerification(t, start(t).url, "")
	for _, query := range []string{"?checkpoint=x", asQuery(other), "?checkpoint=" + base64.URLEncoding.EncodeToString([]byte("a\n1\nb\n")), "?seq=0", "?seq=x", "?seq=99", "?seq=", "?seq=1&seq=2", "?checkpoint="} {
		path := "/x402/verify-audit" + query
		a := r.call("GET", path, "", "PAYMENT-SIGNATURE", r.payment("GET", path))
		wantStatus(t, a, 400, query)
		if a.json(t)["charged"] != false {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	r.wantReceived(0, "wrong queries")
}

// A proof file is verified without the chain and without the service.
func TestAProofFileIsCheckedByItself(t *testing.T) {
	data := t.TempDir()
	v := buyVerification(t, startIn(t, data).url, "?seq=1")
	first, err := audit.ParseEntry([]byte(strings.SplitN(readFile(t, data+"/governance.jsonl"), "\n", 2)[0]))
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "entry.tlog-proof")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	proof, hash, other := write(v.Inclusion), first.Hash.String(), strings.Repeat("ab", 32)
	if out, _ := session(t, 0, "verify", "proof", proof, "-vkey", v.VKey, "-entry", hash); !strings.Contains(out, "valid\n  entry 1 is in the chain") {
		t.Error(out)
	}
	session(t, 1, "verify", "proof", proof, "-vkey", v.VKey, "-entry", other)
	session(t, 1, "verify", "proof", write(strings.Replace(v.Inclusion, "index 0", "index 1", 1)), "-vkey", v.VKey, "-entry", hash)
	_, stranger, err := note.GenerateKey(rand.Reader, "x.example/y")
	if err != nil {
		t.Fatal(err)
	}
	session(t, 1, "verify", "proof", proof, "-vkey", stranger, "-entry", hash)
	session(t, 2, "verify", "proof", proof, "-vkey", "x", "-entry", hash)
	session(t, 2, "verify", "proof", proof, "-vkey", v.VKey, "-entry", "x")
	session(t, 3, "verify", "proof", write("hello"), "-vkey", v.VKey, "-entry", hash)
	session(t, 3, "verify", "proof", "nowhere", "-vkey", v.VKey, "-entry", hash)
}

// Two answers and the key are all that a buyer needs to hold one against the other.
func TestTwoCheckpointsAreComparedWithoutTheChain(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	keep := func(query string) (file string, v verification) {
		path := "/x402/verify-audit" + query
		a := r.call("GET", path, "", "PAYMENT-SIGNATURE", r.payment("GET", path))
		wantStatus(t, a, 200, path)
		if err := json.Unmarshal(a.body, &v); err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(t.TempDir(), "answer.json")
		if err := os.WriteFile(file, a.body, 0o600); err != nil {
			t.Fatal(err)
		}
		return file, v
	}
	earlier, first := keep("")
	later, _ := keep(asQuery(first))
	other, _ := keep("")
	out, _ := session(t, 0, "verify", "consistency", earlier, later, "-vkey", first.VKey)
	if !strings.Contains(out, "begins with the") {
		t.Error(out)
	}
	session(t, 0, "verify", "consistency", earlier, earlier, "-vkey", first.VKey)
	session(t, 0, "verify", "chain", data+"/governance.jsonl", "-checkpoint", earlier, "-vkey", first.VKey)
	if _, notes := session(t, 2, "verify", "consistency", earlier, other, "-vkey", first.VKey); !strings.Contains(notes, asQuery(first)[:40]) {
		t.Errorf("no proof: %s", notes)
	}
	if _, notes := session(t, 2, "verify", "consistency", later, earlier, "-vkey", first.VKey); !strings.Contains(notes, "the earlier one first") {
		t.Error(notes)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(readFile(t, later)), &answer); err != nil {
		t.Fatal(err)
	}
	proof := answer["consistency"].(map[string]any)["proof"].([]any)
	proof[0] = base64.StdEncoding.EncodeToString(make([]byte, 32))
	wrong, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(later, wrong, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := session(t, 1, "verify", "consistency", earlier, later, "-vkey", first.VKey); !strings.Contains(out, "INVALID") {
		t.Error(out)
	}
	if err := os.WriteFile(later, []byte(`{"valid":false,"broken_at":2,"reason":"truncated"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := session(t, 1, "verify", "consistency", earlier, later, "-vkey", first.VKey); !strings.Contains(out, "broken at entry 2: truncated") {
		t.Error(out)
	}
	stranger := buyVerification(t, start(t).url, "")
	session(t, 3, "verify", "consistency", earlier, other, "-vkey", stranger.VKey)
	session(t, 3, "verify", "consistency", "nowhere", other, "-vkey", first.VKey)
}

// The note of the head that a service left beside its chain shows a cut end by itself.
func TestACutEndIsFoundByTheNoteBesideTheChain(t *testing.T) {
	data := t.TempDir()
	buyVerification(t, startIn(t, data).url, "")
	dir := t.TempDir()
	copied := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.SplitAfter(readFile(t, data+"/governance.jsonl"), "\n")
	copied("governance.jsonl", lines[0])
	session(t, 0, "verify", "chain", dir+"/governance.jsonl")
	copied("governance.jsonl.head", readFile(t, data+"/governance.jsonl.head"))
	if out, _ := session(t, 1, "verify", "chain", dir+"/governance.jsonl"); !strings.Contains(out, "truncated") {
		t.Error(out)
	}
	copied("governance.jsonl", strings.Join(lines, ""))
	if out, _ := session(t, 0, "verify", "chain", dir+"/governance.jsonl"); !strings.Contains(out, "noted_head") {
		t.Error(out)
	}
	copied("governance.jsonl.head", "?")
	session(t, 3, "verify", "chain", dir+"/governance.jsonl")
}

// The same without the service: a chain file, a checkpoint and a key.
func TestACheckpointFileIsHeldAgainstAChainFile(t *testing.T) {
	data := t.TempDir()
	r := startIn(t, data)
	v := buyVerification(t, r.url, "")
	chain, checkpoint := data+"/governance.jsonl", t.TempDir()+"/checkpoint"
	if err := os.WriteFile(checkpoint, []byte(v.Checkpoint), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := session(t, 0, "verify", "chain", chain, "-checkpoint", checkpoint, "-vkey", v.VKey)
	if !strings.Contains(out, "not_rewritten") || !strings.Contains(out, "checkpoint of size") {
		t.Error(out)
	}
	cut := t.TempDir() + "/cut.jsonl"
	first, _, _ := strings.Cut(readFile(t, chain), "\n")
	if err := os.WriteFile(cut, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := session(t, 1, "verify", "chain", cut, "-checkpoint", checkpoint, "-vkey", v.VKey); !strings.Contains(out, "truncated") {
		t.Error(out)
	}
	session(t, 2, "verify", "chain", chain, "-checkpoint", checkpoint)
	session(t, 2, "verify", "chain", chain, "-checkpoint", checkpoint, "-vkey", "x")
	session(t, 2, "verify", "chain", chain, "-checkpoint", chain, "-vkey", v.VKey)
}
