package baseline_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/preflight"
)

func governed(t *testing.T) (*guardtest.World, *baseline.Net) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance, "infra/prod/main.tf": "x", "infra/prod/old.tf": "x", "go.mod": "module x", "src/a.go": "x"})
	w.Gate.Enforces = true
	return w, &baseline.Net{Workspace: w.Workspace, Log: w.Log, Now: w.Now, Approved: w.Approvals.UsedSince}
}

func watch(w *guardtest.World, n *baseline.Net) string {
	w.Helper()
	changes, err := n.Watch(context.Background())
	if err != nil {
		w.Fatal(err)
	}
	var found []string
	for _, c := range changes {
		found = append(found, c.Kind+" "+c.Path)
	}
	return strings.Join(found, ", ")
}

// A script that does not say which files it changes passes the guard; what it did is found.
func TestAChangeAroundTheGuardIsFoundAndRecordedOnce(t *testing.T) {
	w, n := governed(t)
	if got := watch(w, n); got != "" || len(w.Recorded(baseline.EventTaken)) != 1 {
		t.Fatalf("at first: %q", got)
	}
	w.Write("where", "infra/prod go.mod\n")
	w.Write("build.sh", "d=$(cut -d\" \" -f1 where)\nf=$(cut -d\" \" -f2 where)\necho y > $d/main.tf\nrm $d/old.tf\necho z > $d/new.tf\nchmod 700 $f\necho w > src/a.go\n")
	report, err := w.Gate.CheckCommand(context.Background(), preflight.Action{Agent: "a", Dir: "."}, "sh build.sh")
	if err != nil || report.Decision != "OK" {
		t.Fatalf("%+v %v", report, err)
	}
	command := exec.Command("sh", "build.sh")
	command.Dir = w.Dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	const want = "modified go.mod, modified infra/prod/main.tf, added infra/prod/new.tf, deleted infra/prod/old.tf"
	if got := watch(w, n); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := watch(w, n); got != "" || len(w.Recorded("GUARD_BYPASSED")) != 4 {
		t.Errorf("found again: %q, %d records", got, len(w.Recorded("GUARD_BYPASSED")))
	}
	changes, checked, err := n.Compare(context.Background())
	if err != nil || len(changes) != 4 || checked == 0 || changes[1].List != "untouchable" {
		t.Errorf("a change is forgotten before a person accepted it: %v, %d, %v", changes, checked, err)
	}
	if _, err := n.Accept(context.Background(), "a person"); err != nil {
		t.Fatal(err)
	}
	if changes, _, err := n.Compare(context.Background()); err != nil || len(changes) != 0 {
		t.Errorf("after accepting: %v %v", changes, err)
	}
}

func TestAnApprovedChangeIsNoBypass(t *testing.T) {
	w, n := governed(t)
	watch(w, n)
	ctx := context.Background()
	actions, err := w.Gate.Actions("a", "edit", []string{"go.mod"}, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := w.Approvals.Request(ctx, actions[0].Action, actions[0].Policy, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Approvals.Decide(ctx, asked.ID, "a person", true); err != nil {
		t.Fatal(err)
	}
	w.Time = w.Time.Add(time.Minute)
	if report, err := w.Gate.Check(ctx, preflight.Action{Agent: "a", Operation: "edit", Dir: ".", Paths: []string{"go.mod"}}); err != nil || report.Decision != "OK" {
		t.Fatalf("%+v %v", report, err)
	}
	w.Write("go.mod", "module y")
	w.Time = w.Time.Add(time.Minute)
	if got := watch(w, n); got != "" {
		t.Errorf("an approved change: %s", got)
	}
	w.Write("go.mod", "module z")
	if got := watch(w, n); got != "modified go.mod" {
		t.Errorf("a second change: %q", got)
	}
}

func TestNewListsAreNoChangeButTheWorkspaceFileIs(t *testing.T) {
	w, n := governed(t)
	watch(w, n)
	w.Write("governance.yaml", strings.Replace(guardtest.Governance, `"go.mod"`, `"src/**"`, 1))
	if got := watch(w, n); got != "modified governance.yaml" {
		t.Errorf("found %q", got)
	}
	w.Write("src/a.go", "y")
	if got := watch(w, n); got != "modified src/a.go" {
		t.Errorf("found %q", got)
	}
}

// Each way in which a file can be exchanged is a change.
func TestContentModeAndKindAreCompared(t *testing.T) {
	for i, change := range []func(string) error{
		func(f string) error { return os.WriteFile(f, []byte("y"), 0o600) },
		func(f string) error { return os.Chmod(f, 0o777) },
		func(f string) error {
			if err := os.Remove(f); err != nil {
				return err
			}
			return os.Symlink("main.tf", f)
		},
	} {
		w, n := governed(t)
		watch(w, n)
		if err := change(filepath.Join(w.Dir, "infra/prod/old.tf")); err != nil {
			t.Fatal(err)
		}
		if got := watch(w, n); got != "modified infra/prod/old.tf" {
			t.Errorf("change %d: %q", i, got)
		}
	}
}

// D13: each later comparison, and a server that restarts, reports a removed baseline until
// a person accepts the files as they are.
func TestD13ARemovedBaselineIsNoFreshStart(t *testing.T) {
	w, n := governed(t)
	watch(w, n)
	w.Write("infra/prod/main.tf", "y")
	if err := os.Remove(filepath.Join(w.Dir, ".governance/baseline.json")); err != nil {
		t.Fatal(err)
	}
	if got := watch(w, n); got != "deleted .governance/baseline.json" {
		t.Errorf("found %q", got)
	}
	if got := watch(w, n); got != "" || len(w.Recorded("GUARD_BYPASSED")) != 1 {
		t.Errorf("again %q, %d records", got, len(w.Recorded("GUARD_BYPASSED")))
	}
	later := &baseline.Net{Workspace: w.Workspace, Log: w.Log, Now: w.Now, Approved: w.Approvals.UsedSince}
	changes, checked, err := later.Compare(context.Background())
	if err != nil || len(changes) != 1 || checked != 0 || len(w.Recorded(baseline.EventTaken)) != 1 {
		t.Errorf("after a restart: %v, %d compared, %v", changes, checked, err)
	}
	if _, err := later.Accept(context.Background(), "a person"); err != nil {
		t.Fatal(err)
	}
	if changes, checked, err := later.Compare(context.Background()); err != nil || len(changes) != 0 || checked == 0 {
		t.Errorf("after accepting: %v, %d, %v", changes, checked, err)
	}
}

func TestADamagedBaselineIsAnErrorAndNotAFreshStart(t *testing.T) {
	w, n := governed(t)
	watch(w, n)
	for _, text := range []string{"", "{}", `{"version":2,"files":{},"reported":{}}`} {
		w.Write(".governance/baseline.json", text)
		if changes, _, err := n.Compare(context.Background()); err == nil {
			t.Errorf("%q: %v", text, changes)
		}
	}
	if got := fmt.Sprint(len(w.Recorded(baseline.EventTaken))); got != "1" {
		t.Errorf("%s baselines taken", got)
	}
}
