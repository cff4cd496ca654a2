package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/shared/audit"
)

// desk is a project with all that ends a session.
type desk struct {
	*guardtest.World
	valid     bool
	verifyErr error
	running   int
	processes []drift.Process
	n         int
}

const closable = `version: 1
protected: ["LICENSE"]
versions: [{name: app, source: {file: package.json, pointer: /version}, targets: [{files: [README.md], pattern: 'Version (\d+\.\d+\.\d+)'}]}]
roles_source: {file: team.yaml, list: /members}
members: {targets: [{file: a.json, list: /members, on_missing: add}]}
`

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{
		World: guardtest.New(t, map[string]string{
			"governance.yaml":    closable,
			"package.json":       `{"version": "1.2.3"}`,
			"README.md":          "Version 1.2.0\n",
			"LICENSE":            "free\n",
			"team.yaml":          "members: [{id: ann}, {id: bob}]\n",
			"a.json":             `{"members": [{"id": "ann"}]}`,
			"SESSION_HANDOFF.md": "# Handoff\n",
		}),
		valid: true,
	}
	d.Time = time.Now()
	return d
}

func (d *desk) audit() *drift.Audit {
	return &drift.Audit{
		Workspace: d.Workspace,
		Now:       d.Now,
	}
}

func (d *desk) markers() *session.Markers {
	return &session.Markers{
		Workspace: d.Workspace,
		Chain:     d.Store.Head,
		Processes: func(context.Context) ([]drift.Process, error) { return d.processes, nil },
		Now:       d.Now,
		Random: func() string {
			d.n++
			return fmt.Sprintf("x%d", d.n)
		},
	}
}

func (d *desk) deps() session.Deps {
	deps := deps(d.World)
	deps.Running = func() (int, error) { return d.running, nil }
	return deps
}

func (d *desk) closer() *tool.Tool {
	return session.SessionClose(d.deps(), session.CloseDeps{
		Drift: d.audit(),
		Propagate: ops.PropagateDeps{
			Propagator: &propagate.Propagator{
				Audit: d.audit(),
				Writer: &edit.Writer{
					Workspace: d.Workspace,
					Gate:      d.Gate,
					Log:       d.Log,
					Now:       d.Now,
				},
			},
			Workspace: d.Workspace,
			Now:       d.Now,
		},
		Verify: func(context.Context, ...audit.Anchor) (audit.Report, error) {
			return audit.Report{Valid: d.valid}, d.verifyErr
		},
		Markers: d.markers(),
	})
}

func (d *desk) end(arguments string) session.Closed {
	d.Helper()
	var closed session.Closed
	d.Call(d.closer(), arguments, &closed)
	return closed
}

func blockers(c session.Closed) string {
	var ids []string
	for _, b := range c.Blockers {
		ids = append(ids, b.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func TestASessionEndsWithTheFactsPropagated(t *testing.T) {
	d := newDesk(t)
	preview := d.end(`{"dry_run":true}`)
	if preview.Ready || preview.Marker != nil || preview.Entry != "" || blockers(preview) != "drift" || d.Read("README.md") != "Version 1.2.0\n" {
		t.Errorf("%+v", preview)
	}

	closed := d.end(`{"summary":"the release"}`)
	if !closed.Ready || closed.Drift.Count != 2 || closed.After.Count != 0 || closed.Marker == nil || closed.Entry == "" {
		t.Errorf("%+v", closed)
	}
	if d.Read("README.md") != "Version 1.2.3\n" || d.Read("a.json") != `{"members": [{"id": "ann"}, {"id": "bob"}]}` {
		t.Errorf("%q %q", d.Read("README.md"), d.Read("a.json"))
	}
	if n := len(d.Recorded("SESSION_CLOSE")); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// Whatever is not in order keeps the session open, and so does what could not be looked at.
func TestASessionStaysOpenWhileSomethingIsWrong(t *testing.T) {
	for want, change := range map[string]func(d *desk){
		"":                 func(*desk) {},
		"handoff_stale":    func(d *desk) { d.Time = d.Time.Add(time.Hour) },
		"chain_invalid":    func(d *desk) { d.valid = false },
		"chain_unknown":    func(d *desk) { d.verifyErr = errors.New("the disk is gone") },
		"dispatch_running": func(d *desk) { d.running = 1 },
		"drift": func(d *desk) {
			if err := os.Remove(filepath.Join(d.Dir, "LICENSE")); err != nil {
				d.Fatal(err)
			}
		},
	} {
		d := newDesk(t)
		change(d)
		closed := d.end(`{}`)
		if blockers(closed) != want || closed.Ready != (want == "") {
			t.Errorf("want %q: %+v", want, closed.Blockers)
		}
	}
}

func TestASummaryHoldsNoSecret(t *testing.T) {
	d := newDesk(t)
	e := d.Refused(d.closer(), `{"summary":"the key is AKIAIOSFODNN7EXAMPLF with secret_key=Zk39fjQw02mVbx81aaPqXX"}`)
	if e.Code != "invalid_argument" || e.Field != "/summary" {
		t.Errorf("%+v", e)
	}
	d.Write("governance.yaml", "version: 1\nbogus: 1\n")
	if e := d.Refused(d.closer(), `{}`); e.Code != "not_configured" || !strings.Contains(e.Message, "line 2") {
		t.Errorf("%+v", e)
	}
}
