package toolserver_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/oauth"
)

// tokens makes access tokens that a started server takes.
func tokens(t *testing.T) (protect func(*depsOf), token func(audience, scope string) string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"` + encode(public) + `"}]}`))
	}))
	t.Cleanup(keys.Close)
	protect = func(d *depsOf) {
		d.OAuth = &oauth.Resource{Issuer: "https://login.example", Audiences: []string{d.BaseURL + "/mcp"}, Scope: "tools",
			Keys: &oauth.Keys{URL: keys.URL, Client: http.DefaultClient}, Now: time.Now}
	}
	return protect, func(audience, scope string) string {
		claims, err := json.Marshal(map[string]any{"iss": "https://login.example", "sub": "u", "aud": audience, "exp": time.Now().Unix() + 60, "scope": scope})
		if err != nil {
			t.Fatal(err)
		}
		signed := encode([]byte(`{"alg":"EdDSA","kid":"1"}`)) + "." + encode(claims)
		return signed + "." + encode(ed25519.Sign(private, []byte(signed)))
	}
}

// A client without a token learns where to get one, and gets in with it.
func TestAProtectedServerTellsWhereToGetAToken(t *testing.T) {
	protect, token := tokens(t)
	r := start(t, protect)
	for path, suffix := range map[string]string{"/mcp": "/mcp", "/message": "", "/audit/verify": ""} {
		method := "POST"
		if path == "/audit/verify" {
			method = "GET"
		}
		answer, _ := r.send(method, path, listCall)
		metadata := r.url + "/.well-known/oauth-protected-resource" + suffix
		if got := answer.Header.Get("WWW-Authenticate"); answer.StatusCode != 401 || got != `Bearer resource_metadata="`+metadata+`", scope="tools"` {
			t.Errorf("%s: %d %s", path, answer.StatusCode, got)
		}
		_, described := r.send("GET", strings.TrimPrefix(metadata, r.url), "")
		if described["resource"] != r.url+suffix || sprint(described["authorization_servers"]) != `["https://login.example"]` || sprint(described["scopes_supported"]) != `["tools"]` {
			t.Errorf("%s: %v", metadata, described)
		}
	}
	for what, tc := range map[string]struct {
		token  string
		status int
		says   string
	}{
		"good": {token(r.url+"/mcp", "tools"), 200, ""}, "another resource": {token("https://other.example", "tools"), 401, `error="invalid_token"`},
		"another scope": {token(r.url+"/mcp", "read"), 403, `error="insufficient_scope"`}, "no token": {"x", 401, `error="invalid_token"`}, "the kill secret": {killSecret, 200, ""},
	} {
		answer, _ := r.send("POST", "/mcp", listCall, "Authorization", "Bearer "+tc.token)
		if got := answer.Header.Get("WWW-Authenticate"); answer.StatusCode != tc.status || !strings.Contains(got, tc.says) || (got == "") != (tc.says == "") {
			t.Errorf("%s: %d %s", what, answer.StatusCode, got)
		}
	}
	if answer, _ := r.send("GET", "/health", ""); answer.StatusCode != 200 {
		t.Errorf("health: %d", answer.StatusCode)
	}
}

func TestAServerWithoutAnAuthorizationServerNamesNone(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Token = apiToken })
	if answer, _ := r.send("GET", "/.well-known/oauth-protected-resource", ""); answer.StatusCode != 404 {
		t.Errorf("%d", answer.StatusCode)
	}
	if answer, _ := r.send("POST", "/mcp", listCall); answer.Header.Get("WWW-Authenticate") != `Bearer realm="governance"` {
		t.Errorf("%v", answer.Header)
	}
}

func TestKeysThatCannotBeReadLetNobodyIn(t *testing.T) {
	protect, token := tokens(t)
	r := start(t, func(d *depsOf) { protect(d); d.OAuth.Keys.URL = "http://127.0.0.1:1/" })
	if answer, _ := r.send("POST", "/mcp", listCall, "Authorization", "Bearer "+token(r.url+"/mcp", "tools")); answer.StatusCode != 503 {
		t.Errorf("%d", answer.StatusCode)
	}
}
