package reconcile_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/reconcile"
)

// project is a governed project with an agent that works in it.
type project struct {
	*guardtest.World
	net   *baseline.Net
	calls int
}

const rules = `version: 1
untouchable: ["infra/**"]
protected: ["go.mod", "docs/**"]
`

func newProject(t *testing.T) *project {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": rules,
		"go.mod":          "module x\n",
		"docs/a.md":       "a\n",
		"docs/b.md":       "b\n",
		"infra/main.tf":   "x\n",
		"src/a.go":        "package a\n",
	})
	w.Gate.Enforces = true
	p := &project{World: w}
	p.net = &baseline.Net{
		Workspace: w.Workspace,
		Log:       w.Log,
		Now:       w.Now,
		Approved:  w.Approvals.UsedSince,
	}
	if err := p.net.TakeFirst(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *project) pass(d time.Duration) { p.Time = p.Time.Add(d) }

func (p *project) report() reconcile.Report {
	p.Helper()
	p.pass(time.Second)
	comparison := reconcile.Comparison{
		Net:     p.net,
		Journal: p.journal(),
	}
	report, err := comparison.Run(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	return report
}

func (p *project) journal() outcome.Journal {
	return outcome.Journal{
		Workspace: p.Workspace,
		Now:       p.Now,
		Random:    rand.Reader,
	}
}

// tell calls the hook, as the agent does.
func (p *project) tell(event, tool string, input map[string]any, use int) hook.Answer {
	p.Helper()
	p.pass(time.Second)
	text, err := json.Marshal(map[string]any{
		"session_id":      "s",
		"cwd":             p.Dir,
		"hook_event_name": event,
		"tool_name":       tool,
		"tool_input":      input,
		"tool_use_id":     fmt.Sprint("call ", use),
		"tool_response":   map[string]any{},
	})
	if err != nil {
		p.Fatal(err)
	}
	return hook.Run(context.Background(), p.Gate, "claude-code", strings.NewReader(string(text)))
}

// approve lets the next call pass that does this.
func (p *project) approve(action preflight.Approvable) {
	p.Helper()
	asked, err := p.Approvals.Request(context.Background(), action.Action, action.Policy, "why", time.Hour)
	if err == nil {
		_, err = p.Approvals.Decide(context.Background(), asked.ID, "a person", true)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// edit changes a file by a call that a person approved.
func (p *project) edit(file, text string) {
	p.Helper()
	actions, err := p.Gate.Actions("claude-code", preflight.Edit, []string{file}, "")
	if err != nil {
		p.Fatal(err)
	}
	p.approve(actions[0])
	p.around("Write", map[string]any{"file_path": file, "content": text}, func() { p.Write(file, text) })
}

// editMeanwhile changes a file as edit does, and something else writes to it before the report.
func (p *project) editMeanwhile(file, text, other string) {
	p.Helper()
	actions, err := p.Gate.Actions("claude-code", preflight.Edit, []string{file}, "")
	if err != nil {
		p.Fatal(err)
	}
	p.approve(actions[0])
	p.around("Write", map[string]any{"file_path": file, "content": text}, func() { p.Write(file, other) })
}

// run does something by a command that a person approved.
func (p *project) run(command string, do func()) {
	p.Helper()
	actions, err := p.Gate.Actions("claude-code", "", nil, command)
	if err != nil {
		p.Fatal(err)
	}
	p.approve(actions[0])
	p.around("Bash", map[string]any{"command": command}, do)
}

// around is a call of a tool with its report.
func (p *project) around(tool string, input map[string]any, do func()) {
	p.Helper()
	p.calls++
	use := p.calls
	if answer := p.tell("PreToolUse", tool, input, use); answer != (hook.Answer{}) {
		p.Fatalf("%s %v: %+v", tool, input, answer)
	}
	do()
	if answer := p.tell("PostToolUse", tool, input, use); answer != (hook.Answer{}) {
		p.Fatalf("%s %v: %+v", tool, input, answer)
	}
}

func (p *project) remove(file string) {
	p.Helper()
	if err := os.RemoveAll(filepath.Join(p.Dir, file)); err != nil {
		p.Fatal(err)
	}
}

// found are the paths of the changes, once each, sorted.
func found(r reconcile.Report) string {
	var paths []string
	for _, change := range r.Changes {
		paths = append(paths, change.Path)
	}
	slices.Sort(paths)
	return strings.Join(slices.Compact(paths), " ")
}

func TestChangesWithAnEntryAreExplained(t *testing.T) {
	p := newProject(t)
	p.edit("go.mod", "module y\n")
	p.edit("docs/new.md", "new\n")
	p.run("rm docs/a.md", func() { p.remove("docs/a.md") })
	p.run("rm -r docs", func() { p.remove("docs") })
	p.around("Write", map[string]any{"file_path": "src/b.go", "content": "x"}, func() { p.Write("src/b.go", "x") })

	reading, err := p.journal().Read()
	if err != nil || len(reading.Records[0].Approvals) != 1 {
		t.Errorf("the approval is not on the record: %+v %v", reading.Records[0], err)
	}

	r := p.report()
	if !r.Complete || r.Explained != 5 || !strings.HasPrefix(r.Claim, "Every change that was found on ") {
		t.Errorf("%+v", r)
	}
}

func TestChangesWithoutAnEntryAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *project)
		want   string
		seen   string
	}{
		"a file changed":             {func(p *project) { p.Write("infra/main.tf", "y\n") }, "infra/main.tf", "comparison"},
		"a file added":               {func(p *project) { p.Write("infra/new.tf", "y\n") }, "infra/new.tf", "comparison"},
		"a file removed":             {func(p *project) { p.remove("docs/b.md") }, "docs/b.md", "comparison"},
		"the rules changed":          {func(p *project) { p.Write("governance.yaml", rules+"# more\n") }, "governance.yaml", "comparison"},
		"permissions changed":        {func(p *project) { _ = os.Chmod(filepath.Join(p.Dir, "go.mod"), 0o755) }, "go.mod", "comparison"},
		"before an allowed change":   {func(p *project) { p.Write("go.mod", "evil\n"); p.edit("go.mod", "module y\n") }, "go.mod", "hook"},
		"after an allowed change":    {func(p *project) { p.edit("go.mod", "module y\n"); p.Write("go.mod", "evil\n") }, "go.mod", "comparison"},
		"during an allowed change":   {func(p *project) { p.editMeanwhile("go.mod", "module y\n", "evil\n") }, "go.mod", "hook"},
		"by a command that hides it": {func(p *project) { p.run("sh -c \"$X\"", func() { p.Write("go.mod", "evil\n") }) }, "go.mod", "comparison"},
		"by a program of the agent": {func(p *project) {
			p.around("Bash", map[string]any{"command": "ls"}, func() { p.Write("infra/main.tf", "y\n") })
		}, "infra/main.tf", "comparison"},
		"seen by the watcher, undone": {func(p *project) { p.Write("infra/main.tf", "y\n"); watch(p); p.Write("infra/main.tf", "x\n") }, "infra/main.tf", "watcher"},
	} {
		p := newProject(t)
		c.change(p)
		r := p.report()
		if got := found(r); r.Complete || got != c.want || r.Changes[0].Seen != c.seen || r.Changes[0].Kind != "unexplained_change" {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.want, r.Changes)
		}
		if !strings.Contains(r.Claim, "have no entry") {
			t.Errorf("%s: %s", name, r.Claim)
		}
	}
}

