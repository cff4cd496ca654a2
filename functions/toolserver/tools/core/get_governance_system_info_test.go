package core

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/audit/memory"
)

func system(t *testing.T) System {
	t.Helper()
	store, err := memory.New("governance", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Unix(1_800_000_000, 0)
	return System{
		Name: "n", Version: "v", Build: "b", Started: began, Now: func() time.Time { return began.Add(90 * time.Second) }, Store: store,
		Count: func(context.Context, time.Time) (map[string]uint64, error) {
			return map[string]uint64{"BLOCKED_PROTECTED": 2}, nil
		},
		Calls:        func() uint64 { return 7 },
		Governed:     func() (uint64, uint64, error) { return 3, 4, nil },
		Capabilities: func(string) []Capability { return []Capability{{Tool: "t", State: "ready"}} },
	}
}

func infoOf(t *testing.T, s System, topic string) tool.Result {
	t.Helper()
	return GetGovernanceSystemInfo(s).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(`{"topic":"` + topic + `"}`)})
}

// Each topic has something to say, and only the figures need the chain.
func TestEveryTopicHasAnAnswer(t *testing.T) {
	s := system(t)
	for _, topic := range []string{"overview", "origin", "problem_it_solves", "implementation_guide", "stats", "capabilities"} {
		var info SystemInfo
		result := infoOf(t, s, topic)
		if err := json.Unmarshal(result.Structured, &info); err != nil || info.Topic != topic || len(info.Text)+len(info.Steps)+len(info.Stats)+len(info.Capabilities) == 0 {
			t.Errorf("%s: %s (%v)", topic, result.Structured, err)
		}
	}
	s.Count = func(context.Context, time.Time) (map[string]uint64, error) { return nil, errors.New("gone") }
	if result := infoOf(t, s, "stats"); result.Err == nil || result.Err.Code != "unavailable" {
		t.Errorf("figures without the chain: %+v", result)
	}
	if result := infoOf(t, s, "overview"); result.IsError {
		t.Errorf("the overview needs no chain: %+v", result.Err)
	}
	if result := infoOf(t, s, "everything"); result.Err == nil || result.Err.Code != "invalid_argument" {
		t.Errorf("no such topic: %+v", result)
	}
}

func TestEveryFigureHasItsSource(t *testing.T) {
	var info SystemInfo
	if err := json.Unmarshal(infoOf(t, system(t), "stats").Structured, &info); err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, s := range info.Stats {
		if got[s.Name] = s.Value; s.Source == "" {
			t.Errorf("%s has no source", s.Name)
		}
	}
	for name, want := range map[string]uint64{"audit_entries": 1, "tool_calls": 7, "uptime_s": 90, "files_untouchable": 3, "files_protected": 4, "violations_blocked_protected": 2} {
		if got[name] != want {
			t.Errorf("%s is %d, want %d", name, got[name], want)
		}
	}
}
