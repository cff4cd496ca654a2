package policydiff_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/policydiff"
)

// past is a project in which an agent did something.
type past struct{ *guardtest.World }

const rules = "version: 1\nuntouchable: [\"infra/**\"]\nprotected: [\"go.mod\"]\n"

func newPast(t *testing.T) past {
	return past{guardtest.New(t, map[string]string{
		"governance.yaml": rules,
		"go.mod":          "module x\n",
		"infra/a.tf":      "x",
		"src/a.go":        "x",
		"docs/a.md":       "x",
	})}
}

// call is a call of a tool that the hook judges.
func (p past) call(tool string, input map[string]any, kind string) {
	p.Helper()
	p.Time = p.Time.Add(time.Minute)
	text, err := json.Marshal(map[string]any{
		"session_id":      "s",
		"cwd":             p.Dir,
		"agent_type":      kind,
		"hook_event_name": "PreToolUse",
		"tool_name":       tool,
		"tool_input":      input,
		"tool_use_id":     fmt.Sprint(p.Time.Unix()),
	})
	if err != nil {
		p.Fatal(err)
	}
	hook.Run(p.Context(), p.Gate, "claude-code", strings.NewReader(string(text)))
}

func (p past) write(file string) {
	p.call("Write", map[string]any{"file_path": file, "content": "x"}, "")
}
func (p past) run(command string) { p.call("Bash", map[string]any{"command": command}, "") }

func (p past) state(text string) workspace.State {
	p.Helper()
	state, err := p.Workspace.With([]byte(text))
	if err != nil {
		p.Fatal(err)
	}
	return state
}

func (p past) replay(before, after string, since time.Time) policydiff.Report {
	p.Helper()
	journal := outcome.Journal{
		Workspace: p.Workspace,
		Now:       p.Now,
		Random:    rand.Reader,
	}
	reading, err := journal.Read()
	if err != nil {
		p.Fatal(err)
	}
	return policydiff.Replay(p.state(before), p.state(after), reading.Records, since)
}

func TestAReplaySaysWhatNewRulesWouldChange(t *testing.T) {
	p := newPast(t)
	p.write("src/a.go")
	p.write("infra/a.tf")
	p.write("docs/a.md")
	middle := p.Time.Add(time.Second)
	p.run("echo x > docs/b.md")
	p.run("rm -rf infra")
	p.run("ls docs")
	p.call("Write", map[string]any{"file_path": "src/b.go"}, "reviewer")
	p.call("Read", map[string]any{"file_path": "docs/a.md"}, "reviewer")

	for name, c := range map[string]struct {
		after string
		since time.Time
		want  []string
	}{
		"the same":       {rules, time.Time{}, nil},
		"more":           {rules + "# docs\n" + "allow: []\n", time.Time{}, nil},
		"docs protected": {strings.Replace(rules, `"go.mod"`, `"go.mod", "docs/**"`, 1), time.Time{}, []string{"docs/a.md allowed denied", "docs/b.md allowed denied"}},
		"lately":         {strings.Replace(rules, `"go.mod"`, `"docs/**"`, 1), middle, []string{"docs/b.md allowed denied"}},
		"infra is free":  {"version: 1\n", time.Time{}, []string{"infra/a.tf denied allowed", "infra denied allowed"}},
		"reviewers read": {rules + "agents: {reviewer: {read_only: true}}\n", time.Time{}, []string{" allowed denied"}},
	} {
		r := p.replay(rules, c.after, c.since)
		var got []string
		for _, change := range r.Changes {
			got = append(got, change.Path+" "+change.Before+" "+change.After)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") || r.CannotTell != 0 {
			t.Errorf("%s: %q, want %q (%d cannot tell)", name, got, c.want, r.CannotTell)
		}
		if r.Stricter+r.Milder != len(r.Changes) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Where the guard knew more than it wrote down, the replay does not guess.
func TestAReplayThatCannotTellSaysSo(t *testing.T) {
	p := newPast(t)
	p.Gate.Halted = func() string { return "stop" }
	p.write("src/a.go")
	p.Gate.Halted = nil
	p.run("rm -r src") // what was in it is not on the record
	if r := p.replay(rules, "version: 1\n", time.Time{}); r.CannotTell != 2 || len(r.Changes) != 0 {
		t.Errorf("%+v", r)
	}
}

// Whatever was done, the same rules give the same answers, and each change in one direction is
// a change back in the other.
func TestReplaysOfRandomPasts(t *testing.T) {
	variants := []string{rules, "version: 1\n", "version: 1\nuntouchable: [\"docs/**\"]\n", "version: 1\nprotected: [\"**/*.go\"]\n"}
	for seed := range uint64(8) {
		p := newPast(t)
		random := mathrand.New(mathrand.NewPCG(seed, 7))
		for range 15 {
			file := []string{"go.mod", "infra/a.tf", "src/a.go", "docs/a.md", "docs/new.md", ".git/config"}[random.IntN(6)]
			switch random.IntN(4) {
			case 0:
				p.run("rm " + file)
			case 1:
				p.run("python3 -c 'x' " + file)
			case 2:
				p.run("cat " + file + " | sort")
			default:
				p.write(file)
			}
		}

		for _, one := range variants {
			if r := p.replay(one, one, time.Time{}); len(r.Changes) > 0 {
				t.Errorf("%d: the same rules differ: %+v", seed, r.Changes)
			}
			for _, two := range variants[1:] {
				there, back := p.replay(one, two, time.Time{}), p.replay(two, one, time.Time{})
				if one != rules && (there.Stricter != back.Milder || there.Milder != back.Stricter) {
					t.Errorf("%d: %+v and back %+v", seed, there, back)
				}
			}
		}
	}
}
