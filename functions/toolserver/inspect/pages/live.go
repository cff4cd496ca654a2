package pages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"governance.internal/functions/toolserver/inspect/finding"
)

// Probe asks an address for its status. The error says why it has none.
type Probe func(ctx context.Context, address string, allowed func(host string) bool) (status int, err error)

// Limits of a live check.
const (
	probeTime  = 5 * time.Second
	probeBytes = 1 << 20
	probeHops  = 3
	maxProbes  = 500
)

var (
	errHost = errors.New("the host is not in website.live.allow_hosts")
	errHops = errors.New("there are too many redirects")
)

// Network asks over the network. It reaches public addresses only, at the ports 80 and 443,
// whatever a name resolves to: the address is judged when the connection is made.
func Network() Probe {
	dialer := &net.Dialer{
		Timeout: probeTime,
		Control: ssrf.New().Safe,
	}
	return overTransport(&http.Transport{
		DialContext:            dialer.DialContext,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: probeBytes,
		ResponseHeaderTimeout:  probeTime,
	})
}

// overTransport asks through a transport, which has no proxy.
func overTransport(transport *http.Transport) Probe {
	return func(ctx context.Context, address string, allowed func(string) bool) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()

		client := &http.Client{
			Transport: transport,
			CheckRedirect: func(next *http.Request, before []*http.Request) error {
				if len(before) > probeHops {
					return errHops
				}
				return permitted(next.URL, allowed)
			},
		}

		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return 0, errors.New("it is no address")
		}
		if err := permitted(request.URL, allowed); err != nil {
			return 0, err
		}

		response, err := client.Do(request)
		if err != nil {
			return 0, reasonOf(err)
		}

		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, probeBytes)) // only the status counts
		return response.StatusCode, response.Body.Close()
	}
}

// permitted says why an address may not be asked.
func permitted(address *url.URL, allowed func(string) bool) error {
	if address.Scheme != "http" && address.Scheme != "https" {
		return errors.New("only http and https are asked")
	}
	if address.User != nil {
		return errors.New("the address carries a password")
	}
	if !allowed(address.Hostname()) {
		return errHost
	}
	return nil
}

// reasonOf is why an address did not answer, without what a name resolves to.
func reasonOf(err error) error {
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err
	}

	switch {
	case errors.Is(err, errHost), errors.Is(err, errHops):
		return err
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork):
		return errRefused
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	}
	return errors.New("it cannot be reached")
}

// errRefused says that an address is none of the public network.
var errRefused = errors.New("the address is not public, so it is not asked")

// isAllowed reports whether live checks may ask a host.
func (s *scan) isAllowed(host string) bool {
	live := s.site.config.Live
	return live.Enabled && s.Probe != nil && slices.ContainsFunc(live.AllowHosts, func(each string) bool {
		return strings.EqualFold(each, host)
	})
}

// probe asks an address of another host, if that is allowed.
func (s *scan) probe(r reference, text string) (answer, bool) {
	parsed, err := url.Parse(text)
	if err != nil || !r.read || !s.isAllowed(parsed.Hostname()) {
		return answer{}, false
	}

	parsed.RawQuery = strings.NewReplacer(" ", "%20", `"`, "%22", "`", "%60").Replace(parsed.RawQuery)
	status, err := s.ask(parsed.String())
	switch {
	case errors.Is(err, errHost), errors.Is(err, errRefused), errors.Is(err, errProbes):
		s.skipOnce("live."+parsed.Hostname(), err.Error())
		return answer{}, false
	case err != nil:
		return answer{wrong: r.dead, detail: fmt.Sprintf("%s: %v", parsed.Redacted(), err)}, true
	case status >= http.StatusBadRequest:
		return answer{wrong: r.dead, detail: fmt.Sprintf("%s answers with status %d", parsed.Redacted(), status)}, true
	}
	return answer{}, true
}

// probeRoute asks the server of the website for a path without a file.
func (s *scan) probeRoute(r reference, a address, got answer) (answer, bool) {
	if s.site.base == nil || !s.isAllowed(s.site.base.Hostname()) {
		return got, true
	}

	to := *s.site.base
	to.Path = strings.TrimSuffix(to.Path, "/") + a.path
	return s.probe(r, to.String())
}

// errProbes says that a check asked often enough.
var errProbes = errors.New("more addresses than one check asks")

// ask asks an address once in a scan.
func (s *scan) ask(address string) (int, error) {
	if known, ok := s.asked[address]; ok {
		return known.status, known.err
	}
	if len(s.asked) >= maxProbes {
		return 0, errProbes
	}

	status, err := s.Probe(s.ctx, address, s.isAllowed)
	if s.asked == nil {
		s.asked = map[string]reply{}
	}

	s.asked[address] = reply{status, err}
	return status, err
}

// reply is what an address answered.
type reply struct {
	status int
	err    error
}

// skipOnce notes a check that was not made, once.
func (s *scan) skipOnce(check, reason string) {
	already := slices.ContainsFunc(s.report.Skipped, func(each finding.Skipped) bool { return each.Check == check })
	if !already {
		s.skip(check, reason, "")
	}
}
