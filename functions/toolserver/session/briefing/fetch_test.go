package briefing

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"code.dny.dev/ssrf"
)

func TestOnlyPublicAddressesAreConnectedTo(t *testing.T) {
	client := NewClient()
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "169.254.1.1", "100.64.0.1", "100.127.255.255", "224.0.0.1", "239.255.255.250",
		"240.0.0.1", "255.255.255.255", "192.0.0.192", "198.18.0.1", "198.51.100.7", "203.0.113.9",
		"::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "2002:7f00:1::",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "::127.0.0.1",
	} {
		at := netip.AddrPortFrom(netip.MustParseAddr(address), 443)
		if err := client.allow("tcp4", at.String(), nil); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("%s: %v", address, err)
		}
	}

	for _, address := range []string{"8.8.8.8", "2606:4700::1111"} {
		at := netip.AddrPortFrom(netip.MustParseAddr(address), 443)
		if err := client.allow("tcp6", at.String(), nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := client.allow("tcp4", "8.8.8.8:22", nil); !errors.Is(err, ssrf.ErrProhibitedPort) {
		t.Errorf("%v", err)
	}
}

// The addresses are refused when the connection is made, whatever name leads there.
func TestNothingIsAskedOfThisMachine(t *testing.T) {
	asked := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	client := NewClient()
	client.check = func(*url.URL) error { return nil } // else the port is refused before

	port := server.URL[strings.LastIndex(server.URL, ":")+1:]
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0"} {
		document, err := client.Fetch(t.Context(), "https://"+host+":"+port+"/", nil)
		if err == nil || document != nil {
			t.Errorf("%s: %q %v", host, document, err)
		}
	}
	if _, err := client.Fetch(t.Context(), server.URL, nil); !errors.Is(err, errForbidden) || asked {
		t.Errorf("asked: %v, %v", asked, err)
	}
}

func TestBadAddressesAreNotFetched(t *testing.T) {
	for address, want := range map[string]error{
		"http://example.com/feed":        errNotHTTPS,
		"file:///etc/passwd":             errNotHTTPS,
		"gopher://example.com":           errNotHTTPS,
		"example.com/feed":               errNotHTTPS,
		"https:///feed":                  errNoAddress,
		"https://user:pass@example.com/": errUser,
		"https://example.com:22/":        errPort,
		"https://example.com:8443/":      errPort,
		"https://exa\x00mple.com/":       errNoAddress,
		"":                               errNotHTTPS,
	} {
		if _, err := NewClient().Fetch(t.Context(), address, nil); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", address, err, want)
		}
	}
}

// local is a client for one server on this machine.
func local(t *testing.T, handler http.HandlerFunc) (*Client, string) {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())

	own := strings.TrimPrefix(server.URL, "https://")
	return &Client{
		allow: func(network, address string, c syscall.RawConn) error {
			if address == own {
				return nil
			}
			return NewClient().allow(network, address, c)
		},
		check: func(place *url.URL) error {
			if place.Host == own && place.Scheme == "https" {
				return nil
			}
			return checkAddress(place)
		},
		tls: &tls.Config{RootCAs: roots},
	}, server.URL
}

func TestADocumentIsFetched(t *testing.T) {
	client, address := local(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "agent %s, referer %q", r.UserAgent(), r.Referer())
	})
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	document, err := client.Fetch(t.Context(), address, nil)
	if err != nil || !strings.HasPrefix(string(document), "agent governance") {
		t.Errorf("%q %v", document, err)
	}
}

func TestRedirectsAreCheckedAnew(t *testing.T) {
	var address string
	client, address := local(t, func(w http.ResponseWriter, r *http.Request) {
		target := r.URL.Query().Get("to")
		if target == "" {
			fmt.Fprintf(w, "referer %q", r.Referer())
			return
		}
		http.Redirect(w, r, target, http.StatusFound)
	})
	host := []string{"127.0.0.1"}
	chain := func(n int) string {
		target := address
		for range n {
			target = address + "/?to=" + url.QueryEscape(target)
		}
		return target
	}

	document, err := client.Fetch(t.Context(), chain(3), host)
	if err != nil || string(document) != `referer ""` {
		t.Errorf("%q %v", document, err)
	}
	for target, want := range map[string]error{
		chain(4):                              errRedirects,
		address + "/?to=http://example.com/":  errNotHTTPS,
		address + "/?to=https://example.com/": errOtherHost,
		address + "/?to=https://169.254.169.254/latest/meta-data": errOtherHost,
		address + "/?to=https://127.0.0.1:9/":                     errPort,
		address + "/?to=https://127.0.0.1/":                       errForbidden,
		address + "/?to=file:///etc/passwd":                       errNotHTTPS,
	} {
		if _, err := client.Fetch(t.Context(), target, host); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", target, err, want)
		}
	}
}

func TestBoundsOfADocument(t *testing.T) {
	client, address := local(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			fmt.Fprint(w, strings.Repeat("x", maxDocument+1))
		case "/bomb": // 20 MiB in a few KiB
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			for range 20 {
				fmt.Fprint(packed, strings.Repeat("x", 1<<20))
			}
			packed.Close()
		case "/whole":
			fmt.Fprint(w, strings.Repeat("x", maxDocument))
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		case "/slow":
			<-r.Context().Done()
		}
	})
	for path, want := range map[string]error{"/large": errTooLarge, "/bomb": errTooLarge} {
		if _, err := client.Fetch(t.Context(), address+path, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if document, err := client.Fetch(t.Context(), address+"/whole", nil); err != nil || len(document) != maxDocument {
		t.Errorf("%d %v", len(document), err)
	}
	if _, err := client.Fetch(t.Context(), address+"/gone", nil); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := client.Fetch(ctx, address+"/slow?key=secret", nil); !errors.Is(err, errTimeout) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

func TestAnUnknownAuthorityIsNotTrusted(t *testing.T) {
	client, address := local(t, func(http.ResponseWriter, *http.Request) {})
	client.tls = nil
	if _, err := client.Fetch(t.Context(), address, nil); !errors.Is(err, errNoDocument) {
		t.Errorf("%v", err)
	}
}
