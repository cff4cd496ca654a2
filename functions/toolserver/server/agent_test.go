//go:build linux

package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/agent/modeltest"
	"governance.internal/functions/toolserver/inspect/usage"
	"governance.internal/shared/secretscan"
)

// scratch is a server over a small project whose agent asks a recorded provider. Before is
// called before each answer of that.
func scratch(t *testing.T, api, script string, before func(n int)) (running, *modeltest.Server) {
	t.Helper()
	for name, value := range map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "EXAMPLEID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ""} {
		t.Setenv(name, value)
	}
	provider := modeltest.Start(t, api, modeltest.Script(t, api, script), before)
	r := start(t, func(d *depsOf) {
		d.Agent = []string{os.Args[0], "agent"}
		d.Model = agent.Provider{API: api, Name: modeltest.Model, URL: provider.URL, Key: modeltest.Key}
		for name, text := range map[string]string{
			"governance.yaml": "version: 1\nuntouchable: [\"keys/**\"]\ndispatch: {enabled: true}\n", "notes.txt": "the house is blue\n", "server.pem": "the key\n",
		} {
			if err := os.WriteFile(filepath.Join(d.Workspace, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	r.killedAfter()
	return r, provider
}

// dispatches are the rows of GET /dispatches.
func (r running) dispatches(kind string) (rows []map[string]any) {
	r.Helper()
	_, list := r.send("GET", "/dispatches", "")
	for _, row := range list[kind].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// ended waits until the end of the only dispatch is written down.
func (r running) ended() (row map[string]any) {
	r.Helper()
	r.eventually(func() bool {
		rows := r.dispatches("completed")
		if len(rows) == 1 {
			row = rows[0]
		}
		return row["reason"] != nil
	})
	return row
}

// An agent that is dispatched over MCP does a task of three steps in a project, is refused
// at an untouchable file, and leaves a worklog, a handoff and entries in the audit chain.
// GET /dispatches shows it while it works and when it is done.
func TestADispatchedAgentDoesItsTaskAndLeavesARecord(t *testing.T) {
	for _, api := range []string{agent.Anthropic, agent.OpenAI, agent.Bedrock} {
		t.Run(api, func(t *testing.T) {
			seen := make(chan bool)
			r, provider := scratch(t, api, "three-steps", func(n int) {
				if n == 1 {
					<-seen
				}
			})
			got := structured[dispatched](r, "dispatch_to_llm", `{"task":"Paint the house green.","max_turns":9}`)
			live := r.dispatches("active")
			close(seen)
			if !got.Dispatched || len(live) != 1 || live[0]["runner"] != "loop" || live[0]["pid"] != float64(got.PID) {
				t.Fatalf("%+v %v", got, live)
			}
			row := r.ended()
			log := r.file(r.deps.DataDir, got.Log)
			var used usage.Book
			used.Add([]byte(r.file(r.deps.DataDir, filepath.Join(filepath.Dir(got.Log), "usage.jsonl"))))
			if used.Records != 5 || used.Malformed != 0 {
				t.Errorf("usage of five turns: %+v", used)
			}
			if row["stop"] != "done" || row["exit_code"] != 0.0 || !strings.Contains(log, "turn 5 of 9") || strings.Contains(log, modeltest.Key) {
				t.Errorf("%v\n%s", row, log)
			}
			if n := len(provider.Requests()); n != 5 {
				t.Errorf("%d requests", n)
			}
			if r.file(r.deps.Workspace, "notes.txt") != "the house is green\n" {
				t.Error("the notes are not changed")
			}
			if _, err := os.Stat(filepath.Join(r.deps.Workspace, "keys")); err == nil {
				t.Error("the key is written")
			}
			if !strings.Contains(r.file(r.deps.Workspace, "WORKLOG.md"), "says green") || !strings.Contains(r.file(r.deps.Workspace, "SESSION_HANDOFF.md"), "decide about keys") {
				t.Error("worklog or handoff")
			}
			for _, event := range []string{"DISPATCH", "DISPATCH_END", "BLOCKED_UNTOUCHABLE", "WORKLOG", "HANDOFF_WRITTEN"} {
				r.eventually(func() bool { return len(r.typed(event)) == 1 })
			}
		})
	}
}

func (r running) file(parts ...string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		r.Error(err)
	}
	return string(text)
}

// The kill switch ends an agent in the middle of a question, and the key of the provider
// stands in nothing that others can read.
func TestTheKillSwitchEndsAnAgentThatWaits(t *testing.T) {
	asked, over := make(chan bool), make(chan bool)
	r, _ := scratch(t, agent.Anthropic, "endless", func(n int) {
		if n == 2 {
			close(asked)
			<-over
		}
	})
	defer close(over)
	got := structured[dispatched](r, "dispatch_to_llm", `{"task":"Count the files.","max_turns":9}`)
	<-asked
	for _, name := range []string{"cmdline", "environ"} {
		if text := r.file("/proc", sprint(got.PID), name); strings.Contains(text, modeltest.Key) || len(secretscan.Scan(text)) > 0 {
			t.Errorf("%s tells a secret", name)
		}
	}
	out, _ := r.halted()
	if out["complete"] != true || len(out["survivors"].([]any)) != 0 {
		t.Errorf("%v", out)
	}
	row := r.ended()
	if !slices.Contains([]any{"killed", "exit"}, row["reason"]) || row["stop"] != "killed" {
		t.Errorf("%v\n%s", row, r.file(r.deps.DataDir, got.Log))
	}
}

// An agent gets exactly the turns that it was dispatched with, and the list says why it
// ended.
func TestAnAgentGetsExactlyItsTurns(t *testing.T) {
	r, provider := scratch(t, agent.OpenAI, "endless", nil)
	structured[dispatched](r, "dispatch_to_llm", `{"task":"Count the files.","max_turns":3}`)
	row := r.ended()
	if row["stop"] != "max_turns" || row["reason"] != "exit" || len(provider.Requests()) != 3 {
		t.Errorf("%v after %d requests", row, len(provider.Requests()))
	}
}
