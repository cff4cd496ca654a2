package cluster

import (
	"bytes"
	"context"
	"crypto/hmac"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"governance.internal/functions/toolserver/mcp/caller"
	"governance.internal/functions/toolserver/mcp/rpc"
)

// hopHeader marks a forwarded message; its value is a bearer token that only tasks can
// make. The Authorization header stays that of the client.
const hopHeader = "X-Governance-Task"

// callerHeader names the sender of a message to the owner of the session. It is ignored
// without hopHeader.
const callerHeader = "X-Governance-Caller"

// Limits of a forward. They distinguish a task that is gone from a slow one.
const (
	dialLimit    = 700 * time.Millisecond
	lookupLimit  = 700 * time.Millisecond
	forwardLimit = 10 * time.Second
	maxAnswer    = 64 << 10
)

func newClient() *http.Client {
	return &http.Client{
		Timeout: forwardLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
		Transport: &http.Transport{
			Proxy:               nil,
			DialContext:         (&net.Dialer{Timeout: dialLimit}).DialContext,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     time.Minute,
		},
	}
}

// Trusts reports whether a request comes from another task, which has checked it.
func (n *Node) Trusts(r *http.Request) bool {
	return hmac.Equal([]byte(r.Header.Get(hopHeader)), []byte(n.seal("hop", "task")))
}

// Caller returns the sender of a message that another task forwards.
func (n *Node) Caller(r *http.Request) string {
	return r.Header.Get(callerHeader)
}

// Forward sends a message to the task that its session lives in and hands back the
// answer. It returns false if there is no task to send it to: the id is made up, the
// session was of this task, the message was forwarded already, or its owner is gone.
func (n *Node) Forward(w http.ResponseWriter, r *http.Request, id string) bool {
	task, ok := n.owner(id)
	if !ok || task == n.task || r.Header.Get(hopHeader) != "" {
		return false
	}

	ctx, cancel := context.WithTimeout(r.Context(), lookupLimit)
	lease, alive, err := n.lease(ctx, task)
	cancel()

	if err != nil {
		slog.WarnContext(r.Context(), "cluster: lease not read", "error", err.Error())
		refuse(w, "The session cannot be looked up right now. Send the message again.")
		return true
	}

	if !alive {
		return false
	}
	body, problem := rpc.ReadBody(r)
	if problem != nil {
		rpc.Refuse(w, problem)
		return true
	}

	return n.send(w, r, lease, id, body)
}

func (n *Node) send(w http.ResponseWriter, r *http.Request, owner Lease, id string, body []byte) bool {
	to := url.URL{
		Scheme:   "http",
		Host:     owner.Address,
		Path:     "/message",
		RawQuery: url.Values{"sessionId": {id}}.Encode(),
	}
	request, err := http.NewRequestWithContext(
		r.Context(),
		http.MethodPost,
		to.String(),
		bytes.NewReader(body),
	)
	if err != nil {
		return false
	}

	request.Header = r.Header.Clone()
	request.Header.Set(hopHeader, n.seal("hop", "task"))
	request.Header.Set(callerHeader, caller.Of(r.Context()))
	answer, err := n.client.Do(request)
	if err != nil {
		n.forget(owner.Task)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" || !reachable(owner.Address) {
			return false // the owner is gone, and its sessions with it
		}
		slog.WarnContext(r.Context(), "cluster: message not forwarded", "error", err.Error())
		refuse(w, "The message may not have arrived. Open a new session if no answer comes.")

		return true
	}
	defer answer.Body.Close()

	for _, name := range []string{"Content-Type", "Retry-After", "Cache-Control"} {
		if value := answer.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}

	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, io.LimitReader(answer.Body, maxAnswer)) // the client may be gone
	return true
}

// reachable reports whether a server listens at an address, because a broken kept-alive
// connection does not tell.
func reachable(address string) bool {
	connection, err := net.DialTimeout("tcp", address, dialLimit)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Retry-After", "1")
	rpc.Refuse(w, &rpc.Error{
		Status:  http.StatusServiceUnavailable,
		Code:    rpc.CodeRefused,
		Message: message,
	})
}
