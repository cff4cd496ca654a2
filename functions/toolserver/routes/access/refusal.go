package access

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/routes/answer"
)

// protocolPaths answer in JSON-RPC, errors included.
var protocolPaths = []string{"/mcp", "/sse", "/message"}

// Refusal is the reason to refuse a request, and what the caller can do about it.
type Refusal struct {
	Status  int
	Code    string
	Message string
	wait    time.Duration
	bearer  string // WWW-Authenticate
}

func tooMany(wait time.Duration) *Refusal {
	return &Refusal{
		Status:  http.StatusTooManyRequests,
		Code:    "rate_limited",
		Message: "Too many requests. Wait as long as Retry-After says.",
		wait:    wait,
	}
}

// Write answers in the language of the route.
func (r *Refusal) Write(w http.ResponseWriter, request *http.Request) {
	header := w.Header()
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		if r.bearer != "" {
			header.Set("WWW-Authenticate", r.bearer)
		}
	case http.StatusTooManyRequests:
		header.Set("Retry-After", strconv.Itoa(int((r.wait+time.Second-1)/time.Second)))
	}

	if slices.Contains(protocolPaths, request.URL.Path) {
		rpc.Refuse(w, &rpc.Error{
			Status:  r.Status,
			Code:    rpc.CodeRefused,
			Message: r.Message,
			Data:    map[string]string{"code": r.Code},
		})

		return
	}

	answer.Error(w, r.Status, r.Code, r.Message)
}
