package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/server"
	"governance.internal/shared/audit"
	"governance.internal/shared/logtest"
)

const (
	killBody = `{"reason":"the agent deletes files"}`
	liftBody = `{"resume":true,"reason":"looked at, all is well"}`
)

// halted pulls the kill switch, and again where a machine is so slow that the halt
// answered before it knew what became of everything, which the answer says. Whole says
// that the first answer was enough: it names all that was stopped.
func (r running) halted() (out map[string]any, whole bool) {
	r.Helper()
	const slow = 5 * time.Second // the patience with who ignores SIGTERM, and a second for his end
	began := time.Now()
	for whole = true; ; whole = false {
		asked := time.Now()
		answer, out := r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
		if answer.StatusCode != 200 {
			r.Fatalf("%d %v", answer.StatusCode, out)
		}
		if out["complete"] == true || whole && time.Since(asked) < slow || time.Since(began) > time.Minute {
			r.Logf("killed in %v", time.Since(began).Round(time.Millisecond))
			return out, whole
		}
	}
}

func TestTheKillSwitchHaltsAndTheHaltStays(t *testing.T) {
	r := start(t, nil)
	answer, out := r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
	if answer.StatusCode != 200 || out["activated"] != true || out["complete"] != true || out["halted"] != true || out["audit"] != "written" {
		t.Fatalf("%d %v", answer.StatusCode, out)
	}
	flag, err := os.ReadFile(filepath.Join(r.deps.DataDir, "HALT"))
	if err != nil || !strings.Contains(string(flag), "the agent deletes files") || strings.Contains(string(flag), killSecret) {
		t.Errorf("flag %s (%v)", flag, err)
	}
	if n := r.entries("KILL_SWITCH"); n != 2 {
		t.Errorf("%d entries, want what was asked and what was done", n)
	}
	again := start(t, func(d *depsOf) { d.DataDir = r.deps.DataDir })
	for _, each := range []running{r, again} {
		_, health := each.send("GET", "/health", "")
		if health["status"] != "degraded" || health["checks"].(map[string]any)["halt"] != true {
			t.Errorf("health %v", health)
		}
	}
	_, second := r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
	if same, err := os.ReadFile(filepath.Join(r.deps.DataDir, "HALT")); err != nil || !bytes.Equal(same, flag) || second["activated"] != true {
		t.Errorf("the second halt changed since when: %s", same)
	}
	if err := os.Remove(filepath.Join(r.deps.DataDir, "HALT")); err != nil {
		t.Fatal(err)
	}
	if _, health := r.send("GET", "/health", ""); health["checks"].(map[string]any)["halt"] != false {
		t.Errorf("a person lifted the halt: %v", health)
	}
}

// A person lifts a halt with the secret; what is lifted is on record before it is.
func TestOnlyTheSecretLiftsAHaltAndTheLiftIsOnRecord(t *testing.T) {
	var is atomic.Bool
	r := start(t, func(d *depsOf) { d.Audit = down{d.Audit, &is} })
	halted := func() any {
		_, health := r.send("GET", "/health", "")
		return health["checks"].(map[string]any)["halt"]
	}
	secret := "Bearer " + killSecret
	if answer, out := r.send("POST", "/kill", liftBody, "Authorization", secret); answer.StatusCode != 200 || out["resumed"] != false || r.entries("KILL_SWITCH_LIFTED") != 0 {
		t.Errorf("nothing is halted: %d %v", answer.StatusCode, out)
	}
	r.send("POST", "/kill", killBody, "Authorization", secret)
	is.Store(true)
	if answer, out := r.send("POST", "/kill", liftBody, "Authorization", secret); answer.StatusCode != 503 || halted() != true {
		t.Errorf("a lift that is not recorded: %d %v", answer.StatusCode, out)
	}
	is.Store(false)
	for body, want := range map[string]int{`{"resume":true}`: 400, `{"resume":false,"reason":"looked at"}`: 400, `{"resume":"yes","reason":"looked at"}`: 400, `{"resume":true,"reason":"looked at","scope":"all"}`: 400} {
		if answer, _ := r.send("POST", "/kill", body, "Authorization", secret); answer.StatusCode != want || halted() != true {
			t.Errorf("%s: %d", body, answer.StatusCode)
		}
	}
	for header, want := range map[string]int{"": 401, "Bearer x": 403} {
		if answer, _ := r.send("POST", "/kill", liftBody, "Authorization", header); answer.StatusCode != want || halted() != true {
			t.Errorf("%q: %d", header, answer.StatusCode)
		}
	}
	answer, out := r.send("POST", "/kill", liftBody, "Authorization", secret)
	if answer.StatusCode != 200 || out["resumed"] != true || out["was"].(map[string]any)["reason"] != "the agent deletes files" || halted() != false {
		t.Errorf("%d %v", answer.StatusCode, out)
	}
	if n := r.entries("KILL_SWITCH_LIFTED"); n != 1 {
		t.Errorf("%d lifts on record", n)
	}
}

