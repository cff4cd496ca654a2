package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"governance.internal/shared/porttest"
)

// A real node on this machine serves the same chain id as the development chain;
// its payments must not go to a key that everybody knows.
func TestARealNodeOnThisMachineGetsNoPublicKeys(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		result := "0x2105"
		if strings.Contains(string(body), "web3_clientVersion") {
			result = "Geth/v1.101408.0-stable/linux-amd64/go1.22.7"
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%q}`, result)
	}))
	defer node.Close()
	t.Setenv("RPC_URLS", node.URL)
	_, notes := session(t, 1, "serve", "-addr", porttest.Address(t), "-data", t.TempDir())
	if !strings.Contains(notes, "PAY_TO") || !strings.Contains(notes, "GAS_KEY_FILE") {
		t.Errorf("without the settings of a real network: %s", notes)
	}
}
