package ops_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/ops"
)

func archive(w *guardtest.World, s ops.ArchiveDeps, path string) (ops.ArchiveSafety, map[string]string) {
	w.Helper()
	var answer ops.ArchiveSafety
	w.Call(ops.CheckArchiveSafety(s), `{"filepath":"`+path+`"}`, &answer)
	statuses := map[string]string{}
	for _, c := range answer.Checks {
		statuses[c.Check] = c.Status
	}
	return answer, statuses
}

func TestAFileThatNothingNeedsMayBeArchived(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "untouchable: [keys/**]\narchive: {dir: attic}\nprocesses: {expected: [{name: api, script: api/server.js, requires: [\"lib/**\"]}]}\n",
		"old/notes.txt":   "x", "keys/a": "x", "api/server.js": "require('./used.js')", "api/used.js": "x", "lib/x.js": "x", "api/unused.js": "x",
	})
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}
	if answer, _ := archive(w, s, "old/notes.txt"); !answer.Safe || answer.Target != "attic/old/notes.txt" || len(answer.Checks) != 6 {
		t.Errorf("%+v", answer)
	}
	for path, check := range map[string]string{"keys/a": "not_untouchable", "api/used.js": "not_referenced", "lib/x.js": "not_required", "api/server.js": "not_required", "none": "exists"} {
		if answer, statuses := archive(w, s, path); answer.Safe || statuses[check] != "fail" || answer.Target != "" {
			t.Errorf("%s: %+v", path, answer)
		}
	}
	if e := w.Refused(ops.CheckArchiveSafety(s), `{"filepath":"../x"}`); e.Code != "path_outside_workspace" {
		t.Errorf("%v", e)
	}
}

// A file that a process needs according to check_dependencies is not safe, even if no text
// names it. If a file cannot be read the result is unknown.
func TestWhatAProcessNeedsIsNotSafe(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "processes: {expected: [{name: api, script: api/server.js, command: [node, api/server.js, --config, conf/api.json]}]}\n",
		"api/server.js":   "const a = require('./lib')\nimport('./deep/loaded')\n", "api/lib/index.js": "require('./util')", "api/lib/util.js": "x", "api/deep/loaded.js": "x", "conf/api.json": "{}", "old/notes.txt": "x",
	})
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}
	var needs ops.Dependencies
	w.Call(ops.CheckDependencies(w.Workspace), `{}`, &needs)
	if len(needs.Processes) != 1 || len(needs.Processes[0].Files) < 5 {
		t.Fatalf("%+v", needs)
	}
	for _, file := range needs.Processes[0].Files {
		answer, statuses := archive(w, s, file.Path)
		if answer.Safe || statuses["not_required"] != "fail" {
			t.Errorf("%s (%s): %+v", file.Path, file.Via, answer)
		}
	}
	for _, folder := range []string{"api/lib", "api/deep", "conf"} {
		if answer, statuses := archive(w, s, folder); answer.Safe || statuses["not_required"] != "fail" {
			t.Errorf("%s: %+v", folder, answer)
		}
	}
	if answer, _ := archive(w, s, "old/notes.txt"); !answer.Safe {
		t.Errorf("%+v", answer)
	}
	w.Write("governance.yaml", "processes: {expected: [{name: job, script: job.rb}]}\n")
	w.Write("job.rb", "require_relative 'x'")
	if answer, statuses := archive(w, s, "old/notes.txt"); answer.Safe || statuses["not_required"] != "unknown" {
		t.Errorf("imports of Ruby are not read: %+v", answer)
	}
}

// A file that a process needs is not safe under another name either.
func TestALinkToWhatAProcessNeedsIsNotSafe(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml":  "processes: {expected: [{name: api, script: api/server.js}]}\n",
		"api/server.js":    "require('./lib')",
		"api/lib/index.js": "x",
	})
	if err := os.Symlink("api/lib", filepath.Join(w.Dir, "alias")); err != nil {
		t.Fatal(err)
	}

	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}
	for _, path := range []string{"alias", "alias/index.js"} {
		answer, statuses := archive(w, s, path)
		if answer.Safe || statuses["not_required"] != "fail" {
			t.Errorf("%s: %+v", path, answer)
		}
	}
}

