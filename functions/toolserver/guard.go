package toolserver

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"governance.internal/functions/toolserver/mcp/caller"
	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/routes/access/oauth"
	"governance.internal/functions/toolserver/work/cluster"
	"governance.internal/shared/httpapi"
)

// Rates of a caller: one token, or one address where there is none.
const (
	callsPerSecond   = 100
	callsBurst       = 500
	refusedPerMinute = 30 // requests with a wrong token, per address
	maxCallers       = 10_000
)

// openPaths need no token: what they tell is public, or they ask for the kill
// secret instead.
var openPaths = []string{"/", "/health", "/kill"}

func isOpen(path string) bool {
	return slices.Contains(openPaths, path) || slices.Contains(metadataPaths, path)
}

// guard stands in front of every route. It refuses pages of other sites, who can
// make a browser on the same machine send requests (DNS rebinding, cross-origin
// requests), callers without the token, and callers that come too often.
type guard struct {
	base   *url.URL // address that clients use
	token  string   // "" only on loopback
	secret string   // of the kill switch; good for everything that the token is good for
	calls  *callers
	wrong  *callers
	tasks  *cluster.Node   // nil if this is the only task
	oauth  *oauth.Resource // nil if no authorization server is trusted
}

// refusal is why a request does not pass, and what to do about it.
type refusal struct {
	status  int
	code    string
	message string
	wait    time.Duration
	bearer  string // WWW-Authenticate
}

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, no := g.judge(r)
		if no != nil {
			no.write(w, r)
			return
		}

		if who != "" {
			r = r.WithContext(caller.With(r.Context(), who))
		}
		next.ServeHTTP(w, r)
	})
}

// judge says who calls, "" where nobody is asked, or why the request does not pass.
func (g *guard) judge(r *http.Request) (who string, no *refusal) {
	if g.tasks != nil && r.URL.Path == "/message" && g.tasks.Trusts(r) {
		return g.tasks.Caller(r), nil // the task that forwards it judged it
	}
	if !g.knownHost(r) {
		return "", &refusal{
			status:  http.StatusForbidden,
			code:    "host_not_allowed",
			message: "This Host is not an address of the server. Use " + g.base.String() + ".",
		}
	}

	if !g.sameSite(r) {
		return "", &refusal{
			status:  http.StatusForbidden,
			code:    "origin_not_allowed",
			message: "Pages of other origins may not use the tool server.",
		}
	}

	who, no = g.admit(r)
	if no != nil {
		return "", no
	}

	// The kill switch wants its secret in a header, which no page of others can send, and
	// takes the body as curl labels it.
	if r.Method == http.MethodPost &&
		!isJSON(r.Header) &&
		(r.URL.Path != "/kill" || r.Header.Get("Content-Encoding") != "") {
		return "", &refusal{
			status:  http.StatusUnsupportedMediaType,
			code:    "unsupported_media_type",
			message: "Send the body as JSON with the header Content-Type: application/json and without Content-Encoding.",
		}
	}

	return who, nil
}

// knownHost accepts the configured name, and the loopback names and the address of
// the connection itself, which no name of an attacker can stand for.
func (g *guard) knownHost(r *http.Request) bool {
	if r.Host == g.base.Host {
		return true
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	} else if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false
	}

	local := localIP(r)
	if local.IsLoopback() {
		return host == "localhost" || net.ParseIP(host).IsLoopback()
	}
	return local != nil && local.Equal(net.ParseIP(host)) // a health check
}

// localIP is where the connection came in, nil if that is not known.
func localIP(r *http.Request) net.IP {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP
	}
	return nil
}

// sameSite refuses what a browser sends for a page from elsewhere. Without an
// Origin, as for images, browsers tell by Sec-Fetch-Site; programs send neither.
func (g *guard) sameSite(r *http.Request) bool {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		own := []string{"http://" + r.Host, g.base.Scheme + "://" + g.base.Host}
		return len(origins) == 1 && slices.Contains(own, origins[0])
	}

	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}

	followed := r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
	return followed &&
		r.Method == http.MethodGet &&
		r.URL.Path == "/" // a link to the front page
}

