package toolserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/sessions"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/routes/access/connections"
)

// drainLimit is how long running calls may take to end; the platform kills a task
// after 30 s.
const drainLimit = 25 * time.Second

// CheckBind refuses to listen where others can reach the server without a token.
func CheckBind(addr net.Addr, token string) error {
	tcp, ok := addr.(*net.TCPAddr)
	if token == "" && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("set GOV_API_TOKEN (at least %d characters) to listen on %s, where others can reach the tool server",
			minSecret, addr)
	}
	if token != "" && len(token) < minSecret {
		return fmt.Errorf("GOV_API_TOKEN must have at least %d characters", minSecret)
	}
	return nil
}

// HTTPServer is a server for a handler of which this one is a part, with the limits of its
// connections; it is to serve on the listener that comes with it. Most is the setting
// MAX_CONNECTIONS, 0 for the usual limit.
func HTTPServer(handler http.Handler, listener net.Listener, most int) (*http.Server, net.Listener) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	return server, connections.Bound(server, listener, most, isUrgent)
}

// isUrgent says whether a request is served when there is no room for others: one that
// halts, and the looks of a load balancer, which would else end the task.
func isUrgent(r *http.Request) bool {
	return r.URL.Path == "/kill" || r.URL.Path == "/health"
}

// Listen serves on an address until ctx ends, and drains.
func (s *Server) Listen(ctx context.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return s.Serve(ctx, listener)
}

// Serve is Listen on what listens already.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	if err := CheckBind(listener.Addr(), s.deps.Token); err != nil {
		return errors.Join(err, listener.Close())
	}
	server, bounded := HTTPServer(s, listener, s.deps.Connections)
	served := make(chan error, 1)
	go func() { served <- server.Serve(bounded) }()

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	return s.Shutdown(context.WithoutCancel(ctx), server)
}

// Shutdown ends a server that has this one as a handler: running calls get their
// answers, then the streams are closed.
func (s *Server) Shutdown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	s.draining.Store(true)
	s.leave()
	s.sessions.Drain(ctx)
	return server.Shutdown(ctx)
}

// keepFlushing appends late entries of the kill switch and of the guard until Close, and
// keeps what else runs in the background.
func (s *Server) keepFlushing() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	watched := make(chan struct{})
	supervised := make(chan struct{})
	s.stop = func() { stop(); <-ended; <-watched; <-supervised }
	go func() {
		defer close(supervised)
		s.keepSupervising(ctx)
	}()

	go func() {
		defer close(watched)
		s.keepWatching(ctx)
	}()
	go func() {
		defer close(ended)

		ticker := time.NewTicker(flushInterval)
		defer ticker.Stop()

		for {
			if err := s.halt.Flush(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "kill switch: the audit trail takes no entries", "error", err.Error())
			}
			if err := s.violations.Flush(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "guard: violations wait for the audit trail", "error", err.Error())
			}

			if err := s.halt.Sync(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "kill switch: what other tasks decided is not known",
					"error", err.Error())
			}

			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
}

// Close ends what runs in the background.
func (s *Server) Close() {
	s.leave()
	s.stop()
	_ = s.workspace.Close() // only read from
}

// sessionServer is the SDK's server for what the opening request asks for; nil for
// toolsets that do not exist.
func (s *Server) sessionServer(r *http.Request) (*mcp.Server, error) {
	f, err := filterOf(r.Header, r.URL.Query())
	if err != nil {
		return nil, err
	}
	return s.serverFor(f, "sse"), nil
}

func (s *Server) serverFor(f filter, transport string) *mcp.Server {
	slices.Sort(f.toolsets)
	f.toolsets = slices.Compact(f.toolsets)
	key := fmt.Sprint(transport, strings.Join(f.toolsets, ","), f.readOnly)
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.servers[key] == nil { // as many as there are choices, of seven toolsets
		s.servers[key] = sessions.Server(
			s.stateless.Server,
			instructions,
			stateless.Table{
				Tools:     f.apply(s.tools),
				Resources: s.resources,
			},
			transport,
		)
	}

	return s.servers[key]
}
