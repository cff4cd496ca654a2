package stateless

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func post(t *testing.T, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// echo is the fixture's method, which reports progress once.
const echo = `{"jsonrpc":"2.0","id":7,"method":"echo","params":{"name":"a","_meta":{"progressToken":"t"}}}`

// Progress needs a stream, and a stream a client that takes one: everybody gets the
// answer, and some the progress.
func TestTheAnswerIsAStreamOnlyForThoseWhoTakeOneAndAskForProgress(t *testing.T) {
	url := serve(t, fixture())
	silent := strings.Replace(echo, `"progressToken":"t"`, "", 1)
	for _, tc := range []struct {
		body, accept string
		stream       bool
	}{
		{echo, "", false}, {echo, "application/json", false}, {echo, "*/*", false}, {echo, "text/event-stream", true},
		{echo, "application/json, text/event-stream", true}, {silent, "application/json, text/event-stream", false},
	} {
		answer, text := post(t, url, tc.body, "Accept", tc.accept)
		stream := answer.Header.Get("Content-Type") == "text/event-stream"
		if answer.StatusCode != 200 || stream != tc.stream || !strings.Contains(text, `{"jsonrpc":"2.0","id":7,"result":{"name":"a"}}`) {
			t.Errorf("%q: %d %q %s", tc.accept, answer.StatusCode, answer.Header.Get("Content-Type"), text)
		}
		want := "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"total":2,"message":"half"}}` + "\n\n"
		if tc.stream && (!strings.HasPrefix(text, want) || strings.Count(text, "event: message") != 2 || answer.Header.Get("X-Accel-Buffering") != "no") {
			t.Errorf("stream %s %v", text, answer.Header)
		}
	}
}

// An error before the work is JSON with its status, whatever the client takes.
func TestErrorsKeepTheirStatusForStreamingClients(t *testing.T) {
	answer, text := post(t, serve(t, fixture()), `{`, "Accept", "text/event-stream")
	if answer.StatusCode != 400 || answer.Header.Get("Content-Type") != "application/json" || !strings.Contains(text, "-32700") {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
}

// waiting is a method that works until it is let go, or its caller is gone.
func waiting(begun chan<- struct{}, gone chan<- struct{}, letGo <-chan struct{}) *Engine {
	return &Engine{Methods: map[string]Method{"wait": {Cached: NotCached, Run: func(ctx context.Context, _ *Request) (any, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			close(gone)
			return nil, ctx.Err()
		case <-letGo:
			return struct{}{}, nil
		}
	}}}}
}

func TestACallerThatLeavesEndsTheWork(t *testing.T) {
	begun, gone := make(chan struct{}, 1), make(chan struct{})
	url := serve(t, waiting(begun, gone, nil))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"wait"}`))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(request); err == nil {
		answer.Body.Close()
		t.Error("answered")
	}
	<-gone
}

// Work that takes long keeps its connection alive with comments.
func TestLongWorkSendsCommentsToStreamingClients(t *testing.T) {
	begun, letGo := make(chan struct{}, 1), make(chan struct{})
	d := waiting(begun, make(chan struct{}), letGo)
	d.keepAlive = time.Millisecond
	request, err := http.NewRequest(http.MethodPost, serve(t, d), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"wait"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	comments := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ":") {
			if comments++; comments == 3 {
				close(letGo)
			}
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("data %s", data)
		}
	}
	if comments < 3 || lines.Err() != nil {
		t.Errorf("%d comments, %v", comments, lines.Err())
	}
}
