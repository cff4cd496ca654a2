package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// Bounds of the proxy.
const (
	mostHead    = 64 << 10 // bytes of a request before its body
	headLimit   = 30 * time.Second
	dialLimit   = 20 * time.Second
	mostAtOnce  = 256
	mostRefusal = 200 // characters of a host in a refusal
)

// Proxy connects a fenced program with the hosts that are allowed.
type Proxy struct {
	Allowed  Allowed
	Decided  func(Decision) // called for each request, by several at once; nil for nobody
	Resolver *net.Resolver  // nil for that of the machine
}

// Decision is what the proxy decided about one request.
type Decision struct {
	Host    string
	Port    uint16
	Allowed bool
	Why     string // it was refused
}

// Serve answers connections until the listener is closed.
func (p *Proxy) Serve(listener net.Listener) {
	places := make(chan struct{}, mostAtOnce)
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}

		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			defer connection.Close()
			p.answer(connection)
		}()
	}
}

// request is the head of one.
type request struct {
	method, target, version string
	header                  textproto.MIMEHeader
	host                    string
	port                    uint16
	path                    string // of a plain request
}

// answer answers one request of a connection, and passes on what follows.
func (p *Proxy) answer(client net.Conn) {
	_ = client.SetReadDeadline(time.Now().Add(headLimit)) // a connection takes one
	limited := &io.LimitedReader{R: client, N: mostHead}
	reader := bufio.NewReader(limited)
	r, err := readRequest(reader)
	if err != nil {
		respond(client, "400 Bad Request", "The request cannot be read: "+err.Error()+".")
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), dialLimit)
	defer cancel()
	server, err := p.connect(ctx, r)
	var refusal *refused
	switch {
	case errors.As(err, &refusal):
		respond(client, "403 Forbidden", refusal.Error())
		return
	case err != nil:
		respond(client, "502 Bad Gateway", "The host cannot be reached.")
		return
	}
	defer server.Close()

	_ = client.SetReadDeadline(time.Time{})
	limited.N = 1 << 62 // the rest has no limit
	if err := r.begin(client, server); err != nil {
		return
	}
	splice(client, reader, server)
}

// refused says why a host is not reached, and what to do.
type refused struct {
	host string
	port uint16
	why  string
}

func (r *refused) Error() string {
	host := r.host
	if len(host) > mostRefusal {
		host = host[:mostRefusal]
	}
	return fmt.Sprintf("governance: %s:%d is not reached from behind the fence: %s. A person can allow it: governance run --network allow:%s:%d, or dispatch.network in governance.yaml.",
		host, r.port, r.why, host, r.port)
}

// connect decides about a request, and connects with its host. The error is a [*refused] if it may
// not be reached.
func (p *Proxy) connect(ctx context.Context, r request) (net.Conn, error) {
	address, ok := p.Allowed.decide(r.host, r.port)
	if !ok {
		return nil, p.refuse(r, "it is not allowed")
	}

	dialer := net.Dialer{Resolver: p.Resolver}
	host := nameOf(r.host)
	if address.IsValid() {
		host = address.String()
	} else {
		dialer.Control = ssrf.New(ssrf.WithAnyPort()).Safe
	}

	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(r.port))))
	if isPrivate(err) {
		return nil, p.refuse(r, "its name leads to a private address, which must be allowed itself")
	}
	p.tell(Decision{Host: r.host, Port: r.port, Allowed: true})
	return connection, err
}

func isPrivate(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork)
}

func (p *Proxy) refuse(r request, why string) error {
	p.tell(Decision{Host: r.host, Port: r.port, Why: why})
	return &refused{r.host, r.port, why}
}

func (p *Proxy) tell(d Decision) {
	if p.Decided != nil {
		p.Decided(d)
	}
}

// readRequest reads the head of a request.
func readRequest(from *bufio.Reader) (r request, err error) {
	head := textproto.NewReader(from)
	line, err := head.ReadLine()
	if err != nil {
		return r, errors.New("it ends too early")
	}

	var ok, complete bool
	r.method, line, ok = strings.Cut(line, " ")
	r.target, r.version, complete = strings.Cut(line, " ")
	if !ok || !complete || !strings.HasPrefix(r.version, "HTTP/1.") {
		return r, errors.New("it is not HTTP/1")
	}
	if r.header, err = head.ReadMIMEHeader(); err != nil {
		return r, errors.New("its header is damaged or too large")
	}

	if r.method == "CONNECT" {
		return r, r.setHost(r.target, 0)
	}
	return r, r.setURL()
}

// setURL reads the target of a plain request, which is a whole address.
func (r *request) setURL() error {
	at, err := url.Parse(r.target)
	if err != nil || at.Scheme != "http" || at.Host == "" {
		return errors.New("a proxy takes CONNECT, and requests for an http:// address")
	}
	r.path = at.RequestURI()
	return r.setHost(at.Host, 80)
}

// setHost reads a host and its port; usual is the port if none is given, 0 for none.
func (r *request) setHost(text string, usual uint16) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = text, ""
	}
	r.host, r.port = strings.Trim(host, "[]"), usual

	if port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return errors.New("its port is no number")
		}
		r.port = uint16(number)
	}
	_, isAddress := addressOf(r.host)
	if r.port == 0 || !isAddress && !isName(nameOf(r.host)) {
		return errors.New("it names no host and port")
	}
	return nil
}

// begin tells the client that the tunnel stands, or the server what the client asks for.
func (r request) begin(client, server net.Conn) error {
	if r.method == "CONNECT" {
		_, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		return err
	}

	var head strings.Builder
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", r.method, r.path, r.authority())
	for name, values := range r.header {
		if isBetween(name) {
			continue
		}
		for _, value := range values {
			fmt.Fprintf(&head, "%s: %s\r\n", name, value)
		}
	}
	_, err := io.WriteString(server, head.String()+"\r\n")
	return err
}

// authority is the host as a server is told.
func (r request) authority() string {
	host := r.host
	if address, err := netip.ParseAddr(host); err == nil && address.Is6() {
		host = "[" + host + "]"
	}
	if r.port == 80 {
		return host
	}
	return fmt.Sprintf("%s:%d", host, r.port)
}

// isBetween reports whether a field is between a client and its proxy alone, or set anew.
func isBetween(name string) bool {
	switch name {
	case "Host", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Proxy-Authenticate":
		return true
	}
	return false
}

func respond(client net.Conn, status, text string) {
	_ = client.SetWriteDeadline(time.Now().Add(headLimit)) // a connection takes one
	_, _ = fmt.Fprintf(client, "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n",
		status, len(text)+1, text) // it may be gone
}

// splice passes bytes on in both directions until both have ended.
func splice(client net.Conn, fromClient io.Reader, server net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, fromClient) // either side may end at any time
		closeWrite(server)
	}()
	_, _ = io.Copy(client, server)
	closeWrite(client)
	_ = client.SetReadDeadline(time.Now().Add(headLimit)) // what the client still sends nobody reads
	<-done
}

func closeWrite(connection net.Conn) {
	if half, ok := connection.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other side may have closed it
	}
}
