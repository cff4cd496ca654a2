package stateless

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/mcp/rpc"
)

// fixture answers one method of its own with what it was sent.
func fixture() *Engine {
	return &Engine{Server: Server{Name: "fuzz", Version: "1"}, Methods: map[string]Method{
		"echo": {Run: func(_ context.Context, r *Request) (any, error) {
			r.Progress(1, 2, "half")
			return map[string]json.RawMessage{"name": r.Param("name")}, nil
		}, Name: "name", Cached: 0},
	}}
}

// The answer to any input is one JSON-RPC message with the id of the request, or nothing
// for a notification.
func FuzzHandle(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","id":"\u00e9","method":"echo","params":{"name":"a\"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"name":{"a":[1,{"b":"}"}]},"_meta":{"progressToken":1}}}`, ` { "jsonrpc" : "2.0" , "id" : -1 , "method" : "ping" , "params" : null } `,
		`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"id":1,"id":2}`, `{"\u006asonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, strings.Repeat("[", 100),
	} {
		f.Add([]byte(body), "", "", "")
		f.Add([]byte(body), Modern, "echo", "=?base64?YQ==?=")
	}
	d := fixture()
	f.Fuzz(func(t *testing.T, body []byte, version, method, name string) {
		header := http.Header{}
		header.Set("MCP-Protocol-Version", version)
		header.Set("Mcp-Method", method)
		header.Set("Mcp-Name", name)
		reply := d.Handle(context.Background(), Call{Body: body, Header: header, Notify: func(message []byte) {
			if !json.Valid(message) {
				t.Errorf("notification %q", message)
			}
		}})
		if reply.Body == nil {
			if reply.Status != http.StatusAccepted {
				t.Errorf("status %d without a body", reply.Status)
			}
			return
		}
		var answer struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  map[string]any  `json:"result"`
			Error   *rpc.Error      `json:"error"`
		}
		decoder := json.NewDecoder(bytes.NewReader(reply.Body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&answer); err != nil || answer.Version != "2.0" || (answer.Result == nil) == (answer.Error == nil) {
			t.Fatalf("%q: %s (%v)", body, reply.Body, err)
		}
		var asked map[string]json.RawMessage
		if json.Unmarshal(body, &asked) == nil && answer.Result != nil && string(asked["id"]) != string(answer.ID) {
			t.Errorf("%q: id %s", body, answer.ID)
		}
	})
}

// Objects are taken apart as encoding/json does it, but for what is refused.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1}`, `{"a":"}","b":[{"c":"\\\""}]}`, `{ "a" : -1.5e3 , "\u0062":null}`, `{"a":1,"a":2}`, `{"a":{"a":{}}}`, `{"a":[[],{}],"b":true}`, `1`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if check(text) != nil {
			return
		}
		found, object, err := split(text)
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil || want == nil {
			if object {
				t.Errorf("%q is no object", text)
			}
			return
		}
		if err != nil {
			return // a duplicate
		}
		if !object || len(found) != len(want) {
			t.Fatalf("%q: %v", text, found)
		}
		for _, member := range found {
			if !bytes.Equal(member.value, want[member.key]) {
				t.Errorf("%q: %s is %q, want %q", text, member.key, member.value, want[member.key])
			}
		}
	})
}
