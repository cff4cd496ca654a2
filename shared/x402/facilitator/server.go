package facilitator

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Server is a facilitator elsewhere and how we sign in there.
type Server struct {
	URL   string                                                         // below it are /verify, /settle and /supported
	Token func(method, host, path string, now time.Time) (string, error) // bearer token of a request; nil for none
}

// BearerToken signs in with the same token always.
func BearerToken(token string) func(string, string, string, time.Time) (string, error) {
	return func(string, string, string, time.Time) (string, error) {
		return token, nil
	}
}

const (
	maxAnswer      = 64 << 10         // bytes of an answer that are read
	supportedLife  = 10 * time.Minute // so long an answer to /supported holds
	supportedTries = 3                // while it answers 429
)

// server is one facilitator of a Remote.
type server struct {
	url      *url.URL
	token    func(method, host, path string, now time.Time) (string, error)
	client   *http.Client
	now      func() time.Time
	patience time.Duration
	breaker  breaker

	mu       sync.Mutex // guards what /supported said
	heard    time.Time
	unserved error
}

// question is the body of verify and settle. The payload has three members only:
// facilitators have refused valid payments for the others.
type question struct {
	X402Version         int               `json:"x402Version"`
	PaymentPayload      x402.Payload      `json:"paymentPayload"`
	PaymentRequirements x402.Requirements `json:"paymentRequirements"`
}

// identity says that a question is of one sale, however often it is asked. Only who
// holds the payment can tell it.
func identity(question []byte) string {
	sum := sha256.Sum256(question)
	return hex.EncodeToString(sum[:])
}

var (
	errOpen     = errors.New("failed lately and is left alone for a while")
	errNoAnswer = errors.New("its answer is not of the expected shape")
)

// statusError is an answer without a verdict.
type statusError int

func (e statusError) Error() string {
	return fmt.Sprintf("answers status %d without a verdict", int(e))
}

// name of the server in logs and errors; its URL may hold a key.
func (s *server) name() string { return s.url.Host }

// address is the URL as stored with an attempt.
func (s *server) address() string {
	return s.url.String()
}

// verify returns nil, *payments.Invalid, or the failure of the facilitator.
func (s *server) verify(ctx context.Context, q question) error {
	var verdict error
	err := s.guarded(ctx, s.patience/3, func(ctx context.Context) error {
		status, body, err := s.call(ctx, http.MethodPost, "verify", q)
		if err == nil {
			verdict, err = parseVerify(status, body)
		}
		return err
	})
	return errors.Join(verdict, err) // one of them is nil
}

// settle requests the settlement and returns the facilitator's answer.
func (s *server) settle(ctx context.Context, q question) (said settled, err error) {
	err = s.guarded(ctx, s.patience, func(ctx context.Context) error {
		status, body, err := s.call(ctx, http.MethodPost, "settle", q)
		if err == nil {
			said, err = parseSettle(status, body)
		}
		return err
	})
	return said, err
}

// serves reports whether the facilitator serves exact on a network, nil for yes.
func (s *server) serves(ctx context.Context, network string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if !s.heard.IsZero() && s.now().Before(s.heard.Add(supportedLife)) {
		return s.unserved
	}
	var kinds []kind
	err := s.guarded(ctx, s.patience/3, func(ctx context.Context) (err error) {
		kinds, err = s.supported(ctx)
		return err
	})
	if err != nil {
		return err
	}

	s.heard = s.now()
	s.unserved = fmt.Errorf("does not serve scheme exact, version 2, on %s", network)
	for _, k := range kinds {
		if k.X402Version == 2 &&
			k.Scheme == "exact" &&
			k.Network == network {
			s.unserved = nil
		}
	}

	return s.unserved
}

// supported reads /supported, which public facilitators limit.
func (s *server) supported(ctx context.Context) ([]kind, error) {
	for try := 1; ; try++ {
		status, body, err := s.call(ctx, http.MethodGet, "supported", nil)
		switch {
		case err != nil:
			return nil, err
		case status == http.StatusOK:
			return parseSupported(body)
		case status != http.StatusTooManyRequests || try == supportedTries:
			return nil, statusError(status)
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(s.patience / 60 * time.Duration(try)):
		}
	}
}

