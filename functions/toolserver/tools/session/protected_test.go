package session_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/session"
)

// Both tools write one file of the project. If the lists protect it, each write needs an
// approval of its own, for the tool; every refusal is in the chain.
func TestAProtectedFileOfTheSessionIsWrittenWithAnApprovalOnce(t *testing.T) {
	for name, c := range map[string]struct {
		file, arguments string
		make            func(session.Deps) *tool.Tool
	}{
		"session_handoff": {"notes/H.md", sections, session.SessionHandoff},
		"worklog":         {"notes/W.md", `{"action":"append","did":["x"]}`, session.KeepWorklog},
	} {
		w := guardtest.New(t, map[string]string{"governance.yaml": "protected: [notes/**]\nsession: {handoff: notes/H.md, worklog: notes/W.md}\n"})
		made := c.make(deps(w))
		for i, agent := range []string{"somebody", name} {
			if e := w.Refused(made, c.arguments); e.Code != "approval_required" || !strings.Contains(e.Hint, "request_approval") || len(w.Recorded("BLOCKED_PROTECTED")) != i+1 {
				t.Errorf("%s: %v, %d refusals recorded", name, e, len(w.Recorded("BLOCKED_PROTECTED")))
			}
			actions, err := w.Gate.Actions(agent, "edit", []string{c.file}, "")
			if err != nil {
				t.Fatal(err)
			}
			asked, err := w.Approvals.Request(context.Background(), actions[0].Action, actions[0].Policy, "why", time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Approvals.Decide(context.Background(), asked.ID, "a person", true); err != nil {
				t.Fatal(err)
			}
		}
		var answer map[string]any
		w.Call(made, c.arguments, &answer)
		if text := w.Read(c.file); text == "" || len(w.Recorded("APPROVAL_USED")) != 1 {
			t.Errorf("%s: %q, %d approvals used", name, text, len(w.Recorded("APPROVAL_USED")))
		}
		if e := w.Refused(made, c.arguments); e.Code != "approval_required" {
			t.Errorf("%s a second time: %v", name, e)
		}
	}
}

func TestAnUntouchableFileOfTheSessionIsNeverWritten(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "untouchable: [notes/**]\nsession: {handoff: link.md, worklog: notes/W.md}\n", "notes/H.md": "x"})
	if err := os.Symlink("notes/H.md", filepath.Join(w.Dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*tool.Error{w.Refused(session.SessionHandoff(deps(w)), sections), w.Refused(session.KeepWorklog(deps(w)), `{"action":"append","did":["x"]}`)} {
		if e.Code != "approval_required" || !strings.Contains(e.Message, "untouchable") {
			t.Errorf("%v", e)
		}
	}
	if w.Read("notes/H.md") != "x" {
		t.Error("an untouchable file was written through a link")
	}
}

// D8: neither tool takes a path, and what the workspace file names outside is refused,
// so no other file is overwritten.
func TestD8TheToolsWriteNoFileThatACallerNames(t *testing.T) {
	for _, each := range []*tool.Tool{session.SessionHandoff(session.Deps{}), session.KeepWorklog(session.Deps{})} {
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(each.Input, &schema); err != nil || len(schema.Properties) == 0 {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			if strings.Contains(name, "path") || strings.HasSuffix(name, "file") {
				t.Errorf("%s takes %s", each.Name, name)
			}
		}
	}
	outside := t.TempDir()
	w := guardtest.New(t, map[string]string{"governance.yaml": "session: {handoff: " + outside + "/H.md, worklog: ../W.md}\n"})
	for _, e := range []*tool.Error{w.Refused(session.SessionHandoff(deps(w)), sections), w.Refused(session.KeepWorklog(deps(w)), `{"action":"append","did":["x"]}`)} {
		if e.Code != "path_outside_workspace" {
			t.Errorf("%v", e)
		}
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 0 {
		t.Errorf("written outside: %v %v", list, err)
	}
}

// D15: no file of the session keeps a secret in clear text.
func TestD15NoSecretIsKeptInClearText(t *testing.T) {
	const secret = "Zk39fjQw02mVbx81aaPq"
	w := guardtest.New(t, map[string]string{"WORKLOG.md": "## 2026-01-01 10:00 UTC, s\n\n- set password=" + secret + " by hand\n"})
	if e := w.Refused(session.SessionHandoff(deps(w)), `{"action":"write","content":"password=`+secret+`"}`); e.Code != "invalid_argument" {
		t.Errorf("%v", e)
	}
	var answer, tail session.Worklog
	w.Call(session.KeepWorklog(deps(w)), `{"action":"append","did":["set api_key=`+secret+`x"],"state":"token=`+secret+`y"}`, &answer)
	if strings.Contains(w.Read("WORKLOG.md"), secret+"x") || strings.Contains(w.Read("WORKLOG.md"), secret+"y") {
		t.Errorf("%s", w.Read("WORKLOG.md"))
	}
	w.Call(session.KeepWorklog(deps(w)), `{"action":"tail"}`, &tail)
	if text, err := json.Marshal(tail); err != nil || strings.Contains(string(text), secret) || len(tail.Entries) != 2 {
		t.Errorf("%s %v", text, err)
	}
	for _, kind := range []string{"WORKLOG", "HANDOFF_WRITTEN"} {
		for _, e := range w.Recorded(kind) {
			if strings.Contains(string(e.Payload), secret) {
				t.Errorf("%s", e.Payload)
			}
		}
	}
}
