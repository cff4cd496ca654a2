package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"governance.internal/shared/audit"
	auditfile "governance.internal/shared/audit/file"
)

// mostFetched is how many bytes of a chain are read from a server, about a hundred
// million entries.
const mostFetched = 48 << 30

// isURL tells the address of a chain from the name of a file.
func isURL(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// openChain opens a chain in a file or at an address for reading. It returns the
// number of bytes after the last complete line of a file, which are not read.
func openChain(ctx context.Context, source string) (chain io.ReadCloser, torn int64, err error) {
	if isURL(source) {
		chain, err = fetchChain(ctx, source, mostFetched)
		return chain, 0, err
	}

	file, err := auditfile.OpenReader(source)
	if err != nil {
		return nil, 0, err
	}
	return file, file.Torn(), nil
}

// fetchChain gets a chain from a server. Plain HTTP is for this machine only, because
// a machine in between could serve another chain. A redirect to another host is refused.
func fetchChain(ctx context.Context, source string, limit int64) (io.ReadCloser, error) {
	address, err := url.Parse(source)
	if err != nil || address.Host == "" {
		return nil, fmt.Errorf("%q is not an address", source)
	}
	if err := checkScheme(address); err != nil {
		return nil, err
	}

	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	client := &http.Client{
		Transport: transport,
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if next.URL.Host != address.Host || len(via) > 3 {
				return fmt.Errorf("it redirects to %s; ask there if you trust that host", next.URL.Redacted())
			}
			return checkScheme(next.URL)
		},
	}

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return nil, err
	}

	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}

	if response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		return nil, fmt.Errorf("%s answers %s, not a chain", address.Redacted(), response.Status)
	}

	return &limitedBody{response.Body, limit}, nil
}

func checkScheme(address *url.URL) error {
	ip := net.ParseIP(address.Hostname())
	if address.Scheme == "https" ||
		address.Hostname() == "localhost" ||
		ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s: a chain from another machine is fetched over https only", address.Redacted())
}

// limitedBody fails after a number of bytes; with io.LimitReader a longer chain would
// look truncated.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("the server sends more than the maximum size of a chain")
	}
	return n, err
}

// verifySource verifies the chain in a file or at an address.
func verifySource(ctx context.Context, source string, anchors []audit.Anchor) (audit.Report, error) {
	chain, torn, err := openChain(ctx, source)
	if err != nil {
		return audit.Report{}, err
	}
	defer chain.Close()

	report, err := audit.VerifyReader(chain, audit.VerifyOptions{
		Anchors:     anchors,
		Strict:      true,
		Parallelism: runtime.NumCPU(),
	})
	if err == nil && torn > 0 {
		report.Warnings = append(report.Warnings, audit.Warning{
			Kind:  audit.TornTail,
			Seq:   report.Entries + 1,
			Count: uint64(torn),
		})
	}

	return report, err
}
