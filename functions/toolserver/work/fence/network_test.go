//go:build linux

package fence_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Behind the fence the allowed host is reached by the proxy alone, others get its refusal, and each
// decision is on the record.
func TestOnlyAllowedHostsAreReached(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "from outside", r.URL.Path)
	}))
	defer server.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	write(t, filepath.Join(folder, "get.py"), `import sys, urllib.request, urllib.error
for at in sys.argv[1:]:
    try: print(urllib.request.urlopen(at, timeout=20).read().decode())
    except urllib.error.HTTPError as e: print(e.code, e.read().decode())
    except Exception as e: print("failed", e)
`)

	address := strings.TrimPrefix(server.URL, "http://")
	command := fmt.Sprintf("python3 get.py %s/a %s/b http://nowhere.example/; env -i python3 get.py %s/direct", server.URL, other.URL, server.URL)
	got := run(t, folder, home, command, "-network", "allow:"+address)
	if !strings.Contains(got.output, "from outside /a") || strings.Count(got.output, "403 governance:") != 2 || strings.Contains(got.output, "/direct") {
		t.Errorf("%s", got.output)
	}
	if !strings.Contains(got.output, "network allow:"+address) || !strings.Contains(got.output, "nowhere.example:80 is not reached") {
		t.Errorf("the standing or the refusal is not told: %s", got.output)
	}

	list, err := filepath.Glob(filepath.Join(folder, ".governance/spool/*"))
	if err != nil {
		t.Fatal(err)
	}
	events := ""
	for _, file := range list {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		events += string(text)
	}
	for event, n := range map[string]int{"NETWORK_ALLOWED": 1, "NETWORK_REFUSED": 2, "NETWORK_SUMMARY": 1} {
		if strings.Count(events, event) != n {
			t.Errorf("%d of %s, want %d:\n%s", strings.Count(events, event), event, n, events)
		}
	}
}