// A process may need more files than are followed. Then it is not known of any other file
// whether it is one of them.
func TestMoreFilesThanAreFollowedLeaveItOpen(t *testing.T) {
	const many = 5001
	files := map[string]string{
		"governance.yaml": "processes: {expected: [{name: api, script: api/server.js}]}\n",
		"old/notes.txt":   "x",
	}
	var imports strings.Builder
	for i := range many {
		fmt.Fprintf(&imports, "require('./lib/%d')\n", i)
		files[fmt.Sprintf("api/lib/%d.js", i)] = ""
	}
	files["api/server.js"] = imports.String()

	w := guardtest.New(t, files)
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}
	answer, statuses := archive(w, s, "old/notes.txt")

	if answer.Safe || statuses["not_required"] != "unknown" {
		t.Errorf("%+v", answer)
	}
}

// Only what is in the workspace is archived: no file of the home folder or of the system,
// and none that a link leads to.
func TestAFileOutsideOfTheWorkspaceIsNotSafe(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n"})
	home := t.TempDir()
	t.Setenv("HOME", home)
	kept := filepath.Join(home, "notes.txt")
	if err := os.WriteFile(kept, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, filepath.Join(w.Dir, "link.txt")); err != nil {
		t.Fatal(err)
	}

	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}
	for _, path := range []string{kept, home, "/etc/hosts", "/", "../notes.txt", ".", filepath.Dir(w.Dir)} {
		refused := w.Refused(ops.CheckArchiveSafety(s), `{"filepath":"`+path+`"}`)
		if refused.Code != "path_outside_workspace" {
			t.Errorf("%s: %v", path, refused)
		}
	}

	for _, path := range []string{"~/notes.txt", "link.txt"} {
		answer, statuses := archive(w, s, path)
		if answer.Safe || statuses["exists"] != "fail" {
			t.Errorf("%s: %+v", path, answer)
		}
	}
}

// The last commit must hold the file as it is, and every file of a folder.
func TestOnlyCommittedFilesAreSafeUnderVersionControl(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: make setup")
	}
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n", "old/kept.txt": "x", "old/changed.txt": "x", "whole/deep/a.txt": "x"})
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}
	check := func(path, want string) {
		t.Helper()
		answer, statuses := archive(w, s, path)
		if statuses["committed"] != want || answer.Safe != (want == "pass" || want == "skip") {
			t.Errorf("%s: want %s: %+v", path, want, answer)
		}
	}
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		c.Dir = w.Dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	check("old/kept.txt", "skip")
	git("init", "-q")
	check("old/kept.txt", "fail")
	git("add", "-A")
	git("commit", "-qm", "x")
	check("old/kept.txt", "pass")
	check("whole", "pass")
	w.Write("old/changed.txt", "y")
	w.Write("whole/deep/new.txt", "y")
	check("old/kept.txt", "pass")
	check("old/changed.txt", "fail")
	check("old", "fail")
	check("whole", "fail")
	w.Write(".git/HEAD", "damaged")
	check("old/kept.txt", "unknown")
}

// D6: what looks like a command of a shell is only a name.
func TestD6AFileNameIsNeverRun(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n", "$(touch pwned).txt": "x"})
	archive(w, ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}, "$(touch pwned).txt")
	if _, err := os.Stat(filepath.Join(w.Dir, "pwned")); err == nil {
		t.Error("the name was run")
	}
}

