//go:build linux

package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/work/fence/fencetest"
)

// wilful is an agent that asks the hook which it was started with, if any, before it
// writes what is untouchable.
const wilful = `#!/bin/sh
for a; do
	case "$before" in
	--settings) hook=$(printf %s "$a" | jq -r '.hooks.PreToolUse[0].hooks[0].command') ;;
	-c) hook=$(printf %s "$a" | sed 's/.*command=//; s/}]}]$//' | jq -r .) ;;
	esac
	before=$a
done
[ -z "$GEMINI_CLI_TRUST_WORKSPACE" ] || hook=$(jq -r '.hooks.BeforeTool[0].hooks[0].command' .gemini/settings.json)
if [ -n "$hook" ]; then
	said=$(printf '{"cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"infra/x"}}' "$PWD" | sh -c "$hook" 2>&1) || exit 7
	case "$said" in *'"deny"'*) exit 7 ;; esac
fi
echo x > infra/x
`

// Agents that accept a hook on their command line are guarded without an installed hook,
// and an unguarded agent is shown as such.
func TestADispatchedAgentOfOthersIsGuarded(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		skip(t, "needs jq: %v", err)
	}
	programs := t.TempDir()
	build := exec.Command("go", "build", "-o", programs, "../../local/local-hook", "../../local/local-fence")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	for _, name := range []string{"claude", "codex", "gemini", "aider"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte(wilful), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	for _, tc := range []struct {
		runner           string
		install, guarded bool
	}{{"claude", false, true}, {"codex", false, true}, {"gemini", false, false}, {"gemini", true, true}, {"aider", false, false}} {
		t.Run(fmt.Sprint(tc.runner, tc.install), func(t *testing.T) {
			r := start(t, func(d *depsOf) {
				d.Hook = hook.Program(filepath.Join(programs, "local"))
				d.Fence = filepath.Join(programs, "local-fence")
				text := "version: 1\nuntouchable: [infra/**]\ndispatch: {enabled: true, runner: " + tc.runner + "}\n"
				if err := os.WriteFile(filepath.Join(d.Workspace, "governance.yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Mkdir(filepath.Join(d.Workspace, "infra"), 0o700); err != nil {
					t.Fatal(err)
				}
				if tc.install {
					install(t, d)
				}
			})
			got := structured[struct {
				Dispatched, Guarded bool
				Fence               string
			}](r, "dispatch_to_llm", `{"task":"write it"}`)
			row := r.ended()
			_, err := os.Stat(filepath.Join(r.deps.Workspace, "infra", "x"))
			fenced := strings.HasPrefix(got.Fence, "kernel")
			if !got.Dispatched || got.Guarded != tc.guarded || row["guarded"] != tc.guarded || (err != nil) != (tc.guarded || fenced) || (row["exit_code"] == 7.0) != tc.guarded {
				t.Errorf("%+v %v %v", got, row, err)
			}
			if !fenced && fencetest.Possible() {
				t.Errorf("a fence could stand here: %s", got.Fence)
			}
			if got.Fence == "" || row["fence"] != got.Fence || !fenced && !strings.HasPrefix(got.Fence, "none: ") {
				t.Errorf("the answer says %q, the list %v", got.Fence, row["fence"])
			}
			if tc.guarded {
				r.eventually(func() bool { return len(r.typed("BLOCKED_UNTOUCHABLE")) == 1 })
			}
			if at := r.typed("DISPATCH"); len(at) != 1 || !strings.Contains(fmt.Sprint(at[0]), fmt.Sprint("guarded:", tc.guarded)) || !strings.Contains(fmt.Sprint(at[0]), "fence:"+got.Fence) {
				t.Errorf("%v", at)
			}
		})
	}
}

// install does what hook install does.
func install(t *testing.T, d *depsOf) {
	t.Helper()
	w, err := workspace.Open(d.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	plan, err := hook.Plan(w, "gemini", hook.Command(d.Hook, "gemini", d.Workspace, ""))
	if err == nil {
		err = hook.Apply(w, &plan, d.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
}
