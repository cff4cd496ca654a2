package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	toolaudit "governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/core"
	"governance.internal/functions/toolserver/tools/ops"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/shared/audit"
)

// structured decodes the structured content of a call that must succeed.
func structured[T any](r running, name, arguments string, headers ...string) (out T) {
	r.Helper()
	result := r.call(name, arguments, headers...)
	text, err := json.Marshal(result["structuredContent"])
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil || result["isError"] != nil {
		r.Fatalf("%s %s: %v (%v)", name, arguments, result, err)
	}
	return out
}

// record appends events of some types.
func (r running) record(types ...string) {
	r.Helper()
	for i, name := range types {
		id, err := audit.NewID(r.deps.Now(), r.deps.Random)
		if err != nil {
			r.Fatal(err)
		}
		if _, err := r.deps.Audit.Append(r.Context(), audit.Event{ID: id, Actor: "agent", Type: name, Payload: map[string]any{"n": i}}); err != nil {
			r.Fatal(err)
		}
	}
}

// A rule names a tool only if this server has it.
func TestGetFrameworkNamesOnlyToolsThatExist(t *testing.T) {
	r := start(t, nil)
	there := sprint(r.list())
	f := structured[core.Framework](r, "get_framework", `{"format":"markdown"}`)
	held := 0
	for _, rule := range f.Rules {
		for _, name := range rule.EnforcedBy {
			held++
			if !strings.Contains(there, `"`+name+`"`) {
				t.Errorf("%s names %s", rule.ID, name)
			}
		}
	}
	if len(f.Rules) != 9 || held == 0 || f.Protocol.Default != "LOGIC" || f.Workspace.Configured || !strings.Contains(f.Document, "DISPATCH DONT DO") {
		t.Errorf("%d rules, %d tools, %+v", len(f.Rules), held, f.Workspace)
	}
}

func TestGuardrailRulesCountViolationsFromTheChain(t *testing.T) {
	r := start(t, nil)
	r.record("BLOCKED_UNTOUCHABLE", "BLOCKED_UNTOUCHABLE", "BLOCKED_PROTECTED", "payment.settled")
	rules := structured[core.GuardrailRules](r, "guardrail_rules", `{}`)
	got := map[string]uint64{}
	for _, rule := range rules.Rules {
		got[rule.ID] = rule.Violations
	}
	if got["untouchable"] != 2 || got["ask_before_touching"] != 1 || got["hand_off"] != 0 || rules.Classification != nil {
		t.Errorf("%v", got)
	}
	one := structured[core.GuardrailRules](r, "guardrail_rules", `{"rule":"hand_off","classify":"+if x {"}`)
	if none := r.call("guardrail_rules", `{"rule":"none"}`); none["isError"] != true || !strings.Contains(sprint(none), "hand_off") {
		t.Errorf("a rule that does not exist: %v", none)
	}
	if len(one.Rules) != 1 || one.Classification == nil || one.Classification.MayProceed {
		t.Errorf("%+v", one)
	}
}

func TestSystemInfoHasNoNumberWithoutASource(t *testing.T) {
	r := start(t, nil)
	r.record("BLOCKED_UNTOUCHABLE")
	r.call("get_framework", `{}`)
	stats := map[string]uint64{}
	for _, s := range structured[core.SystemInfo](r, "get_governance_system_info", `{"topic":"stats"}`).Stats {
		if s.Source == "" {
			t.Errorf("%s has no source", s.Name)
		}
		stats[s.Name] = s.Value
	}
	if stats["audit_entries"] != 2 || stats["tool_calls"] != 2 || stats["violations_blocked_untouchable"] != 1 {
		t.Errorf("%v", stats)
	}
	for secret, want := range map[string]string{killSecret: "ready", "": "needs_config"} {
		r := start(t, func(d *depsOf) { d.KillSecret = secret })
		for _, c := range structured[core.SystemInfo](r, "get_governance_system_info", `{"topic":"capabilities"}`).Capabilities {
			if c.Tool == "emergency_kill_switch" && c.State != want {
				t.Errorf("%+v, want %s", c, want)
			}
		}
	}
}

