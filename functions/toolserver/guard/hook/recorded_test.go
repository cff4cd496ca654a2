package hook_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// recorded is one call of the hook by a real agent, and the agent's report to its model.
// The recordings are made by hook/record; WORK stands for the project.
type recorded struct {
	ID   string          `json:"id"`
	Call json.RawMessage `json:"call"`
	Told string          `json:"told"`
}

func (r recorded) refused() bool {
	return strings.Contains(r.Told, "BLOCKED: ") || strings.Contains(r.Told, "PROTECTED: ")
}

// recording reads the agent's name and its calls.
func recording(t *testing.T, file string) (agent string, calls []recorded) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var head struct{ Agent, Version string }
		var call recorded
		switch {
		case agent == "":
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil || head.Agent == "" || head.Version == "" {
				t.Fatalf("%s begins with %q (%v)", file, lines.Text(), err)
			}
			agent = head.Agent
		default:
			if err := json.Unmarshal(lines.Bytes(), &call); err != nil || call.ID == "" {
				t.Fatalf("%s: %q (%v)", file, lines.Text(), err)
			}
			calls = append(calls, call)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return agent, calls
}

// bypassed is the project of the recordings, with the links that the bypasses use.
func bypassed(t *testing.T) *guardtest.World {
	w := governed(t)
	if err := os.Link(filepath.Join(w.Dir, "infra/prod/main.tf"), filepath.Join(w.Dir, "src/hard")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../infra/prod", filepath.Join(w.Dir, "src/soft")); err != nil {
		t.Fatal(err)
	}
	return w
}

// Real agents obeyed the guard when the session was recorded, and the guard still
// says the same: every change of an untouchable file by every tool and every bypass is
// refused and in the chain. Only a script that is not looked into passes; that the
// comparison found what it did was checked with the recording.
func TestTheRecordedCallsOfRealAgentsAreRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			w := bypassed(t)
			agent, calls := recording(t, file)
			tools, refused, passed := map[string]bool{}, 0, 0
			for _, c := range calls {
				a := answerTo(w, agent, string(c.Call))
				denied := a.Status == 2 || decision(t, a) == "deny"
				if denied != c.refused() {
					t.Errorf("%s: refused %v, recorded %v: %s: %+v", c.ID, denied, c.refused(), c.Call, a)
				}
				switch tool := toolOf(t, c); {
				case denied:
					refused++
					tools[tool] = true
				case tool != "Read":
					passed++
				}
			}
			if n := refusals(w); n != refused || passed != 2 || refused < 20 {
				t.Errorf("%d calls, %d refused, %d in the chain", len(calls), refused, n)
			}
			t.Logf("%d calls of %v refused", refused, tools)
			for _, name := range mustTry[agent] {
				if !tools[name] {
					t.Errorf("the recording has no refused call of %s", name)
				}
			}
		})
	}
}

// mustTry are the tools with which each agent changes files.
var mustTry = map[string][]string{"claude-code": {"Write", "Edit", "NotebookEdit", "Bash", "Monitor"}, "codex": {"apply_patch", "Bash"}, "gemini": {"write_file", "replace", "run_shell_command"}}

func toolOf(t *testing.T, c recorded) string {
	t.Helper()
	var call struct {
		Tool string `json:"tool_name"`
	}
	if err := json.Unmarshal(c.Call, &call); err != nil {
		t.Fatal(err)
	}
	return call.Tool
}
