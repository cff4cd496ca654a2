package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/tools/session"
)

func (d *desk) diff(arguments string) session.SessionDiff {
	d.Helper()
	var answer session.SessionDiff
	d.Call(session.CheckSessionDiff(d.deps(), d.markers()), arguments, &answer)
	return answer
}

// Without a session there is nothing to compare with, and nothing is made up.
func TestWithoutASessionThereIsNoBaseline(t *testing.T) {
	d := newDesk(t)
	if answer := d.diff(`{}`); answer.Status != "no_baseline" || answer.Baseline != nil {
		t.Errorf("%+v", answer)
	}
	if answer := d.diff(`{"create_baseline":true}`); answer.Status != "no_baseline" || answer.Baseline == nil {
		t.Errorf("%+v", answer)
	}
	if answer := d.diff(`{}`); answer.Status != "unchanged" || answer.Files.Count() != 0 {
		t.Errorf("%+v", answer)
	}
}

func TestWhatChangedSinceTheSessionIsTold(t *testing.T) {
	d := newDesk(t)
	d.processes = []drift.Process{
		{Name: "api", State: "running", Known: true, PID: 10},
		{Name: "worker", State: "running", Known: true, PID: 11},
		{Name: "idle", State: "stopped", Known: true},
	}
	first := d.end(`{}`)
	if answer := d.diff(`{}`); answer.Status != "unchanged" || answer.Entries != 0 {
		t.Errorf("right after the end: %+v", answer)
	}

	d.Time = d.Time.Add(time.Minute)
	d.Write("new.txt", "new")
	d.Write("README.md", "Version 1.2.3 and more\n")
	d.Write("LICENSE", "not free\n")
	if err := os.Remove(filepath.Join(d.Dir, "SESSION_HANDOFF.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(d.Dir, "team.yaml"), filepath.Join(d.Dir, "people.yaml")); err != nil {
		t.Fatal(err)
	}
	d.processes[0].PID = 99
	d.processes[1].State = "stopped"
	d.processes[2].State = "running"

	answer := d.diff(`{}`)
	if answer.Status != "changed" || answer.Baseline.ID != first.Marker.ID {
		t.Errorf("%+v", answer)
	}
	got := fmt.Sprint(answer.Files, answer.Protected, answer.Processes)
	if want := "{[new.txt] [LICENSE README.md] [SESSION_HANDOFF.md] [{team.yaml people.yaml}]} [LICENSE] {[idle] [worker] [api]}"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(answer.Alerts) != 1 {
		t.Errorf("%q", answer.Alerts)
	}
}

func TestASessionIsNamedByItsIDOrByATime(t *testing.T) {
	d := newDesk(t)
	first := d.end(`{}`)
	began := d.Time
	d.Time = d.Time.Add(time.Hour)
	d.Write("SESSION_HANDOFF.md", "# newer\n")
	second := d.end(`{}`)

	for since, want := range map[string]string{
		first.Marker.ID:                   first.Marker.ID,
		second.Marker.ID:                  second.Marker.ID,
		began.UTC().Format(time.RFC3339):  first.Marker.ID,
		d.Time.UTC().Format(time.RFC3339): second.Marker.ID,
	} {
		if answer := d.diff(`{"since":"` + since + `"}`); answer.Baseline.ID != want {
			t.Errorf("since %s: %+v, want %s", since, answer.Baseline, want)
		}
	}
	for since, code := range map[string]string{
		"yesterday":              "invalid_argument",
		"20200101T000000Z-abc":   "not_found",
		"2020-01-01":             "not_found",
		"../../../../etc/passwd": "invalid_argument",
	} {
		e := d.Refused(session.CheckSessionDiff(d.deps(), d.markers()), `{"since":"`+since+`"}`)
		if e.Code != code {
			t.Errorf("since %s: %+v", since, e)
		}
	}
}
