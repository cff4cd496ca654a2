package evm

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// The address of a node is a secret: providers put the API key into its path.
func TestAFailingNodeIsNotQuotedWithItsAddress(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no such key: "+r.URL.Path, http.StatusUnauthorized)
	}))
	defer refusing.Close()
	hangingUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangingUp.Close()
	for name, address := range map[string]string{"gone": gone.URL, "refusing": refusing.URL, "hanging up": hangingUp.URL} {
		chain, err := Dial(mustToken(t), []string{address + "/v2/apikey"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chain.Head(t.Context()); err == nil || strings.Contains(err.Error(), "apikey") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustToken(t *testing.T) Token {
	t.Helper()
	token, err := NewToken("eip155:8453", usdc, "USD Coin", "2")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Requests stay with the chosen node, and an endless answer is an error.
func TestANodeIsNotFollowedElsewhereNorReadWithoutEnd(t *testing.T) {
	followed := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		followed = true
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":"0x7"}`)
	}))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	var sent atomic.Int64
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":"0x7","more":"`)
		for page := strings.Repeat("a", 1<<16); ; {
			n, err := fmt.Fprint(w, page)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	for name, address := range map[string]string{"redirecting": redirecting.URL, "endless": endless.URL} {
		chain, err := Dial(mustToken(t), []string{address})
		if err != nil {
			t.Fatal(err)
		}
		if head, err := chain.Head(t.Context()); err == nil || followed {
			t.Errorf("%s: head %d, followed %v", name, head, followed)
		}
	}
	if under := int64(16 << 20); sent.Load() > nodeMost+under { // what is on the way
		t.Errorf("%d bytes were read", sent.Load())
	}
}

// Every node is asked for its network before it is believed, not only the first.
func TestANodeOfAnotherNetworkIsNotBelieved(t *testing.T) {
	var down atomic.Bool
	node := func(chain string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if down.Load() && chain == "0x2105" {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			body, _ := io.ReadAll(r.Body)
			result := chain
			if strings.Contains(string(body), "eth_blockNumber") {
				result = "0x7"
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%q}`, regexp.MustCompile(`"id":(\d+)`).FindSubmatch(body)[1], result)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	chain, err := Dial(mustToken(t), []string{node("0x2105"), node("0x14a34")})
	if err != nil {
		t.Fatal(err)
	}
	if head, err := chain.Head(t.Context()); err != nil || head != 7 {
		t.Errorf("head %d, %v", head, err)
	}
	down.Store(true)
	if head, err := chain.Head(t.Context()); err == nil || !strings.Contains(err.Error(), "84532") || !strings.Contains(err.Error(), "RPC_URLS") {
		t.Errorf("head %d of another network, %v", head, err)
	}
}
