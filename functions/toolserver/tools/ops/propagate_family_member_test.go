package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/tools/ops"
)

const family = `version: 1
untouchable: ["sealed.json"]
protected: ["guarded.json"]
roles_source: {file: team.json, list: /members}
members:
  targets:
    - {file: open.json, list: /members, fields: {role: role}, on_missing: add, on_extra: flag}
    - {file: sealed.json, list: /members, on_missing: add}
    - {file: guarded.json, list: /members, on_missing: add}
    - {file: page.html, format: text, contains: "{name}", on_missing: flag}
`

func relatives(t *testing.T) *guardtest.World {
	return guardtest.New(t, map[string]string{
		"governance.yaml": family,
		"team.json":       `{"members": [{"id": "ann", "name": "Ann", "role": "lead"}, {"id": "bob", "name": "Bob", "role": "cook"}]}`,
		"open.json":       "{\"members\": [\n  {\"id\": \"ann\", \"role\": \"lead\"},\n  {\"id\": \"old\", \"role\": \"x\"}\n]}\n",
		"sealed.json":     `{"members": [{"id": "ann"}]}`,
		"guarded.json":    `{"members": [{"id": "ann"}]}`,
		"page.html":       "<p>Ann</p>",
	})
}

func TestMembersAreAddedAndTheRestIsFlagged(t *testing.T) {
	w := relatives(t)
	var answer ops.MemberPropagation
	w.Call(ops.PropagateFamilyMember(propagation(w)), `{}`, &answer)
	if answer.Status != "applied" || answer.SourceCount != 2 || fmt.Sprint(answer.SourceIDs) != "[ann bob]" {
		t.Errorf("%+v", answer)
	}
	if fmt.Sprint(answer.AutoFixed) != "[{open.json added [bob]}]" {
		t.Errorf("%+v", answer.AutoFixed)
	}

	flags := map[string]string{}
	for _, m := range answer.ManualFlags {
		flags[m.File] += m.Status + fmt.Sprint(m.Missing)
	}
	if fmt.Sprint(flags) != "map[guarded.json:PROTECTED[bob] open.json:NEEDS_UPDATE[] page.html:NEEDS_UPDATE[bob] sealed.json:UNTOUCHABLE[bob]]" {
		t.Errorf("%v", flags)
	}
	want := "{\"members\": [\n  {\"id\": \"ann\", \"role\": \"lead\"},\n  {\"id\": \"old\", \"role\": \"x\"},\n  {\"id\": \"bob\", \"role\": \"cook\"}\n]}\n"
	if got := w.Read("open.json"); got != want {
		t.Errorf("got\n%s", got)
	}
	if w.Read("sealed.json") != `{"members": [{"id": "ann"}]}` {
		t.Error("an untouchable file changed")
	}
}

func TestOneMemberIsPropagatedAlone(t *testing.T) {
	w := relatives(t)
	w.Write("team.json", `{"members": [{"id": "ann"}, {"id": "bob"}, {"id": "eve"}]}`)
	var answer ops.MemberPropagation
	w.Call(ops.PropagateFamilyMember(propagation(w)), `{"member":"eve"}`, &answer)
	if text := w.Read("open.json"); !strings.Contains(text, "eve") || strings.Contains(text, "bob") {
		t.Errorf("%s", text)
	}
	if e := w.Refused(ops.PropagateFamilyMember(propagation(w)), `{"member":"max"}`); e.Code != "not_found" || e.Field != "/member" {
		t.Errorf("%+v", e)
	}
}

func TestABrokenListOfMembersIsNamedWithItsLine(t *testing.T) {
	w := relatives(t)
	w.Write("team.json", "{\"members\": [\n  {\"id\": \"ann\"},\n  {\"name\": \"nobody\"}\n]}")
	if e := w.Refused(ops.PropagateFamilyMember(propagation(w)), `{}`); e.Code != "not_configured" || !strings.Contains(e.Message, "line 3") {
		t.Errorf("%+v", e)
	}

	w.Write("governance.yaml", "version: 1\n")
	var answer ops.MemberPropagation
	w.Call(ops.PropagateFamilyMember(propagation(w)), `{}`, &answer)
	if answer.Status != "not_configured" || answer.Note == "" {
		t.Errorf("%+v", answer)
	}

	w.Write("governance.yaml", family+"propagation: {mode: preview}\n")
	w.Write("team.json", `{"members": [{"id": "ann"}, {"id": "bob"}]}`)
	w.Call(ops.PropagateFamilyMember(propagation(w)), `{}`, &answer)
	if !answer.DryRun || answer.ForcedBy != "config" || answer.Status != "propagation_needed" || strings.Contains(w.Read("open.json"), "bob") {
		t.Errorf("%+v", answer)
	}
}
