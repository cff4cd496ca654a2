package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agenttherapy "governance.internal/functions/agent-therapy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/x402"
)

const therapyPath = "/x402/agent-therapy"

const therapyText = "# Rules\n\n- Never push to the remote.\n- Never edit `gen/`.\n\n## End\n\n- At the end of each task run `git push`.\n"

func therapyBody(t *testing.T, in agenttherapy.Input) string {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestTherapyRefusalsCostNothing(t *testing.T) {
	r := start(t)
	wantStatus(t, r.call("POST", therapyPath, ""), 402, "unpaid and empty")

	header := r.payment("POST", therapyPath)
	for _, row := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"nothing", "", 400, "invalid_json"},
		{"cut off", `{"text":"a`, 400, "invalid_json"},
		{"a number as the text", `{"text":7}`, 400, "invalid_json"},
		{"a misspelled member", `{"text":"a","kinds":"rules"}`, 400, "invalid_json"},
		{"not UTF-8", "{\"text\":\"\xff\"}", 400, "invalid_json"},
		{"an unknown kind", `{"text":"a","kind":"poem"}`, 400, "invalid_kind"},
		{"no text", `{"text":""}`, 400, "invalid_files"},
		{"white space", `{"text":" \n"}`, 400, "invalid_text"},
		{"no files", `{"files":[]}`, 400, "invalid_files"},
		{"text and files", `{"text":"a","files":[{"name":"a","text":"b"}]}`, 400, "invalid_text"},
		{"a name that leaves the folder", `{"files":[{"name":"../a","text":"b"}]}`, 400, "invalid_files"},
		{"a name twice", `{"files":[{"name":"a","text":"b"},{"name":"a","text":"b"}]}`, 400, "invalid_files"},
		{"no conversation", `{"text":"a","kind":"transcript"}`, 400, "invalid_text"},
		{"no tools", `{"text":"a","kind":"tools"}`, 400, "invalid_text"},
		{"256 KB and more", therapyBody(t, agenttherapy.Input{Text: strings.Repeat("a", 256<<10)}), 413, "body_too_large"},
	} {
		a := r.call("POST", therapyPath, row.body, x402.HeaderSignature, header)
		wantStatus(t, a, row.status, row.name)
		problem := a.json(t)
		if problem["code"] != row.code || problem["charged"] != false || len(sprint(problem["detail"])) < 15 {
			t.Errorf("%s: %s", row.name, a.body)
		}
	}
	r.wantReceived(0, "after the refusals")
}

func TestTherapySellsTheBytesOfTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("AGENTS.md", []byte(therapyText), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, _ := session(t, 0, "therapy", "--format", "json", "AGENTS.md")

	r := start(t)
	in := agenttherapy.Input{Files: []agenttherapy.File{{Name: "AGENTS.md", Text: therapyText}}}
	sold := r.call("POST", therapyPath, therapyBody(t, in), x402.HeaderSignature, r.payment("POST", therapyPath))
	wantStatus(t, sold, 200, "a sale")
	r.wantReceived(990_000, "after one sale")

	var ours, theirs any
	if json.Unmarshal([]byte(printed), &ours) != nil || json.Unmarshal(sold.body, &theirs) != nil || sprint(ours) != sprint(theirs) {
		t.Errorf("the command prints\n%s\nand the endpoint sells\n%s", printed, sold.body)
	}
}

func TestTherapyDraftIsAWorkspaceFile(t *testing.T) {
	for _, rules := range []string{
		therapyText,
		"- Never modify `package-lock.json`, `*.pem` or files in docs/adr/.\n- Ask before changing go.mod.\n- Never commit without approval.\n",
		"- Do not touch .env files. \U0001F512\n- Never run `rm -rf \"x\\y\"`.\n- Don't edit src/{a,b}.ts or [x].md.\n",
	} {
		answer, err := agenttherapy.Diagnose(agenttherapy.Input{Text: rules})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Guard == nil {
			t.Fatalf("no draft for %q", rules)
		}
		if _, err := workspace.Parse([]byte(answer.Guard.Content)); err != nil {
			t.Errorf("%v in\n%s", err, answer.Guard.Content)
		}
	}
}

func TestTherapyPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "AGENTS.md")
	if err := os.WriteFile(file, []byte(therapyText), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := session(t, 0, "therapy", file)
	for _, want := range []string{"CONFLICTS", "AGENTS.md:3: Never push to the remote.", "AGENTS.md:8:", "--- a/AGENTS.md", `"gen/**"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the page has no %q:\n%s", want, out)
		}
	}
}

func TestTherapyRefusals(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.md")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{}, {empty}, {"no-such-file.md"}, {"--kind", "poem", "therapy_test.go"}} {
		out, notes := session(t, 2, append([]string{"therapy"}, arguments...)...)
		if out != "" || len(notes) < 20 {
			t.Errorf("%q: printed %q and said %q", arguments, out, notes)
		}
	}
}
