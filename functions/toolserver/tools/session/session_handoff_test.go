package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/session"
)

func deps(w *guardtest.World) session.Deps {
	gate := *w.Gate
	gate.Enforces = true
	return session.Deps{Workspace: w.Workspace, Log: w.Log, Gate: &gate, Running: func() (int, error) { return 1, nil }, Now: w.Now}
}

func handoff(w *guardtest.World, arguments string) session.Handoff {
	w.Helper()
	var answer session.Handoff
	w.Call(session.SessionHandoff(deps(w)), arguments, &answer)
	return answer
}

// written makes a file as old as the clock of the world says.
func written(w *guardtest.World, name, text string, age time.Duration) {
	w.Helper()
	w.Write(name, text)
	if err := os.Chtimes(filepath.Join(w.Dir, name), w.Time.Add(-age), w.Time.Add(-age)); err != nil {
		w.Fatal(err)
	}
}

const sections = `{"action":"write","sections":{"just_happened":["made it"],"state":["runs"],"next":["finish docs/guide.md"],"files_changed":["a.go"],"human_actions":[]}}`

func TestAHandoffIsWrittenReadAndBackedUp(t *testing.T) {
	w := guardtest.New(t, nil)
	if status := handoff(w, `{}`); status.Status != "missing" || status.Path != "SESSION_HANDOFF.md" {
		t.Errorf("%+v", status)
	}
	first := handoff(w, sections)
	if first.Previous != "" || first.Entry == "" || len(first.Missing) != 0 || !strings.Contains(w.Read("SESSION_HANDOFF.md"), "- finish docs/guide.md") {
		t.Errorf("%+v", first)
	}
	second := handoff(w, `{"action":"write","content":"# x\n","if_sha256":"`+first.SHA256+`"}`)
	if second.Previous != first.SHA256 || !strings.Contains(w.Read(second.Backup), "made it") || len(second.Missing) != 5 {
		t.Errorf("%+v", second)
	}
	if e := w.Refused(session.SessionHandoff(deps(w)), `{"action":"write","content":"y","if_sha256":"`+first.SHA256+`"}`); e.Code != "conflict" {
		t.Errorf("%v", e)
	}
	if read := handoff(w, `{"action":"read"}`); read.Content != "# x\n" || read.SHA256 != second.SHA256 {
		t.Errorf("%+v", read)
	}
	if len(w.Recorded("HANDOFF_WRITTEN")) != 2 {
		t.Error("not every write is in the chain")
	}
}

func TestAnOldHandoffIsReportedOnceInEachWindow(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "rules: {handoff_max_age: 10m}\n"})
	written(w, "SESSION_HANDOFF.md", handoff(w, `{"action":"get_template"}`).Template, time.Hour)
	status := handoff(w, `{}`)
	if status.Status != "stale" || *status.Age != 3600 || status.MaxAge != 600 || len(status.Unfilled) < 5 {
		t.Errorf("%+v", status)
	}
	handoff(w, `{}`)
	if n := len(w.Recorded("STALE_HANDOFF")); n != 1 {
		t.Errorf("%d records in one window", n)
	}
	w.Time = w.Time.Add(11 * time.Minute)
	handoff(w, `{}`)
	if n := len(w.Recorded("STALE_HANDOFF")); n != 2 {
		t.Errorf("%d records in two windows", n)
	}
	written(w, "SESSION_HANDOFF.md", "x", time.Minute)
	if status := handoff(w, `{}`); status.Status != "fresh" {
		t.Errorf("%+v", status)
	}
}

func TestSecretsAndGovernedFilesAreNotWritten(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "protected: [notes/**]\nsession: {handoff: notes/H.md}\n"})
	if e := w.Refused(session.SessionHandoff(deps(w)), `{"action":"write","content":"password=hunter2-but-longer"}`); e.Code != "invalid_argument" || strings.Contains(e.Message, "hunter2") {
		t.Errorf("%v", e)
	}
	if e := w.Refused(session.SessionHandoff(deps(w)), sections); e.Code != "approval_required" {
		t.Errorf("%v", e)
	}
	if e := w.Refused(session.SessionHandoff(deps(w)), `{"action":"write"}`); e.Code != "invalid_argument" {
		t.Errorf("%v", e)
	}
	if e := w.Refused(session.SessionHandoff(deps(w)), `{"action":"read"}`); e.Code != "not_found" {
		t.Errorf("%v", e)
	}
}

// The example that the tool shows is a good one by its own measure.
func TestTheExampleIsComplete(t *testing.T) {
	w := guardtest.New(t, nil)
	written(w, "SESSION_HANDOFF.md", handoff(w, `{"action":"read_example"}`).Example, 0)
	if status := handoff(w, `{}`); len(status.Missing)+len(status.Unfilled) != 0 {
		t.Errorf("%+v", status)
	}
}
