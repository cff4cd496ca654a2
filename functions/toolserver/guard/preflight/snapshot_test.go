package preflight_test

import (
	"context"
	"errors"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
)

// A snapshot is taken before a command that removes or overwrites, if the workspace file
// asks for it and the command is not refused.
func TestASnapshotComesBeforeADestructiveCommand(t *testing.T) {
	const wanted = guardtest.Governance + "snapshot: {before: [destructive]}\n"
	for _, c := range []struct {
		file, command string
		taken         int
	}{
		{wanted, "rm src/a.go", 1},
		{wanted, "git reset --hard", 1},
		{wanted, "ls src", 0},
		{wanted, "rm infra/prod/main.tf", 0},
		{guardtest.Governance, "rm src/a.go", 0},
	} {
		w := guardtest.New(t, map[string]string{
			"governance.yaml":    c.file,
			"src/a.go":           "package a\n",
			"infra/prod/main.tf": "x",
		})
		taken := 0
		w.Gate.Snapshot = func(context.Context) (string, error) {
			taken++
			return "s1", nil
		}

		report, err := w.Gate.CheckCommand(t.Context(), preflight.Action{Agent: "a", Dir: "."}, c.command)
		if err != nil {
			t.Fatal(err)
		}
		if taken != c.taken || (report.Snapshot == "s1") != (c.taken == 1) {
			t.Errorf("%s: %d snapshots, want %d: %+v", c.command, taken, c.taken, report)
		}
	}
}

// Without the snapshot that a person asked for the command does not run.
func TestACommandWithoutItsSnapshotIsRefused(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": guardtest.Governance + "snapshot: {before: [destructive]}\n",
		"src/a.go":        "package a\n",
	})
	w.Gate.Snapshot = func(context.Context) (string, error) { return "", errors.New("the disk is full") }

	report, err := w.Gate.CheckCommand(t.Context(), preflight.Action{Agent: "a", Dir: "."}, "rm src/a.go")
	if err != nil || report.Decision != policy.Blocked {
		t.Errorf("%+v, %v", report, err)
	}
}
