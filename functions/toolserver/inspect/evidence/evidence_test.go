package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/scan"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// project is a folder with files and what a probe finds around it.
func project(t *testing.T, files map[string]string) Probe {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, noon, noon); err != nil {
			t.Fatal(err)
		}
	}

	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return Probe{
		Workspace:    w,
		Verify:       func(context.Context) (Chain, error) { return Chain{}, fs.ErrNotExist },
		CheckHandoff: func(string) (missing, unfilled []string) { return nil, nil },
		CanStart:     func(string) error { return nil },
		Now:          func() time.Time { return noon.Add(time.Minute) },
	}
}

func levels(t *testing.T, p Probe) map[string]int {
	t.Helper()
	facts, err := p.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, d := range scan.FromFacts(facts).Dimensions {
		if d.Level > 0 {
			found[d.Name] = d.Level
		}
	}
	return found
}

func TestAnEmptyProjectShowsNothing(t *testing.T) {
	if found := levels(t, project(t, nil)); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

func TestTheChainCountsWhenItIsValid(t *testing.T) {
	p := project(t, nil)
	tests := []struct {
		chain Chain
		want  int
	}{
		{Chain{Valid: false, Entries: 3}, scan.Named},
		{Chain{Valid: true, Entries: 3}, scan.Enforced},
		{Chain{Valid: true, Entries: 3, Anchored: true}, scan.Checked},
	}
	for _, test := range tests {
		p.Verify = func(context.Context) (Chain, error) { return test.chain, nil }
		if got := levels(t, p)[scan.AuditChain]; got != test.want {
			t.Errorf("%+v: %d, want %d", test.chain, got, test.want)
		}
	}

	p.Verify = func(context.Context) (Chain, error) { return Chain{}, errors.New("permission denied") }
	if _, err := p.Facts(t.Context()); err == nil {
		t.Error("a chain that cannot be read is no finding")
	}
}

const rules = "version: 1\nuntouchable: [\"policy/**\"]\nprotected: [\"infra/**\"]\n"

func TestListsCountByTheFilesThatTheyMatch(t *testing.T) {
	empty := levels(t, project(t, map[string]string{"governance.yaml": rules}))
	if empty[scan.ProtectedFiles] != scan.Named {
		t.Errorf("without such files: %v", empty)
	}

	files := map[string]string{"governance.yaml": rules, "policy/a.md": "x", "infra/b.tf": "y"}
	listed := levels(t, project(t, files))
	if listed[scan.ProtectedFiles] != scan.Stated || listed[scan.HumanApprovalGates] != scan.Stated {
		t.Errorf("without a hook: %v", listed)
	}

	files[".claude/settings.local.json"] = `{"hooks":{"PreToolUse":[{"hooks":[{"command":"'/usr/bin/governance' hook -agent claude-code -workspace ."}]}]}}`
	refused := levels(t, project(t, files))
	if refused[scan.PreflightGates] != scan.Enforced || refused[scan.ProtectedFiles] != scan.Enforced {
		t.Errorf("with the hook: %v", refused)
	}

	broken := project(t, files)
	broken.CanStart = func(string) error { return errors.New("not found") }
	if found := levels(t, broken); found[scan.PreflightGates] != scan.Named || found[scan.ProtectedFiles] != scan.Stated {
		t.Errorf("with a hook that cannot start: %v", found)
	}
}

func TestAHandoffCountsWhileItIsFresh(t *testing.T) {
	p := project(t, map[string]string{"SESSION_HANDOFF.md": "all is said"})
	if got := levels(t, p)[scan.SessionHandoff]; got != scan.Stated {
		t.Errorf("fresh: %d", got)
	}

	p.Now = func() time.Time { return noon.AddDate(1, 0, 0) }
	if got := levels(t, p)[scan.SessionHandoff]; got != scan.Named {
		t.Errorf("a year old: %d", got)
	}

	p.CheckHandoff = func(string) (missing, unfilled []string) { return []string{"Next"}, nil }
	if got := levels(t, p)[scan.SessionHandoff]; got != scan.Named {
		t.Errorf("with a missing section: %d", got)
	}
}

func TestRulesForEgressAreFound(t *testing.T) {
	p := project(t, map[string]string{"deploy/net.yaml": "kind: NetworkPolicy\nspec:\n  policyTypes:\n  - Egress\n"})
	if got := levels(t, p)[scan.EgressControl]; got != scan.Stated {
		t.Errorf("%d", got)
	}
}
