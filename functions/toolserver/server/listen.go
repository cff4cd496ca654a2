package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"governance.internal/functions/toolserver/mcp/middleware"
	"governance.internal/functions/toolserver/mcp/stdio"
	"governance.internal/functions/toolserver/routes/access"
	"governance.internal/functions/toolserver/routes/access/connections"
)

// CheckBind refuses to listen where others can reach the server without a token.
func CheckBind(addr net.Addr, token string) error {
	return access.CheckBind(addr, token)
}

// HTTPServer returns a server for a handler that includes this one, with the connection
// limits, and the listener that it must serve on. Most is the setting MAX_CONNECTIONS, 0
// for the default.
func HTTPServer(handler http.Handler, listener net.Listener, most int) (*http.Server, net.Listener) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       readLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    32 << 10,
	}
	return server, connections.Bound(server, listener, most, access.Urgent)
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

// Shutdown ends a server whose handler includes this one: running calls get their answers,
// then the streams are closed.
func (s *Server) Shutdown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	s.draining.Store(true)
	s.leave()
	s.sessions.Drain(ctx)
	return server.Shutdown(ctx)
}

// Close ends what runs in the background.
func (s *Server) Close() {
	s.leave()
	s.background.end()
	s.work.close()
	_ = s.governed.workspace.Close() // only read from
}

// ServeStdio serves one client over a pair of streams, a message a line, until it
// disconnects.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	server := s.servers.For(middleware.Filter{}, "stdio")
	return stdio.Serve(ctx, server, s.engine.Own, in, out)
}
