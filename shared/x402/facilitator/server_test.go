package facilitator

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/payments"
)

// clock is a settable time.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time { return time.Unix(1_800_000_000+c.ahead.Load(), 0) }

func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d / time.Second)) }

func peer(t *testing.T, c *clock, token string, answer http.HandlerFunc) *server {
	t.Helper()
	listening := httptest.NewServer(answer)
	t.Cleanup(listening.Close)
	r, err := NewRemote(nil, []Server{{URL: listening.URL + "/x402/", Token: BearerToken(token)}}, c.Now, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return r.servers[0]
}

func TestSupportedIsReadOnceAndTriedThriceWhileLimited(t *testing.T) {
	var asked, limited atomic.Int64
	limited.Store(2)
	c := &clock{}
	s := peer(t, c, "", func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if limited.Add(-1) >= 0 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(`{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}`))
	})
	for range 3 {
		if err := s.serves(t.Context(), "eip155:8453"); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("asked %d times, want two refusals and one answer", n)
	}
	c.advance(supportedLife)
	if err := s.serves(t.Context(), "eip155:8453"); err != nil || asked.Load() != 4 {
		t.Errorf("after its time: %v, asked %d times", err, asked.Load())
	}
	c.advance(supportedLife)
	limited.Store(10)
	var status statusError
	if err := s.serves(t.Context(), "eip155:8453"); !errors.As(err, &status) || asked.Load() != 4+supportedTries {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
}

func TestAnOpenBreakerSparesTheFacilitator(t *testing.T) {
	var asked atomic.Int64
	c := &clock{}
	s := peer(t, c, "", func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.WriteHeader(500) })
	for range 10 {
		_ = s.verify(t.Context(), question{})
	}
	if n := asked.Load(); n != breakerLimit {
		t.Errorf("asked %d times, want %d", n, breakerLimit)
	}
	c.advance(breakerPause)
	for range 10 {
		_ = s.verify(t.Context(), question{})
	}
	if n := asked.Load(); n != breakerLimit+1 {
		t.Errorf("asked %d times, want one probe more than %d", n, breakerLimit)
	}
}

// A token is sent only to its own facilitator, and no error contains the token or the
// address.
func TestCredentialsStayWhereTheyBelong(t *testing.T) {
	var leaked atomic.Value
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked.Store(r.Header.Get("Authorization")) }))
	defer thief.Close()
	var got string
	s := peer(t, &clock{}, "secret-token", func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	})
	err := s.verify(t.Context(), question{})
	if got != "Bearer secret-token" || leaked.Load() != nil {
		t.Errorf("sent %q, leaked %v", got, leaked.Load())
	}
	var status statusError
	if !errors.As(err, &status) {
		t.Errorf("a redirect is %v", err)
	}
	s.url, _ = url.Parse("http://127.0.0.1:1/secret-path")
	if err := s.verify(t.Context(), question{}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}

func TestAddressesThatCannotBeUsed(t *testing.T) {
	for _, list := range [][]Server{nil, {{URL: "no address"}}, {{URL: "http://[secret"}}} {
		if r, err := NewRemote(nil, list, time.Now, Patience); err == nil || r != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", list, err)
		}
	}
}

// Every answer of a facilitator is a verdict of the known form or an error.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"isValid":true,"payer":"0x1"}`, `{"isValid":false,"invalidReason":"insufficient_funds"}`, `{"isValid":null}`, `[]`, ``,
		`{"success":true,"transaction":"0x` + strings.Repeat("Ab", 32) + `"}`, `{"success":false,"errorReason":"settlement_pending","transaction":""}`,
		`{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453","extra":null}],"extensions":[]}`,
	} {
		f.Add(200, []byte(body))
		f.Add(500, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		verdict, err := parseVerify(status, body)
		var invalid *payments.Invalid
		if verdict != nil && (err != nil || !errors.As(verdict, &invalid) || !reasonPattern.MatchString(invalid.Reason)) {
			t.Errorf("verify %d %q: %v, %v", status, body, verdict, err)
		}
		if status != 200 && verdict == nil && err == nil {
			t.Errorf("status %d is a consent", status)
		}
		said, err := parseSettle(status, body)
		if err != nil && said != (settled{}) || said.transaction != "" && !hashPattern.MatchString(said.transaction) || said.reason != "" && !reasonPattern.MatchString(said.reason) {
			t.Errorf("settle %d %q: %+v, %v", status, body, said, err)
		}
		if kinds, err := parseSupported(body); err != nil && kinds != nil {
			t.Errorf("supported %q: %v, %v", body, kinds, err)
		}
	})
}
