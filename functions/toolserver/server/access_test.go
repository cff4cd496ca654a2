package server_test

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/server"
)

const listCall = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// A page of another site can make the browser of somebody who runs this server
// send requests, with any method and path and with names that lead to 127.0.0.1.
func TestPagesOfOtherSitesGetNothing(t *testing.T) {
	r := start(t, nil)
	port := r.port()
	evil := "https://evil.example"
	hostile := []struct {
		method, path string
		headers      []string
	}{
		{"POST", "/mcp", []string{"Host", "evil.example"}},
		{"POST", "/mcp", []string{"Host", "evil.example:" + port}},
		{"POST", "/mcp", []string{"Host", "localhost.evil.example"}},
		{"POST", "/mcp", []string{"Host", "127.0.0.1.nip.example:" + port}},
		{"POST", "/mcp", []string{"Host", "localhost:" + port + ".evil.example"}},
		{"POST", "/mcp", []string{"Host", "169.254.169.254"}},
		{"POST", "/mcp", []string{"Host", "0.0.0.0:" + port}},
		{"POST", "/mcp", []string{"Host", "127.0.0.1@evil.example"}},
		{"GET", "/sse", []string{"Host", "evil.example"}},
		{"POST", "/message?sessionId=x", []string{"Host", "evil.example"}},
		{"POST", "/kill", []string{"Host", "evil.example"}},
		{"GET", "/", []string{"Host", "evil.example"}},
		{"GET", "/health", []string{"Host", "evil.example"}},
		{"GET", "/audit/verify", []string{"Host", "evil.example"}},
		{"GET", "/dispatches", []string{"Host", "evil.example"}},
		{"POST", "/mcp", []string{"Origin", evil}},
		{"POST", "/mcp", []string{"Origin", "null"}},
		{"POST", "/mcp", []string{"Origin", "http://localhost.evil.example:" + port}},
		{"POST", "/mcp", []string{"Origin", "http://127.0.0.1:1"}},
		{"POST", "/mcp", []string{"Origin", "file://"}},
		{"POST", "/mcp", []string{"Origin", ""}},
		{"POST", "/mcp", []string{"Origin", evil, "Content-Type", "text/plain"}},
		{"OPTIONS", "/mcp", []string{"Origin", evil, "Access-Control-Request-Method", "POST"}},
		{"GET", "/sse", []string{"Origin", evil}},
		{"POST", "/message?sessionId=x", []string{"Origin", evil}},
		{"POST", "/kill", []string{"Origin", evil, "Authorization", "Bearer " + killSecret}},
		{"GET", "/audit/verify", []string{"Origin", evil}},
		{"GET", "/sse", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}},
		{"GET", "/audit/verify", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{"GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{"GET", "/dispatches", []string{"Sec-Fetch-Site", "same-site"}},
		{"GET", "/approvals", []string{"Origin", evil}},
		{"POST", "/approvals", []string{"Origin", evil, "Authorization", "Bearer " + killSecret}},
		{"POST", "/approvals", []string{"Host", "evil.example", "Authorization", "Bearer " + killSecret}},
	}
	if len(hostile) < 30 {
		t.Fatal("the battery is too small")
	}
	for _, h := range hostile {
		body := ""
		if h.method == "POST" {
			body = listCall
		}
		answer, object := r.send(h.method, h.path, body, h.headers...)
		if answer.StatusCode != 403 || object["error"] == nil || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s %v: %d %v", h.method, h.path, h.headers, answer.StatusCode, object)
		}
	}
	if entries := r.entries(); entries != 1 {
		t.Errorf("%d entries: a refused request left a trace", entries)
	}
}

