package server

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"governance.internal/functions/toolserver/mcp/stateless"
	"governance.internal/functions/toolserver/tools/core"
)

// recorded are the contracts of the tools as they were reviewed.
//
//go:embed testdata/tools/*.json
var recorded embed.FS

// probeSchemas compiles the schemas of every tool, and validates an example of its arguments.
func (s *Server) probeSchemas(context.Context) (o core.Observation) {
	examples := 0
	for _, t := range s.sold {
		input, err := compileSchema(t.Input)
		if err != nil {
			o.Found(core.SeverityError, "SCHEMA_INVALID", "The input schema of "+t.Name+" does not compile.", "Repair the tags of its input type.")
			continue
		}
		if _, err := compileSchema(t.Output); err != nil {
			o.Found(core.SeverityError, "SCHEMA_INVALID", "The output schema of "+t.Name+" does not compile.", "Repair its output type.")
		}
		for _, example := range examplesOf(t.Input) {
			examples++
			if err := input.Validate(example); err != nil {
				o.Found(core.SeverityWarn, "EXAMPLE_INVALID", "An example of the arguments of "+t.Name+" does not validate.", "Repair the defaults and bounds of its schema.")
			}
		}
	}
	o.Detail = fmt.Sprintf("the schemas of %d tools compile, %d examples validate", len(s.sold), examples)
	return o
}

func compileSchema(text json.RawMessage) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("urn:schema", document); err != nil {
		return nil, err
	}
	return compiler.Compile("urn:schema")
}

// property is a member of an input schema, as far as examples need it.
type property struct {
	Type    string
	Enum    []any
	Default any
	Minimum *float64
	Pattern string
}

// exampleTexts are the values of members by pieces of their names, in the private workspace.
var exampleTexts = []struct{ piece, value string }{
	{"bot", "bots/lily.py"},
	{"page", "web/index.html"},
	{"path", "README.md"},
	{"process", "api"},
	{"command", "ls"},
	{"config_json", `{"mcpServers":{}}`},
	{"head", strings.Repeat("ab", 32)},
}

// examplesOf are arguments that a schema allows: what it requires, and then each value that it
// lists for a member.
func examplesOf(schema json.RawMessage) []any {
	var s struct {
		Properties map[string]property
		Required   []string
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}

	least := map[string]any{}
	for _, name := range s.Required {
		least[name] = exampleOf(name, s.Properties[name])
	}
	examples := []any{least}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		values := p.Enum
		if p.Default != nil {
			values = append(values, p.Default)
		}
		if p.Type == "string" && len(p.Enum) == 0 && name != "since" && len(s.Required) == 0 {
			values = append(values, exampleOf(name, p))
		}
		for _, value := range values {
			example := maps.Clone(least)
			example[name] = value
			examples = append(examples, example)
		}
	}
	return examples
}

func exampleOf(name string, p property) any {
	if len(p.Enum) > 0 {
		return p.Enum[0]
	}
	switch p.Type {
	case "boolean":
		return false
	case "integer", "number":
		if p.Minimum != nil {
			return *p.Minimum
		}
		return 1.0
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	if p.Pattern != "" {
		return exampleOfPattern(p.Pattern)
	}
	for _, each := range exampleTexts {
		if strings.Contains(name, each.piece) {
			return each.value
		}
	}
	return "an example"
}

// patternTexts are tried in this order where a pattern is asked for.
var patternTexts = []string{"example", "1", "2026-01-31", "abcdef0123456789", strings.Repeat("ab", 20), strings.Repeat("ab", 32)}

// exampleOfPattern is a text that matches, "" if none of those that are known does.
func exampleOfPattern(pattern string) string {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return ""
	}
	for _, each := range patternTexts {
		if expression.MatchString(each) {
			return each
		}
	}
	return ""
}

// probeContracts compares every tool with its recorded contract: a tool without one has no
// smoke test.
func (s *Server) probeContracts(context.Context) (o core.Observation) {
	for _, t := range s.sold {
		text, err := recorded.ReadFile("testdata/tools/" + t.Name + ".json")
		if err != nil {
			o.Found(core.SeverityError, "SMOKE_TEST_MISSING", "There is no recorded contract of "+t.Name+".", "Run the snapshot test with -update, and look at what it writes.")
			continue
		}
		var want any
		err = json.Unmarshal(text, &want)
		have, convert := asObject(stateless.List(t))
		if err != nil || convert != nil || !reflect.DeepEqual(want, any(have)) {
			o.Found(core.SeverityError, "CONTRACT_DIFFERS", t.Name+" is not as its recorded contract says.", "Run the snapshot test with -update, and look at what it writes.")
		}
	}
	o.Detail = fmt.Sprintf("%d tools are as their recorded contracts say", len(s.sold))
	return o
}
