package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/session/facts"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/shared/audit"
)

const factsOfToday = ".governance/facts/2026-11-21.jsonl"

func persist(w *guardtest.World, arguments string) session.Persisted {
	w.Helper()
	var answer session.Persisted
	w.Call(session.PersistFact(deps(w)), arguments, &answer)
	return answer
}

// stored is all that is in the workspace and in the chain.
func stored(w *guardtest.World) string {
	w.Helper()
	var all strings.Builder
	err := filepath.WalkDir(w.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all.Write(text)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	for block, err := range w.Store.Blocks(context.Background(), 1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		all.Write(block.Lines)
	}
	return all.String()
}

func TestAFactOfEachCategoryGoesWhereItBelongs(t *testing.T) {
	sinks := map[string]string{
		"research":     "research/a-title.md",
		"api_result":   "research/a-title.md",
		"decision":     "decisions/2026-11-21.md",
		"confirmation": "confirmations/2026-11-21.md",
		"contact":      "contacts.md",
		"deadline":     "deadlines.md",
		"partner":      "partners.md",
		"credential":   "",
	}
	for _, category := range facts.Categories {
		sink, known := sinks[category]
		if !known {
			t.Errorf("%s is not tested", category)
		}
		w := guardtest.New(t, nil)
		answer := persist(w, `{"category":"`+category+`","title":"A title","content":"some words","tags":["x"]}`)

		if answer.Status != "persisted" || answer.File != factsOfToday || answer.Fact.Source != "chat" || answer.Fact.SessionID == "" || answer.Fact.Processed != (sink != "") || answer.Message == "" {
			t.Errorf("%s: %+v", category, answer)
		}
		if sink != "" && (!strings.Contains(w.Read(sink), "> some words") || !strings.Contains(strings.Join(answer.Actions, " "), sink)) {
			t.Errorf("%s: %v", category, answer.Actions)
		}
		entries := w.Recorded("SESSION_PERSIST")
		if len(entries) != 1 || !strings.Contains(string(entries[0].Payload), "A title") || strings.Contains(string(entries[0].Payload), "some words") {
			t.Errorf("%s: %v", category, entries)
		}

		var line map[string]any
		if err := json.Unmarshal([]byte(w.Read(factsOfToday)), &line); err != nil || line["id"] != answer.Fact.ID || len(line) != 9 {
			t.Errorf("%s: %v %v", category, line, err)
		}
	}
}

func TestTheSameFactTwiceIsADuplicate(t *testing.T) {
	w := guardtest.New(t, nil)
	const fact = `{"category":"decision","title":"t","content":"c"}`
	first := persist(w, fact)
	again := persist(w, fact)
	if again.Status != "duplicate" || again.Fact.ID != first.Fact.ID || again.Entry != "" || len(again.Actions) != 0 || len(w.Recorded("SESSION_PERSIST")) != 1 {
		t.Errorf("%+v", again)
	}
	w.Time = w.Time.Add(24 * time.Hour)
	if next := persist(w, fact); next.Status != "persisted" {
		t.Errorf("%+v", next)
	}
}

// D15: no fact keeps a secret in clear text, and no error tells one.
func TestD15SessionPersistStoresNoCredential(t *testing.T) {
	const secret = "Zk39fjQw02mVbx81aaPq"
	w := guardtest.New(t, map[string]string{"governance.yaml": "untouchable: [decisions/**]\n"})
	answer := persist(w, `{"category":"credential","title":"key `+secret+`","content":"`+secret+`","source":"`+secret+`","tags":["`+secret+`"]}`)
	persist(w, `{"category":"research","title":"api_key=`+secret+`x","content":"token=`+secret+`y","tags":["password=`+secret+`z"]}`)
	refused := w.Refused(session.PersistFact(deps(w)), `{"category":"decision","title":"api_key=`+secret+`x","content":"token=`+secret+`y"}`)

	told, err := json.Marshal([]any{answer, refused})
	if err != nil {
		t.Fatal(err)
	}
	if all := stored(w) + string(told); strings.Contains(all, secret) {
		t.Errorf("%s", all)
	}
	for _, part := range []string{`"aaPq"`, "sha256 ", "not kept"} {
		if !strings.Contains(answer.Fact.Content, part) {
			t.Errorf("%q does not tell %s", answer.Fact.Content, part)
		}
	}
}

func TestAGovernedSinkRefusesTheWholeFact(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "untouchable: [contacts.md]\nprotected: [decisions/**]\n"})
	made := session.PersistFact(deps(w))
	for category, entry := range map[string]string{"contact": "BLOCKED_UNTOUCHABLE", "decision": "BLOCKED_PROTECTED"} {
		e := w.Refused(made, `{"category":"`+category+`","title":"t","content":"c"}`)
		if e.Code != "approval_required" || len(w.Recorded(entry)) != 1 {
			t.Errorf("%s: %v", category, e)
		}
	}
	if _, err := os.Stat(filepath.Join(w.Dir, factsOfToday)); !errors.Is(err, fs.ErrNotExist) || len(w.Recorded("SESSION_PERSIST")) > 0 {
		t.Errorf("half done: %v", err)
	}

	actions, err := w.Gate.Actions("session_persist", "edit", []string{"decisions/2026-11-21.md"}, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := w.Approvals.Request(t.Context(), actions[0].Action, actions[0].Policy, "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Approvals.Decide(t.Context(), asked.ID, "a person", true); err != nil {
		t.Fatal(err)
	}
	if answer := persist(w, `{"category":"decision","title":"t","content":"c"}`); answer.Status != "persisted" || len(w.Recorded("APPROVAL_USED")) != 1 {
		t.Errorf("%+v", answer)
	}
}

