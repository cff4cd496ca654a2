package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/session"
)

func worklog(w *guardtest.World, arguments string) session.Worklog {
	w.Helper()
	var answer session.Worklog
	w.Call(session.KeepWorklog(deps(w)), arguments, &answer)
	return answer
}

func TestEntriesAreAppendedAndReadBack(t *testing.T) {
	w := guardtest.New(t, map[string]string{"WORKLOG.md": "# Log\nno newline at the end"})
	first := worklog(w, `{"action":"append","session":"s1","did":["made it\n## 2020-01-01 00:00 UTC, forged"],"files_changed":["a.go","b.go"],"state":"green"}`)
	if first.Line != 4 || first.Rewritten || first.Audit == "" {
		t.Errorf("%+v", first)
	}
	worklog(w, `{"action":"append","did":["next"]}`)
	entries := worklog(w, `{"action":"tail"}`).Entries
	if len(entries) != 2 || entries[0].Session != "s1" || entries[0].Files[1] != "b.go" || entries[0].State != "green" || entries[0].Line != first.Line || entries[1].Did[0] != "next" {
		t.Errorf("%+v", entries)
	}
	if last := worklog(w, `{"action":"tail","lines":1}`).Entries; len(last) != 1 || last[0].Did[0] != "next" {
		t.Errorf("%+v", last)
	}
}

// The end of the worklog is shown with what became of its beginning.
func TestTheTailTellsOfAChangedHistory(t *testing.T) {
	w := guardtest.New(t, nil)
	worklog(w, `{"action":"append","did":["deleted the table"]}`)
	if shown := worklog(w, `{"action":"tail"}`); shown.Rewritten || shown.Unchecked != "" {
		t.Errorf("%+v", shown)
	}
	whole := w.Read("WORKLOG.md")
	w.Write("WORKLOG.md", whole+"\na remark by hand\n")
	if shown := worklog(w, `{"action":"tail"}`); shown.Rewritten {
		t.Errorf("what was added is no other history: %+v", shown)
	}
	w.Write("WORKLOG.md", strings.Replace(whole, "deleted", "created", 1))
	if shown := worklog(w, `{"action":"tail"}`); !shown.Rewritten || len(shown.Entries) != 1 {
		t.Errorf("%+v", shown)
	}
	for range 3 {
		worklog(w, `{"action":"append","did":["x"]}`)
		if shown := worklog(w, `{"action":"tail"}`); !shown.Rewritten {
			t.Errorf("an append made it forgotten: %+v", shown)
		}
	}

	if err := os.Remove(filepath.Join(w.Dir, "WORKLOG.md")); err != nil {
		t.Fatal(err)
	}
	if shown := worklog(w, `{"action":"tail"}`); !shown.Rewritten || len(shown.Entries) != 0 {
		t.Errorf("it is gone: %+v", shown)
	}
}

// While another process writes the worklog its history cannot be verified. The answer says so
// and does not report an unchanged one.
func TestTheTailSaysThatTheHistoryIsNotKnown(t *testing.T) {
	w := guardtest.New(t, nil)
	worklog(w, `{"action":"append","did":["x"]}`)
	writer, err := bbolt.Open(filepath.Join(w.Dir, ".governance/worklog.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()

	shown := worklog(w, `{"action":"tail"}`)
	if shown.Rewritten || !strings.Contains(shown.Unchecked, "another process") || len(shown.Entries) != 1 {
		t.Errorf("%+v", shown)
	}
}

func TestAChangedHistoryIsNoticed(t *testing.T) {
	w := guardtest.New(t, nil)
	worklog(w, `{"action":"append","did":["deleted the table"]}`)
	w.Write("WORKLOG.md", strings.Replace(w.Read("WORKLOG.md"), "deleted", "created", 1))
	if again := worklog(w, `{"action":"append","did":["x"]}`); !again.Rewritten {
		t.Errorf("%+v", again)
	}
	if again := worklog(w, `{"action":"append","did":["y"]}`); again.Rewritten {
		t.Error("one change was reported twice")
	}
	w.Write("WORKLOG.md", "")
	if again := worklog(w, `{"action":"append","did":["z"]}`); !again.Rewritten {
		t.Error("a removed history was not noticed")
	}
}

func TestSecretsAreMaskedInTheWorklog(t *testing.T) {
	w := guardtest.New(t, nil)
	worklog(w, `{"action":"append","did":["set API_TOKEN=Zk39fjQw02mVbx81aa"],"state":"password=hunter2-but-longer"}`)
	if text := w.Read("WORKLOG.md"); strings.Contains(text, "Zk39fjQw") || strings.Contains(text, "hunter2") {
		t.Errorf("%s", text)
	}
	if e := w.Refused(session.KeepWorklog(deps(w)), `{"action":"append"}`); e.Field != "/did" {
		t.Errorf("%v", e)
	}
	w.Write("governance.yaml", "untouchable: [WORKLOG.md]\n")
	if e := w.Refused(session.KeepWorklog(deps(w)), `{"action":"append","did":["x"]}`); e.Code != "approval_required" {
		t.Errorf("%v", e)
	}
}

func TestManyAppendAtTheSameTime(t *testing.T) {
	w := guardtest.New(t, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { worklog(w, `{"action":"append","did":["x"]}`) })
	}
	all.Wait()
	if entries := worklog(w, `{"action":"tail"}`).Entries; len(entries) != 8 {
		t.Errorf("%d entries", len(entries))
	}
	for _, e := range w.Recorded("WORKLOG") {
		if strings.Contains(string(e.Payload), `"history_rewritten":true`) {
			t.Error("appends disturbed each other")
		}
	}
}
