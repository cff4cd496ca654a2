//go:build linux

package managed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program puts a shell script on PATH. It finds its folder as $HOME.
func program(t *testing.T, name, script string) (home string) {
	t.Helper()
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, name), []byte("#!/bin/sh\ncd \"$HOME\"\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", home+":"+os.Getenv("PATH"))
	return home
}

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func memory(t *testing.T) *Former {
	t.Helper()
	return &Former{Path: filepath.Join(t.TempDir(), "former")}
}

func minute(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// fakeSystemctl keeps the state of one unit in files; stop has an effect unless the file
// deaf is there, and kill unless immortal is.
const fakeSystemctl = `
echo "$@" >> calls
env > environment
unit() { printf 'LoadState=loaded\nActiveState=%s\nSubState=%s\nResult=%s\nMainPID=0\nNRestarts=2\n' "$1" "$2" "${3:-success}" > unit; }
case "$1" in
show) [ "$4" = api.service ] && cat unit || printf 'LoadState=not-found\nActiveState=inactive\n' ;;
stop) [ -e deaf ] && unit deactivating stop-sigterm || unit inactive dead ;;
kill) [ -e immortal ] || unit failed failed ;;
start) unit active running ;;
esac
`

const loaded = "LoadState=loaded\nActiveState=%s\nSubState=%s\nResult=%s\nMainPID=0\nNRestarts=7\n"

func TestSystemd(t *testing.T) {
	api := Process{Name: "api", Provider: "systemd", Target: "api.service"}
	for _, tc := range []struct {
		files []string
		did   string
		ok    bool
	}{{nil, "stop", true}, {[]string{"deaf"}, "stop SIGKILL", true}, {[]string{"deaf", "immortal"}, "stop SIGKILL", false}} {
		t.Setenv("KILL_SECRET", "hidden-1")
		home, former := program(t, "systemctl", fakeSystemctl), memory(t)
		put(t, home, "unit", fmt.Sprintf(loaded, "active", "running", "success"))
		for _, name := range tc.files {
			put(t, home, name, "")
		}
		d := Systemd{former}
		if s := d.States(t.Context(), []Process{api})[0]; s.State != Running || s.Restarts != 7 {
			t.Errorf("%+v", s)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		out := d.Stop(ctx, []Process{api})[0]
		cancel()
		if out.OK != tc.ok || strings.Join(out.Did, " ") != tc.did || (len(out.Survivors) == 0) != tc.ok {
			t.Errorf("%v: %+v", tc.files, out)
		}
		if says(filepath.Join(home, "environment"), "hidden-1")() || !says(filepath.Join(home, "calls"), "stop --no-block -- api.service")() {
			t.Error("it gets the secret of the server, or waits")
		}
		if was := former.All(); len(was) != 1 {
			t.Errorf("%+v", was)
		}
		if did, err := d.Start(t.Context(), api, "running"); err != nil || did != "start" || d.States(t.Context(), []Process{api})[0].State != Running {
			t.Errorf("%s %v", did, err)
		}
	}
}

func TestSystemdTellsWhatItIsToldAndNoMore(t *testing.T) {
	home := program(t, "systemctl", fakeSystemctl)
	api := Process{Name: "api", Provider: "systemd", Target: "api.service"}
	for text, want := range map[string]string{
		fmt.Sprintf(loaded, "failed", "failed", "start-limit-hit"):     CrashLoop,
		fmt.Sprintf(loaded, "activating", "auto-restart", "exit-code"): BackingOff,
		fmt.Sprintf(loaded, "inactive", "dead", "success"):             Stopped,
		fmt.Sprintf(loaded, "deactivating", "stop-sigterm", "success"): Running,
		"": Unavailable, "LoadState=loaded\n": Unavailable, "junk": Unavailable,
	} {
		put(t, home, "unit", text)
		if s := (Systemd{memory(t)}).States(t.Context(), []Process{api})[0]; s.State != want {
			t.Errorf("%q: %+v", text, s)
		}
	}
	for _, target := range []string{"other.service", "-rf", "a b", ""} {
		p := Process{Name: "x", Provider: "systemd", Target: target}
		d := Systemd{memory(t)}
		if s, out := d.States(t.Context(), []Process{p})[0], d.Stop(t.Context(), []Process{p})[0]; s.State != Unavailable || s.Why == "" || out.OK || len(out.Survivors) != 1 {
			t.Errorf("%q: %+v %+v", target, s, out)
		}
	}
	program(t, "systemctl", "echo 'System has not been booted with systemd' >&2; exit 1\n")
	if out := (Systemd{memory(t)}).Stop(t.Context(), []Process{api})[0]; out.OK || !strings.Contains(out.Error, "systemctl") {
		t.Errorf("%+v", out)
	}
	t.Setenv("PATH", t.TempDir())
	if s := (Systemd{memory(t)}).States(t.Context(), []Process{api})[0]; s.State != Unavailable || s.Why != "the program systemctl is not there" {
		t.Errorf("%+v", s)
	}
}

// The true one, where it runs: a unit that is not there is unavailable.
func TestTheSystemdOfThisMachineKnowsNoUnitOfATest(t *testing.T) {
	p := Process{Name: "x", Provider: "systemd", Target: "no-such-unit-of-a-test.service"}
	if s := (Systemd{memory(t)}).States(t.Context(), []Process{p})[0]; s.State != Unavailable || s.Why == "" {
		t.Errorf("%+v", s)
	}
}

// fakePM2 lists what the file list says; stop and restart change it.
const fakePM2 = `
echo "$@" >> calls
case "$1" in
jlist) echo ">>>> In-memory PM2 is out-of-date"; cat list ;;
stop) [ -e deaf ] || sed -i "s/online/stopped/" list ;;
restart) sed -i "s/stopped/online/" list ;;
esac
`

func TestPM2(t *testing.T) {
	home, former := program(t, "pm2", fakePM2), memory(t)
	c := exec.Command("/bin/sh", "-c", "trap '' TERM INT; echo ready; while :; do sleep 1; done")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	said, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := said.Read(make([]byte, 1)); err != nil { // it ignores the signals now
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Wait() }()
	t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	list := fmt.Sprintf(`[{"name":"web","pm_id":4,"pid":%d,"pm2_env":{"status":"online","restart_time":3,"KILL_SECRET":"hidden-1"}},{"name":"all","pm_id":5,"pid":0,"pm2_env":{"status":"errored","restart_time":16}}]`, c.Process.Pid)
	put(t, home, "list", list)
	web, all, none := Process{Name: "web", Provider: "pm2", Target: "web"}, Process{Name: "bad", Provider: "pm2", Target: "all"}, Process{Name: "none", Provider: "pm2", Target: "none"}
	m := PM2{former}
	states := m.States(t.Context(), []Process{web, all, none})
	if states[0].State != Running || states[0].PID != c.Process.Pid || states[0].Restarts != 3 || states[1].State != CrashLoop || states[2].State != Unavailable {
		t.Errorf("%+v", states)
	}
	stopped := m.Stop(minute(t), []Process{web, none})
	if !stopped[0].OK || !slices.Contains(stopped[0].Did, "pm2 stop") || !slices.Contains(stopped[0].Did, "SIGKILL") || stopped[1].OK {
		t.Errorf("%+v", stopped)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("it lives")
	}
	if !says(filepath.Join(home, "calls"), "stop 4\n")() || m.States(t.Context(), []Process{web})[0].State != Stopped {
		t.Error("not stopped by its number")
	}
	if did, err := m.Start(t.Context(), web, "running"); err != nil || did != "pm2 restart" || len(former.All()) != 1 {
		t.Errorf("%s %v", did, err)
	}
	put(t, home, "list", strings.Replace(list, fmt.Sprint(c.Process.Pid), "0", 1))
	put(t, home, "deaf", "")
	if out := m.Stop(minute(t), []Process{web})[0]; out.OK || out.Error != "pm2 says online" || len(out.Survivors) != 1 {
		t.Errorf("pm2 does not stop it: %+v", out)
	}
	for _, text := range []string{"", "no json", `{"name":"web"}`} {
		put(t, home, "list", text)
		if s, out := m.States(t.Context(), []Process{web})[0], m.Stop(minute(t), []Process{web})[0]; s.State != Unavailable || out.OK {
			t.Errorf("%q: %+v %+v", text, s, out)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if out := m.Stop(minute(t), []Process{web})[0]; out.OK || out.Error != "the program pm2 is not there" {
		t.Errorf("%+v", out)
	}
}

// engine is a double of the Docker Engine with one container.
type engine struct {
	mu     sync.Mutex
	status string
	deaf   bool // to stop
	never  bool // not even by kill
	calls  []string
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, r.Method+" "+r.URL.RequestURI())
	switch r.Method + " " + r.URL.Path {
	case "GET /containers/web/json":
		fmt.Fprintf(w, `{"State":{"Status":%q,"Running":%t,"Pid":0,"StartedAt":"2026-01-01T00:00:00Z"},"RestartCount":6,"Config":{"Env":["KILL_SECRET=hidden-1"]}}`, e.status, e.status == "running" || e.status == "paused")
	case "POST /containers/web/stop":
		if e.deaf {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		e.status = "exited"
		w.WriteHeader(http.StatusNoContent)
	case "POST /containers/web/kill":
		if !e.never {
			e.status = "exited"
		}
		w.WriteHeader(http.StatusNoContent)
	case "POST /containers/web/start":
		e.status = "running"
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestDocker(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "docker.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{status: "running"}
	server := &http.Server{Handler: e}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = server.Close() })
	web, other := Process{Name: "web", Provider: "docker", Target: "web"}, Process{Name: "other", Provider: "docker", Target: "../other"}
	for _, tc := range []struct {
		deaf, never bool
		did         string
		ok          bool
	}{{false, false, "stop", true}, {true, false, "stop kill", true}, {true, true, "stop kill", false}} {
		d := Docker{socket, memory(t)}
		e.mu.Lock()
		e.status, e.deaf, e.never = "running", tc.deaf, tc.never
		e.mu.Unlock()
		if s := d.States(t.Context(), []Process{web})[0]; s.State != Running || s.Restarts != 6 || s.UptimeS == 0 {
			t.Errorf("%+v", s)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		out := d.Stop(ctx, []Process{web, other})
		cancel()
		if out[0].OK != tc.ok || strings.Join(out[0].Did, " ") != tc.did || out[1].OK || out[1].Error != "there is no such container" {
			t.Errorf("%+v: %+v", tc, out)
		}
		if did, err := d.Start(t.Context(), web, d.Former.All()[0].Value); err != nil || did != "start" {
			t.Errorf("%s %v", did, err)
		}
	}
	for status, want := range map[string]string{"paused": Suspended, "restarting": CrashLoop, "exited": Stopped, "dead": Stopped} {
		e.mu.Lock()
		e.status = status
		e.mu.Unlock()
		if s := (Docker{socket, memory(t)}).States(t.Context(), []Process{web})[0]; s.State != want {
			t.Errorf("%s: %+v", status, s)
		}
	}
	absent := Docker{filepath.Join(t.TempDir(), "none"), memory(t)}
	if s, out := absent.States(t.Context(), []Process{web})[0], absent.Stop(minute(t), []Process{web})[0]; s.State != Unavailable || out.OK || !strings.Contains(out.Error, "socket") || strings.Contains(out.Error, "/") {
		t.Errorf("%+v %+v", s, out)
	}
}

func FuzzParseUnit(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(loaded, "active", "running", "success")))
	f.Add([]byte("LoadState=\x00\nActiveState"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if u, err := parseUnit(text); err == nil && u.active == "" {
			t.Errorf("no state: %q", text)
		}
	})
}

func FuzzParseJlist(f *testing.F) {
	f.Add([]byte(`[{"name":"web","pm_id":4,"pid":1,"pm2_env":{"status":"online","restart_time":3}}]`))
	f.Add([]byte("hello\n[]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := parseJlist(text)
		if err != nil && len(list) > 0 {
			t.Errorf("%v and an error: %q", list, text)
		}
	})
}
