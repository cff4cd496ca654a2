package lambdahttp

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"governance.internal/shared/httpapi"
)

// event is a request as API Gateway sends it.
func event(method, path, query string, change ...func(*events.APIGatewayV2HTTPRequest)) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: path, RawQueryString: query, Headers: map[string]string{"host": "api.example"}}
	e.RequestContext.DomainName = "api.example"
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path, e.RequestContext.HTTP.SourceIP = method, path, "192.0.2.7"
	for _, c := range change {
		c(&e)
	}
	return e
}

func header(name, value string) func(*events.APIGatewayV2HTTPRequest) {
	return func(e *events.APIGatewayV2HTTPRequest) { e.Headers[name] = value }
}

func body(text string, isBase64 bool) func(*events.APIGatewayV2HTTPRequest) {
	return func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.IsBase64Encoded = text, isBase64 }
}

func call(t *testing.T, handler http.HandlerFunc, e events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	answer, err := Adapt(handler)(t.Context(), e)
	if err != nil {
		t.Fatalf("the invocation failed: %v", err)
	}
	return answer
}

// seen is the request that a handler gets for an event.
func seen(t *testing.T, e events.APIGatewayV2HTTPRequest) *http.Request {
	t.Helper()
	var got *http.Request
	if a := call(t, func(_ http.ResponseWriter, r *http.Request) { got = r }, e); got == nil {
		t.Fatalf("the handler was not called: %d %s", a.StatusCode, a.Body)
	}
	return got
}

func TestAHandlerThatWritesNothingAnswers200(t *testing.T) {
	if a := call(t, func(http.ResponseWriter, *http.Request) {}, event("GET", "/", "")); a.StatusCode != 200 || a.Body != "" {
		t.Errorf("%d %q", a.StatusCode, a.Body)
	}
}

// The gateway decodes the path before it sends it.
func TestTheDecodedPathStaysThePath(t *testing.T) {
	for path, raw := range map[string]string{
		"/a/b": "/a/b", "/%zz": "/%25zz", "/a?b=c": "/a%3Fb=c", "/a#b": "/a%23b", "/a b": "/a%20b", "/ü": "/%C3%BC",
		"/%2e%2e/x": "/%252e%252e/x", "//other.example/x": "//other.example/x", "/\x01": "/%01", "": "/", "x": "/x",
	} {
		r := seen(t, event("GET", path, "q=1&r=%20"))
		if "/"+strings.TrimPrefix(path, "/") != r.URL.Path || r.URL.EscapedPath() != raw || r.URL.RawQuery != "q=1&r=%20" || r.Host != "api.example" {
			t.Errorf("%q became path %q (%s), query %q, host %s", path, r.URL.Path, r.URL.EscapedPath(), r.URL.RawQuery, r.Host)
		}
	}
	e := event("GET", "", "")
	e.RequestContext.HTTP.Path = "/from/context"
	if r := seen(t, e); r.URL.Path != "/from/context" {
		t.Errorf("without rawPath: %s", r.URL.Path)
	}
}

func TestADecodedQuestionMarkReachesNoOtherRoute(t *testing.T) {
	open := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	invoke := Function("tip", http.HandlerFunc(open))
	for path, want := range map[string]int{"/x402/tip": 204, "/x402/tip?amount=1": 404, "/x402/tip#": 404, "/x402/products": 404, "/%zz": 404} {
		if a, err := invoke(t.Context(), event("GET", path, "")); err != nil || a.StatusCode != want {
			t.Errorf("%s: %d (%v), want %d", path, a.StatusCode, err, want)
		}
	}
	if a, err := invoke(t.Context(), event("POST", "/x402/tip", "")); err != nil || a.StatusCode != 405 || a.Headers["Allow"] != "GET, OPTIONS" {
		t.Errorf("POST: %d %v (%v)", a.StatusCode, a.Headers, err)
	}
}

func TestWhatCannotBeReadIsOur400(t *testing.T) {
	for name, e := range map[string]events.APIGatewayV2HTTPRequest{
		"body that is not base64":     event("POST", "/", "", body("!!", true)),
		"control letter in the query": event("GET", "/", "a=\n"),
		"no method":                   event("", "/", ""),
		"method of odd letters":       event("GE T", "/", ""),
		"domain that is none":         event("GET", "/", "", func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.DomainName = "a b" }),
	} {
		a := call(t, func(http.ResponseWriter, *http.Request) { t.Errorf("%s reached the handler", name) }, e)
		var problem struct {
			Status int
			Code   string
		}
		if err := json.Unmarshal([]byte(a.Body), &problem); err != nil || a.StatusCode != 400 || problem.Code != "malformed_request" ||
			problem.Status != 400 || a.Headers["Content-Type"] != "application/problem+json" {
			t.Errorf("%s: %d %v %s (%v)", name, a.StatusCode, a.Headers, a.Body, err)
		}
	}
}

func TestBodiesArriveAsSent(t *testing.T) {
	for sent, want := range map[string]string{"{}": "{}", base64.StdEncoding.EncodeToString([]byte("\xff\x00")): "\xff\x00", "": ""} {
		got, err := io.ReadAll(seen(t, event("POST", "/", "", body(sent, want == "\xff\x00"))).Body)
		if err != nil || string(got) != want {
			t.Errorf("%q arrived as %q (%v)", sent, got, err)
		}
	}
}

