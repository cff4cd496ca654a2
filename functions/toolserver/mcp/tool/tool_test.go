package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
)

type input struct {
	Name  string          `json:"name" required:"true" min:"2" max:"5" pattern:"^[a-zü]+$" doc:"A name."`
	Kind  string          `json:"kind" enum:"one,two" default:"two" doc:"A kind."`
	Count int             `json:"count" default:"7" min:"1" max:"9" doc:"A number."`
	Quick bool            `json:"quick" default:"true" doc:"A switch."`
	List  []string        `json:"list,omitempty" max:"2" doc:"A list."`
	Any   json.RawMessage `json:"any,omitempty" doc:"An object."`
}

type inner struct {
	Deep int `json:"deep"`
}

type output struct {
	inner
	Text  string         `json:"text"`
	At    time.Time      `json:"at"`
	Maybe *inner         `json:"maybe"`
	Rest  map[string]int `json:"rest,omitempty"`
	In    input          `json:"in"`
}

func define(run func(input) (output, error)) *tool.Tool {
	return tool.Define(tool.Tool{Name: "t"}, func(_ context.Context, _ *tool.Call, in input) (output, error) { return run(in) })
}

func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	made := define(nil)
	want := `{"type":"object","properties":{"any":{"type":"object","description":"An object."},"count":{"type":"integer","description":"A number.","default":7,"minimum":1,"maximum":9},` +
		`"kind":{"type":"string","description":"A kind.","enum":["one","two"],"default":"two"},"list":{"type":"array","description":"A list.","maxItems":2,"items":{"type":"string"}},` +
		`"name":{"type":"string","description":"A name.","pattern":"^[a-zü]+$","minLength":2,"maxLength":5},"quick":{"type":"boolean","description":"A switch.","default":true}},"required":["name"],"additionalProperties":false}`
	if string(made.Input) != want {
		t.Errorf("input\n%s\n%s", made.Input, want)
	}
	outline := `{"type":"object","properties":{"at":{},"deep":{},"in":{},"maybe":{},"text":{}}}`
	if string(made.Output) != outline {
		t.Errorf("output\n%s\n%s", made.Output, outline)
	}
}

func TestArgumentsArriveWithTheirDefaults(t *testing.T) {
	for arguments, want := range map[string]input{
		`{"name":"abc"}`: {Name: "abc", Kind: "two", Count: 7, Quick: true},
		`{"name":"üüüüü","kind":"one","count":1,"quick":false,"list":["a","b"],"any":{"x":[1]}}`: {Name: "üüüüü", Kind: "one", Count: 1, List: []string{"a", "b"}, Any: json.RawMessage(`{"x":[1]}`)},
	} {
		var got input
		result := define(func(in input) (output, error) { got = in; return output{}, nil }).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
		gotText, _ := json.Marshal(got)
		wantText, _ := json.Marshal(want)
		if result.IsError || string(gotText) != string(wantText) {
			t.Errorf("%s: %s, want %s", arguments, gotText, wantText)
		}
	}
}

func TestWrongArgumentsNeverReachTheTool(t *testing.T) {
	called := false
	made := define(func(input) (output, error) { called = true; return output{}, nil })
	for arguments, field := range map[string]string{
		``: "/name", `null`: "/name", `{}`: "/name", `[]`: "", `"x"`: "", `{`: "", `{"name":"abc"}{}`: "", `{"name":"a"}`: "/name", `{"name":"abcdef"}`: "/name", `{"name":"ABC"}`: "/name", `{"name":null}`: "/name",
		`{"name":"abc","kind":"three"}`: "/kind", `{"name":"abc","count":0}`: "/count", `{"name":"abc","count":10}`: "/count", `{"name":"abc","count":1.0}`: "/count", `{"name":"abc","count":"1"}`: "/count",
		`{"name":"abc","count":1e999}`: "/count", `{"name":"abc","quick":"true"}`: "/quick", `{"name":"abc","list":["a","b","c"]}`: "/list", `{"name":"abc","list":["a",1]}`: "/list/1",
		`{"name":"abc","any":[]}`: "/any", `{"name":"abc","Name":"abc"}`: "/Name", `{"name":"abc","a/b~":1}`: "/a~1b~0",
	} {
		result := made.Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
		if result.Err == nil || result.Err.Code != "invalid_argument" || result.Err.Field != field || result.Err.Hint == "" || !result.IsError {
			t.Errorf("%s: %+v, want field %q", arguments, result.Err, field)
		}
	}
	long := made.Run(t.Context(), &tool.Call{Arguments: json.RawMessage(`{"name":"abc","` + strings.Repeat("x", 5000) + `":1}`)})
	if long.Err == nil || len(long.Err.Field) > 100 {
		t.Errorf("a long name comes back: %d bytes", len(long.Err.Field))
	}
	if called {
		t.Error("called")
	}
}

// Only what was made for the caller reaches it.
// A member that stands twice is refused at any depth: two readers would see two calls.
func TestMembersThatStandTwiceAreRefused(t *testing.T) {
	reached := define(func(input) (output, error) {
		t.Error("the tool was called")
		return output{}, nil
	})
	for arguments, at := range map[string]string{
		`{"name":"abc","name":"abd"}`:                "/name",
		`{"name":"abc","any":{"a":1,"b":2,"a":3}}`:   "/any/a",
		`{"name":"abc","any":{"a":[{"x":1,"x":1}]}}`: "/any/a/0/x",
		`{"name":"abc","\u006eame":"abd","count":3}`: "/name",
	} {
		result := reached.Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
		if !result.IsError || result.Err.Code != "invalid_argument" || result.Err.Field != at {
			t.Errorf("%s: %+v", arguments, result.Err)
		}
	}
}

func TestErrorsOfToolsAreShownOrHidden(t *testing.T) {
	run := func(err error) tool.Result {
		return define(func(input) (output, error) { return output{}, err }).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(`{"name":"abc"}`)})
	}
	told := run(&tool.Error{Code: "unavailable", Message: "Down."})
	hidden := run(errors.New("secret path /srv/x"))
	if told.Err.Code != "unavailable" || hidden.Err.Code != "internal" || strings.Contains(hidden.Content[0].(tool.Text).Text, "secret") {
		t.Errorf("%+v %+v", told, hidden)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late := define(func(input) (output, error) { return output{}, gone.Err() }).Run(gone, &tool.Call{Arguments: json.RawMessage(`{"name":"abc"}`)})
	if late.Err.Code != "timeout" {
		t.Errorf("%+v", late.Err)
	}
}

// A tool answers any arguments with a result that is valid JSON.
func FuzzArguments(f *testing.F) {
	for _, arguments := range []string{`{}`, `{"name":"abc"}`, `{"name":"abc","list":["a"],"any":{"a":[{}]}}`, `[[[`, `{"name":"abc","count":99999999999999999999}`} {
		f.Add([]byte(arguments))
	}
	made := define(func(in input) (output, error) { return output{Text: in.Name, In: in}, nil })
	f.Fuzz(func(t *testing.T, arguments []byte) {
		result := made.Run(t.Context(), &tool.Call{Arguments: arguments})
		text := result.Content[0].(tool.Text).Text
		if !json.Valid([]byte(text)) || result.IsError == (result.Structured != nil) {
			t.Errorf("%q: %s", arguments, text)
		}
	})
}