// The same doors are open to programs, and to pages of the server itself.
func TestProgramsAndOwnPagesPass(t *testing.T) {
	r := start(t, nil)
	for _, headers := range [][]string{
		nil, {"Host", "localhost:" + r.port()}, {"Host", "[::1]"}, {"Host", "localhost"},
		{"Origin", r.url}, {"Origin", "http://localhost:" + r.port(), "Host", "localhost:" + r.port()},
		{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Content-Type", "application/json; charset=utf-8"},
	} {
		if answer, object := r.send("POST", "/mcp", listCall, headers...); answer.StatusCode != 200 {
			t.Errorf("%v: %d %v", headers, answer.StatusCode, object)
		}
	}
	if answer, _ := r.send("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); answer.StatusCode != 200 {
		t.Errorf("a link from elsewhere: %d", answer.StatusCode)
	}
	public := start(t, func(d *depsOf) { d.BaseURL = "https://tools.example/governance" })
	if answer, _ := public.send("POST", "/mcp", listCall, "Host", "tools.example", "Origin", "https://tools.example"); answer.StatusCode != 200 {
		t.Errorf("behind a load balancer: %d", answer.StatusCode)
	}
}

func TestOnlyJSONIsRead(t *testing.T) {
	r := start(t, nil)
	for _, headers := range [][]string{{"Content-Type", "text/plain"}, {"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Type", ""}, {"Content-Encoding", "gzip"}} {
		for _, path := range []string{"/mcp", "/message?sessionId=x"} {
			if answer, object := r.send("POST", path, listCall, headers...); answer.StatusCode != 415 || object["error"] == nil {
				t.Errorf("%s %v: %d", path, headers, answer.StatusCode)
			}
		}
	}
}

// The kill switch is not refused for what a program in a hurry sends along or leaves out.
func TestAKillNeedsItsSecretAndNoMore(t *testing.T) {
	for body, reason := range map[string]string{"": "none given", `{"reason":"an emergency"}`: "an emergency"} {
		for _, label := range []string{"application/x-www-form-urlencoded", ""} {
			r := start(t, nil)
			if answer, _ := r.send("POST", "/kill", body, "Content-Type", label); answer.StatusCode != 401 {
				t.Errorf("%q as %q without the secret: %d", body, label, answer.StatusCode)
			}
			answer, out := r.send("POST", "/kill", body, "Content-Type", label, "Authorization", "Bearer "+killSecret)
			if answer.StatusCode != 200 || out["activated"] != true || out["reason"] != reason {
				t.Errorf("%q as %q: %d %v", body, label, answer.StatusCode, out)
			}
		}
	}
	r := start(t, nil)
	if answer, _ := r.send("POST", "/kill", "", "Content-Encoding", "gzip", "Authorization", "Bearer "+killSecret); answer.StatusCode != 415 {
		t.Errorf("compressed: %d", answer.StatusCode)
	}
}

const apiToken = "0123456789abcdef0123456789abcdef"

func TestTheTokenIsAskedForWhereTheServerHasOne(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Token = apiToken })
	for _, path := range []string{"GET /sse", "POST /message?sessionId=x", "POST /mcp", "GET /audit/verify", "GET /dispatches"} {
		method, path, _ := strings.Cut(path, " ")
		body := ""
		if method == "POST" {
			body = listCall
		}
		for _, token := range []string{"", "Bearer ", "Bearer wrong", "Basic " + apiToken, "Bearer " + apiToken + "x", apiToken} {
			answer, object := r.send(method, path, body, "Authorization", token)
			if answer.StatusCode != 401 || answer.Header.Get("WWW-Authenticate") == "" || strings.Contains(sprint(object), apiToken) {
				t.Errorf("%s %q: %d %v", path, token, answer.StatusCode, object)
			}
			r.clock.Add(int64(time.Minute)) // wrong tokens are rate limited
		}
	}
	for _, token := range []string{"Bearer " + apiToken, "bearer " + apiToken, "Bearer " + killSecret} {
		if answer, _ := r.send("POST", "/mcp", listCall, "Authorization", token); answer.StatusCode != 200 {
			t.Errorf("%q: %d", token, answer.StatusCode)
		}
	}
	for _, path := range []string{"/", "/health"} {
		if answer, _ := r.send("GET", path, ""); answer.StatusCode != 200 {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
}

func TestOthersAreLetInOnlyWithAToken(t *testing.T) {
	address := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 1} }
	for _, tc := range []struct {
		ip, token string
		ok        bool
	}{
		{"127.0.0.1", "", true}, {"::1", "", true}, {"0.0.0.0", "", false}, {"::", "", false}, {"10.0.0.1", "", false},
		{"0.0.0.0", apiToken, true}, {"0.0.0.0", "short", false}, {"127.0.0.1", "short", false},
	} {
		if err := server.CheckBind(address(tc.ip), tc.token); (err == nil) != tc.ok || err != nil && (!strings.Contains(err.Error(), "GOV_API_TOKEN") || strings.Contains(err.Error(), "short")) {
			t.Errorf("%s with %q: %v", tc.ip, tc.token, err)
		}
	}
}