func TestBadFactsAreRefused(t *testing.T) {
	w := guardtest.New(t, nil)
	for arguments, field := range map[string]string{
		`{"title":"t","content":"c"}`:                                                        "/category",
		`{"category":"gossip","title":"t","content":"c"}`:                                    "/category",
		`{"category":"research","title":"","content":"c"}`:                                   "/title",
		`{"category":"research","title":" \u200b","content":"c"}`:                            "/title",
		`{"category":"research","title":"t","content":" \n"}`:                                "/content",
		`{"category":"research","title":"` + strings.Repeat("t", 201) + `","content":"c"}`:   "/title",
		`{"category":"research","title":"t","content":"` + strings.Repeat("c", 20001) + `"}`: "/content",
		`{"category":"research","title":"t","content":"c","path":"x"}`:                       "/path",
	} {
		if e := w.Refused(session.PersistFact(deps(w)), arguments); e.Code != "invalid_argument" || e.Field != field {
			t.Errorf("%.60s: %v %s", arguments, e, e.Field)
		}
	}

	for config, code := range map[string]string{
		"session: {facts_dir: ../facts}":              "path_outside_workspace",
		"session: {facts_dir: /tmp/facts}":            "path_outside_workspace",
		"session: {sinks: {research: ../x.md}}":       "path_outside_workspace",
		"session: {sinks: {research: \"{name}.md\"}}": "not_configured",
		"session: {sinks: {gossip: x.md}}":            "not_configured",
		"session: {sinks: {research: .governance/x}}": "approval_required",
	} {
		w.Write("governance.yaml", config+"\n")
		e := w.Refused(session.PersistFact(deps(w)), `{"category":"research","title":"t","content":"c"}`)
		if e.Code != code || strings.Contains(e.Message+e.Hint, w.Dir) {
			t.Errorf("%s: %v", config, e)
		}
	}
}

func TestManyFactsAtTheSameTime(t *testing.T) {
	w := guardtest.New(t, nil)
	made := session.PersistFact(deps(w))
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			var answer session.Persisted
			w.Call(made, `{"category":"decision","title":"t`+strings.Repeat("x", i)+`","content":"c"}`, &answer)
		})
	}
	all.Wait()

	lines := strings.Count(w.Read(factsOfToday), "\n")
	if marks := strings.Count(w.Read("decisions/2026-11-21.md"), "<!-- fact"); lines != 24 || marks != 24 || len(w.Recorded("SESSION_PERSIST")) != 24 {
		t.Errorf("%d lines, %d in the sink, %d entries", lines, marks, len(w.Recorded("SESSION_PERSIST")))
	}
}

// The id of a session lets others speak in it, so a fact does not tell it.
func TestAFactTellsNoSessionID(t *testing.T) {
	w := guardtest.New(t, nil)
	result := session.PersistFact(deps(w)).Run(t.Context(), &tool.Call{
		Arguments: json.RawMessage(`{"category":"research","title":"t","content":"c"}`),
		Header:    http.Header{"Mcp-Session-Id": {"QWERTZUIOPASDF"}},
	})
	if result.IsError || !strings.Contains(string(result.Structured), `"session_id":"session-`) || strings.Contains(stored(w)+string(result.Structured), "QWERTZUIOP") {
		t.Errorf("%s", result.Structured)
	}
}

// brokenChain is one that takes no entries.
type brokenChain struct{ audit.Store }

func (brokenChain) Append(context.Context, ...audit.Event) ([]audit.Entry, error) {
	return nil, errors.New("the disk is full")
}

// brokenHead is a chain that cannot be read.
type brokenHead struct{ audit.Store }

func (brokenHead) Head(context.Context) (audit.Head, error) {
	return audit.Head{}, errors.New("the disk at /srv is gone")
}

// Without the chain the entry waits in the spool, from which the chain takes it.
func TestAFactWithoutTheChainIsRecordedLater(t *testing.T) {
	w := guardtest.New(t, nil)
	w.Log.Trail = brokenChain{w.Store}
	answer := persist(w, `{"category":"decision","title":"t","content":"c"}`)
	if answer.Status != "persisted" || answer.Entry == "" || len(w.Recorded("SESSION_PERSIST")) != 0 {
		t.Errorf("%+v", answer)
	}

	w.Log.Trail = w.Store
	if err := w.Log.Flush(t.Context()); err != nil || len(w.Recorded("SESSION_PERSIST")) != 1 {
		t.Errorf("%v", err)
	}
}
