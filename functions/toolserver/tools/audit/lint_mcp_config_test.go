package audit

import (
	"encoding/json"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/mcp/tool"
)

func lintOf(t *testing.T, arguments map[string]any) tool.Result {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return LintMCPConfig().Run(t.Context(), &tool.Call{Arguments: text})
}

// A configuration is judged alike as an object and as the text of its file.
func TestLintTakesAnObjectOrAText(t *testing.T) {
	server := map[string]any{"mcpServers": map[string]any{"a": map[string]any{"command": "npx", "args": []string{"-y", "x"}}}}
	text, err := json.Marshal(server)
	if err != nil {
		t.Fatal(err)
	}
	asObject, asText := lintOf(t, map[string]any{"config": server}), lintOf(t, map[string]any{"config_json": string(text)})
	if asObject.IsError || string(asObject.Structured) != string(asText.Structured) || !strings.Contains(string(asObject.Structured), "MCP003") {
		t.Errorf("%s\n%s", asObject.Structured, asText.Structured)
	}
}

func TestLintRefusesWhatIsNoConfiguration(t *testing.T) {
	for what, tc := range map[string]struct {
		arguments map[string]any
		code      string
	}{
		"nothing":         {map[string]any{}, "invalid_argument"},
		"both":            {map[string]any{"config": map[string]any{"command": "x"}, "config_json": "{}"}, "invalid_argument"},
		"no JSON":         {map[string]any{"config_json": "["}, "invalid_argument"},
		"the same twice":  {map[string]any{"config_json": `{"command":"x","command":"y"}`}, "invalid_argument"},
		"a large object":  {map[string]any{"config": map[string]any{"command": strings.Repeat("x", 70_000)}}, "too_large"},
		"a text too long": {map[string]any{"config_json": strings.Repeat(" ", 70_000)}, "invalid_argument"},
	} {
		if result := lintOf(t, tc.arguments); result.Err == nil || result.Err.Code != tc.code || result.Err.Field == "" {
			t.Errorf("%s: %+v", what, result.Err)
		}
	}
}
