//go:build linux

package managed

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// realPM2 starts the daemon of the npm package with a process that restarts whenever it
// ends, and ignores the signal that asks it to. Its folder is short: the daemon listens
// on sockets in it.
func realPM2(t *testing.T) {
	t.Helper()
	bin, err := filepath.Abs(filepath.FromSlash("../../../../testdata/node_modules/.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bin, "pm2")); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("needs pm2: npm --prefix testdata ci")
		}
		t.Skip("needs pm2: npm --prefix testdata ci")
	}
	home, err := os.MkdirTemp("", "pm2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	t.Setenv("PM2_HOME", home)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	script := filepath.Join(home, "deaf.sh")
	put(t, home, "deaf.sh", "trap '' INT TERM\necho ready\nwhile :; do sleep 1; done\n")
	t.Cleanup(func() { _ = exec.Command("pm2", "kill").Run() })
	start := exec.Command("pm2", "start", script, "--name", "web", "--interpreter", "sh", "--log", filepath.Join(home, "said"))
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	until(t, "ready", says(filepath.Join(home, "said"), "ready"))
}

// A daemon that restarts its processes is stopped together with them, and starts them after
// the lift. On a slow machine it may not answer in time, which is reported; then the halt
// is repeated.
func TestPM2AsItIs(t *testing.T) {
	realPM2(t)
	web, m := Process{Name: "web", Provider: "pm2", Target: "web"}, PM2{memory(t)}
	state := func(want string) (s Status) {
		until(t, want, func() bool { s = m.States(t.Context(), []Process{web})[0]; return s.State == want })
		return s
	}
	before := state(Running)
	var out Outcome
	var did []string
	until(t, "stopped", func() bool {
		out = m.Stop(minute(t), []Process{web})[0]
		did = append(did, out.Did...)
		return out.OK
	})
	if !slices.Contains(did, "pm2 stop") || len(out.Survivors) > 0 {
		t.Errorf("%+v", out)
	}
	until(t, "gone", func() bool { return before.PID > 1 && syscall.Kill(before.PID, 0) != nil })
	state(Stopped)
	if was := m.Former.All(); len(was) != 1 || was[0].Value != "running" {
		t.Errorf("%+v", was)
	}
	until(t, "started", func() bool { _, err := m.Start(minute(t), web, "running"); return err == nil })
	if after := state(Running); after.PID == before.PID {
		t.Error("the same process")
	}
	if s := m.States(t.Context(), []Process{{Name: "n", Provider: "pm2", Target: "none"}})[0]; s.State != Unavailable || !strings.Contains(s.Why, "no such process") {
		t.Errorf("%+v", s)
	}
}
