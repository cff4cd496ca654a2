package briefing

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Bounds of a request.
const (
	fetchLimit   = 5 * time.Second
	maxDocument  = 1 << 20  // bytes
	maxHeader    = 64 << 10 // bytes
	maxRedirects = 3
)

// Errors of a feed. They name no address: one may hold a key.
var (
	errNoAddress  = errors.New("not fetched: it is no address")
	errNotHTTPS   = errors.New("not fetched: an address begins with https://")
	errUser       = errors.New("not fetched: an address has no user or password")
	errPort       = errors.New("not fetched: only port 443 is asked")
	errRedirects  = errors.New("not fetched: more than 3 redirects")
	errOtherHost  = errors.New("not fetched: a redirect leads to a host that is not among discovery.feeds")
	errForbidden  = errors.New("not fetched: the host has an address that is not public")
	errTimeout    = errors.New("not fetched: no answer within 5 seconds")
	errTooLarge   = errors.New("not fetched: the document has more than 1 MiB")
	errNoDocument = errors.New("not fetched: the host cannot be reached")
)

// checkAddress says why an address is not fetched.
func checkAddress(place *url.URL) error {
	switch {
	case place.Scheme != "https":
		return errNotHTTPS
	case place.Hostname() == "":
		return errNoAddress
	case place.User != nil:
		return errUser
	case place.Port() != "" && place.Port() != "443":
		return errPort
	}
	return nil
}

// hostOf is the host of an address in lower case.
func hostOf(place *url.URL) string {
	return strings.ToLower(place.Hostname())
}

// Client fetches documents from the public internet. It connects to no address that is
// loopback, private, link-local, shared, multicast or reserved, whatever name leads there,
// and uses no proxy.
type Client struct {
	allow func(network, address string, c syscall.RawConn) error
	check func(*url.URL) error
	tls   *tls.Config
}

// NewClient returns a client for port 443.
func NewClient() *Client {
	public := ssrf.New(ssrf.WithPorts(443))
	return &Client{
		allow: public.Safe,
		check: checkAddress,
	}
}

// Fetch returns a document. Redirects may lead only to the hosts.
func (c *Client) Fetch(ctx context.Context, address string, hosts []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errNoAddress
	}
	if err := c.check(request.URL); err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8")
	request.Header.Set("User-Agent", "governance-briefing/1")

	answer, err := c.client(hosts).Do(request)
	if err != nil {
		return nil, reason(ctx, err)
	}
	defer answer.Body.Close()

	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("not fetched: the host answered %d", answer.StatusCode)
	}
	document, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument+1))
	switch {
	case len(document) > maxDocument:
		return nil, errTooLarge
	case err != nil:
		return nil, reason(ctx, err)
	}
	return document, nil
}

// client makes a client for one request: no connection is kept.
func (c *Client) client(hosts []string) *http.Client {
	dialer := &net.Dialer{
		Timeout: fetchLimit,
		Control: c.allow,
	}
	return &http.Client{
		Timeout: fetchLimit,
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        c.tls,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if len(before) > maxRedirects {
				return errRedirects
			}
			if err := c.check(next.URL); err != nil {
				return err
			}
			if !slices.Contains(hosts, hostOf(next.URL)) {
				return errOtherHost
			}
			next.Header.Del("Referer") // it may hold a key
			return nil
		},
	}
}

// reason is an error of a request in words that name no address.
func reason(ctx context.Context, err error) error {
	for _, known := range []error{errNotHTTPS, errNoAddress, errUser, errPort, errRedirects, errOtherHost} {
		if errors.Is(err, known) {
			return known
		}
	}

	forbidden := errors.Is(err, ssrf.ErrProhibitedIP) ||
		errors.Is(err, ssrf.ErrProhibitedPort) ||
		errors.Is(err, ssrf.ErrProhibitedNetwork)
	var waited net.Error
	switch {
	case forbidden:
		return errForbidden
	case ctx.Err() != nil, errors.As(err, &waited) && waited.Timeout():
		return errTimeout
	}
	return errNoDocument
}
