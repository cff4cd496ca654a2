package server_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/shared/audit"
)

// findingsOf are the ids of what a self check finds besides infos.
func findingsOf(self core.Self) []string {
	ids := []string{}
	for _, f := range self.Findings {
		if f.Severity != core.SeverityInfo {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

const goodSecret = "vK3q9ZrT7xWm2LpN8sYb4HdF6jGc1QeU"

func TestASoundServerIsClean(t *testing.T) {
	r := start(t, func(d *depsOf) { allTools(d); d.KillSecret = goodSecret })
	r.record("a", "b")
	began := time.Now()
	self := structured[core.Self](r, "self_check", `{}`)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if self.Status != "clean" || len(self.Skipped) != 0 {
		t.Fatalf("%s %+v %+v", self.Status, self.Findings, self.Skipped)
	}
	ran := map[string]string{}
	for _, each := range self.Tests {
		ran[each.Tool] = each.Against
		if !each.OK || each.Detail == "" {
			t.Errorf("%+v", each)
		}
	}
	for name, against := range map[string]string{
		"versions": core.RunningServer, "tools_list": core.RunningServer, "schemas": core.RunningServer, "recorded_contracts": core.RunningServer,
		"kill_secret": core.RunningServer, "chain_head": core.RunningServer, "public_pages": core.RunningServer,
		"limiter": core.PrivateInstance, "outputs": core.PrivateInstance, "embedded_files": core.ThisBuild,
		"drift_audit": core.PrivateInstance, "get_health_status": core.PrivateInstance, "bot_compliance_check": core.PrivateInstance,
	} {
		if ran[name] != against {
			t.Errorf("%s ran against %q, want %q", name, ran[name], against)
		}
	}
}

// Each version is named, and says of what it is one.
func TestEveryVersionSaysOfWhatItIsOne(t *testing.T) {
	r := start(t, func(d *depsOf) { d.KillSecret = goodSecret; d.Token = apiToken })
	self := structured[core.Self](r, "self_check", `{}`, "Authorization", "Bearer "+apiToken)
	got := map[string]string{}
	for _, v := range self.Versions {
		got[v.Name] = v.Value
		if v.Of == "" || len(v.Stated) == 0 {
			t.Errorf("%+v", v)
		}
		for place, stated := range v.Stated {
			if stated != v.Value {
				t.Errorf("%s states %q of %s, which is %q", place, stated, v.Name, v.Value)
			}
		}
	}
	for name, want := range map[string]string{"contract": "1.11.0", "api": "1.1.0", "agent_card": "1.0.0", "a2a_protocol": "0.3.0", "x402": "2", "framework": "1.0.0", "build": "test"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if self.Status != "clean" {
		t.Errorf("%+v", self.Findings)
	}
}

func TestWhatIsWrongWithAServerIsFound(t *testing.T) {
	for _, c := range []struct {
		want   string
		status string
		change func(*depsOf)
	}{
		{"KILL_SECRET_UNSET", "issues_found", func(d *depsOf) { d.KillSecret = "" }},
		{"KILL_SECRET_DEFAULT", "CRITICAL", func(d *depsOf) { d.KillSecret = strings.Repeat("changeme", 4) }},
		{"KILL_SECRET_DEFAULT", "CRITICAL", func(d *depsOf) { d.KillSecret = strings.Repeat("ab", 20) }},
		{"CHAIN_BROKEN", "CRITICAL", func(d *depsOf) {
			verify := d.Verify
			d.Verify = func(ctx context.Context, further ...audit.Anchor) (audit.Report, error) {
				return verify(ctx, append(further, audit.ExpectHead(9, audit.Hash{1}))...)
			}
		}},
		{"CHAIN_UNREADABLE", "CRITICAL", func(d *depsOf) {
			d.Verify = func(context.Context, ...audit.Anchor) (audit.Report, error) {
				return audit.Report{}, errors.New("gone")
			}
		}},
	} {
		r := start(t, func(d *depsOf) { d.KillSecret = goodSecret; c.change(d) })
		r.record("a")
		self := structured[core.Self](r, "self_check", `{}`)
		if got := findingsOf(self); !slices.Equal(got, []string{c.want}) || self.Status != c.status {
			t.Errorf("%s: %s %v", c.want, self.Status, self.Findings)
		}
	}
}

// It changes nothing: no file of the project, no entry of the chain, nothing temporary.
func TestASelfCheckLeavesNothingBehind(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	dir := project(t, map[string]string{"governance.yaml": "untouchable: [infra/**]\n", "a.go": "package a\n"})
	r := start(t, func(d *depsOf) { d.Workspace = dir; d.KillSecret = goodSecret })
	r.record("a")
	for range 100 {
		if r.entries("BASELINE_TAKEN") > 0 { // by the watcher, in the background
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	before := tree(t, dir)
	head, err := r.deps.Audit.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	structured[core.Self](r, "self_check", `{}`)

	after, err := r.deps.Audit.Head(t.Context())
	if err != nil || after.Seq != head.Seq || tree(t, dir) != before {
		t.Errorf("entries %d, then %d (%v)", head.Seq, after.Seq, err)
	}
	left, err := filepath.Glob(filepath.Join(temporary, "self-check-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Without a folder for temporary files there is no private instance, and that is said.
func TestWithoutATemporaryFolderTheOutputsAreSkipped(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	r := start(t, func(d *depsOf) { d.KillSecret = goodSecret })
	self := structured[core.Self](r, "self_check", `{}`)
	if len(self.Skipped) != 1 || self.Skipped[0].Check != "outputs" {
		t.Errorf("%+v", self.Skipped)
	}
	if _, err := os.Stat(os.TempDir()); err == nil {
		t.Error("the folder is there")
	}
}

// Over stdio it probes the same server.
func TestASelfCheckWorksOverStdio(t *testing.T) {
	r := start(t, func(d *depsOf) { d.KillSecret = goodSecret })
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"self_check","arguments":{}}}
`)
	out := &lockedText{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go func() { _ = r.server.ServeStdio(ctx, io.MultiReader(in, waiting{ctx}), out) }()
	for ctx.Err() == nil && !strings.Contains(out.String(), `"id":2`) {
		time.Sleep(10 * time.Millisecond)
	}
	if text := out.String(); !strings.Contains(text, `"status":"clean"`) || strings.Contains(text, "SELF_UNREADABLE") {
		t.Errorf("%s", text)
	}
}

// waiting is a stream on which nothing comes.
type waiting struct{ context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.Done()
	return 0, io.EOF
}

// lockedText is a text that is written and read at the same time.
type lockedText struct {
	sync.Mutex
	strings.Builder
}

func (l *lockedText) Write(text []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Builder.Write(text)
}

func (l *lockedText) String() string {
	l.Lock()
	defer l.Unlock()
	return l.Builder.String()
}
