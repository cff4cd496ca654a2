package ops_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/ops"
)

func usageDeps(w *guardtest.World, data fstest.MapFS) ops.UsageDeps {
	return ops.UsageDeps{Workspace: w.Workspace, Data: data, Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }}
}

func TestUsageComesFromTheWorkspaceAndFromDispatches(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "usage: {sources: [{file: \"usage/*.jsonl\"}], warn_tokens_day: 100}\n",
		"usage/a.jsonl":   `{"ts":"2026-11-21T01:00:00Z","bot":"lily","input_tokens":90,"output_tokens":10}` + "\nno record\n", "usage/b.jsonl": "", "usage/c.txt": "x",
	})
	data := fstest.MapFS{"dispatches/d1/usage.jsonl": {Data: []byte(`{"ts":"2026-11-20T01:00:00Z","bot":"dispatch","input_tokens":5,"output_tokens":1}` + "\n")}}
	var out ops.Usage
	w.Call(ops.ReportUsage(usageDeps(w, data)), `{"days":2}`, &out)
	if out.Status != "reported" || len(out.Days) != 2 || out.Days[0].Tokens != 100 || out.Days[1].Tokens != 6 || out.Malformed != 1 || len(out.Sources) != 3 || len(out.Alerts) != 1 || out.Alerts[0].Level != "WARNING" {
		t.Errorf("%+v", out)
	}
	if !strings.Contains(out.Text, "lily: 1 calls, 90 in, 10 out WARNING") {
		t.Errorf("%s", out.Text)
	}
	var other ops.Usage
	w.Call(ops.ReportUsage(usageDeps(w, data)), `{"days":2,"bot":"dispatch"}`, &other)
	if other.Days[0].Tokens != 0 || other.Days[1].Tokens != 6 || len(other.Alerts) != 0 {
		t.Errorf("%+v", other)
	}
}

func TestNoRecordsAreNoUsageOfNothing(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "usage: {sources: [{file: \"*.jsonl\"}]}\n", "old.jsonl": `{"ts":"2020-01-01T00:00:00Z","bot":"x","input_tokens":1,"output_tokens":1}` + "\n"})
	var out ops.Usage
	w.Call(ops.ReportUsage(usageDeps(w, nil)), `{}`, &out)
	if out.Status != "no_data" || len(out.Days) != 3 || !strings.Contains(out.Text, "No record") {
		t.Errorf("%+v", out)
	}
	w = guardtest.New(t, map[string]string{"governance.yaml": "version: 1\n"})
	if e := w.Refused(ops.ReportUsage(usageDeps(w, fstest.MapFS{})), `{}`); e.Code != "not_configured" || e.Hint == "" {
		t.Errorf("%v", e)
	}
}