func watch(p *project) {
	p.Helper()
	if _, err := p.net.Watch(context.Background()); err != nil {
		p.Fatal(err)
	}
}

// An outcome of a call that the guard refused explains nothing.
func TestARefusedCallExplainsNothing(t *testing.T) {
	p := newProject(t)
	input := map[string]any{"file_path": "infra/main.tf", "content": "y\n"}
	if answer := p.tell("PreToolUse", "Write", input, 1); answer == (hook.Answer{}) {
		t.Fatal("the call is allowed")
	}
	p.Write("infra/main.tf", "y\n")
	p.tell("PostToolUse", "Write", input, 1)

	if r := p.report(); found(r) != "infra/main.tf" {
		t.Errorf("%+v", r)
	}
}

// A crash after any step between intent and outcome leaves the call unknown, and what it
// changed unexplained. It never makes the record say that the call succeeded, failed or did not
// happen.
func TestACrashBetweenIntentAndOutcomeLeavesUnknown(t *testing.T) {
	for crash, c := range map[string]struct {
		changed bool
		want    string
	}{
		"after the intent": {false, ""},
		"after the change": {true, "go.mod"},
	} {
		p := newProject(t)
		actions, err := p.Gate.Actions("claude-code", preflight.Edit, []string{"go.mod"}, "")
		if err != nil {
			t.Fatal(err)
		}
		p.approve(actions[0])
		p.tell("PreToolUse", "Write", map[string]any{"file_path": "go.mod", "content": "y"}, 1)
		if c.changed {
			p.Write("go.mod", "half")
		}
		p.pass(2 * time.Hour)

		r := p.report()
		if r.Unknown != 1 || found(r) != c.want {
			t.Errorf("%s: %d unknown, %q: %+v", crash, r.Unknown, found(r), r)
		}
		if c.changed && !strings.Contains(strings.Join(r.Changes[0].During, " "), "call 1 (unknown)") {
			t.Errorf("%s: %+v", crash, r.Changes)
		}

		p.edit("go.mod", "module z\n") // work goes on
		if again := p.report(); again.Unknown != 1 || found(again) != c.want {
			t.Errorf("%s, then an edit: %d unknown, %q", crash, again.Unknown, found(again))
		}
	}
}

