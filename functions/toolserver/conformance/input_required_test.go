package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/mcp/tool"
)

// asking is a result that asks the client before it is complete.
type asking struct {
	Requests object `json:"inputRequests,omitempty"`
	State    string `json:"requestState,omitempty"`
}

func (asking) ResultType() string { return "input_required" }

func asks(requests object, state string) asking { return asking{requests, state} }

func elicit(field, kind string) object {
	return object{"method": "elicitation/create", "params": object{"mode": "form", "message": "Please answer: " + field,
		"requestedSchema": object{"type": "object", "properties": object{field: object{"type": kind}}, "required": []string{field}}}}
}

func sample(question string) object {
	return object{"method": "sampling/createMessage", "params": object{"messages": []any{object{"role": "user", "content": text(question)}}, "maxTokens": 100}}
}

func roots() object { return object{"method": "roots/list"} }

// response is what the client answered to a request for input.
func response(r *stateless.Request, key string) object {
	var responses map[string]object
	if json.Unmarshal(r.Param("inputResponses"), &responses) != nil {
		return nil
	}
	return responses[key]
}

// accepted is the content of an elicitation that the person accepted.
func accepted(r *stateless.Request, key string) object {
	answer := response(r, key)
	content, _ := answer["content"].(map[string]any)
	if answer["action"] != "accept" {
		return nil
	}
	return content
}

func done(format string, values ...any) (any, error) {
	return tool.Result{Content: []any{text(fmt.Sprintf(format, values...))}}, nil
}

// states are those that the fixture gave out; anything else was tampered with.
func stateOf(r *stateless.Request, want string) error {
	if state, _ := r.Text("requestState"); state != want {
		return rpc.InvalidParams("this requestState is not one of ours")
	}
	return nil
}

func declared(r *stateless.Request, capability string) bool {
	var capabilities object
	return json.Unmarshal(r.Meta("io.modelcontextprotocol/clientCapabilities"), &capabilities) == nil && capabilities[capability] != nil
}

// special are the tools that need more of a request than its arguments.
var special = map[string]func(*stateless.Request) (any, error){
	"test_tool_with_logging": logs,
	"test_logging_tool":      logs,
	"test_missing_capability": func(r *stateless.Request) (any, error) {
		if declared(r, "sampling") {
			return done("declared")
		}
		return nil, &rpc.Error{Status: http.StatusBadRequest, Code: rpc.CodeMissingCapability, Message: "sampling is needed",
			Data: object{"requiredCapabilities": object{"sampling": object{}}}}
	},
	"test_input_required_result_elicitation": func(r *stateless.Request) (any, error) {
		if name, _ := accepted(r, "user_name")["name"].(string); name != "" {
			return done("Hello, %s!", name)
		}
		return asks(object{"user_name": elicit("name", "string")}, ""), nil
	},
	"test_input_required_result_sampling": func(r *stateless.Request) (any, error) {
		if answer := response(r, "capital_question"); answer != nil {
			return done("Sampled: %v", answer["content"])
		}
		return asks(object{"capital_question": sample("What is the capital of France?")}, ""), nil
	},
	"test_input_required_result_list_roots": func(r *stateless.Request) (any, error) {
		if answer := response(r, "client_roots"); answer != nil {
			return done("Roots: %v", answer["roots"])
		}
		return asks(object{"client_roots": roots()}, ""), nil
	},
	"test_input_required_result_request_state":  confirmed,
	"test_input_required_result_tampered_state": confirmed,
	"test_input_required_result_multiple_inputs": func(r *stateless.Request) (any, error) {
		name, greeting, folders := accepted(r, "user_name"), response(r, "greeting"), response(r, "client_roots")
		if name != nil && greeting != nil && folders != nil {
			return done("%v %v %v", greeting["content"], name["name"], folders["roots"])
		}
		return asks(object{"user_name": elicit("name", "string"), "greeting": sample("Say hello"), "client_roots": roots()}, "several"), nil
	},
	"test_input_required_result_multi_round": func(r *stateless.Request) (any, error) {
		state, _ := r.Text("requestState")
		name, second := strings.CutPrefix(state, "second;")
		switch {
		case state == "":
			return asks(object{"step1": elicit("name", "string")}, "first"), nil
		case state == "first":
			return asks(object{"step2": elicit("color", "string")}, fmt.Sprint("second;", accepted(r, "step1")["name"])), nil
		case second:
			return done("%s likes %v", name, accepted(r, "step2")["color"])
		}
		return nil, stateOf(r, "first")
	},
	"test_input_required_result_capabilities": func(r *stateless.Request) (any, error) {
		if len(r.Param("inputResponses")) > len("{}") {
			return done("answered")
		}
		requests := object{}
		for capability, request := range map[string][2]any{
			"elicitation": {"user_name", elicit("name", "string")}, "sampling": {"greeting", sample("Say hello")}, "roots": {"client_roots", roots()},
		} {
			if declared(r, capability) {
				requests[request[0].(string)] = request[1]
			}
		}
		if len(requests) == 0 {
			return done("the client can answer nothing")
		}
		return asks(requests, ""), nil
	},
}

func confirmed(r *stateless.Request) (any, error) {
	if r.Param("requestState") != nil {
		if err := stateOf(r, "state-1"); err != nil {
			return nil, err
		}
		if accepted(r, "confirm") != nil {
			return done("state-ok")
		}
	}
	return asks(object{"confirm": elicit("ok", "boolean")}, "state-1"), nil
}

// unlisted makes the special tools appear in the list.
func unlisted() (list []*tool.Tool) {
	for name := range special {
		list = append(list, plainTool(name, says(text(name))))
	}
	return list
}