// guarded makes a call within a time limit unless the breaker is open. A call whose caller
// disconnected does not count for the breaker.
func (s *server) guarded(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if !s.breaker.enter(s.now()) {
		return errOpen
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	err := call(limited)
	if err != nil && ctx.Err() != nil {
		s.breaker.abandon()
	} else {
		s.breaker.leave(s.now(), err != nil)
	}
	return err
}

// call sends one request and reads its whole answer.
func (s *server) call(ctx context.Context, method, path string, content any) (status int, body []byte, err error) {
	var sent io.Reader
	var text []byte
	if content != nil {
		if text, err = json.Marshal(content); err != nil {
			return 0, nil, err
		}
		sent = bytes.NewReader(text)
	}

	target := s.url.JoinPath(path)
	request, err := http.NewRequestWithContext(ctx, method, target.String(), sent)
	if err != nil {
		return 0, nil, err
	}

	request.Header.Set("Content-Type", "application/json")
	if sent != nil {
		request.Header.Set("Idempotency-Key", identity(text))
		request.GetBody = nil // net/http would send a request with that header again by itself
	}

	if s.token != nil {
		token, err := s.token(method, target.Host, target.EscapedPath(), s.now())
		if err != nil {
			return 0, nil, err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}

	answer, err := s.client.Do(request)
	var quoted *url.Error
	if errors.As(err, &quoted) {
		err = quoted.Err // without the URL
	}
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()

	body, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = errNoAnswer
	}

	return answer.StatusCode, body, err
}

// perhapsAtWork reports whether a settlement may be on its way although its request failed:
// not when no node took it.
func perhapsAtWork(err error) bool {
	var refused statusError
	var broken *net.OpError
	switch {
	case errors.As(err, &refused):
		return refused >= http.StatusInternalServerError
	case errors.As(err, &broken):
		return broken.Op != "dial"
	}
	return !errors.Is(err, errOpen)
}

// reasonPattern is the form of the reason codes of the specification, section 9.
var reasonPattern = regexp.MustCompile(`^[a-z0-9_]{1,100}$`)

// parseVerify reads a VerifyResponse, whatever the status. verdict is nil for a
// valid payment, else *payments.Invalid; err says that there is no verdict.
func parseVerify(status int, body []byte) (verdict, err error) {
	var v struct {
		IsValid       *bool  `json:"isValid"`
		InvalidReason string `json:"invalidReason"`
	}
	switch err := json.Unmarshal(body, &v); {
	case (err != nil || v.IsValid == nil) && status == http.StatusOK:
		return nil, errNoAnswer
	case err != nil ||
		v.IsValid == nil ||
		*v.IsValid && status != http.StatusOK:
		return nil, statusError(status)
	case *v.IsValid:
		return nil, nil
	case v.InvalidReason == "unexpected_verify_error": // its own trouble, not the payer's
		return nil, errors.New("fails to verify")
	}

	if !reasonPattern.MatchString(v.InvalidReason) {
		v.InvalidReason = x402.ReasonSimulation
	}

	return &payments.Invalid{
		Reason:  v.InvalidReason,
		Message: "The facilitator refuses this payment.",
	}, nil
}

// settled is a facilitator's report of a settlement. It proves nothing.
type settled struct {
	success     bool
	reason      string
	transaction string // 0x and 64 hex digits, or ""
}

var hashPattern = regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`)

// parseSettle reads a SettleResponse, whatever the status.
func parseSettle(status int, body []byte) (settled, error) {
	var v struct {
		Success     *bool  `json:"success"`
		ErrorReason string `json:"errorReason"`
		Transaction string `json:"transaction"`
	}

	err := json.Unmarshal(body, &v)
	if err != nil || v.Success == nil {
		if status == http.StatusOK {
			return settled{}, errNoAnswer
		}
		return settled{}, statusError(status)
	}

	said := settled{success: *v.Success}
	if reasonPattern.MatchString(v.ErrorReason) {
		said.reason = v.ErrorReason
	}
	if hashPattern.MatchString(v.Transaction) {
		said.transaction = strings.ToLower(v.Transaction)
	}

	return said, nil
}

type kind struct {
	X402Version int    `json:"x402Version"`
	Scheme      string `json:"scheme"`
	Network     string `json:"network"`
}

func parseSupported(body []byte) ([]kind, error) {
	var v struct {
		Kinds []kind `json:"kinds"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, errNoAnswer
	}
	return v.Kinds, nil
}
