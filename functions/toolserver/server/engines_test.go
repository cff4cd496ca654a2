package server_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

const openingMessage = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// requests are valid and invalid requests of clients. None of their answers depends on
// time.
var requests = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
	`{"jsonrpc":"2.0","id":4,"method":"resources/list"}`,
	`{"jsonrpc":"2.0","id":5,"method":"resources/list","params":{"cursor":"x"}}`,
	`{"jsonrpc":"2.0","id":6,"method":"resources/templates/list"}`,
	`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"governance-system://rules"}}`,
	`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
	`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":1}}`,
	`{"jsonrpc":"2.0","id":10,"method":"resources/read"}`,
	`{"jsonrpc":"2.0","id":11,"method":"resources/subscribe","params":{"uri":"governance-system://rules"}}`,
	`{"jsonrpc":"2.0","id":12,"method":"prompts/list"}`,
	`{"jsonrpc":"2.0","id":13,"method":"prompts/get","params":{"name":"x"}}`,
	`{"jsonrpc":"2.0","id":14,"method":"logging/setLevel","params":{"level":"debug"}}`,
	`{"jsonrpc":"2.0","id":15,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}`,
	`{"jsonrpc":"2.0","id":16,"method":"server/discover"}`,
	`{"jsonrpc":"2.0","id":17,"method":"Tools/List"}`,
	`{"jsonrpc":"2.0","id":18,"method":"x"}`,
	`{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"guardrail_rules","arguments":{}}}`,
	`{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"guardrail_rules"}}`,
	`{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"guardrail_rules","arguments":null}}`,
	`{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"guardrail_rules","arguments":[]}}`,
	`{"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":"guardrail_rules","arguments":{"rule":"ninth"}}}`,
	`{"jsonrpc":"2.0","id":24,"method":"tools/call","params":{"name":"get_framework","arguments":{"format":"json","format":"markdown"}}}`,
	`{"jsonrpc":"2.0","id":25,"method":"tools/call","params":{"name":"lint_mcp_config","arguments":{"config":{"command":"npx","args":["x"]}}}}`,
	`{"jsonrpc":"2.0","id":26,"method":"tools/call","params":{"name":"lint_mcp_config","arguments":{"config":{"a":{"command":"x","command":"y"}}}}}`,
	`{"jsonrpc":"2.0","id":27,"method":"tools/call","params":{"name":"emergency_kill_switch","arguments":{"reason":"a test"}}}`,
	`{"jsonrpc":"2.0","id":28,"method":"tools/call","params":{"name":"no_such_tool"}}`,
	`{"jsonrpc":"2.0","id":29,"method":"tools/call","params":{"name":1}}`,
	`{"jsonrpc":"2.0","id":30,"method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":31,"method":"tools/call","params":{"name":"guardrail_rules","name":"get_framework"}}`,
	`{"jsonrpc":"2.0","id":32,"method":"ping","params":[1]}`,
	`{"jsonrpc":"2.0","id":33,"method":"ping","params":{"_meta":"x"}}`,
	`{"jsonrpc":"2.0","id":34,"method":1}`,
	`{"jsonrpc":"2.0","id":35,"method":"ping","method":"ping"}`,
	`{"id":36,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
	`[{"jsonrpc":"2.0","id":37,"method":"ping"}]`,
	`"ping"`,
	`{`,
}

// stdio is a client at the end of a pair of pipes.
type stdio struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
}

func (r running) stdio() *stdio {
	r.Helper()
	input, in := io.Pipe()
	out, output := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := r.server.ServeStdio(r.Context(), input, output)
		ended <- errors.Join(err, output.Close())
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	r.Cleanup(func() {
		_ = in.Close()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		<-ended
	})
	return &stdio{t: r.T, in: in, lines: lines}
}

// ask sends a line and gives the answer.
func (s *stdio) ask(message string) string {
	s.t.Helper()
	if _, err := io.WriteString(s.in, message+"\n"); err != nil {
		s.t.Fatal(err)
	}
	if !s.lines.Scan() {
		s.t.Fatalf("no answer to %s: %v", message, s.lines.Err())
	}
	return s.lines.Text()
}

// ask sends a message of a session. One that is no message is answered at once, the others
// on the stream.
func (s *stream) ask(message string) string {
	s.Helper()
	answer, object := s.send("POST", s.endpoint, message)
	if answer.StatusCode != 202 {
		return sprint(object)
	}
	return s.event("message")
}

// canonical is an answer with the members of each object in order. It omits what depends on
// the transport by design: how to send the kill secret.
func canonical(t *testing.T, answer string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(answer), &value); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return sprint(value)
}

// A client gets the same answer to the same question over POST /mcp, in a session and over
// stdio: the order of lists, the texts of errors and what is not offered.
func TestBothEnginesGiveTheSameAnswers(t *testing.T) {
	r := start(t, nil)
	session, pipe := r.open("/sse"), r.stdio()
	session.ask(openingMessage)
	session.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	pipe.ask(openingMessage)
	if _, err := io.WriteString(pipe.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	for _, request := range requests[1:] {
		_, plain := r.send("POST", "/mcp", request)
		want := sprint(plain)
		if got := canonical(t, session.ask(request)); got != want {
			t.Errorf("%s\nPOST /mcp: %.300s\nsession:   %.300s", request, want, got)
		}
		if got := canonical(t, pipe.ask(request)); got != want {
			t.Errorf("%s\nPOST /mcp: %.300s\nstdio:     %.300s", request, want, got)
		}
	}
	_, greeting := r.send("POST", "/mcp", requests[0])
	if got := canonical(t, r.open("/sse").ask(requests[0])); got != sprint(greeting) {
		t.Errorf("POST /mcp: %s\nsession:   %s", sprint(greeting), got)
	}
	if got := canonical(t, r.stdio().ask(requests[0])); got != sprint(greeting) {
		t.Errorf("POST /mcp: %s\nstdio:     %s", sprint(greeting), got)
	}
}

// The greeting names the tool that stands before every change.
func TestTheInstructionsNameTheCheckBeforeChanges(t *testing.T) {
	r := start(t, nil)
	if instructions := r.rpc("initialize", "{}")["result"].(map[string]any)["instructions"].(string); !strings.Contains(instructions, "preflight_check") {
		t.Error(instructions)
	}
}

// Clients of other servers broke over a schema of no arguments that lacked properties.
func TestEverySchemaHasProperties(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Toolsets = nil })
	for _, each := range r.rpc("tools/list", "{}")["result"].(map[string]any)["tools"].([]any) {
		listed := each.(map[string]any)
		if _, there := listed["inputSchema"].(map[string]any)["properties"].(map[string]any); !there {
			t.Errorf("%v: %v", listed["name"], listed["inputSchema"])
		}
	}
}

// A parser that reads the first of two equal members sees another call than one that reads
// the last.
func TestAMemberThatStandsTwiceInArgumentsIsRefused(t *testing.T) {
	r := start(t, nil)
	for arguments, field := range map[string]string{
		`{"format":"json","format":"markdown"}`:      "/format",
		`{"format":"json","\u0066ormat":"markdown"}`: "/format",
		`{"format":"json" , "format" : "json"}`:      "/format",
	} {
		result := r.call("get_framework", arguments)
		if result["isError"] != true || !strings.Contains(sprint(result), `\"field\":\"`+field+`\"`) || !strings.Contains(sprint(result), "twice") {
			t.Errorf("%s: %v", arguments, result)
		}
	}
	deep := r.call("lint_mcp_config", `{"config":{"mcpServers":{"a":{"args":[{"b":1,"b":2}]}}}}`)
	if deep["isError"] != true || !strings.Contains(sprint(deep), "/config/mcpServers/a/args/0/b") {
		t.Errorf("%v", deep)
	}
	if good := r.call("lint_mcp_config", `{"config":{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}}}}`); good["isError"] != nil {
		t.Errorf("%v", good)
	}
}

// A client cannot send the kill secret over stdio, so the kill switch is not ready there.
func TestTheKillToolIsNotReadyOverStdio(t *testing.T) {
	r := start(t, nil)
	const question = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_governance_system_info","arguments":{"topic":"capabilities"}}}`
	state := func(answer string) string {
		var called struct {
			Result struct {
				Structured struct {
					Capabilities []struct{ Tool, State, Why string }
				} `json:"structuredContent"`
			}
		}
		if err := json.Unmarshal([]byte(answer), &called); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		for _, each := range called.Result.Structured.Capabilities {
			if each.Tool == "emergency_kill_switch" {
				return each.State + each.Why
			}
		}
		return ""
	}
	pipe := r.stdio()
	pipe.ask(openingMessage)
	if got := state(pipe.ask(question)); !strings.HasPrefix(got, "unavailable") || !strings.Contains(got, "governance kill") {
		t.Errorf("over stdio: %s", got)
	}
	if _, over := r.send("POST", "/mcp", question); state(sprint(over)) != "ready" {
		t.Errorf("over HTTP: %v", over)
	}
}
