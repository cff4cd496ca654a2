package server_test

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

	"governance.internal/functions/toolserver/routes/access/oauth"
)

// tokens makes access tokens that a started server takes.
func tokens(t *testing.T) (protect func(*depsOf), token func(audience, scope string) string) {
	t.Helper()
	protect, of := tokensOf(t)
	return protect, func(audience, scope string) string { return of("u", audience, scope) }
}

// tokensOf is tokens for several subjects.
func tokensOf(t *testing.T) (protect func(*depsOf), token func(subject, audience, scope string) string) {
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
	return protect, func(subject, audience, scope string) string {
		claims, err := json.Marshal(map[string]any{"iss": "https://login.example", "sub": subject, "aud": audience, "exp": time.Now().Unix() + 60, "scope": scope})
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

func TestUnreadableKeysRefuseEveryCaller(t *testing.T) {
	protect, token := tokens(t)
	r := start(t, func(d *depsOf) { protect(d); d.OAuth.Keys.URL = "http://127.0.0.1:1/" })
	if answer, _ := r.send("POST", "/mcp", listCall, "Authorization", "Bearer "+token(r.url+"/mcp", "tools")); answer.StatusCode != 503 {
		t.Errorf("%d", answer.StatusCode)
	}
}

// A session is of the subject that opened it. Another one who learns its id learns no more
// than from a guess; the kill secret works in every session.
func TestASessionIsOfTheSubjectThatOpenedIt(t *testing.T) {
	protect, token := tokensOf(t)
	r := start(t, protect)
	bearer := func(subject string) string { return "Bearer " + token(subject, r.url+"/mcp", "tools") }
	s := r.open("/sse", "Authorization", bearer("one"))
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		who, authorization string
		status             int
	}{
		{"another subject", bearer("two"), 404},
		{"a subject with its name in front", bearer("on"), 404},
		{"no credentials", "", 401},
		{"the subject", bearer("one"), 202},
		{"the kill secret", "Bearer " + killSecret, 202},
	} {
		message := strings.Replace(ping, `"id":1`, `"id":`+sprint(len(c.who)), 1)
		answer, object := r.send("POST", s.endpoint, message, "Authorization", c.authorization, "X-Governance-Caller", "subject one")
		if answer.StatusCode != c.status {
			t.Errorf("%s: %d %v", c.who, answer.StatusCode, object)
		}
	}
	guess, _ := r.send("POST", "/message?sessionId="+strings.Repeat("A", 22), ping, "Authorization", bearer("two"))
	if guess.StatusCode != 404 {
		t.Errorf("a guess: %d", guess.StatusCode)
	}
}
