package server

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/tools/core"
)

// Two numbers of different things may differ; two numbers of the same thing may not.
func TestAVersionThatIsStatedDifferentlyIsFound(t *testing.T) {
	found := disagreements(core.SelfVersion{Of: "the tools", Value: "1.11.0", Stated: map[string]string{
		"GET /": "1.11.0", "GET /health": "1.10.9", "initialize": "",
	}})
	if len(found) != 2 || found[0].ID != "VERSION_MISMATCH" || found[0].Severity != core.SeverityError {
		t.Fatalf("%+v", found)
	}
	if !strings.Contains(found[0].Message, "1.10.9") || !strings.Contains(found[1].Message, "does not state") {
		t.Errorf("%+v", found)
	}
}

func TestALeakIsSeen(t *testing.T) {
	token := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	for text, want := range map[string]bool{
		`{"path":"README.md"}`:                     false,
		`{"error":"open /home/ada/x/y: no file"}`:  true,
		`{"error":"open /srv/governed/y"}`:         true,
		`{"text":"` + token + `"}`:                 true,
		`{"text":"see /health and /audit/verify"}`: false,
	} {
		if got := leakIn(text, []string{"", "/srv/governed"}) != ""; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Every example that is made up validates, and every value of an enum is tried.
func TestExamplesCoverASchema(t *testing.T) {
	schema := []byte(`{"type":"object","additionalProperties":false,"required":["filepath"],"properties":{
		"filepath":{"type":"string","maxLength":1024},"mode":{"type":"string","enum":["a","b"],"default":"a"},
		"label":{"type":"string","pattern":"^[a-z0-9-]{1,40}$"},"max":{"type":"integer","minimum":3}}}`)
	compiled, err := compileSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	modes := map[any]bool{}
	for _, example := range examplesOf(schema) {
		if err := compiled.Validate(example); err != nil {
			t.Errorf("%v: %v", example, err)
		}
		modes[example.(map[string]any)["mode"]] = true
	}
	if !modes["a"] || !modes["b"] {
		t.Errorf("%v", modes)
	}
}
