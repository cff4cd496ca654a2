package preflight_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
)

// twisted has untouchable files with every kind of other name.
func twisted(t testing.TB) *guardtest.World {
	w := guardtest.New(t, map[string]string{"governance.yaml": "untouchable: [\"infra/prod/**\", \"caf\u00e9/**\"]\n", "infra/prod/main.tf": "x", "caf\u00e9/menu": "x", "src/a.go": "x"})
	for name, target := range map[string]string{"src/soft": "../infra/prod", "src/file": "../infra/prod/main.tf", "src/abs": w.Dir + "/infra", "src/loop": "loop", "src/up": "../..", "src/chain": "soft/main.tf"} {
		if err := os.Symlink(target, filepath.Join(w.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(w.Dir, "infra/prod/main.tf"), filepath.Join(w.Dir, "src/hard")); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := syscall.Mkfifo(filepath.Join(w.Dir, "src/pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func decisionOf(t testing.TB, w *guardtest.World, dir, name string) preflight.Result {
	t.Helper()
	report, err := w.Gate.Check(context.Background(), preflight.Action{Agent: "fuzz", Tool: "Write", Operation: preflight.Edit, Dir: dir, Paths: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	return report.Results[0]
}

// Unicode has several spellings of a name, and a pipe must not make the guard wait.
func TestSpellingsPipesAndHardLinksAreSeenThrough(t *testing.T) {
	w := twisted(t)
	for name, want := range map[string]policy.Decision{
		"caf\u00e9/new": policy.Blocked, "cafe\u0301/new": policy.Blocked, "cafe/new": policy.OK, "src/hard": policy.Blocked, "src/chain": policy.Blocked, "src/abs/prod/x": policy.Blocked,
		"src/pipe": policy.Blocked, "src/pipe/x": policy.OK, "src/up/x": policy.Unknown, "src/loop": policy.Blocked, "src/a.go": policy.OK, "src/soft/../prod/x": policy.Blocked, "src/soft/../dev/x": policy.OK,
	} {
		if got := decisionOf(t, w, ".", name); got.Decision != want {
			t.Errorf("%q: %s, want %s (%s)", name, got.Decision, want, got.Reason)
		}
	}
}

// A write to a pipe, a socket or a device is refused, because its effect is unknown.
// Removing one is harmless.
func TestSpecialFilesAreNotWritten(t *testing.T) {
	w := twisted(t)
	special := []string{"src/pipe", "/dev/tty"}
	if listener, err := net.Listen("unix", filepath.Join(w.Dir, "sock")); err == nil { // the name may be too long for one
		defer listener.Close()
		special = append(special, "sock")
	}
	for _, name := range special {
		if got := decisionOf(t, w, ".", name); got.Decision != policy.Blocked || got.Reason == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, command := range []string{"echo x > src/pipe", "cp src/a.go src/pipe", "dd if=src/a.go of=src/pipe"} {
		if report := decide(w, command); report.Decision != policy.Blocked {
			t.Errorf("%s: %s", command, report.Decision)
		}
	}
	for _, command := range []string{"rm src/pipe", "echo x > /dev/null", "cat src/a.go > /dev/stdout"} {
		if report := decide(w, command); report.Decision != policy.OK {
			t.Errorf("%s: %s %+v", command, report.Decision, report.Results)
		}
	}
}

// On a volume that folds letter case, so do the lists.
func TestLetterCaseIsSeenThroughWhereTheVolumeFoldsIt(t *testing.T) {
	w := twisted(t)
	folding, err := policy.New([]policy.Rule{{List: policy.Untouchable, Pattern: "infra/prod/**"}}, true)
	if err != nil {
		t.Fatal(err)
	}
	if decision, _ := folding.Decide("INFRA/Prod/x"); decision != policy.Blocked {
		t.Errorf("%s", decision)
	}
	_, statErr := os.Stat(filepath.Join(w.Dir, "GOVERNANCE.YAML"))
	want := policy.OK
	if statErr == nil { // this volume folds
		want = policy.Blocked
	}
	if got := decisionOf(t, w, ".", "INFRA/prod/x"); got.Decision != want {
		t.Errorf("%s, want %s", got.Decision, want)
	}
}

// Every name that the kernel resolves to an untouchable file is refused.
func FuzzNoNameOfAnUntouchableFilePasses(f *testing.F) {
	for _, seed := range []string{"infra/prod/main.tf", "src/hard", "src/soft/main.tf", "src/file", "src/abs/prod/main.tf", "src/chain", "./src/../infra//prod/./main.tf", "src/up/x", "src/loop/x", "caf\u00e9/menu", "cafe\u0301/menu", "src/pipe", "/etc/passwd", "src/soft/../prod/main.tf", "infra\\prod", "a\x00b", "INFRA/PROD/MAIN.TF", strings.Repeat("src/../", 100) + "src/hard"} {
		f.Add(seed, "src")
		f.Add(seed, ".")
	}
	w := twisted(f)
	secret, err := os.Stat(filepath.Join(w.Dir, "infra/prod/main.tf"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, dir string) {
		if filepath.IsAbs(dir) || strings.Contains(dir, "\x00") {
			return
		}
		full := name
		if !filepath.IsAbs(name) {
			full = w.Dir + "/" + dir + "/" + name
		}
		real, err := filepath.EvalSymlinks(full)
		reaches := err == nil && strings.HasPrefix(real, w.Dir+"/infra/prod/")
		if info, err := os.Stat(full); err == nil && os.SameFile(info, secret) {
			reaches = true
		}
		if !reaches {
			return
		}
		got := decisionOf(t, w, dir, name)
		if got.Decision != policy.Blocked || strings.Contains(got.Path, w.Dir) {
			t.Fatalf("%q in %q leads to %q and is %+v", name, dir, real, got)
		}
	})
}
