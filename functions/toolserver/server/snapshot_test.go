package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"governance.internal/functions/toolserver/tools"
)

var update = flag.Bool("update", false, "rewrite the snapshots of the tools")

// listed is a tool as a client sees it.
type listed struct {
	Name, Title, Description string
	InputSchema              json.RawMessage
	OutputSchema             json.RawMessage
	Annotations              map[string]any
}

func (r running) list(headers ...string) []listed {
	r.Helper()
	text, err := json.Marshal(r.rpc("tools/list", "{}", headers...)["result"].(map[string]any)["tools"])
	if err != nil {
		r.Fatal(err)
	}
	var list []listed
	if err := json.Unmarshal(text, &list); err != nil {
		r.Fatal(err)
	}
	return list
}

// allTools offers those, too, that an operator must choose.
func allTools(d *depsOf) { d.Toolsets = tools.Toolsets }

// everySet is the header of a client that chooses every toolset.
var everySet = []string{"X-MCP-Toolsets", strings.Join(tools.Toolsets, ",")}

// A change of what clients see of a tool shows up in the review, as a file.
func TestEveryToolIsAsItsSnapshotSays(t *testing.T) {
	r := start(t, allTools)
	var files []string
	for _, each := range r.rpc("tools/list", "{}", everySet...)["result"].(map[string]any)["tools"].([]any) {
		name := each.(map[string]any)["name"].(string)
		file := filepath.Join("testdata", "tools", name+".json")
		files = append(files, file)
		got, err := json.MarshalIndent(each, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		if *update {
			if err := os.WriteFile(file, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from its snapshot (%v); look at it, then run this test with -update\n%s", name, err, got)
		}
	}
	there, err := filepath.Glob("testdata/tools/*.json")
	slices.Sort(files)
	if err != nil || !slices.Equal(there, files) {
		t.Errorf("snapshots %v, tools %v (%v)", there, files, err)
	}
}

// The list is read by every model in every conversation: at most 6,000 tokens for
// all tools, at four bytes a token. Of the room, tools to come keep 450 bytes each.
func TestTheListIsShort(t *testing.T) {
	const room, all, least = 6000 * 4, 35, 450
	r := start(t, nil)
	text, err := json.Marshal(r.rpc("tools/list", "{}")["result"])
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.list())
	t.Logf("%d tools, %d bytes, %d a tool", n, len(text), len(text)/n)
	if budget := room - least*(all-n); len(text) > budget {
		t.Errorf("%d bytes; the budget allows %d", len(text), budget)
	}
}

// Directories refuse tools without all hints, and clients refuse odd names.
func TestEveryToolIsDescribedCompletely(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9_]{1,64}$`)
	for _, each := range start(t, allTools).list(everySet...) {
		if !name.MatchString(each.Name) || each.Title == "" || len(each.Description) < 40 || len(each.Description) > 300 {
			t.Errorf("%s: title %q, description of %d bytes", each.Name, each.Title, len(each.Description))
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := each.Annotations[hint].(bool); !ok {
				t.Errorf("%s has no %s", each.Name, hint)
			}
		}
		if each.Annotations["readOnlyHint"] == true && each.Annotations["destructiveHint"] == true {
			t.Errorf("%s cannot destroy anything if it only reads", each.Name)
		}
		for kind, schema := range map[string]json.RawMessage{"input": each.InputSchema, "output": each.OutputSchema} {
			compile(t, each.Name+" "+kind, schema)
			if strings.Contains(string(schema), `"type":[`) {
				t.Errorf("%s %s: a list of types, which some clients cannot read", each.Name, kind)
			}
		}
	}
}

func compile(t *testing.T, name string, schema json.RawMessage) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("urn:schema", document); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	compiled, err := compiler.Compile("urn:schema")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return compiled
}

// The answer of a tool matches its schema for every value of its enums.
func TestResultsAreAsTheSchemaPromises(t *testing.T) {
	dir := project(t, map[string]string{
		"governance.yaml": "processes: {expected: [{name: api, script: api/server.js, provider: procfs}]}\nusage: {sources: [{file: \"*.jsonl\"}]}\nbots: {files: [{path: bots/a.py}]}\n", "api/server.js": "import './a.js'", "usage.jsonl": "",
		"bots/a.py": "x = 1\n",
	})
	r := start(t, func(d *depsOf) { allTools(d); d.Workspace = dir })
	calls := map[string][]string{
		"get_framework":              {`{}`, `{"format":"markdown"}`},
		"session_handoff":            {`{}`, `{"action":"write","content":"# x"}`, `{"action":"read"}`, `{"action":"get_template"}`, `{"action":"read_example"}`, `{"action":"get_best_practices"}`},
		"preflight_check":            {`{"path":"a"}`, `{"action":"check_command","command":"rm x"}`, `{"action":"get_script"}`, `{"action":"get_pattern"}`, `{"action":"get_untouchable_template"}`},
		"worklog":                    {`{}`, `{"action":"append","did":["x"]}`, `{"action":"tail"}`, `{"action":"get_format"}`, `{"action":"get_best_practices"}`},
		"violation_logging":          {`{}`, `{"action":"record","type":"OTHER"}`, `{"action":"list"}`, `{"action":"stats"}`, `{"action":"get_template"}`, `{"action":"get_enforcement"}`},
		"step_back_check":            {`{}`, `{"record":true}`},
		"mcp_analyzer":               {`{}`, `{"mode":"write"}`, `{"mode":"reload"}`, `{"mode":"write","output_path":"AGENTS.md"}`},
		"discovery_briefing":         {`{}`, `{"scope":"security","context":"none"}`},
		"session_persist":            {`{"category":"decision","title":"t","content":"c"}`, `{"category":"decision","title":"t","content":"c"}`, `{"category":"credential","title":"t","content":"c"}`},
		"accountability_check":       {`{}`, `{"scope":"workarounds"}`},
		"check_archive_safety":       {`{"filepath":"none"}`},
		"check_dependencies":         {`{}`, `{"process":"api"}`},
		"test_deployment":            {`{"filepath":"api/server.js"}`},
		"usage_report":               {`{}`, `{"days":90,"bot":"lily"}`},
		"request_approval":           {`{"agent":"a","command":"make","reason":"why"}`},
		"approval_status":            {`{}`},
		"guardrail_rules":            {`{}`, `{"rule":"untouchable","classify":"correct a typo"}`},
		"get_governance_system_info": {`{"topic":"overview"}`, `{"topic":"origin"}`, `{"topic":"implementation_guide"}`, `{"topic":"problem_it_solves"}`, `{"topic":"stats"}`, `{"topic":"capabilities"}`},
		"emergency_kill_switch":      {`{"reason":"a test"}`},
		"verify_audit_chain":         {`{}`, `{"from":2,"expect_entries":99}`},
		"dispatch_to_llm":            {`{"task":"a test"}`},
		"get_health_status":          {`{}`},
		"create_snapshot":            {`{"label":"x"}`},
		"security_audit":             {`{}`, `{"path":"api","checks":["secrets"]}`},
		"pre_publish_audit":          {`{}`, `{"source_file":"api/server.js"}`},
		"check_session_diff":         {`{}`, `{"create_baseline":true}`, `{"diff":true}`},
		"session_close":              {`{"dry_run":true}`, `{"summary":"done"}`},
		"page_health":                {`{}`, `{"max":1}`},
		"check_page_changes":         {`{}`, `{"mark_seen":true}`, `{"since":"2026-01-01"}`},
		"drift_audit":                {`{}`, `{"scope":"files","max":1}`},
		"auto_propagate":             {`{}`, `{"dry_run":true,"only":["role"]}`},
		"propagate_family_member":    {`{}`, `{"dry_run":true}`},
		"fix_doc_drift":              {`{}`, `{"dry_run":false}`},
		"self_check":                 {`{}`},
		"bot_compliance_check":       {`{}`, `{"bot":"bots/a.py"}`},
		"governance_scan":            {`{"description":"Every call is logged."}`, `{"workspace":true}`},
		"lint_mcp_config":            {`{"config":{"command":"npx","args":["x"]}}`},
	}
	list := r.list()
	slices.SortStableFunc(list, func(a, b listed) int { return bySwitch(a) - bySwitch(b) })
	for _, each := range list {
		schema := compile(t, each.Name, each.OutputSchema)
		if len(calls[each.Name]) == 0 {
			t.Errorf("%s is not called here", each.Name)
		}
		for _, arguments := range calls[each.Name] {
			result := r.call(each.Name, arguments, "Authorization", "Bearer "+killSecret)
			if result["isError"] != nil || schema.Validate(result["structuredContent"]) != nil {
				t.Errorf("%s %s: %v\n%v", each.Name, arguments, schema.Validate(result["structuredContent"]), result)
			}
			text := result["content"].([]any)[0].(map[string]any)["text"].(string)
			var same any
			if err := json.Unmarshal([]byte(text), &same); err != nil || sprint(same) != sprint(result["structuredContent"]) {
				t.Errorf("%s: text and structured content differ", each.Name)
			}
		}
	}
}

// bySwitch puts the kill switch last: it halts what writes.
func bySwitch(l listed) int {
	if l.Name == "emergency_kill_switch" {
		return 1
	}
	return 0
}

// call calls a tool and returns its result.
func (r running) call(name, arguments string, headers ...string) map[string]any {
	r.Helper()
	answer := r.rpc("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`, headers...)
	result, ok := answer["result"].(map[string]any)
	if !ok {
		r.Fatalf("%s %s: %v", name, arguments, answer)
	}
	return result
}