func TestRateLimitedCallersGetARetryAfter(t *testing.T) {
	r := start(t, nil)
	limited := 0
	for range 600 {
		answer, object := r.send("GET", "/dispatches", "")
		if answer.StatusCode == 429 {
			limited++
			if answer.Header.Get("Retry-After") != "1" || object["error"] == nil {
				t.Fatalf("Retry-After %q, %v", answer.Header.Get("Retry-After"), object)
			}
		}
	}
	if limited != 100 {
		t.Errorf("%d of 600 requests at once refused, the burst is 500", limited)
	}
	if answer, object := r.send("POST", "/mcp", listCall); answer.StatusCode != 429 || object["jsonrpc"] != "2.0" {
		t.Errorf("/mcp: %d %v", answer.StatusCode, object)
	}
	if answer, _ := r.send("POST", "/kill", `{"reason":"a flood"}`, "Authorization", "Bearer "+killSecret); answer.StatusCode != 200 {
		t.Errorf("a flood starves the kill switch: %d", answer.StatusCode)
	}
	for range 20 {
		if answer, health := r.send("GET", "/health", ""); answer.StatusCode != 200 || health["status"] != "degraded" {
			t.Fatalf("a flood makes the load balancer end the task: %d %v", answer.StatusCode, health)
		}
	}
	r.clock.Add(int64(time.Second))
	if answer, _ := r.send("GET", "/dispatches", ""); answer.StatusCode != 200 {
		t.Errorf("after the wait: %d", answer.StatusCode)
	}
}

func TestUnknownPathsAndMethodsAreAnsweredInJSON(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/mcp", 405, "POST"}, {"DELETE", "/mcp", 405, "POST"}, {"GET", "/message", 405, "POST"}, {"PUT", "/sse", 405, "GET"},
		{"DELETE", "/kill", 405, "POST"}, {"DELETE", "/", 405, "GET"}, {"GET", "/nowhere", 404, ""},
	} {
		answer, object := r.send(tc.method, tc.path, "")
		if answer.StatusCode != tc.status || answer.Header.Get("Allow") != tc.allow || object["error"] == nil {
			t.Errorf("%s %s: %d, Allow %q, %v", tc.method, tc.path, answer.StatusCode, answer.Header.Get("Allow"), object)
		}
	}
}

func (r running) port() string {
	u, err := url.Parse(r.url)
	if err != nil {
		r.Fatal(err)
	}
	return u.Port()
}

// entries counts the audit chain.
func (r running) entries(types ...string) int {
	r.Helper()
	return len(r.recorded(types...))
}

// recorded are the entries of the chain of some types, or all, as their lines.
func (r running) recorded(types ...string) (lines []string) {
	r.Helper()
	head, err := r.deps.Audit.Head(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	for block, err := range r.deps.Audit.Blocks(r.Context(), 1, head.Seq) {
		if err != nil {
			r.Fatal(err)
		}
		for line := range strings.Lines(string(block.Lines)) {
			if len(types) == 0 || slices.ContainsFunc(types, func(name string) bool { return strings.Contains(line, `"event":"`+name+`"`) }) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// noon is when a started server believes to be, whatever day it is: so are the entries of
// its chain and the files of its workspace, or what they say would change with the day.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// clockOf is a clock that stands until it is moved on.
func clockOf(moved *atomic.Int64) func() time.Time {
	return func() time.Time { return noon.Add(time.Duration(moved.Load())) }
}
