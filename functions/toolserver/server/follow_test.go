//go:build linux

package server_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logEvent is an event of a log that is followed.
type logEvent struct{ id, name, data string }

// follow opens the log of a dispatch; events come until the server ends the stream.
func (r running) follow(id, last string) (status int, events <-chan logEvent) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), "GET", r.url+"/dispatches/"+id+"/log", nil)
	if err != nil {
		r.Fatal(err)
	}
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = answer.Body.Close() })
	list := make(chan logEvent, 1000)
	go func() {
		defer close(list)
		var one logEvent
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				one.id = value
			case "event":
				one.name = value
			case "data":
				one.data = value
			default:
				if one.name != "" {
					list <- one
				}
				one = logEvent{}
			}
		}
	}()
	return answer.StatusCode, list
}

// text is what events of a log tell, until the last one, which is returned, too.
func text(t *testing.T, events <-chan logEvent) (all string, last logEvent) {
	t.Helper()
	for e := range events {
		if last = e; e.name != "log" {
			continue
		}
		var part struct{ Text string }
		if err := json.Unmarshal([]byte(e.data), &part); err != nil {
			t.Fatal(err)
		}
		all += part.Text
	}
	return all, last
}

// A log is followed while an agent writes it, without its secrets, and to its end; who was
// cut off goes on where he was.
func TestALogIsFollowedToItsEnd(t *testing.T) {
	secret := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	r := start(t, func(d *depsOf) {
		governed(t, d, "echo one "+secret+"; pwd; while [ ! -e go ]; do sleep 0.05; done; echo two")
	})
	id := structured[struct{ ID string }](r, "dispatch_to_llm", `{"task":"talk"}`).ID
	status, events := r.follow(id, "")
	if status != 200 {
		t.Fatal(status)
	}
	seen, at := "", ""
	for !strings.Contains(seen, "one ") {
		e, ok := <-events
		if !ok || e.name != "log" {
			t.Fatalf("%+v after %s", e, seen)
		}
		seen, at = seen+e.data, e.id
	}
	if err := os.WriteFile(filepath.Join(r.deps.Workspace, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rest, end := text(t, events)
	var row struct{ ID, Status, Reason string }
	if err := json.Unmarshal([]byte(end.data), &row); err != nil || end.name != "end" || row.ID != id || row.Status != "completed" || row.Reason != "exit" {
		t.Errorf("%+v, %v", end, err)
	}
	if !strings.Contains(rest, "two\n") || !strings.Contains(rest, "ended") {
		t.Errorf("%q", rest)
	}
	_, events = r.follow(id, at)
	if again, _ := text(t, events); again != rest && !strings.HasSuffix(rest, again) || !strings.Contains(again, "two\n") {
		t.Errorf("behind %s: %q, want %q", at, again, rest)
	}
	_, events = r.follow(id, "")
	if whole, _ := text(t, events); strings.Contains(whole, secret) || strings.Contains(whole, r.deps.Workspace) || !strings.HasSuffix(whole, rest) || !strings.HasPrefix(whole, "dispatch "+id) {
		t.Errorf("%q", whole)
	}
	if status, _ := r.follow(id, end.id); status != http.StatusNoContent {
		t.Errorf("who has all is answered %d", status)
	}
}

func TestALogThatCannotBeFollowed(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Token = apiToken })
	token := []string{"Authorization", "Bearer " + apiToken}
	for _, c := range []struct {
		method, path string
		headers      []string
		status       int
	}{
		{"GET", "/dispatches/nothing/log", nil, 401},
		{"GET", "/dispatches/nothing/log", token, 404},
		{"GET", "/dispatches/..%2f/log", token, 404},
		{"GET", "/dispatches/nothing/log", append([]string{"Last-Event-ID", "x"}, token...), 400},
		{"GET", "/dispatches/nothing/log", append([]string{"Last-Event-ID", "-1"}, token...), 400},
		{"POST", "/dispatches/nothing/log", token, 415},
		{"DELETE", "/dispatches/nothing/log", token, 405},
	} {
		if answer, object := r.send(c.method, c.path, "", c.headers...); answer.StatusCode != c.status || object["error"] == nil {
			t.Errorf("%s %s %v: %d %v", c.method, c.path, c.headers, answer.StatusCode, object)
		}
	}
}

// A server that ends does not wait for those who follow a log.
func TestAServerThatEndsLetsFollowersGo(t *testing.T) {
	r := start(t, func(d *depsOf) { governed(t, d, "sleep 1000") })
	id := structured[struct{ ID string }](r, "dispatch_to_llm", `{"task":"talk"}`).ID
	r.killedAfter()
	_, events := r.follow(id, "")
	<-events
	if err := r.server.Shutdown(t.Context(), &http.Server{}); err != nil {
		t.Error(err)
	}
	if _, last := text(t, events); last.name == "end" {
		t.Errorf("%+v", last)
	}
}

// A person follows what an agent says, without its secrets, to the end.
func TestAPersonFollowsALogInTheConsole(t *testing.T) {
	secret := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	r := start(t, func(d *depsOf) {
		d.Token = apiToken
		governed(t, d, "echo '<b>line 1</b>' "+secret+"; sleep 1000")
	})
	r.killedAfter()
	_, object := r.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dispatch_to_llm","arguments":{"task":"talk"}}}`, "Authorization", "Bearer "+apiToken)
	if !strings.Contains(sprint(object), `"dispatched":true`) {
		t.Fatal(object)
	}
	s := r.look("log")
	if !strings.Contains(s.Before, "<b>line 1</b>") || !strings.Contains(s.Left, "killed") || strings.Contains(s.Left, secret) || !strings.HasPrefix(s.Left, "dispatch ") {
		t.Errorf("%q, then %q", s.Before, s.Left)
	}
}