// A project without a baseline gets one, and nothing is claimed of the time before.
func TestWithoutABaselineNothingIsClaimed(t *testing.T) {
	p := newProject(t)
	p.remove(".governance/baseline.json")
	p.Log.Trail = nil // else the chain knows that there was one
	r := p.report()
	if r.Complete || !strings.HasPrefix(r.Claim, "Nothing can be said yet") {
		t.Errorf("%+v", r)
	}
	if again := p.report(); !again.Complete {
		t.Errorf("%+v", again)
	}
}

func TestARemovedBaselineIsNoFreshStart(t *testing.T) {
	p := newProject(t)
	p.remove(".governance/baseline.json")
	if r := p.report(); r.Complete || !strings.Contains(r.Claim, "the baseline was removed") {
		t.Errorf("%+v", r)
	}
}

// A record that is gone from the journal or was changed is found with the chain.
func TestTheJournalIsComparedWithTheChain(t *testing.T) {
	const segment = ".governance/journal/000001.jsonl"
	for name, c := range map[string]struct {
		damage  func(lines []string) string
		missing func(c *reconcile.Chain) []string
	}{
		"cut":     {func(lines []string) string { return strings.Join(lines[:2], "") }, func(c *reconcile.Chain) []string { return c.Cut }},
		"changed": {func(lines []string) string { return strings.ReplaceAll(strings.Join(lines, ""), "go.mod", "go.sum") }, func(c *reconcile.Chain) []string { return c.Changed }},
	} {
		p := newProject(t)
		p.edit("go.mod", "module y\n")
		p.edit("docs/a.md", "b\n")
		if err := (outcome.Drain{Journal: p.journal(), Log: p.Log}).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}

		whole := p.compared()
		if !whole.Complete || whole.Chain.Taken != 4 || whole.Counts[0].Journal != whole.Counts[0].Chain {
			t.Errorf("whole: %+v %+v", whole, whole.Chain)
		}

		p.Write(segment, c.damage(strings.SplitAfter(p.Read(segment), "\n")))
		r := p.compared()
		if r.Complete || len(c.missing(r.Chain)) != 2 {
			t.Errorf("%s: %+v", name, r.Chain)
		}
	}
}