func TestAFileInUseIsNotSafe(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("there is no /proc here")
	}
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n", "open.txt": "x"})
	f, err := os.Open(filepath.Join(w.Dir, "open.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: os.DirFS("/proc")}
	if answer, statuses := archive(w, s, "open.txt"); answer.Safe || statuses["not_in_use"] != "fail" {
		t.Errorf("%+v", answer)
	}
	sleep := exec.Command("sleep", "60")
	sleep.Dir = filepath.Join(w.Dir)
	w.Write("dir/x", "x")
	sleep.Dir = filepath.Join(w.Dir, "dir")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleep.Process.Kill(); _ = sleep.Wait() }()
	if answer, statuses := archive(w, s, "dir"); answer.Safe || statuses["not_in_use"] != "fail" || strings.Contains(strings.Join(answer.Blockers, " "), w.Dir) {
		t.Errorf("%+v", answer)
	}
}

// A file that cannot be inspected is never reported as safe.
func TestUnreadableProcessesLeaveItOpen(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n", "a.txt": "x"})
	hidden := fstest.MapFS{"1/cmdline": {Data: []byte("init\x00")}}
	if answer, statuses := archive(w, ops.ArchiveDeps{Workspace: w.Workspace, Proc: hidden}, "a.txt"); answer.Safe || statuses["not_in_use"] != "unknown" {
		t.Errorf("%+v", answer)
	}
	bare := guardtest.New(t, map[string]string{"a.txt": "x"})
	if answer, statuses := archive(bare, ops.ArchiveDeps{Workspace: bare.Workspace, Proc: fstest.MapFS{}}, "a.txt"); answer.Safe || statuses["not_untouchable"] != "unknown" {
		t.Errorf("without lists: %+v", answer)
	}
}

// The script of a process may be given by its place on the machine. It is read all the same.
func TestAScriptWithAnAbsolutePathIsRead(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"api/server.js":    "require('./lib')",
		"api/lib/index.js": "x",
		"old/notes.txt":    "x",
	})
	script := filepath.Join(w.Dir, "api/server.js")
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}

	for kind, process := range map[string]string{
		"script":  "script: " + script,
		"command": "command: [node, " + script + "]",
	} {
		w.Write("governance.yaml", "processes: {expected: [{name: api, "+process+"}]}\n")
		answer, statuses := archive(w, s, "api/lib/index.js")
		if answer.Safe || statuses["not_required"] != "fail" {
			t.Errorf("%s: %+v", kind, answer)
		}
		if answer, _ := archive(w, s, "old/notes.txt"); !answer.Safe {
			t.Errorf("%s: %+v", kind, answer)
		}
	}
}

// What a process needs is not known if its script cannot be read.
func TestAScriptThatCannotBeReadLeavesItOpen(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"api/":          "",
		"old/notes.txt": "x",
	})
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}

	for _, script := range []string{"~/x.js", "/etc/x.js", "../x.js", "api/gone.js", "api", "/etc/hostname", "''"} {
		w.Write("governance.yaml", "processes: {expected: [{name: job, script: "+script+"}]}\n")
		answer, statuses := archive(w, s, "old/notes.txt")
		if answer.Safe || statuses["not_required"] != "unknown" {
			t.Errorf("%s: %+v", script, answer)
		}
	}
}

// An import that leads nowhere known may lead to any file.
func TestAnUnresolvedImportLeavesItOpen(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "processes: {expected: [{name: api, script: api/server.js}]}\n",
		"api/server.js":   "",
		"old/notes.txt":   "x",
	})
	s := ops.ArchiveDeps{Workspace: w.Workspace, Proc: fstest.MapFS{}}

	for _, name := range []string{"@/lib/x", "~/lib/q", "/srv/lib/z", "unknown-package"} {
		w.Write("api/server.js", "import x from '"+name+"'\n")
		answer, statuses := archive(w, s, "old/notes.txt")
		if answer.Safe || statuses["not_required"] != "unknown" {
			t.Errorf("%s: %+v", name, answer)
		}
	}

	w.Write("api/server.js", "import fs from 'node:fs'\n")
	if answer, _ := archive(w, s, "old/notes.txt"); !answer.Safe {
		t.Errorf("%+v", answer)
	}
}
