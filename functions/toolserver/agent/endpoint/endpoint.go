// Package endpoint sends JSON to the one address of a provider that is configured, and
// reads a bounded answer. It follows no redirect and uses no proxy: the key goes nowhere
// else.
package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"governance.internal/functions/toolserver/agent/chat"
)

const (
	MostAnswer = 8 << 20 // bytes of an answer
	mostQuoted = 300     // bytes of what a provider says about an error
)

// Server is a model at an address.
type Server struct {
	URL  string // without the path of the API
	Key  string // "" for a server that wants none
	Name string // of the model
	HTTP *http.Client
}

// Client is an HTTP client that keeps to one address.
func Client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               nil,
			TLSHandshakeTimeout: 10 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// Post sends a body and gives the body of the answer, if that is 200. Errors: *[chat.Busy]
// if asking again may help, else one that quotes what the provider said and no header.
func Post(ctx context.Context, client *http.Client, url string, header http.Header, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, errors.New("the address of the model is not a URL")
	}

	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, lost(ctx, err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, MostAnswer+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, Refusal(resp, answer)
	case err != nil:
		return nil, lost(ctx, err)
	case len(answer) > MostAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", MostAnswer)
	}

	return answer, nil
}

// lost is a connection that broke. It is no reason to ask again if we broke it.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &chat.Busy{Err: fmt.Errorf("the connection to the model failed: %w", err)}
}

// Refusal is the error for a status other than 200.
func Refusal(resp *http.Response, body []byte) error {
	err := fmt.Errorf("the model answered %d: %s", resp.StatusCode, complaint(body))
	switch {
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout:
		return &chat.Busy{After: RetryAfter(resp.Header, time.Now()), Err: err}
	}
	return err
}

// complaint is what a provider says about an error, which Anthropic and OpenAI write in the
// same members.
func complaint(body []byte) string {
	var answer struct {
		Error struct{ Type, Message string }
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Message == "" {
		return "no reason given"
	}

	text := answer.Error.Type + ": " + answer.Error.Message
	if len(text) > mostQuoted {
		text = text[:mostQuoted]
	}

	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}

	return text
}

// RetryAfter reads how long to wait: seconds or a date (RFC 9110, section 10.2.3). 0 if the
// header says nothing.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