func TestClientsAndOperatorsNarrowTheTools(t *testing.T) {
	r := start(t, nil)
	names := func(list []listed) (names []string) {
		for _, each := range list {
			names = append(names, each.Name)
		}
		return names
	}
	core := names(r.list("X-MCP-Toolsets", "core"))
	if !slices.Equal(core, []string{"get_framework", "preflight_check", "guardrail_rules", "violation_logging", "get_governance_system_info", "self_check"}) {
		t.Errorf("core: %v", core)
	}
	for _, header := range [][]string{{"X-MCP-Readonly", "true"}, {"X-MCP-Toolsets", "core, audit", "X-MCP-Readonly", "true"}} {
		if list := names(r.list(header...)); slices.Contains(list, "emergency_kill_switch") || len(list) == 0 {
			t.Errorf("%v: %v", header, list)
		}
	}
	_, query := r.send("POST", "/mcp?toolsets=audit&readonly=true", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if n := len(query["result"].(map[string]any)["tools"].([]any)); n != 7 {
		t.Errorf("by query: %d", n)
	}
	if code := codeOf(r.rpc("tools/call", `{"name":"emergency_kill_switch","arguments":{"reason":"test"}}`, "X-MCP-Readonly", "true")); code != -32602 {
		t.Errorf("a tool that was filtered out: %v", code)
	}
	if code := codeOf(r.rpc("tools/list", `{}`, "X-MCP-Toolsets", "cores")); code != -32602 {
		t.Errorf("a toolset that does not exist: %v", code)
	}
	few := start(t, func(d *depsOf) { d.Toolsets, d.ReadOnly = []string{"ops"}, true })
	if list := names(few.list("X-MCP-Toolsets", "core,ops")); !slices.Equal(list, []string{"usage_report", "check_dependencies", "get_health_status", "test_deployment", "check_archive_safety"}) {
		t.Errorf("a client widened the operator's choice: %v", list)
	}
	for _, name := range tools.Toolsets {
		r.list("X-MCP-Toolsets", name)
	}
}

func codeOf(answer map[string]any) float64 {
	problem, _ := answer["error"].(map[string]any)
	code, _ := problem["code"].(float64)
	return code
}
