package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/host"
)

// The fixture offers what the official conformance suite asks for by name, on the
// engine of the product. What the product does not have (prompts, completion,
// templates, requests for input) are methods in the same table.

// A picture of one pixel and an empty sound.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	sound   = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
)

type object = map[string]any

func text(content string) object { return object{"type": "text", "text": content} }

func image() object { return object{"type": "image", "data": picture, "mimeType": "image/png"} }

func embedded(uri, content string) object {
	return object{"type": "resource", "resource": object{"uri": uri, "mimeType": "text/plain", "text": content}}
}

func plainTool(name string, run func(context.Context, *tool.Call) tool.Result) *tool.Tool {
	return &tool.Tool{Name: name, Title: name, Description: "A tool of the conformance suite.", Input: json.RawMessage(`{"type":"object"}`), Run: run}
}

func says(content ...any) func(context.Context, *tool.Call) tool.Result {
	return func(context.Context, *tool.Call) tool.Result { return tool.Result{Content: content} }
}

func fixtureTools() []*tool.Tool {
	schema := plainTool("json_schema_2020_12_tool", says(text("ok")))
	schema.Input = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)
	return []*tool.Tool{
		plainTool("test_simple_text", says(text("This is a simple text response for testing."))),
		plainTool("test_image_content", says(image())),
		plainTool("test_audio_content", says(object{"type": "audio", "data": sound, "mimeType": "audio/wav"})),
		plainTool("test_embedded_resource", says(embedded("test://embedded-resource", "This is an embedded resource content."))),
		plainTool("test_multiple_content_types", says(text("Multiple content types test:"), image(), embedded("test://mixed-content-resource", "mixed"))),
		plainTool("test_error_handling", func(context.Context, *tool.Call) tool.Result {
			return tool.Result{Content: []any{text("This tool intentionally returns an error for testing")}, IsError: true}
		}),
		plainTool("test_tool_with_progress", func(ctx context.Context, c *tool.Call) tool.Result {
			for _, done := range []int{0, 50, 100} {
				c.Progress(done, 100, fmt.Sprintf("step %d", done))
				host.Sleep(ctx, 400*time.Millisecond) // the TypeScript clients drop progress that comes in one piece with the result
			}
			return tool.Result{Content: []any{text("done")}}
		}),
		plainTool("test_streaming_elicitation", says(text("only a result"))),
		schema,
	}
}

