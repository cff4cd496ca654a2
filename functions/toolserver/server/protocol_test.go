package server_test

import (
	"strings"
	"testing"
)

// modern makes the headers and the body of a request of 2026-07-28.
func modern(method, name, params string) (body string, headers []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += ","
	}
	headers = []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	return `{"jsonrpc":"2.0","id":"a","method":"` + method + `","params":{` + meta + params + `}}`, headers
}

func TestModernClientsSaySoInEveryRequest(t *testing.T) {
	r := start(t, nil)
	body, headers := modern("server/discover", "", "")
	answer, object := r.send("POST", "/mcp", body, headers...)
	result, _ := object["result"].(map[string]any)
	if answer.StatusCode != 200 || object["id"] != "a" || result["resultType"] != "complete" || result["supportedVersions"].([]any)[0] != "2026-07-28" || result["ttlMs"] == nil ||
		result["_meta"].(map[string]any)["io.modelcontextprotocol/serverInfo"].(map[string]any)["version"] != "1.11.0" {
		t.Errorf("%d %v", answer.StatusCode, object)
	}
	body, headers = modern("tools/call", "get_framework", `"name":"get_framework"`)
	if answer, object = r.send("POST", "/mcp", body, headers...); answer.StatusCode != 200 || object["result"].(map[string]any)["resultType"] != "complete" {
		t.Errorf("%d %v", answer.StatusCode, object)
	}
	encoded := append(append([]string{}, headers[:5]...), "=?base64?Z2V0X2ZyYW1ld29yaw==?=")
	if answer, object = r.send("POST", "/mcp", body, encoded...); answer.StatusCode != 200 {
		t.Errorf("an encoded name: %d %v", answer.StatusCode, object)
	}
}

func TestAnInvalidModernRequestGetsAnExactError(t *testing.T) {
	r := start(t, nil)
	good, headers := modern("tools/call", "get_framework", `"name":"get_framework"`)
	with := func(pairs ...string) []string { return append(append([]string{}, headers...), pairs...) }
	for name, tc := range map[string]struct {
		body    string
		headers []string
		status  int
		code    float64
	}{
		"no version in _meta":        {strings.Replace(good, "protocolVersion", "other", 1), headers, 400, -32602},
		"no capabilities":            {strings.Replace(good, "clientCapabilities", "other", 1), headers, 400, -32602},
		"capabilities not object":    {strings.Replace(good, `Capabilities":{}`, `Capabilities":1`, 1), headers, 400, -32602},
		"version not text":           {strings.Replace(good, `"2026-07-28"`, `1`, 1), headers, 400, -32602},
		"no version header":          {good, with("MCP-Protocol-Version", ""), 400, -32020},
		"another version header":     {good, with("MCP-Protocol-Version", "2025-11-25"), 400, -32020},
		"a future version":           {strings.Replace(good, "2026-07-28", "2099-01-01", 1), with("MCP-Protocol-Version", "2099-01-01"), 400, -32022},
		"a future header alone":      {listCall, []string{"MCP-Protocol-Version", "2099-01-01"}, 400, -32022},
		"no method header":           {good, with("Mcp-Method", ""), 400, -32020},
		"another method header":      {good, with("Mcp-Method", "tools/list"), 400, -32020},
		"no name header":             {good, with("Mcp-Name", ""), 400, -32020},
		"another name header":        {good, with("Mcp-Name", "x"), 400, -32020},
		"a broken name header":       {good, with("Mcp-Name", "=?base64?!?="), 400, -32020},
		"modern header, no _meta":    {listCall, []string{"MCP-Protocol-Version", "2026-07-28"}, 400, -32602},
		"initialize is gone":         {strings.ReplaceAll(good, "tools/call", "initialize"), with("Mcp-Method", "initialize"), 404, -32601},
		"ping is gone":               {strings.ReplaceAll(good, "tools/call", "ping"), with("Mcp-Method", "ping"), 404, -32601},
		"no prompts":                 {strings.ReplaceAll(good, "tools/call", "prompts/list"), with("Mcp-Method", "prompts/list"), 404, -32601},
		"a tool that does not exist": {strings.Replace(good, `"name":"get_framework"`, `"name":"x"`, 1), with("Mcp-Name", "x"), 200, -32602},
	} {
		answer, object := r.send("POST", "/mcp", tc.body, tc.headers...)
		id := object["id"]
		if answer.StatusCode != tc.status || codeOf(object) != tc.code || id != "a" && id != 1.0 {
			t.Errorf("%s: %d %v", name, answer.StatusCode, object)
		}
	}
}

// Clients of the years before negotiate, or say nothing at all.
func TestLegacyClientsAreAnsweredInTheirVersion(t *testing.T) {
	r := start(t, nil)
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2024-11-05", "1999-01-01": "2024-11-05", "": "2024-11-05",
	} {
		if got := r.rpc("initialize", `{"protocolVersion":"`+asked+`"}`)["result"].(map[string]any)["protocolVersion"]; got != want {
			t.Errorf("asked %q, got %v", asked, got)
		}
	}
	if got := r.rpc("initialize", `{}`)["result"].(map[string]any)["protocolVersion"]; got != "2024-11-05" {
		t.Errorf("asked nothing, got %v", got)
	}
	for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		result := r.rpc("tools/list", "{}", "MCP-Protocol-Version", version)["result"].(map[string]any)
		if result["tools"] == nil || result["resultType"] != nil || result["ttlMs"] != nil {
			t.Errorf("%q: %v", version, result)
		}
	}
	if r.rpc("ping", "{}")["result"] == nil || codeOf(r.rpc("prompts/list", "{}")) != -32601 {
		t.Error("ping and prompts/list")
	}
	for _, notification := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		if answer, object := r.send("POST", "/mcp", notification); answer.StatusCode != 202 || object != nil {
			t.Errorf("%s: %d %v", notification, answer.StatusCode, object)
		}
	}
}

