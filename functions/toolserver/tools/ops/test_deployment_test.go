package ops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/managed"
)

// deploymentDeps has a machine with so much free memory and one open port.
func deploymentDeps(w *guardtest.World, freeKB, port string, running bool) ops.DeploymentDeps {
	return ops.DeploymentDeps{
		Workspace: w.Workspace,
		Host: host.Reader{Files: fstest.MapFS{
			"proc/meminfo": {Data: []byte("MemTotal: 4096000 kB\nMemAvailable: " + freeKB + " kB\n")},
			"proc/net/tcp": {Data: []byte("  sl  local_address rem_address   st\n   0: 0100007F:" + port + " 00000000:0000 0A 0\n   1: 0100007F:1F91 0100007F:9999 01 0\n")},
		}},
		States: func(context.Context) ([]managed.Status, error) {
			if running {
				return []managed.Status{{Name: "api", State: managed.Running}}, nil
			}
			return nil, errors.New("unknown")
		},
	}
}

func try(w *guardtest.World, d ops.DeploymentDeps, file string) (ops.Deployment, string) {
	w.Helper()
	var out ops.Deployment
	w.Call(ops.TestDeployment(d), `{"filepath":"`+file+`"}`, &out)
	var statuses []string
	for _, s := range out.Steps {
		statuses = append(statuses, s.Status)
		if s.Status != "pass" && len(s.Details) == 0 {
			w.Errorf("%s without a reason: %+v", s.Step, s)
		}
	}
	return out, strings.Join(statuses, " ")
}

const deployment = `untouchable: [keys/**]
processes:
  expected:
    - {name: api, script: api/main.go, ports: [8080]}
    - {name: web, script: web/main.go, ports: [8081]}
    - {name: also, script: other.go, ports: [8081]}
`

func TestEachStepSaysWhatItLookedAt(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": deployment, "go.mod": "module x\n", "api/main.go": "package main\n\nimport _ \"x/store\"\n", "store/s.go": "package store\n",
		"web/main.go": "package main\n\nimport _ \"x/gone\"\nfunc {\n", "keys/a.json": "{}", "page.rb": "x", "run.sh": "echo\n", "bad.json": "{",
	})
	const free, full = "1024000", "102400"
	for _, tc := range []struct {
		file, freeKB, port string
		running            bool
		steps, status      string
		exit               int
	}{
		{"api/main.go", free, "0050", false, "pass pass pass pass pass", "pass", 0},
		{"api/main.go", free, "1F90", true, "pass pass pass pass pass", "pass", 0},
		{"api/main.go", free, "1F90", false, "pass pass pass fail pass", "fail", 1},
		{"api/main.go", full, "0050", false, "pass pass pass pass fail", "fail", 1},
		{"web/main.go", free, "0050", false, "pass fail fail fail pass", "fail", 1},
		{"keys/a.json", free, "0050", false, "fail pass skip skip pass", "fail", 1},
		{"bad.json", free, "0050", false, "pass fail skip skip pass", "fail", 1},
		{"run.sh", free, "0050", false, "pass pass skip skip pass", "incomplete", 2},
		{"page.rb", free, "0050", false, "pass skip skip skip pass", "incomplete", 2},
	} {
		out, steps := try(w, deploymentDeps(w, tc.freeKB, tc.port, tc.running), tc.file)
		if steps != tc.steps || out.Status != tc.status || out.ExitCode != tc.exit || len(out.Steps) != 5 {
			t.Errorf("%s: %s, %s\n%+v", tc.file, steps, out.Status, out)
		}
	}
	blind := ops.DeploymentDeps{Workspace: w.Workspace, Host: host.Reader{Files: fstest.MapFS{}}}
	if out, steps := try(w, blind, "api/main.go"); steps != "pass pass pass skip skip" || out.Status != "incomplete" {
		t.Errorf("%+v", out)
	}
	for file, code := range map[string]string{"none.go": "not_found", "api": "not_found", "../x": "path_outside_workspace", "/etc/passwd": "path_outside_workspace"} {
		if e := w.Refused(ops.TestDeployment(blind), `{"filepath":"`+file+`"}`); e.Code != code {
			t.Errorf("%s: %v", file, e)
		}
	}
}

// D6: what looks like a command of a shell is only a name, and nothing of a file is run.
func TestD6NothingOfADeploymentIsRun(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n", "$(touch pwned).sh": "touch pwned\n"})
	try(w, deploymentDeps(w, "1024000", "0050", false), "$(touch pwned).sh")
	if _, err := os.Stat(filepath.Join(w.Dir, "pwned")); err == nil {
		t.Error("it was run")
	}
}
