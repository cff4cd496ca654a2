package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestWhichHostsAreAllowed(t *testing.T) {
	allowed, err := Parse("allow:api.example.com, *.cdn.example:8443,192.0.2.7:22,[2001:db8::1]:443,2001:db8::2,LOCAL.example.")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{
		"api.example.com:443": true, "API.Example.COM.:80": true, "api.example.com:8080": false, "xapi.example.com:443": false, "api.example.com.evil.example:443": false,
		"a.cdn.example:8443": true, "a.b.cdn.example:8443": true, "cdn.example:8443": false, "evilcdn.example:8443": false, "a.cdn.example:443": false,
		"192.0.2.7:22": true, "192.0.2.7:443": false, "192.0.2.8:22": false, "[2001:db8::1]:443": true, "[2001:db8::2]:80": true, "[::ffff:192.0.2.7]:22": true, "local.example:80": true,
		"169.254.169.254:80": false, "127.0.0.1:80": false, "2130706433:80": false, "0x7f000001:80": false, "example.com:443": false, ":443": false,
	} {
		host, port, err := net.SplitHostPort(at)
		if err != nil {
			t.Fatal(err)
		}
		var number uint16
		fmt.Sscan(port, &number)
		if _, got := allowed.decide(host, number); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
	for _, text := range []string{"", "some", "allow:", "allow:,", "allow:a b", "allow:a:0", "allow:a:99999", "allow:*", "allow:http://a", "allow:a/b", "allow:*.", "allow:127.1", "allow:0x7f.1", "none,a"} {
		if err := Check(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// proxied serves a proxy and returns a client that uses it.
func proxied(t *testing.T, p *Proxy) (client *http.Client, decisions func() []Decision) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var mu sync.Mutex
	var list []Decision
	p.Decided = func(d Decision) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, d)
	}
	go p.Serve(listener)
	at := &url.URL{Scheme: "http", Host: listener.Addr().String()}
	transport := &http.Transport{Proxy: http.ProxyURL(at)}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}, func() []Decision {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}

func allowing(t *testing.T, network string) Allowed {
	t.Helper()
	allowed, err := Parse(network)
	if err != nil {
		t.Fatal(err)
	}
	return allowed
}

// Plain requests and tunnels reach an allowed address; another gets an answer that says what to do.
func TestTheProxyReachesWhatIsAllowed(t *testing.T) {
	told := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %q %q", r.Method, r.URL, body, r.Header.Get("Proxy-Authorization")+r.Header.Get("X-Kept"))
	})
	plain, secure := httptest.NewServer(told), httptest.NewTLSServer(told)
	defer plain.Close()
	defer secure.Close()
	strip := func(at string) string { _, rest, _ := strings.Cut(at, "://"); return rest }

	client, decisions := proxied(t, &Proxy{Allowed: allowing(t, "allow:"+strip(plain.URL)+","+strip(secure.URL))})
	client.Transport.(*http.Transport).TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	for _, at := range []string{plain.URL, secure.URL} {
		for range 3 {
			request, err := http.NewRequest("POST", at+"/a%20b?c=d", strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Kept", "kept")
			answer, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if string(text) != `POST /a%20b?c=d "body" "kept"` || err != nil {
				t.Errorf("%s: %d %s %v", at, answer.StatusCode, text, err)
			}
		}
	}

	answer, err := client.Get("http://other.example/x")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != 403 || !strings.Contains(string(text), "allow:other.example:80") {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
	if _, err := client.Get("https://other.example/x"); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("%v", err)
	}
	last := decisions()[len(decisions())-1]
	if last != (Decision{"other.example", 443, false, "it is not allowed"}) {
		t.Errorf("%+v", last)
	}
}

// leadsHome answers every question about a name with an address of this machine.
func leadsHome() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for answerName(ours) == nil {
			}
		}()
		return theirs, nil
	}}
}

// answerName answers one question over a stream, which has its length before it.
func answerName(stream net.Conn) error {
	length := make([]byte, 2)
	if _, err := io.ReadFull(stream, length); err != nil {
		return err
	}
	text := make([]byte, int(length[0])<<8|int(length[1]))
	if _, err := io.ReadFull(stream, text); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(text); err != nil || len(m.Questions) != 1 {
		return errors.New("no question")
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = stream.Write(append([]byte{byte(len(packed) >> 8), byte(len(packed))}, packed...))
	return err
}

// A name that is allowed does not open the way to addresses of the machine.
func TestANameLeadsToNoPrivateAddress(t *testing.T) {
	reached := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	client, decisions := proxied(t, &Proxy{Allowed: allowing(t, "allow:name.example:"+port), Resolver: leadsHome()})
	answer, err := client.Get("http://name.example:" + port)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != 403 || reached || !strings.Contains(string(text), "private address") {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
	if list := decisions(); len(list) != 1 || list[0].Allowed {
		t.Errorf("%+v", list)
	}
}

// Each different decision has one entry, and the summary counts all.
func TestDecisionsAreRecordedOnce(t *testing.T) {
	var mu sync.Mutex
	var events []string
	j := &Journal{Record: func(event string, detail map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, fmt.Sprint(event, detail))
	}}
	var group sync.WaitGroup
	for n := range 100 {
		group.Go(func() { j.Note(Decision{Host: "a.example", Port: 443, Allowed: n%2 == 0}) })
	}
	group.Wait()
	for n := range 2 * mostNoted {
		j.Note(Decision{Host: fmt.Sprint("host", n), Port: 443})
	}
	j.Close()
	if len(events) != mostNoted+1 || !strings.HasPrefix(events[mostNoted], "NETWORK_SUMMARYmap[allowed:50 hosts:500 refused:1050]") {
		t.Errorf("%d %s", len(events), events[len(events)-1])
	}
	(&Journal{}).Close() // nothing was decided, so nothing is recorded
}

func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"", "GET / HTTP/1.1\r\n\r\n", "CONNECT a:443 HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: b\r\nX: y\r\n z\r\n\r\n", "CONNECT [::1]:x HTTP/1.1\r\n\r\n",
		"GET http://a\rb/ HTTP/1.1\r\n\r\n", "CONNECT :1 HTTP/1.0\r\n\r\n", "POST http://a:80/\x00 HTTP/1.1\r\nA:b\r\n\r\nbody",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := readRequest(bufio.NewReader(strings.NewReader(string(text))))
		if err != nil {
			return
		}
		if r.host == "" || r.port == 0 {
			t.Errorf("accepted without a host: %+v", r)
		}
		if _, ok := (Allowed{}).decide(r.host, r.port); ok {
			t.Errorf("allowed by nothing: %+v", r)
		}
		ours, theirs := net.Pipe()
		go func() {
			_ = r.begin(theirs, theirs)
			_ = theirs.Close()
		}()
		said, _ := io.ReadAll(ours)
		if r.method != "CONNECT" && strings.Count(strings.ToLower(string(said)), "\nhost:") != 1 {
			t.Errorf("the server is told several hosts: %q", said)
		}
	})
}

func FuzzNetworks(f *testing.F) {
	for _, seed := range []string{"open", "none", "allow:a", "allow:*.a:1,[::1]:2", "allow:::", "allow:[", "allow:1.2.3.4.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		allowed, err := Parse(text)
		if err == nil && len(allowed) == 0 && text != Open && text != None {
			t.Errorf("%q allows nothing and is accepted", text)
		}
	})
}
