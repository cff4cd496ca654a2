// Package awsapi sends signed HTTP requests to AWS services of which a function
// needs one or two operations. The SDK's client of a service would add half a
// megabyte and more to every function for them.
package awsapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"time"

	"governance.internal/shared/telemetry"
)

const (
	attemptLimit = 3 * time.Second       // and for each byte that may go either way
	byteLimit    = 100 * time.Nanosecond // that is 10 MB/s
	mostAttempts = 4
	pause        = 50 * time.Millisecond // before the second attempt; it doubles
	mostQuoted   = 200                   // bytes of a refusal
)

// Signer signs a request to a service in a region, with the SHA-256 of its body in
// hexadecimal digits (Signature Version 4). Package environment makes it of the SDK's.
type Signer func(ctx context.Context, req *http.Request, digest, service, region string) error

// Account says where requests go and who signs them.
type Account struct {
	Region    string
	Sign      Signer
	Endpoint  string            // of a local engine, which needs neither region nor signature; "" for AWS
	Transport http.RoundTripper // nil: the default one
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	service string
	account Account
	http    *http.Client
}

// New prepares a client; it sends nothing.
func New(service string, a Account) *Client {
	return &Client{
		service: service, account: a,
		http: &http.Client{Transport: telemetry.Transport(a.Transport), CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // it would carry the session token elsewhere
		}},
	}
}

// Status is an answer that is not 200.
type Status struct {
	Code int
	Text string // status line and the start of the body
}

func (s *Status) Error() string { return s.Text }

// Do sends a request, again if that may help, and gives the body of the answer,
// of at most so many bytes. What is sent must be repeatable. Errors: *Status,
// [io.ErrShortBuffer] for a longer answer, or the failure of the connection.
func (c *Client) Do(ctx context.Context, method, url string, header http.Header, body []byte, most int64) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		answer, again, err := c.send(ctx, method, url, header, body, most)
		if err == nil || !again || attempt == mostAttempts {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause << (attempt - 1)):
		}
	}
}

func (c *Client) send(ctx context.Context, method, url string, header http.Header, body []byte, most int64) (answer []byte, again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit+time.Duration(int64(len(body))+most)*byteLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	for name := range header {
		req.Header.Set(name, header.Get(name))
	}
	if err := c.sign(ctx, req, body); err != nil {
		return nil, false, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, true, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, max(most+1, mostQuoted)))
	switch {
	case resp.StatusCode != http.StatusOK:
		again = resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusConflict
		return nil, again, &Status{resp.StatusCode, fmt.Sprintf("%s %q", resp.Status, answer[:min(len(answer), mostQuoted)])}
	case err != nil:
		return nil, true, err
	case int64(len(answer)) > most:
		return nil, false, fmt.Errorf("the answer has more than %d bytes: %w", most, io.ErrShortBuffer)
	}
	return answer, false, nil
}

func (c *Client) sign(ctx context.Context, req *http.Request, body []byte) error {
	if c.account.Endpoint != "" {
		return nil
	}
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	if c.service == "s3" {
		req.Header.Set("X-Amz-Content-Sha256", digest)
	}
	return c.account.Sign(ctx, req, digest, c.service, c.account.Region)
}