// D13: a chain that lost its end is valid by itself; a head that was noted shows it.
func TestD13VerificationFindsWhatIsMissing(t *testing.T) {
	r := start(t, nil)
	r.record("a", "b", "c")
	verify := func(arguments string) map[string]any {
		return r.call("verify_audit_chain", arguments)["structuredContent"].(map[string]any)
	}
	whole := verify(`{}`)
	if whole["valid"] != true || whole["entries"] != 4.0 || whole["broken_at"] != nil || whole["anchored"] != true || len(whole["claims"].([]any)) == 0 {
		t.Errorf("%v", whole)
	}
	hash := whole["head"].(map[string]any)["hash"].(string)
	if v := verify(`{"expect_head":"` + hash + `","expect_entries":4}`); v["valid"] != true || v["anchored"] != true {
		t.Errorf("its own head: %v", v)
	}
	if v := verify(`{"expect_entries":5}`); v["valid"] != false || v["broken_at"] != 5.0 || v["reason"] != "truncated" {
		t.Errorf("an entry is missing: %v", v)
	}
	if v := verify(`{"expect_head":"` + strings.Repeat("ab", 32) + `"}`); v["valid"] != false || v["broken_at"] == nil {
		t.Errorf("another head: %v", v)
	}
	answer, plain := r.send("GET", "/audit/verify?expect_entries=5", "")
	if answer.StatusCode != 200 || plain["valid"] != false || plain["broken_at"] != 5.0 {
		t.Errorf("GET: %d %v", answer.StatusCode, plain)
	}
	for _, query := range []string{"?expect_entries=x", "?expect_head=1", "?other=1", "?expect_entries=99999999999999999999"} {
		if answer, object := r.send("GET", "/audit/verify"+query, ""); answer.StatusCode != 400 {
			t.Errorf("%s: %d %v", query, answer.StatusCode, object)
		}
	}
	if _, health := r.send("GET", "/health", ""); health["checks"].(map[string]any)["chain"] != "valid" {
		t.Errorf("what a caller expected is not what the chain is: %v", health)
	}
}

// A chain that cannot be read is not a broken chain, and not a valid one.
func TestAnUnreadableChainIsUnavailable(t *testing.T) {
	r := start(t, func(d *depsOf) {
		d.Verify = func(context.Context, ...audit.Anchor) (audit.Report, error) {
			return audit.Report{}, errors.New("the disk at /srv/secret is gone")
		}
	})
	answer, object := r.send("GET", "/audit/verify", "")
	if answer.StatusCode != 503 || object["valid"] != nil || strings.Contains(sprint(object), "/srv") {
		t.Errorf("%d %v", answer.StatusCode, object)
	}
	if result := r.call("verify_audit_chain", `{}`); result["isError"] != true || !strings.Contains(sprint(result), "unavailable") {
		t.Errorf("%v", result)
	}
	health := structured[ops.Health](r, "get_health_status", `{}`)
	if health.Chain != nil || health.Status != "critical" || !strings.Contains(sprint(health.Unavailable), "chain") {
		t.Errorf("%+v", health)
	}
}

func TestABrokenChainIsSeenInTheHealth(t *testing.T) {
	r := start(t, func(d *depsOf) {
		verify := d.Verify
		d.Verify = func(ctx context.Context, further ...audit.Anchor) (audit.Report, error) {
			return verify(ctx, append(further, audit.ExpectHead(9, audit.Hash{1}))...)
		}
	})
	r.call("verify_audit_chain", `{}`)
	answer, health := r.send("GET", "/health", "")
	if answer.StatusCode != 200 || health["status"] != "degraded" || health["checks"].(map[string]any)["chain"] != "broken" {
		t.Errorf("%d %v", answer.StatusCode, health)
	}
	if h := structured[ops.Health](r, "get_health_status", `{}`); h.Status != "critical" || h.Chain == nil || h.Chain.Valid {
		t.Errorf("%+v", h)
	}
}