// A refusal whose own entry was removed from the spool before the chain took it is missed.
func TestARefusalThatWasRemovedIsMissed(t *testing.T) {
	p := newProject(t)
	trail := p.Log.Trail
	p.Log.Trail = nil // no server runs
	p.tell("PreToolUse", "Write", map[string]any{"file_path": "infra/main.tf", "content": "y"}, 1)
	p.Log.Trail = trail
	if r := p.compared(); !r.Complete {
		t.Errorf("in the spool: %+v", r.Chain)
	}

	p.remove(".governance/spool")
	if r := p.compared(); r.Complete || len(r.Chain.Unrecorded) != 1 {
		t.Errorf("removed: %+v", r.Chain)
	}
}

// compared is the report with the chain.
func (p *project) compared() reconcile.Report {
	p.Helper()
	var chain strings.Builder
	head, err := p.Store.Head(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	for block, err := range p.Store.Blocks(context.Background(), 1, head.Seq) {
		if err != nil {
			p.Fatal(err)
		}
		chain.Write(block.Lines)
	}

	entries, err := reconcile.ReadEntries(strings.NewReader(chain.String()))
	if err != nil {
		p.Fatal(err)
	}
	comparison := reconcile.Comparison{
		Net:     p.net,
		Journal: p.journal(),
		Entries: entries,
	}
	report, err := comparison.Run(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	return report
}

// Random programs of writes with and without the hook: every write without it on a covered
// path is found, and nothing else.
func TestRandomProgramsOfGovernedAndUngovernedWrites(t *testing.T) {
	const programs, steps = 24, 25
	for seed := range uint64(programs) {
		p := newProject(t)
		random := mathrand.New(mathrand.NewPCG(seed, 1))
		want := map[string]bool{}
		ungoverned := 0
		for step := range steps {
			file := []string{"go.mod", "docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md"}[random.IntN(5)]
			text := fmt.Sprintln("step", step, seed)
			switch random.IntN(7) {
			case 3:
				p.editMeanwhile(file, text, "other "+text)
				want[file] = true
				ungoverned++
			case 0:
				p.pass(time.Second)
				p.Write(file, text)
				want[file] = true
				ungoverned++
			case 1:
				if _, err := os.Stat(filepath.Join(p.Dir, file)); err == nil {
					p.run("rm "+file, func() { p.remove(file) })
				}
			case 2:
				if _, err := p.net.Watch(t.Context()); err != nil {
					t.Fatal(err)
				}
			default:
				p.edit(file, text)
			}
		}

		var paths []string
		for path := range want {
			paths = append(paths, path)
		}
		slices.Sort(paths)
		r := p.report()
		if got := found(r); got != strings.Join(paths, " ") || r.Complete != (ungoverned == 0) {
			t.Errorf("program %d: %q, want %q", seed, got, paths)
		}
	}
}

// What the service itself changes has an entry, too: its tools ask the guard and no hook.
func TestChangesByToolsOfTheServiceAreExplained(t *testing.T) {
	p := newProject(t)
	writer := &edit.Writer{
		Workspace: p.Workspace,
		Gate:      p.Gate,
		Log:       p.Log,
		Now:       p.Now,
	}
	actions, err := p.Gate.Actions("fix", preflight.Edit, []string{"go.mod"}, "")
	if err != nil {
		t.Fatal(err)
	}
	p.approve(actions[0])

	p.pass(time.Second)
	done, err := writer.Run(t.Context(), "fix", "DOC_DRIFT_FIXED", false, []edit.File{{
		Path:  "go.mod",
		Edits: []edit.Edit{{Start: 7, End: 8, Was: "x", Write: "y"}},
	}})
	if err != nil || done.Changed() != 1 || p.Read("go.mod") != "module y\n" {
		t.Fatalf("%+v %v", done, err)
	}
	if r := p.report(); !r.Complete || r.Explained != 1 {
		t.Errorf("%+v", r)
	}

	p.Write("go.mod", "evil\n")
	if r := p.report(); found(r) != "go.mod" {
		t.Errorf("%+v", r.Changes)
	}
}
