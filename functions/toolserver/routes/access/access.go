// Package access decides which requests reach the routes: it checks the host, the
// origin, the rate and the bearer token of each, and refuses the others.
//
// It knows three kinds of secrets: the token of the server, the kill secret, and access
// tokens of an authorization server (package oauth).
package access

import (
	"cmp"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/caller"
	"governance.internal/functions/toolserver/routes/access/oauth"
)

// Rates of a caller: one token, or one address where there is none.
const (
	callsPerSecond   = 100
	callsBurst       = 500
	refusedPerMinute = 30 // requests with a wrong token, per address
)

// openPaths need no token: their answers are public, or they require the kill secret
// instead.
var openPaths = []string{"/", "/health", "/kill"}

func isOpen(path string) bool {
	return slices.Contains(openPaths, path) || slices.Contains(MetadataPaths, path)
}

// Tasks are the other tasks of the service, which forward messages to this one.
type Tasks interface {
	// Trusts reports whether a request comes from another task, which has checked it.
	Trusts(*http.Request) bool
	// Caller returns the sender of a message that another task forwards.
	Caller(*http.Request) string
}

// Options are what a [Control] checks against.
type Options struct {
	Base       *url.URL        // address that clients use
	Token      string          // "" only on loopback
	KillSecret string          // good for everything that the token is good for
	Tasks      Tasks           // nil if this is the only task
	OAuth      *oauth.Resource // nil if no authorization server is trusted
	Now        func() time.Time
}

// Control checks the requests of every route. It refuses those of other sites, whose pages
// can make a browser on the same machine send requests (DNS rebinding, cross-origin
// requests), callers without the token, and callers above their rate.
type Control struct {
	base   *url.URL
	token  string
	secret string
	tasks  Tasks
	oauth  *oauth.Resource
	calls  *Limiter
	wrong  *Limiter
}

// New makes a control.
func New(o Options) *Control {
	return &Control{
		base:   o.Base,
		token:  o.Token,
		secret: o.KillSecret,
		tasks:  o.Tasks,
		oauth:  o.OAuth,
		calls:  NewLimiter(o.Now, callsPerSecond, callsBurst),
		wrong:  NewLimiter(o.Now, refusedPerMinute/60.0, refusedPerMinute),
	}
}

// Protect passes the requests that pass every check to next.
func (c *Control) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, no := c.judge(r)
		if no != nil {
			no.Write(w, r)
			return
		}

		if who != "" {
			r = r.WithContext(caller.With(r.Context(), who))
		}
		next.ServeHTTP(w, r)
	})
}

// judge returns the caller, "" if none is required, or the reason to refuse the request.
func (c *Control) judge(r *http.Request) (who string, no *Refusal) {
	if c.tasks != nil && r.URL.Path == "/message" && c.tasks.Trusts(r) {
		return c.tasks.Caller(r), nil // the task that forwards it judged it
	}
	if !c.knownHost(r) {
		return "", &Refusal{
			Status:  http.StatusForbidden,
			Code:    "host_not_allowed",
			Message: "This Host is not an address of the server. Use " + c.base.String() + ".",
		}
	}

	if !c.sameSite(r) {
		return "", &Refusal{
			Status:  http.StatusForbidden,
			Code:    "origin_not_allowed",
			Message: "Pages of other origins may not use the tool server.",
		}
	}

	who, no = c.admit(r)
	if no != nil {
		return "", no
	}

	// The kill switch requires its secret in a header, which no other site's page can send,
	// and accepts the content type that curl sends.
	if r.Method == http.MethodPost &&
		!isJSON(r.Header) &&
		(r.URL.Path != "/kill" || r.Header.Get("Content-Encoding") != "") {
		return "", &Refusal{
			Status:  http.StatusUnsupportedMediaType,
			Code:    "unsupported_media_type",
			Message: "Send the body as JSON with the header Content-Type: application/json and without Content-Encoding.",
		}
	}

	return who, nil
}

// knownHost accepts the configured name, the loopback names and the address of the
// connection itself. A host name of an attacker is none of these.
func (c *Control) knownHost(r *http.Request) bool {
	if r.Host == c.base.Host {
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

// localIP returns the local address of the connection, nil if it is unknown.
func localIP(r *http.Request) net.IP {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP
	}
	return nil
}

// sameSite refuses requests that a browser sends for a page of another site. Without an
// Origin, as for images, browsers send Sec-Fetch-Site; programs send neither.
func (c *Control) sameSite(r *http.Request) bool {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		own := []string{"http://" + r.Host, c.base.Scheme + "://" + c.base.Host}
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

// admit checks the token and the rate. Behind a load balancer every request comes from its
// address, and the client can forge the forwarded one, so the token identifies callers
// there.
func (c *Control) admit(r *http.Request) (who string, no *Refusal) {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if (c.token != "" || c.oauth != nil) && !isOpen(r.URL.Path) {
		if who, no = c.identify(r); no != nil {
			if wait := c.wrong.Wait(address); wait > 0 {
				return "", tooMany(wait)
			}
			return "", no
		}
	}

	if Urgent(r) {
		return who, nil
	}

	if wait := c.calls.Wait(cmp.Or(who, address)); wait > 0 {
		return "", tooMany(wait)
	}
	return who, nil
}

// identify returns the caller: the token of the server or of the kill switch, or the
// subject of an access token.
func (c *Control) identify(r *http.Request) (who string, no *Refusal) {
	if HasBearer(r.Header, c.secret) {
		return caller.Operator, nil
	}
	if HasBearer(r.Header, c.token) {
		return "token", nil
	}

	if c.oauth == nil {
		return "", &Refusal{
			Status:  http.StatusUnauthorized,
			Code:    "unauthorized",
			bearer:  `Bearer realm="governance"`,
			Message: "Send the token of this server (GOV_API_TOKEN) as Authorization: Bearer TOKEN.",
		}
	}

	return c.subject(r)
}

func isJSON(header http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil &&
		mediaType == "application/json" &&
		header.Get("Content-Encoding") == ""
}