func TestBrokenMessagesAreAnsweredInJSONRPC(t *testing.T) {
	r := start(t, nil)
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for name, tc := range map[string]struct {
		body   string
		status int
		code   float64
	}{
		"no JSON":             {`{"jsonrpc":`, 400, -32700},
		"two documents":       {listCall + listCall, 400, -32700},
		"not UTF-8":           {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", 400, -32700},
		"too deep":            {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + deep + `}}`, 400, -32700},
		"a batch":             {`[` + listCall + `]`, 400, -32600},
		"a text":              {`"ping"`, 400, -32600},
		"no version":          {`{"id":1,"method":"ping"}`, 400, -32600},
		"id null":             {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600},
		"id a fraction":       {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, -32600},
		"id an object":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600},
		"method a number":     {`{"jsonrpc":"2.0","id":1,"method":1}`, 400, -32600},
		"two methods":         {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, -32600},
		"method in capitals":  {`{"jsonrpc":"2.0","id":1,"Method":"ping"}`, 400, -32600},
		"params an array":     {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, 400, -32602},
		"_meta a text":        {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":"x"}}`, 400, -32602},
		"a name that is none": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, 200, -32602},
		"a cursor":            {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, 200, -32602},
		"an unknown resource": {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, 200, -32602},
		"an unknown method":   {`{"jsonrpc":"2.0","id":1,"method":"x"}`, 200, -32601},
		"too long":            {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`, 413, -32600},
	} {
		answer, object := r.send("POST", "/mcp", tc.body)
		if answer.StatusCode != tc.status || codeOf(object) != tc.code || object["jsonrpc"] != "2.0" {
			t.Errorf("%s: %d %.200v", name, answer.StatusCode, object)
		}
	}
}

func TestBadArgumentsAreReportedInTheResult(t *testing.T) {
	r := start(t, nil)
	for arguments, want := range map[string]string{
		`{"format":"xml"}`:            `"field":"/format"`,
		`{"format":"xml" }`:           `["json","markdown"]`,
		`{"format":1}`:                `of type string, not number`,
		`{"Format":"json"}`:           `"field":"/Format"`,
		`{"format":"json","more":{}}`: `"field":"/more"`,
		`[]`:                          `of type object, not array`,
	} {
		result := r.call("get_framework", arguments)
		text := result["content"].([]any)[0].(map[string]any)["text"].(string)
		if result["isError"] != true || !strings.Contains(text, want) || !strings.Contains(text, `"invalid_argument"`) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
	for _, tc := range [][2]string{
		{"emergency_kill_switch", `{}`}, {"lint_mcp_config", `{}`}, {"lint_mcp_config", `{"config":{},"config_json":"{}"}`}, {"lint_mcp_config", `{"config_json":"{]"}`},
		{"verify_audit_chain", `{"expect_head":"ABC"}`}, {"verify_audit_chain", `{"from":0}`}, {"verify_audit_chain", `{"from":1.5}`}, {"guardrail_rules", `{"rule":"ninth"}`},
	} {
		if result := r.call(tc[0], tc[1]); result["isError"] != true || !strings.Contains(sprint(result), "invalid_argument") {
			t.Errorf("%s %s: %v", tc[0], tc[1], result)
		}
	}
	if answer := r.rpc("tools/call", `{"name":"get_framework"}`); answer["result"].(map[string]any)["isError"] != nil {
		t.Errorf("no arguments: %v", answer)
	}
}

// Clients of every library send another Accept; each gets its answer.
func TestEveryAcceptWorks(t *testing.T) {
	r := start(t, nil)
	for _, accept := range []string{"", "application/json", "*/*", "application/json, text/event-stream", "text/html"} {
		if answer, object := r.send("POST", "/mcp", listCall, "Accept", accept); answer.StatusCode != 200 || object["result"] == nil {
			t.Errorf("%q: %d %v", accept, answer.StatusCode, object)
		}
	}
}

func TestAllSevenResourcesCanBeRead(t *testing.T) {
	r := start(t, nil)
	list := r.rpc("resources/list", "{}")["result"].(map[string]any)["resources"].([]any)
	var uris []string
	for _, each := range list {
		uri := each.(map[string]any)["uri"].(string)
		uris = append(uris, strings.TrimPrefix(uri, "governance-system://"))
		contents := r.rpc("resources/read", `{"uri":"`+uri+`"}`)["result"].(map[string]any)["contents"].([]any)[0].(map[string]any)
		if text := contents["text"].(string); contents["uri"] != uri || len(text) < 300 || !strings.HasPrefix(text, "# ") {
			t.Errorf("%s: %.100s", uri, text)
		}
	}
	if strings.Join(uris, " ") != "framework quick-start rules templates drift-audit reference-implementation case-study" {
		t.Errorf("resources %v", uris)
	}
	drift := r.rpc("resources/read", `{"uri":"governance-system://drift-audit"}`)
	if !strings.Contains(sprint(drift), "not_checked") {
		t.Errorf("drift-audit does not say what a clean result needs: %v", drift)
	}
}
