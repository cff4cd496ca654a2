package outcome_test

import (
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/outcome"
)

func of(kind string) outcome.Record { return outcome.Record{Kind: kind} }

func denied(call string) outcome.Record {
	r := intent(call)
	r.Decision = outcome.Denied
	return r
}

func bySubagent(r outcome.Record) outcome.Record {
	r.Boundary, r.Session = "claude-code", "s"
	r.Actor = outcome.Actor{Kind: "subagent", ID: "a1"}
	return r
}

func exited(r outcome.Record, status int) outcome.Record {
	r.Exit = &status
	return r
}

func TestTheStateOfAPairIsNeverALie(t *testing.T) {
	otherSession := of(outcome.SessionEnded)
	otherSession.Boundary, otherSession.Session = "claude-code", "other"
	refusedStop := of(outcome.Stopped)
	refusedStop.Decision = outcome.Denied

	for name, c := range map[string]struct {
		records []outcome.Record
		later   time.Duration
		want    []string
	}{
		"succeeded":                     {[]outcome.Record{intent("a"), result("a", outcome.Succeeded)}, 0, []string{outcome.Succeeded}},
		"failed":                        {[]outcome.Record{intent("a"), result("a", outcome.Failed)}, 0, []string{outcome.Failed}},
		"a person refused":              {[]outcome.Record{intent("a"), result("a", outcome.Refused)}, 0, []string{outcome.Refused}},
		"running":                       {[]outcome.Record{intent("a")}, time.Minute, []string{outcome.Running}},
		"too old":                       {[]outcome.Record{intent("a")}, 2 * time.Hour, []string{outcome.Unknown}},
		"the session ended":             {[]outcome.Record{intent("a"), of(outcome.SessionEnded)}, 0, []string{outcome.Unknown}},
		"another session ended":         {[]outcome.Record{intent("a"), otherSession}, 0, []string{outcome.Running}},
		"the agent stopped":             {[]outcome.Record{intent("a"), of(outcome.Stopped)}, 0, []string{outcome.Unknown}},
		"the stop was refused":          {[]outcome.Record{intent("a"), refusedStop}, 0, []string{outcome.Running}},
		"the agent stopped before":      {[]outcome.Record{of(outcome.Stopped), intent("a")}, 0, []string{outcome.Running}},
		"the subagent stopped":          {[]outcome.Record{bySubagent(intent("a")), intent("b"), bySubagent(of(outcome.SubagentStopped))}, 0, []string{outcome.Unknown, outcome.Running}},
		"the agent above stopped":       {[]outcome.Record{bySubagent(intent("a")), of(outcome.Stopped)}, 0, []string{outcome.Running}},
		"after the stop":                {[]outcome.Record{intent("a"), of(outcome.Stopped), result("a", outcome.Succeeded)}, 0, []string{outcome.Succeeded}},
		"denied":                        {[]outcome.Record{denied("a")}, 0, []string{outcome.NotRun}},
		"denied and told as a failure":  {[]outcome.Record{denied("a"), result("a", outcome.Failed)}, 0, []string{outcome.NotRun}},
		"denied and run":                {[]outcome.Record{denied("a"), result("a", outcome.Succeeded)}, 0, []string{outcome.RanDenied}},
		"denied, and it ran and failed": {[]outcome.Record{denied("a"), exited(result("a", outcome.Failed), 3)}, 0, []string{outcome.RanDenied}},
		"no intent":                     {[]outcome.Record{result("a", outcome.Succeeded)}, 0, []string{outcome.Unannounced}},
		"one call twice":                {[]outcome.Record{intent("a"), intent("a"), result("a", outcome.Failed), result("a", outcome.Succeeded)}, 0, []string{outcome.Succeeded, outcome.Failed}},
		"killed, and called again":      {[]outcome.Record{intent("a"), intent("a"), result("a", outcome.Succeeded)}, 2 * time.Hour, []string{outcome.Unknown, outcome.Succeeded}},
		"one of two came":               {[]outcome.Record{intent("a"), intent("a"), result("a", outcome.Succeeded), of(outcome.SessionEnded)}, 0, []string{outcome.Unknown, outcome.Succeeded}},
	} {
		w := guardtest.New(t, nil)
		j := journalOf(t, w)
		for _, r := range c.records {
			add(t, j, r)
		}

		var got []string
		for _, p := range outcome.Join(read(t, j).Records, w.Time.Add(c.later)) {
			got = append(got, p.State)
		}
		if len(got) != len(c.want) || got[0] != c.want[0] || got[len(got)-1] != c.want[len(got)-1] {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