func TestOnlyTheSecretInTheHeaderHalts(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		header string
		status int
	}{{"", 401}, {"Bearer wrong", 403}, {"Bearer " + killSecret[:31], 403}, {"Basic " + killSecret, 403}, {"Bearer wrong", 429}} {
		answer, object := r.send("POST", "/kill", killBody, "Authorization", tc.header)
		if answer.StatusCode != tc.status || object["error"] == nil {
			t.Errorf("%q: %d %v", tc.header, answer.StatusCode, object)
		}
	}
	if n := r.entries("KILL_SWITCH_REFUSED"); n != 3 {
		t.Errorf("%d attempts recorded, want the first three", n)
	}
	asked := r.call("emergency_kill_switch", `{"reason":"please"}`)
	if asked["isError"] != true || !strings.Contains(sprint(asked), "Authorization: Bearer") {
		t.Errorf("without a secret: %v", asked)
	}
	inside := r.call("emergency_kill_switch", `{"reason":"please","secret":"`+killSecret+`"}`)
	if inside["isError"] != true || strings.Contains(sprint(inside), killSecret) {
		t.Errorf("a secret as an argument: %v", inside)
	}
	if n := r.entries("KILL_SWITCH"); n != 0 {
		t.Errorf("halted %d times", n)
	}
	if answer, _ := r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret); answer.StatusCode != 200 {
		t.Errorf("the right secret must wait: %d", answer.StatusCode)
	}
}

func TestTheReasonIsNeeded(t *testing.T) {
	r := start(t, nil)
	for _, body := range []string{`{}`, `{"reason":""}`, `{"reason":"` + strings.Repeat("x", 501) + `"}`, `{"reason":"test","scope":"some"}`, `[]`, `no json`} {
		if answer, object := r.send("POST", "/kill", body, "Authorization", "Bearer "+killSecret); answer.StatusCode != 400 {
			t.Errorf("%.40s: %d %v", body, answer.StatusCode, object)
		}
	}
}

func TestWithoutASecretThereIsNoKillSwitchAndTheStartWarns(t *testing.T) {
	logged := logtest.Collect(t, slog.LevelDebug)
	r := start(t, func(d *depsOf) { d.KillSecret = "" })
	if log := logged(); !strings.Contains(log, "KILL_SECRET") {
		t.Errorf("log %s", log)
	}
	for _, header := range []string{"", "Bearer ", "Bearer x"} {
		if answer, _ := r.send("POST", "/kill", killBody, "Authorization", header); answer.StatusCode != 503 {
			t.Errorf("%q: %d", header, answer.StatusCode)
		}
	}
	if result := r.call("emergency_kill_switch", killBody); !strings.Contains(sprint(result), "kill_not_configured") {
		t.Errorf("tool: %v", result)
	}
	if _, err := server.New(server.Deps{BaseURL: "http://localhost", KillSecret: "too-short"}); err == nil || strings.Contains(err.Error(), "too-short") {
		t.Errorf("a short secret: %v", err)
	}
}

func TestTheSecretIsNeverLogged(t *testing.T) {
	logged := logtest.Collect(t, slog.LevelDebug)
	r := start(t, nil)
	r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
	r.send("POST", "/kill", killBody, "Authorization", "Bearer x"+killSecret)
	r.call("emergency_kill_switch", killBody, "Authorization", "Bearer "+killSecret)
	if log := logged(); strings.Contains(log, killSecret) || strings.Contains(log, "deletes files") {
		t.Errorf("log %s", log)
	}
}

// down is a trail that takes no entries while it is down.
type down struct {
	audit.Store
	is *atomic.Bool
}

func (d down) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	if d.is.Load() {
		return nil, errors.New("the store is down")
	}
	return d.Store.Append(ctx, events...)
}

func TestAHaltDoesNotWaitForTheTrailWhichLearnsOfItLater(t *testing.T) {
	var is atomic.Bool
	r := start(t, func(d *depsOf) { d.Audit = down{d.Audit, &is} })
	is.Store(true)
	answer, out := r.send("POST", "/kill", killBody, "Authorization", "Bearer "+killSecret)
	if answer.StatusCode != 200 || out["activated"] != true || out["audit"] != "deferred" || out["audit_entry"] != nil {
		t.Fatalf("%d %v", answer.StatusCode, out)
	}
	is.Store(false)
	restarted := start(t, func(d *depsOf) { d.DataDir, d.Audit = r.deps.DataDir, r.deps.Audit })
	for deadline := time.Now().Add(time.Minute); restarted.entries("KILL_SWITCH") < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d entries", restarted.entries("KILL_SWITCH"))
		}
	}
	if _, err := os.Stat(filepath.Join(r.deps.DataDir, "HALT.audit")); err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}
