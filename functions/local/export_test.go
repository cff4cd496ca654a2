package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"governance.internal/shared/audit"
)

const published = "../../testdata/chains/"

func TestAChainIsExportedInEveryForm(t *testing.T) {
	good := readFile(t, published+"good-12.jsonl")
	out, notes := session(t, 0, "export", published+"good-12.jsonl")
	if out != good || !strings.Contains(notes, "12 entries exported") {
		t.Errorf("%s %s", out, notes)
	}
	if out, _ := session(t, 0, "export", "-format", "csv", published+"good-12.jsonl", "-from", "11"); strings.Count(out, "\r\n") != 3 {
		t.Errorf("table %s", out)
	}
	if out, _ := session(t, 0, "export", "-format", "aat", published+"good-12.jsonl", "-to", "2"); strings.Count(out, `"trust_level":"L0"}`) != 2 {
		t.Errorf("records %s", out)
	}
}

func TestAnExportThatIsNotTheWholeSaysSo(t *testing.T) {
	if _, notes := session(t, 1, "export", "-format", "csv", published+"edited.jsonl"); !strings.Contains(notes, "stopped after 5 entries") || !strings.Contains(notes, "hash_mismatch") {
		t.Error(notes)
	}
	if out, _ := session(t, 0, "export", published+"edited.jsonl"); out != readFile(t, published+"edited.jsonl") {
		t.Error("a damaged chain is not handed on as it is")
	}
	if _, notes := session(t, 1, "export", published+"good-12.jsonl", "-from", "13"); !strings.Contains(notes, "range holds no entry") {
		t.Error(notes)
	}
	if _, notes := session(t, 0, "export", published+"no-final-newline.jsonl"); !strings.Contains(notes, "11 entries") || !strings.Contains(notes, "left out") {
		t.Error(notes)
	}
	session(t, 3, "export", "nowhere.jsonl")
	session(t, 2, "export", "-format", "xml", published+"good-12.jsonl")
	session(t, 2, "export", "-from", "3", "-to", "2", published+"good-12.jsonl")
	session(t, 2, "export", "a", "b")
}

// chainServer serves the published chains and, under other paths, what a chain is
// not.
func chainServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(published)))
	mux.Handle("/moved", http.RedirectHandler("/good-12.jsonl", http.StatusFound))
	mux.Handle("/elsewhere", http.RedirectHandler("http://localhost:1/good-12.jsonl", http.StatusFound))
	mux.HandleFunc("/breaks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		lines := strings.SplitAfter(readFile(t, published+"good-12.jsonl"), "\n")
		_, _ = w.Write([]byte(strings.Join(lines[:5], ""))) // whole lines, then the connection closes
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestAChainAtAnAddressIsVerified(t *testing.T) {
	server := chainServer(t)
	for path, status := range map[string]int{
		"/good-12.jsonl": 0, "/good-64.jsonl": 0, "/moved": 0, "/edited.jsonl": 1, "/dropped-all.jsonl": 1,
		"/nowhere.jsonl": 3, "/elsewhere": 3, "/breaks": 3,
	} {
		session(t, status, "verify", "chain", server.URL+path)
	}
	if out, _ := session(t, 0, "export", server.URL+"/good-12.jsonl"); out != readFile(t, published+"good-12.jsonl") {
		t.Error("other bytes")
	}
	for address, want := range map[string]string{"http://audit.example/chain.jsonl": "over https only", "http://": "not an address"} {
		if _, notes := session(t, 3, "verify", "chain", address); !strings.Contains(notes, want) {
			t.Errorf("%s: %s", address, notes)
		}
	}
	if _, notes := session(t, 3, "verify", "chain", server.URL+"/elsewhere"); !strings.Contains(notes, "redirects to") {
		t.Error(notes)
	}
	if _, notes := session(t, 3, "verify", "chain", strings.Replace(server.URL, "http://", "http://user:hush@", 1)+"/nowhere"); strings.Contains(notes, "hush") {
		t.Errorf("a password is shown: %s", notes)
	}
}

func TestAServerCannotSendForever(t *testing.T) {
	server := chainServer(t)
	body, err := fetchChain(t.Context(), server.URL+"/good-12.jsonl", 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if _, err := audit.VerifyReader(body, audit.VerifyOptions{}); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("error %v", err)
	}
}

// A checkpoint is held against a file and an address alike.
func TestACheckpointIsHeldAgainstAnAddress(t *testing.T) {
	server := chainServer(t)
	secret, key, err := note.GenerateKey(nil, "audit.example/example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.VerifyBytes([]byte(readFile(t, published+"good-12.jsonl")), audit.VerifyOptions{Tree: true})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := audit.Checkpoint{Origin: signer.Name(), Size: 12, Root: *report.Root}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.WriteFile(checkpoint, signed, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{published, server.URL + "/"} {
		for name, c := range map[string]struct {
			status int
			says   string
		}{
			"good-12.jsonl": {0, "checkpoint of size 12"}, "dropped-tail.jsonl": {1, "truncated"}, "rewritten-suffix.jsonl": {1, "checkpoint_mismatch"},
		} {
			out, _ := session(t, c.status, "verify", "chain", base+name, "-checkpoint", checkpoint, "-vkey", key)
			if !strings.Contains(out, c.says) {
				t.Errorf("%s: %s", base+name, out)
			}
		}
	}
}

func TestOnlyThisMachineIsAskedWithoutTLS(t *testing.T) {
	for address, allowed := range map[string]bool{
		"http://localhost:8402/c": true, "http://127.0.0.1/c": true, "http://[::1]:1/c": true, "https://audit.example/c": true,
		"http://audit.example/c": false, "http://10.0.0.1/c": false, "http://localhost.audit.example/c": false,
	} {
		parsed, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkScheme(parsed); allowed != (err == nil) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