func TestHeadersArriveUnsplit(t *testing.T) {
	values := map[string]string{
		"date": "Sat, 21 Nov 2026 11:31:00 GMT", "payment-signature": `{"a":1,"b":2}`, "x-forwarded-for": "192.0.2.1, 192.0.2.2",
		"accept": "text/html, */*;q=0.8", "content-type": "application/json", "X-Odd-Case": "1, 2",
	}
	e := event("GET", "/", "")
	maps.Copy(e.Headers, values)
	e.Cookies = []string{"a=1", "b=2,3"}
	r := seen(t, e)
	for name, want := range values {
		if got := r.Header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want one value %q", name, got, want)
		}
	}
	if got := r.Header.Values("Cookie"); !slices.Equal(got, []string{"a=1; b=2,3"}) {
		t.Errorf("cookies %q", got)
	}
	if r.Header.Get("Host") != "" || r.Host != "api.example" || len(r.Header) != len(values)+1 {
		t.Errorf("host %q, headers %v", r.Host, r.Header)
	}
	if r.RemoteAddr != "192.0.2.7:0" {
		t.Errorf("remote address %s", r.RemoteAddr)
	}
}

func TestTheFirstStatusAndItsHeadersStay(t *testing.T) {
	a := call(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Early", "1")
		w.WriteHeader(http.StatusContinue) // no answer
		w.WriteHeader(http.StatusPaymentRequired)
		w.Header().Set("X-Late", "1")
		w.Header().Set("X-Early", "2")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "terms")
	}, event("GET", "/", ""))
	if a.StatusCode != 402 || a.Headers["X-Early"] != "1" || a.Headers["X-Late"] != "" || a.Body != "terms" || a.IsBase64Encoded {
		t.Errorf("%d %v %q", a.StatusCode, a.Headers, a.Body)
	}
	a = call(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>")
		w.WriteHeader(http.StatusTeapot)
		w.(http.Flusher).Flush()
	}, event("GET", "/", ""))
	if a.StatusCode != 200 || a.Headers["Content-Type"] != "text/html; charset=utf-8" {
		t.Errorf("a write without a status: %d %v", a.StatusCode, a.Headers)
	}
}

func TestHEADHasTheHeadersWithoutTheBody(t *testing.T) {
	handler := func(w http.ResponseWriter, _ *http.Request) {
		httpapi.Text("text/plain", []byte("hello")).Write(w)
	}
	a := call(t, handler, event("HEAD", "/", ""))
	if a.StatusCode != 200 || a.Body != "" || a.Headers["Content-Length"] != "5" || a.Headers["Content-Type"] != "text/plain; charset=utf-8" {
		t.Errorf("%d %v %q", a.StatusCode, a.Headers, a.Body)
	}
	if a := call(t, handler, event("GET", "/", "")); a.Body != "hello" {
		t.Errorf("GET has the body %q", a.Body)
	}
}

func TestAnswersOfSeveralValuesAndOfBytes(t *testing.T) {
	a := call(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, value := range []string{"a=1", "b=2"} {
			w.Header().Add("Set-Cookie", value)
			w.Header().Add("Vary", value)
		}
		_, _ = w.Write([]byte{0xff, 0})
	}, event("GET", "/", ""))
	if !slices.Equal(a.Cookies, []string{"a=1", "b=2"}) || a.Headers["Set-Cookie"] != "" || a.Headers["Vary"] != "a=1,b=2" {
		t.Errorf("cookies %v, headers %v", a.Cookies, a.Headers)
	}
	if !a.IsBase64Encoded || a.Body != "/wA=" {
		t.Errorf("body %q", a.Body)
	}
}

func TestAPanicIsA500AndTheProcessLives(t *testing.T) {
	invoke := Function("tip", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret cause") }))
	for range 2 {
		if a, err := invoke(t.Context(), event("GET", "/x402/tip", "")); err != nil || a.StatusCode != 500 || strings.Contains(a.Body, "secret") {
			t.Errorf("%d %s (%v)", a.StatusCode, a.Body, err)
		}
	}
}

// Every event leads to a successful invocation with an HTTP answer.
func FuzzAdapt(f *testing.F) {
	f.Add("GET", "/x402/tip", "amount=0.05", "host", "api.example", "", false, "api.example", "192.0.2.7")
	f.Add("POST", "/x402/tip?x", "a=%zz", "payment-signature", "a,b", "!!", true, "", "::1")
	f.Add("HEAD", "//%zz", "#", "", "\x00", "e30=", true, "a b", "")
	f.Add("CONNECT", "*", "a;b", "Cookie", "\r\n", "\xff", false, "[::1", "x")
	invoke := Function("tip", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		_, _ = w.Write(data)
	}))
	f.Fuzz(func(t *testing.T, method, path, query, name, value, text string, isBase64 bool, domain, ip string) {
		e := event(method, path, query, header(name, value), body(text, isBase64))
		e.RequestContext.DomainName, e.RequestContext.HTTP.SourceIP = domain, ip
		answer, err := invoke(t.Context(), e)
		if err != nil || answer.StatusCode < 200 || answer.StatusCode > 599 {
			t.Fatalf("%d (%v)", answer.StatusCode, err)
		}
		if _, err := json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
		plain, err := Adapt(http.NotFoundHandler())(t.Context(), e)
		if err != nil || plain.StatusCode != 404 && plain.StatusCode != 400 {
			t.Fatalf("%d (%v)", plain.StatusCode, err)
		}
	})
}
