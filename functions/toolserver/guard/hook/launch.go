package hook

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
)

// Launch is how an agent that is started for one task gets the hook without a person who is asked
// to trust it.
type Launch struct {
	Args []string // for its command line
	Env  []string // name=value
}

// LaunchOf is the launch of an agent in a project, as recorded with Claude Code 2.1,
// Codex 0.169 and Gemini CLI 0.61; nil for an agent that would run without the hook. The
// program is the command line of the hook; both folders are absolute.
func LaunchOf(w *workspace.Workspace, name string, program []string, folder, data string) *Launch {
	command := Command(program, name, folder, data)
	switch name {
	case "claude-code":
		hooks := map[string]any{"PreToolUse": []any{blocking("*", command)}}
		for event := range Agents[name].Reports {
			hooks[event] = []any{listed(reporting(command, event))}
		}
		return &Launch{Args: []string{"--settings", textOf(map[string]any{"hooks": hooks})}}
	case "codex":
		args := []string{"--dangerously-bypass-hook-trust", "-c", codexHook("PreToolUse", command)}
		for _, event := range slices.Sorted(maps.Keys(Agents[name].Reports)) {
			args = append(args, "-c", codexHook(event, reporting(command, event)))
		}
		return &Launch{Args: args}
	case "gemini": // takes hooks from its settings only, in a folder that is trusted
		plan, err := Plan(w, name, Command(program, name, folder, ""))
		if err == nil && plan.Before == plan.After {
			return &Launch{Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}}
		}
	}
	return nil
}

// codexHook sets a hook on the command line. The string of JSON is one of TOML, too.
func codexHook(event, command string) string {
	return "hooks." + event + `=[{hooks=[{type="command",command=` + textOf(command) + `}]}]`
}

func textOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // made of texts
	}
	return string(text)
}

// Program is the command line of the hook: the small program beside another
// one of ours, or that one itself.
func Program(own string) []string {
	for _, name := range workspace.HookPrograms {
		if small, err := exec.LookPath(filepath.Join(filepath.Dir(own), name)); err == nil {
			return []string{small}
		}
	}
	return []string{own, Name}
}

// Command starts a hook for an agent in a project, by a shell. Agents take every failure
// but status 2 for a yes, so a program that is gone or crashes must say 2, too. Both
// folders are absolute; the one of the service's own data may be "".
func Command(program []string, agent, workspace, data string) string {
	argv := append([]string{quote(program[0])}, program[1:]...)
	argv = append(argv, "-agent", agent, "-workspace", quote(workspace))
	if data != "" {
		argv = append(argv, "-data", quote(data))
	}
	return strings.Join(argv, " ") + failsClosed
}

// failsClosed makes every failure of a hook a refusal.
const failsClosed = " || exit 2"

// reporting is the command line that the agent starts for a report. A failure of it refuses
// nothing: what is reported has happened, and an agent that may never stop is no safer.
func reporting(command, event string) string {
	return strings.TrimSuffix(command, failsClosed) + " -event " + event
}

func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