func TestHealthTellsWhatItReadAndWhatItCouldNot(t *testing.T) {
	r := start(t, nil)
	h := structured[ops.Health](r, "get_health_status", `{}`)
	if h.Status != "ok" || h.RAM == nil || *h.RAM != (host.Memory{TotalMB: 1024, AvailableMB: 768, UsedPercent: 25, Source: "cgroup"}) ||
		len(h.Disk) != 1 || h.Disk[0].UsedPercent != 60 || h.Dispatches.Max != 2 || h.Chain == nil || !h.Chain.Valid || len(h.Alerts) != 0 {
		t.Errorf("%+v", h)
	}
	full := start(t, func(d *depsOf) {
		d.Host.Disk = func(string) (uint64, uint64, error) { return 100_000_000_000, 10_000_000_000, nil }
	})
	if h := structured[ops.Health](full, "get_health_status", `{}`); h.Status != "warn" || len(h.Alerts) != 1 {
		t.Errorf("%+v", h.Alerts)
	}
	blind := start(t, func(d *depsOf) {
		d.Host.Files = os.DirFS(t.TempDir())
		d.Host.Disk = func(string) (uint64, uint64, error) { return 0, 0, errors.New("unknown") }
	})
	h = structured[ops.Health](blind, "get_health_status", `{}`)
	if h.RAM != nil || h.CPU != nil || len(h.Disk) != 0 || len(h.Unavailable) != 4 {
		t.Errorf("%+v", h)
	}
	if _, object := blind.send("GET", "/dispatches", ""); object["free_ram_mb"] != nil || object["max_concurrent"] != 2.0 {
		t.Errorf("%v", object)
	}
	if _, object := r.send("GET", "/dispatches", ""); object["free_ram_mb"] != 768.0 || len(object["active"].([]any)) != 0 {
		t.Errorf("%v", object)
	}
}

// No answer shows a path of the machine or a secret of the server.
func TestNothingOfTheMachineIsShown(t *testing.T) {
	r := start(t, func(d *depsOf) { d.Token = apiToken })
	var all strings.Builder
	for _, each := range r.list("Authorization", "Bearer "+apiToken) {
		for _, arguments := range []string{`{}`, `{"reason":"a test"}`, `{"config_json":"{}"}`, `{"topic":"stats"}`} {
			all.WriteString(sprint(r.call(each.Name, arguments, "Authorization", "Bearer "+killSecret)))
		}
	}
	for _, path := range []string{"/", "/health", "/dispatches", "/audit/verify"} {
		_, object := r.send("GET", path, "", "Authorization", "Bearer "+apiToken)
		all.WriteString(sprint(object))
	}
	for _, hidden := range []string{killSecret, apiToken, r.deps.DataDir, filepath.Dir(r.deps.DataDir)} {
		if strings.Contains(all.String(), hidden) {
			t.Errorf("%q is shown", hidden)
		}
	}
}

// A fact that session_persist keeps is what the drift audit looks for in the handoff.
func TestAKeptFactMustBeHandedOver(t *testing.T) {
	dir := project(t, map[string]string{"SESSION_HANDOFF.md": "# Handoff\n"})
	r := start(t, func(d *depsOf) { d.Workspace = dir })
	before := structured[toolaudit.Drift](r, "drift_audit", `{"scope":"session_facts"}`)
	if before.Status != "not_checked" {
		t.Errorf("%+v", before)
	}

	kept := structured[session.Persisted](r, "session_persist", `{"category":"decision","title":"Use SQLite","content":"it is enough"}`)
	after := structured[toolaudit.Drift](r, "drift_audit", `{"scope":"session_facts"}`)
	if after.Status != "drift_detected" || len(after.Drifts) != 1 || after.Drifts[0].Source != kept.File {
		t.Errorf("%+v", after)
	}
	brief := structured[session.Briefing](r, "discovery_briefing", `{}`)
	if brief.Counts.UseNow != 1 || brief.Items[0].Title != "Use SQLite" {
		t.Errorf("%+v", brief)
	}

	structured[session.Handoff](r, "session_handoff", `{"action":"write","content":"# Handoff\n\nWe use SQLite.\n"}`)
	if handed := structured[toolaudit.Drift](r, "drift_audit", `{"scope":"session_facts"}`); handed.Status != "clean" {
		t.Errorf("%+v", handed)
	}
}
