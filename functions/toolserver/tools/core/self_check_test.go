package core_test

import (
	"context"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/core"
)

func selfCheck(w *guardtest.World, probes ...core.Probe) (answer core.Self) {
	w.Call(core.CheckSelf(core.SelfDeps{Probes: probes, Now: w.Now}), `{}`, &answer)
	return answer
}

func probe(name string, severities ...string) core.Probe {
	return core.Probe{Name: name, Against: core.RunningServer, Run: func(context.Context) (o core.Observation) {
		for _, each := range severities {
			o.Found(each, "ID", "password=hunter2-but-longer is shown", "hint")
		}
		o.Detail = "tried"
		return o
	}}
}

func TestTheStatusIsThatOfTheWorstFinding(t *testing.T) {
	w := guardtest.New(t, nil)
	for want, probes := range map[string][]core.Probe{
		"not_checked":  nil,
		"clean":        {probe("a"), probe("b", core.SeverityInfo)},
		"issues_found": {probe("a", core.SeverityWarn, core.SeverityInfo)},
		"CRITICAL":     {probe("a", core.SeverityWarn), probe("b", core.SeverityError)},
	} {
		answer := selfCheck(w, probes...)
		if answer.Status != want || answer.Count != len(answer.Findings) || len(answer.Tests) != len(probes) {
			t.Errorf("%s: %+v", want, answer)
		}
		for _, f := range answer.Findings {
			if f.Probe == "" || f.Message == "password=hunter2-but-longer is shown" {
				t.Errorf("%+v", f)
			}
		}
		for _, each := range answer.Tests {
			if each.Against != core.RunningServer || each.Detail != "tried" || each.OK != (want == "clean") && want != "CRITICAL" {
				t.Errorf("%s: %+v", want, each)
			}
		}
	}
}

// A probe that cannot run is skipped, and is not called fine.
func TestAProbeThatCannotRunIsSkipped(t *testing.T) {
	w := guardtest.New(t, nil)
	answer := selfCheck(w, core.Probe{Name: "a", Run: func(context.Context) core.Observation {
		return core.Observation{Skipped: "no folder"}
	}})
	if answer.Status != "not_checked" || len(answer.Skipped) != 1 || answer.Skipped[0] != (core.SelfSkip{Check: "a", Reason: "no folder"}) {
		t.Errorf("%+v", answer)
	}
}

func TestOnlyOneSelfCheckRunsAtATime(t *testing.T) {
	w := guardtest.New(t, nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	check := core.CheckSelf(core.SelfDeps{Now: w.Now, Probes: []core.Probe{{Name: "a", Run: func(context.Context) core.Observation {
		close(entered)
		<-leave
		return core.Observation{}
	}}}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		var answer core.Self
		w.Call(check, `{}`, &answer)
	}()
	<-entered
	if e := w.Refused(check, `{}`); e.Code != "limit_exceeded" {
		t.Errorf("%+v", e)
	}
	close(leave)
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("the first one does not end")
	}
}
