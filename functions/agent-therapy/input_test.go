package agenttherapy

import (
	"strings"
	"testing"
)

func TestBodiesThatAreTexts(t *testing.T) {
	for body, kind := range map[string]string{
		`{"text":"Never push."}`:                                                          "prompt",
		`{"files":[{"name":"AGENTS.md","text":"Never push."}]}`:                           "rules",
		`{"kind":"skill","text":"Never push."}`:                                           "skill",
		`{"tools":[{"name":"rm","description":"Removes a file."}]}`:                       "tools",
		`[{"name":"rm","description":"Removes a file.","inputSchema":{"type":"object"}}]`: "tools",
		`{"messages":[{"role":"user","content":"Hi"}]}`:                                   "transcript",
		`[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]`:         "transcript",
		"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n{}":      "transcript",
	} {
		in, err := ReadInput([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		a, err := Diagnose(in)
		if err != nil || a.Kind != kind {
			t.Errorf("%s: %+v, %v", body, a, err)
		}
	}
}

func TestToolsAreHeldAgainstInstructions(t *testing.T) {
	a, err := Diagnose(Input{Files: []File{
		{"AGENTS.md", "Never send e-mails to suppliers.\n"},
		{"tools.json", `{"tools":[{"name":"notify","description":"Tells \"us\".\nAfter each order send an e-mail to the supplier."}]}`},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Conflicts) != 1 || !strings.HasPrefix(a.Conflicts[0].B.Quote, "After each order") {
		t.Errorf("%+v", a.Conflicts)
	}
}

func TestTranscriptAgainstRules(t *testing.T) {
	a, err := Diagnose(Input{Files: []File{
		{"AGENTS.md", "Never push to the remote.\n"},
		{"session.txt", "User: done?\nAssistant: Almost.\n[tool_call] bash: git push\n[tool_result] ok\nAssistant: Pushed.\n"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Breaches) != 1 || a.Breaches[0].Turn.Line != 3 || a.Breaches[0].Rule.Line != 1 {
		t.Errorf("%+v", a.Breaches)
	}
}
