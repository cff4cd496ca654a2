// Package connections limits the number of connections of an HTTP server, so that a client
// that opens thousands of silent ones neither exhausts the descriptors of the process nor
// keeps others out.
//
// At the limit a new connection takes the place of the one that has waited longest without
// a request. If all connections have a request, a few more are accepted for urgent requests
// only, so that a request to halt is never kept waiting.
package connections

import (
	"container/list"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"governance.internal/functions/toolserver/work/descriptors"
	"governance.internal/shared/httpapi"
)

// Reserve is how many connections there may be above the limit, for urgent requests.
const Reserve = 32

// Bounds of the limit where no setting names one.
const (
	mostUsual  = 4096
	leastUsual = 16
)

// again is how long an accept waits that found no descriptor.
const again = 5 * time.Millisecond

// Usual is the limit where no setting names one: half of the descriptors that the process
// may have, and at most 4,096. The other half is for files, processes and what requests
// open.
func Usual() int {
	return max(leastUsual, min(mostUsual, descriptors.Limit()/2))
}

// limit is the state of one listener and its server.
type limit struct {
	net.Listener
	most   int
	urgent func(*http.Request) bool

	mu      sync.Mutex
	open    int
	waiting *list.List // of *connection without a request, the one that waits longest first
	told    time.Time  // when a refusal was logged
}

// connection is one that counts.
type connection struct {
	net.Conn
	limit    *limit
	reserved bool // above the limit: for urgent requests only

	// Under the mutex of the limit.
	place  *list.Element // among the waiting, nil while a request is served
	closed bool
}

type connectionKey struct{}

// Bound makes the server accept at most so many connections from the listener, 0 for
// [Usual], and a few more for urgent requests. Serve with the listener that it returns. The
// server must have its handler, and no ConnState or ConnContext.
func Bound(server *http.Server, listener net.Listener, most int, urgent func(*http.Request) bool) net.Listener {
	if most == 0 {
		most = Usual()
	}

	l := &limit{
		Listener: listener,
		most:     most,
		urgent:   urgent,
		waiting:  list.New(),
	}
	server.ConnState = l.changed
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	server.Handler = l.admit(server.Handler)

	return l
}

// Accept waits for a connection within the limit.
func (l *limit) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if descriptors.Exhausted(err) && l.evict() {
			time.Sleep(again)
			continue
		}

		if err != nil {
			return nil, err
		}
		if c := l.take(accepted); c != nil {
			return c, nil
		}
		_ = accepted.Close() // its client sees that, and may try again
	}
}

// take counts a connection. At the limit it replaces one that waits, and returns nil if
// none does.
func (l *limit) take(accepted net.Conn) *connection {
	if l.count() >= l.most {
		l.evict()
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	if l.open >= l.most+Reserve {
		l.complain()
		return nil
	}

	c := &connection{
		Conn:     accepted,
		limit:    l,
		reserved: l.open >= l.most,
	}

	l.open++
	c.place = l.waiting.PushBack(c)
	return c
}

func (l *limit) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// evict closes the connection that has waited longest; false if none waits.
func (l *limit) evict() bool {
	l.mu.Lock()
	oldest := l.waiting.Front()
	l.mu.Unlock()
	if oldest == nil {
		return false
	}
	_ = oldest.Value.(*connection).Close()

	return true
}

// complain logs, once a minute, that connections are refused.
func (l *limit) complain() {
	if now := time.Now(); now.Sub(l.told) > time.Minute {
		l.told = now
		slog.Warn("connections are refused: all are at work; MAX_CONNECTIONS sets how many there may be",
			"open", l.open,
			"most", l.most)
	}
}

// changed tracks the state of a connection in the server.
func (l *limit) changed(each net.Conn, state http.ConnState) {
	c, counted := each.(*connection)
	if !counted {
		return
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	c.leave()
	waits := state == http.StateNew || state == http.StateIdle
	if waits && !c.closed {
		c.place = l.waiting.PushBack(c)
	}
}

// leave takes the connection from those that wait. The mutex is held.
func (c *connection) leave() {
	if c.place != nil {
		c.limit.waiting.Remove(c.place)
		c.place = nil
	}
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.limit.mu.Lock()
	if !c.closed {
		c.closed = true
		c.limit.open--
		c.leave()
	}

	c.limit.mu.Unlock()
	return c.Conn.Close()
}

// admit answers 503 to requests above the limit that are not urgent. A connection above it
// closes after its first answer, even if the rest of the request never arrives.
func (l *limit) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, counted := r.Context().Value(connectionKey{}).(*connection)
		if !counted || !c.reserved {
			next.ServeHTTP(w, r)
			return
		}

		w.Header().Set("Connection", "close")
		defer http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // the server would wait for the rest of the body

		if l.urgent(r) {
			next.ServeHTTP(w, r)
			return
		}

		httpapi.WriteError(w, r, &httpapi.Error{
			Status:     http.StatusServiceUnavailable,
			Code:       "too_many_connections",
			Detail:     "The server has as many connections as it may have. Try again in a few seconds.",
			RetryAfter: 5 * time.Second,
		})
	})
}
