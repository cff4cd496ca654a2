package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
)

// MinSecret is the minimum length of a secret, in characters.
const MinSecret = 32

// CheckBind refuses to listen where others can reach the server without a token.
func CheckBind(addr net.Addr, token string) error {
	tcp, ok := addr.(*net.TCPAddr)
	if token == "" && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("set GOV_API_TOKEN (at least %d characters) to listen on %s, where others can reach the tool server",
			MinSecret, addr)
	}

	if token != "" && len(token) < MinSecret {
		return fmt.Errorf("GOV_API_TOKEN must have at least %d characters", MinSecret)
	}
	return nil
}

// HasBearer compares in constant time, whatever the lengths. An unset token
// matches nothing.
func HasBearer(header http.Header, token string) bool {
	scheme, given, _ := strings.Cut(header.Get("Authorization"), " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(given)))
	want := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 &&
		strings.EqualFold(scheme, "Bearer") &&
		token != ""
}

// Limits of the recorded attempts with a wrong secret, of all callers together. A record of
// each attempt would let any caller fill the audit chain.
const (
	wrongKillsPerSecond = 0.1
	wrongKillsBurst     = 3
)

// KillSecret checks who may use the kill switch.
type KillSecret struct {
	secret  string // "" if the kill switch is off
	wrong   *Limiter
	refused func(ctx context.Context, source string)
}

// NewKillSecret checks against a secret, "" for a kill switch that is off. Refused
// records an attempt with a wrong one; source is its transport.
func NewKillSecret(
	secret string,
	now func() time.Time,
	refused func(ctx context.Context, source string),
) *KillSecret {
	return &KillSecret{
		secret:  secret,
		wrong:   NewLimiter(now, wrongKillsPerSecond, wrongKillsBurst),
		refused: refused,
	}
}

// Check returns the reason why a request may not use the kill switch, nil if it may. A
// request with the right secret is never rate limited.
func (k *KillSecret) Check(ctx context.Context, header http.Header, source string) *tool.Error {
	switch {
	case k.secret == "":
		return &tool.Error{
			Code:    "kill_not_configured",
			Message: "The kill switch is off: the server has no kill secret.",
			Hint:    "Set KILL_SECRET to at least 32 characters and start the server again.",
		}
	case HasBearer(header, k.secret):
		return nil
	case header.Get("Authorization") == "":
		return &tool.Error{
			Code:    "unauthorized",
			Message: "The kill switch needs the kill secret.",
			Hint:    "Send it as Authorization: Bearer SECRET with the HTTP request. Over stdio there is no such header: use POST /kill.",
		}
	case k.wrong.Wait("") > 0:
		return &tool.Error{
			Code:    "rate_limited",
			Message: "Too many attempts with a wrong secret.",
			Hint:    "Wait ten seconds. The right secret works at any time.",
		}
	}

	k.refused(ctx, source)
	return &tool.Error{
		Code:    "wrong_secret",
		Message: "This is not the kill secret. The attempt is recorded.",
	}
}