// admit checks the token and the rate. Behind a load balancer all addresses are
// its own, and what it says about the client can be made up: there the token is
// what tells callers apart.
func (g *guard) admit(r *http.Request) (who string, no *refusal) {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if (g.token != "" || g.oauth != nil) && !isOpen(r.URL.Path) {
		if who, no = g.identify(r); no != nil {
			if wait := g.wrong.wait(address); wait > 0 {
				return "", tooMany(wait)
			}
			return "", no
		}
	}

	if r.URL.Path == "/kill" ||
		r.URL.Path == "/health" { // never starved by other requests: they bound their own cost
		return who, nil
	}

	if wait := g.calls.wait(cmp.Or(who, address)); wait > 0 {
		return "", tooMany(wait)
	}
	return who, nil
}

// identify says who calls: the token of the server or of the kill switch, or the
// subject of an access token.
func (g *guard) identify(r *http.Request) (who string, no *refusal) {
	if hasBearer(r.Header, g.secret) {
		return caller.Operator, nil
	}
	if hasBearer(r.Header, g.token) {
		return "token", nil
	}

	if g.oauth == nil {
		return "", &refusal{
			status:  http.StatusUnauthorized,
			code:    "unauthorized",
			bearer:  `Bearer realm="governance"`,
			message: "Send the token of this server (GOV_API_TOKEN) as Authorization: Bearer TOKEN.",
		}
	}

	return g.subject(r)
}

// hasBearer compares in constant time, whatever the lengths. An unset token
// matches nothing.
func hasBearer(header http.Header, token string) bool {
	scheme, given, _ := strings.Cut(header.Get("Authorization"), " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(given)))
	want := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 &&
		strings.EqualFold(scheme, "Bearer") &&
		token != ""
}

func isJSON(header http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil &&
		mediaType == "application/json" &&
		header.Get("Content-Encoding") == ""
}

func tooMany(wait time.Duration) *refusal {
	return &refusal{
		status:  http.StatusTooManyRequests,
		code:    "rate_limited",
		message: "Too many requests. Wait as long as Retry-After says.",
		wait:    wait,
	}
}

// write answers in the language of the route.
func (f *refusal) write(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		if f.bearer != "" {
			header.Set("WWW-Authenticate", f.bearer)
		}
	case http.StatusTooManyRequests:
		header.Set("Retry-After", strconv.Itoa(int((f.wait+time.Second-1)/time.Second)))
	}

	if slices.Contains(protocolPaths, r.URL.Path) {
		rpc.Refuse(w, &rpc.Error{
			Status:  f.status,
			Code:    rpc.CodeRefused,
			Message: f.message,
			Data:    map[string]string{"code": f.code},
		})

		return
	}

	writeJSON(w, f.status, map[string]any{"error": map[string]string{"code": f.code, "message": f.message}})
}

// writeJSON answers with an object that must not be kept.
func writeJSON(w http.ResponseWriter, status int, object any) {
	answer, err := httpapi.JSONStatus(status, object)
	if err != nil {
		answer = httpapi.Response{
			Status: http.StatusInternalServerError,
			Header: http.Header{},
		}
	}

	answer.Header.Set("Cache-Control", "no-store")
	answer.Write(w)
}

// callers keeps a token bucket for each caller, for a bounded number of them.
type callers struct {
	now   func() time.Time
	limit rate.Limit
	burst int

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newCallers(now func() time.Time, perSecond float64, burst int) *callers {
	return &callers{
		now:     now,
		limit:   rate.Limit(perSecond),
		burst:   burst,
		buckets: map[string]*rate.Limiter{},
	}
}

// wait takes a token from a caller's bucket; if there is none it says how long the
// caller has to wait for one.
func (c *callers) wait(who string) time.Duration {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()

	bucket, ok := c.buckets[who]
	if !ok {
		if len(c.buckets) >= maxCallers {
			c.forget(now)
		}
		bucket = rate.NewLimiter(c.limit, c.burst)
		c.buckets[who] = bucket
	}

	reservation := bucket.ReserveN(now, 1)
	delay := reservation.DelayFrom(now)
	if delay > 0 {
		reservation.CancelAt(now)
	}

	return delay
}

// forget drops the buckets that are full again, or all if none is.
func (c *callers) forget(now time.Time) {
	before := len(c.buckets)
	for who, bucket := range c.buckets {
		if bucket.TokensAt(now) >= float64(c.burst) {
			delete(c.buckets, who)
		}
	}

	if len(c.buckets) == before {
		clear(c.buckets)
	}
}
