package approvals_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/tools/approvals"
)

func governed(t testing.TB) *guardtest.World {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance, "go.mod": "module x", "docs/adr/1.md": "x", "infra/prod/a": "x"})
	w.Gate.Enforces = true
	return w
}

func request(w *guardtest.World, arguments string) approvals.Request {
	w.Helper()
	var answer approvals.Request
	w.Call(approvals.RequestApproval(w.Gate), arguments, &answer)
	return answer
}

func grant(w *guardtest.World, id string) {
	w.Helper()
	if _, err := w.Approvals.Decide(context.Background(), id, "a person", true); err != nil {
		w.Fatal(err)
	}
}

func edit(w *guardtest.World, agent, path string) policy.Decision {
	w.Helper()
	report, err := w.Gate.Check(context.Background(), preflight.Action{Agent: agent, Tool: "Edit", Operation: preflight.Edit, Dir: ".", Paths: []string{path}})
	if err != nil {
		w.Fatal(err)
	}
	return report.Decision
}

func TestAnApprovalLetsOneChangePassOnce(t *testing.T) {
	w := governed(t)
	asked := request(w, `{"agent":"codex","paths":["./go.mod"],"reason":"a new dependency"}`)
	if asked.Status != "pending" || edit(w, "codex", "go.mod") != policy.Protected {
		t.Fatalf("%+v passes before it is granted", asked)
	}
	grant(w, asked.ID)
	for _, c := range []struct {
		agent, path string
		want        policy.Decision
	}{{"other", "go.mod", policy.Protected}, {"codex", "docs/adr/1.md", policy.Protected}, {"codex", filepath.Join(w.Dir, "go.mod"), policy.OK}, {"codex", "go.mod", policy.Protected}} {
		if got := edit(w, c.agent, c.path); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.agent, c.path, got, c.want)
		}
	}
	for event, n := range map[string]int{approval.EventRequested: 1, approval.EventDecided: 1, approval.EventUsed: 1} {
		if got := len(w.Recorded(event)); got != n {
			t.Errorf("%d entries %s", got, event)
		}
	}
}

func TestAnApprovalEndsWithItsTimeAndWithTheLists(t *testing.T) {
	w := governed(t)
	first := request(w, `{"agent":"a","paths":["go.mod"],"reason":"why","ttl_s":60}`)
	grant(w, first.ID)
	w.Time = w.Time.Add(61 * time.Second)
	if edit(w, "a", "go.mod") != policy.Protected {
		t.Error("an expired approval was used")
	}
	second := request(w, `{"agent":"a","paths":["go.mod"],"reason":"why"}`)
	grant(w, second.ID)
	w.Write("governance.yaml", guardtest.Governance+"ignore: [x]\nversions: []\n")
	w.Gate.Enforces = false
	if edit(w, "a", "go.mod") != policy.OK {
		t.Error("a change beside the lists ended an approval")
	}
	w.Write("governance.yaml", strings.Replace(guardtest.Governance, `"docs/adr/**"`, `"docs/**"`, 1))
	if edit(w, "a", "go.mod") != policy.Protected {
		t.Error("an approval outlived the lists that it was given under")
	}
}

func TestAnApprovalOfACommandIsForItsExactText(t *testing.T) {
	w := governed(t)
	asked := request(w, `{"agent":"a","command":"ruby -e 'print(1)'","reason":"why"}`)
	grant(w, asked.ID)
	run := func(text string) policy.Decision {
		report, err := w.Gate.CheckCommand(context.Background(), preflight.Action{Agent: "a", Dir: "."}, text)
		if err != nil {
			t.Fatal(err)
		}
		return report.Decision
	}
	if run("ruby -e 'print(2)'") != policy.Protected || run("ruby -e 'print(1)'") != policy.OK || run("ruby -e 'print(1)'") != policy.Protected {
		t.Error("the approval is not for one run of this text")
	}
	if e := w.Refused(approvals.RequestApproval(w.Gate), `{"agent":"a","command":"rm infra/prod/a","reason":"why"}`); !strings.Contains(e.Message, "infra/prod/a") {
		t.Errorf("%v", e)
	}
	state, err := w.Workspace.Load()
	if err != nil {
		t.Fatal(err)
	}
	blocked, err := w.Approvals.Request(context.Background(), preflight.CommandAction("a", "rm infra/prod/a"), state.Policy.Version(), "why", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	grant(w, blocked.ID)
	if run("rm infra/prod/a") != policy.Blocked {
		t.Error("an approval lifted untouchable")
	}
}

func TestOfManyAtTheSameTimeOneUsesAnApproval(t *testing.T) {
	w := governed(t)
	grant(w, request(w, `{"agent":"a","paths":["go.mod"],"reason":"why"}`).ID)
	var passed atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if edit(w, "a", "go.mod") == policy.OK {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if passed.Load() != 1 {
		t.Errorf("%d passed", passed.Load())
	}
}

// An agent cannot lift its own limits (D9): it can ask, and that is all.
func TestD9AgentsCannotGrant(t *testing.T) {
	w := governed(t)
	asked := request(w, `{"agent":"a","paths":["go.mod"],"reason":"key ghp_a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"}`)
	again := request(w, `{"agent":"a","paths":["go.mod"],"reason":"please"}`)
	if again.ID != asked.ID || len(w.Recorded(approval.EventRequested)) != 1 {
		t.Error("the same request was made twice")
	}
	for _, tool := range []string{`{"agent":"a","paths":["infra/prod/a"],"reason":"why"}`, `{"agent":"a","paths":["src/x"],"reason":"why"}`, `{"agent":"a","reason":"why"}`, `{"agent":"a","paths":["go.mod"],"reason":"why","ttl_s":86401}`} {
		if e := w.Refused(approvals.RequestApproval(w.Gate), tool); e.Code != "invalid_argument" {
			t.Errorf("%s: %v", tool, e)
		}
	}
	if edit(w, "a", ".governance/approvals.db") != policy.Blocked {
		t.Error("the book of approvals can be written")
	}
	text, err := os.ReadFile(filepath.Join(w.Dir, ".governance/approvals.db"))
	if err != nil || strings.Contains(string(text), "ghp_a8Kx93mQz") {
		t.Errorf("the secret of a reason is kept (%v)", err)
	}
}
