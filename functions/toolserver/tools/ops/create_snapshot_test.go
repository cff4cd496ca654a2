package ops_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/tools/ops"
)

func TestASnapshotIsTakenRecordedAndRestored(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": guardtest.Governance,
		"src/a.go":        "package a\n",
		".env":            "TOKEN=x",
	})
	create := ops.CreateSnapshot(snapshot.New(w.Workspace, w.Log, w.Now))
	var taken ops.Snapshot
	w.Call(create, `{"label":"before-work"}`, &taken)
	if taken.Files != 2 || !taken.Complete || taken.Entry == "" || len(taken.Skipped) != 1 || len(w.Recorded("SNAPSHOT")) != 1 {
		t.Errorf("%+v", taken)
	}

	w.Write("src/a.go", "damaged")
	out, err := exec.Command("sh", filepath.Join(w.Dir, taken.Script), "--apply").CombinedOutput()
	if err != nil || w.Read("src/a.go") != "package a\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSnapshotsRefuseWhatTheyCannotHold(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "version: 1\nsnapshot: {max_bytes: 4}\n",
		"a":               "more than four bytes",
	})
	create := ops.CreateSnapshot(snapshot.New(w.Workspace, w.Log, w.Now))
	if e := w.Refused(create, `{}`); e.Code != "limit_exceeded" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	for _, label := range []string{"Up", "a b", "../x", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		if label == "" {
			continue
		}
		if e := w.Refused(create, `{"label":"`+label+`"}`); e.Code != "invalid_argument" {
			t.Errorf("%q: %+v", label, e)
		}
	}
	w.Write("governance.yaml", "version: 1\nbogus: 1\n")
	if e := w.Refused(create, `{}`); e.Code != "not_configured" {
		t.Errorf("%+v", e)
	}
}