// fixtureServer is the engine with the methods of the suite.
func fixtureServer() *stateless.Engine {
	table := stateless.Table{
		Tools: append(fixtureTools(), unlisted()...),
		Resources: []stateless.Resource{{URI: "test://static-text", Name: "static-text", MIMEType: "text/plain",
			Read: func(context.Context) (string, error) { return "This is the content of the static text resource.", nil }},
			{URI: "test://static-binary", Name: "static-binary", MIMEType: "image/png"}, {URI: "test://watched-resource", Name: "watched-resource", MIMEType: "text/plain",
				Read: func(context.Context) (string, error) { return "watched", nil }}},
		Filter: func(stateless.Call) (func(*tool.Tool) bool, error) {
			return func(*tool.Tool) bool { return true }, nil
		},
	}
	capabilities, methods := stateless.Serve(table)
	capabilities["prompts"], capabilities["completions"], capabilities["logging"] = object{}, object{}, object{}
	method := func(name, mirrored string, cached int, run func(*stateless.Request) (any, error)) {
		methods[name] = stateless.Method{Name: mirrored, Cached: cached, Run: func(_ context.Context, r *stateless.Request) (any, error) { return run(r) }}
	}
	call, read := methods["tools/call"].Run, methods["resources/read"].Run
	methods["tools/call"] = stateless.Method{Name: "name", Cached: stateless.NotCached, Run: func(ctx context.Context, r *stateless.Request) (any, error) {
		name, _ := r.Text("name")
		if run := special[name]; run != nil {
			return run(r)
		}
		return call(ctx, r)
	}}
	methods["resources/read"] = stateless.Method{Name: "uri", Cached: 0, Run: func(ctx context.Context, r *stateless.Request) (any, error) {
		if contents := readSpecial(r); contents != nil {
			return object{"contents": []any{contents}}, nil
		}
		return read(ctx, r)
	}}
	method("resources/templates/list", "", 1000, func(*stateless.Request) (any, error) {
		return object{"resourceTemplates": []any{object{"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}}}, nil
	})
	method("prompts/list", "", 1000, listPrompts)
	method("prompts/get", "name", stateless.NotCached, getPrompt)
	method("completion/complete", "", stateless.NotCached, func(*stateless.Request) (any, error) {
		return object{"completion": object{"values": []string{}, "total": 0, "hasMore": false}}, nil
	})
	for _, name := range []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		method(name, "", stateless.NotCached, func(r *stateless.Request) (any, error) {
			if r.Version == stateless.Modern {
				return nil, &rpc.Error{Status: http.StatusNotFound, Code: rpc.CodeMethodNotFound, Message: "removed"}
			}
			return object{}, nil
		})
	}
	return &stateless.Engine{Server: stateless.Server{Name: "conformance-fixture", Version: "1.0.0"}, Capabilities: capabilities, Methods: methods}
}

func readSpecial(r *stateless.Request) object {
	uri, _ := r.Text("uri")
	if uri == "test://static-binary" {
		return object{"uri": uri, "mimeType": "image/png", "blob": picture}
	}
	id, ok := strings.CutPrefix(uri, "test://template/")
	if id, suffix := strings.CutSuffix(id, "/data"); ok && suffix {
		return object{"uri": uri, "mimeType": "application/json", "text": fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}
	}
	return nil
}

func listPrompts(*stateless.Request) (any, error) {
	argument := func(name string) object {
		return object{"name": name, "description": "an argument", "required": true}
	}
	return object{"prompts": []any{
		object{"name": "test_simple_prompt", "description": "simple"},
		object{"name": "test_prompt_with_arguments", "description": "with arguments", "arguments": []any{argument("arg1"), argument("arg2")}},
		object{"name": "test_prompt_with_embedded_resource", "description": "with a resource", "arguments": []any{argument("resourceUri")}},
		object{"name": "test_prompt_with_image", "description": "with an image"},
		object{"name": "test_input_required_result_prompt", "description": "asks first"},
	}}, nil
}

func getPrompt(r *stateless.Request) (any, error) {
	var arguments map[string]string
	if raw := r.Param("arguments"); raw != nil {
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, rpc.InvalidParams("arguments are texts")
		}
	}
	name, _ := r.Text("name")
	messages := func(contents ...object) (any, error) {
		var list []any
		for _, content := range contents {
			list = append(list, object{"role": "user", "content": content})
		}
		return object{"description": name, "messages": list}, nil
	}
	switch name {
	case "test_simple_prompt":
		return messages(text("This is a simple prompt for testing."))
	case "test_prompt_with_arguments":
		return messages(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", arguments["arg1"], arguments["arg2"])))
	case "test_prompt_with_embedded_resource":
		return messages(embedded(arguments["resourceUri"], "Embedded resource content for testing."), text("Please process the embedded resource above."))
	case "test_prompt_with_image":
		return messages(image(), text("Please analyze the image above."))
	case "test_input_required_result_prompt":
		if accepted(r, "user_context") != nil {
			return messages(text(fmt.Sprint("Context: ", accepted(r, "user_context")["context"])))
		}
		return asks(object{"user_context": elicit("context", "string")}, ""), nil
	}
	return nil, rpc.InvalidParams("no such prompt")
}

// logs sends log messages to clients that accept them.
func logs(r *stateless.Request) (any, error) {
	if r.Call.Notify != nil && (r.Version != stateless.Modern || r.Meta("io.modelcontextprotocol/logLevel") != nil) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			message, err := json.Marshal(object{"jsonrpc": "2.0", "method": "notifications/message", "params": object{"level": "info", "data": line}})
			if err != nil {
				return nil, err
			}
			r.Call.Notify(message)
			time.Sleep(50 * time.Millisecond) // the suite looks at the order
		}
	}
	return object{"content": []any{text("logged")}}, nil
}
