package connections_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"governance.internal/functions/toolserver/routes/access/connections"
)

// serve has one connection and its reserve. A request for /work is at work until the
// returned channel is closed; one for /kill is urgent.
func serve(t *testing.T) (url string, busy <-chan struct{}, done chan struct{}) {
	t.Helper()
	began := make(chan struct{}, connections.Reserve)
	done = make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			began <- struct{}{}
			<-done
		}
	})}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	urgent := func(r *http.Request) bool { return r.URL.Path == "/kill" }
	bounded := connections.Bound(server, listener, 1, urgent)
	go func() { _ = server.Serve(bounded) }()
	t.Cleanup(func() { _ = server.Close() })

	return "http://" + listener.Addr().String(), began, done
}

// get asks over a connection of its own.
func get(t *testing.T, url string) int {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()

	answer, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer answer.Body.Close()

	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// While every connection has a request, only urgent requests are accepted.
func TestOnlyTheUrgentAreLetInAboveTheLimit(t *testing.T) {
	url, busy, done := serve(t)
	answered := make(chan int, 1)
	go func() { answered <- get(t, url+"/work") }()
	<-busy

	for path, want := range map[string]int{"/kill": 200, "/other": 503} {
		if got := get(t, url+path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}

	close(done)
	if got := <-answered; got != 200 {
		t.Errorf("the one at work: %d", got)
	}
}

// A connection that says nothing gives its place to the next one.
func TestWhoSaysNothingKeepsNobodyOut(t *testing.T) {
	url, _, _ := serve(t)
	for range 3 {
		idle, err := net.Dial("tcp", url[len("http://"):])
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
	}

	if got := get(t, url+"/other"); got != 200 {
		t.Errorf("%d, want 200", got)
	}
}
