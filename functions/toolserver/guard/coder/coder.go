// Package coder is the one table of the coding agents that this service knows.
//
// The guard reads from it which files an agent must not change, since they decide whether
// its hook is called; the hook where it is installed; the dispatcher how an agent is started
// for one task; and the schema of the workspace file which runners there are.
package coder

// Agent is a coding agent.
type Agent struct {
	Name  string // of its hook: hook -agent NAME
	Title string
	Hook  *Hook // nil if the agent calls no hook
	// Settings are files of a project that decide whether the hook is called, as patterns
	// from the root of the project.
	Settings []string
	// Home are files and folders of the same kind, from the home directory of the user.
	Home []string
	// Notes are what the agent itself keeps below Home and writes with its own tools, such
	// as plans: a pattern from the home directory, "" for nothing.
	Notes string
	// System are such files of the whole machine, from its root.
	System []string
	Runner *Runner // nil if the agent cannot be started for one task
}

// Hook is how an agent calls a hook.
type Hook struct {
	Settings string            // file that the hook is written into, from the root of the project
	Events   map[string]string // asked before, with a pattern of the tools, "" for all
	Reports  map[string]Report // told afterwards, with what each of them says
	Version  bool              // the settings say version 1
	Before   string            // what a person must do before the hook is called, "" for nothing
}

// Report is what an agent tells a hook after the fact.
type Report string

// The reports.
const (
	Succeeded       Report = "succeeded"        // a call of a tool
	Failed          Report = "failed"           // a call of a tool
	Refused         Report = "refused"          // a call of a tool, by a person or by the agent itself
	SessionStarted  Report = "session_started"  // or was taken up again
	SessionEnded    Report = "session_ended"    //
	SubagentStarted Report = "subagent_started" //
	SubagentStopped Report = "subagent_stopped" // wants to stop, which can be refused
	Stopped         Report = "stopped"          // wants to stop, which can be refused
)

// Runner is the command line of an agent for work without a person, allowed to change files
// and not more, as its documentation gives it. {task}, {task_file}, {max_turns} and {hook} are
// filled in; without a task among them it comes on standard input.
type Runner struct {
	Name    string
	Command []string
	Fenced  []string // behind a fence of the kernel, where the agent's own sandbox cannot stand; nil for the same
	Env     []string // names of variables that the agent inherits
	Stops   map[int]string
}

// Agents are the known agents, in the order in which a runner is looked for.
var Agents = []Agent{
	{
		Name:  "claude-code",
		Title: "Claude Code",
		Hook: &Hook{
			Settings: ".claude/settings.local.json",
			Events:   map[string]string{"PreToolUse": "*"}, // new tools that run commands come with new versions
			Reports: map[string]Report{
				"PostToolUse":        Succeeded,
				"PostToolUseFailure": Failed,
				"PermissionDenied":   Refused,
				"SessionStart":       SessionStarted,
				"SessionEnd":         SessionEnded,
				"SubagentStart":      SubagentStarted,
				"SubagentStop":       SubagentStopped,
				"Stop":               Stopped,
			},
		},
		Settings: []string{".claude/settings*.json"},
		Home:     []string{".claude", ".claude.json"},
		Notes:    ".claude/{plans,todos,projects/*/memory}/**",
		System:   []string{"etc/claude-code"},
		// code.claude.com/docs, CLI reference: print mode reads its prompt from standard input.
		Runner: &Runner{
			Name:    "claude",
			Command: []string{"claude", "{hook}", "--print", "--max-turns", "{max_turns}", "--permission-mode", "acceptEdits"},
			Env:     []string{"ANTHROPIC_API_KEY"},
		},
	},
	{
		Name:  "codex",
		Title: "Codex CLI",
		Hook: &Hook{
			Settings: ".codex/hooks.json",
			Events:   map[string]string{"PreToolUse": ""},
			Reports: map[string]Report{
				"PostToolUse":   Succeeded,
				"SessionStart":  SessionStarted,
				"SessionEnd":    SessionEnded,
				"SubagentStart": SubagentStarted,
				"SubagentStop":  SubagentStopped,
				"Stop":          Stopped,
			},
			Before: "Codex calls a hook only after you trusted it: start codex in the project, enter /hooks and trust this one",
		},
		Settings: []string{".codex/hooks.json", ".codex/config.toml"},
		Home:     []string{".codex"},
		Notes:    ".codex/memories/**",
		System:   []string{"etc/codex"},
		// developers.openai.com/codex, non-interactive mode: - is the prompt on standard input.
		Runner: &Runner{
			Name:    "codex",
			Command: []string{"codex", "exec", "{hook}", "--sandbox", "workspace-write", "-"},
			Fenced:  []string{"codex", "exec", "{hook}", "--sandbox", "danger-full-access", "-"},
			Env:     []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
		},
	},
	{
		Name:  "gemini",
		Title: "Gemini CLI",
		Hook: &Hook{
			Settings: ".gemini/settings.json",
			Events:   map[string]string{"BeforeTool": ".*"},
			Reports: map[string]Report{
				"AfterTool":    Succeeded,
				"SessionStart": SessionStarted,
				"SessionEnd":   SessionEnded,
				"AfterAgent":   Stopped,
			},
			Before: "Gemini CLI calls a hook only in a folder that you trust: start gemini in the project and trust it; --skip-trust does not do",
		},
		Settings: []string{".gemini/settings.json"},
		Home:     []string{".gemini"},
		Notes:    ".gemini/{GEMINI.md,tmp/**}",
		System:   []string{"etc/gemini-cli"},
		// geminicli.com/docs, headless mode: without a terminal it answers standard input.
		Runner: &Runner{
			Name:    "gemini",
			Command: []string{"gemini", "--approval-mode", "auto_edit"},
			Env:     []string{"GEMINI_API_KEY"},
			Stops:   map[int]string{53: "max_turns"},
		},
	},
	{
		Name:  "opencode",
		Title: "opencode",
		Home:  []string{".config/opencode", ".opencode"},
		// opencode.ai/docs, CLI: run takes its message from standard input.
		Runner: &Runner{Name: "opencode", Command: []string{"opencode", "run"}},
	},
	{
		Name:  "aider",
		Title: "aider",
		Home:  []string{".aider.conf.yml"},
		// aider.chat/docs, scripting aider.
		Runner: &Runner{
			Name:    "aider",
			Command: []string{"aider", "--yes-always", "--message-file", "{task_file}"},
			Env:     []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"},
		},
	},
	{
		Name:  "cursor",
		Title: "Cursor",
		Hook: &Hook{
			Settings: ".cursor/hooks.json",
			Events:   map[string]string{"preToolUse": "", "beforeShellExecution": ""},
			Reports: map[string]Report{
				"postToolUse":         Succeeded,
				"postToolUseFailure":  Failed,
				"afterShellExecution": Succeeded,
				"sessionStart":        SessionStarted,
				"sessionEnd":          SessionEnded,
				"subagentStart":       SubagentStarted,
				"subagentStop":        SubagentStopped,
				"stop":                Stopped,
			},
			Version: true,
		},
		Settings: []string{".cursor/hooks.json", ".cursor/cli.json"},
		Home:     []string{".cursor"},
		Notes:    ".cursor/{plans,projects}/**",
		System:   []string{"etc/cursor"},
		// cursor.com/docs, CLI parameters: the prompt is an argument.
		Runner: &Runner{
			Name:    "cursor-agent",
			Command: []string{"cursor-agent", "--print", "--force", "Task: {task}"},
			Env:     []string{"CURSOR_API_KEY"},
		},
	},
	{
		Name:  "copilot",
		Title: "Copilot CLI",
		Hook: &Hook{
			Settings: ".github/hooks/hooks.json",
			Events:   map[string]string{"preToolUse": ""},
			Reports: map[string]Report{
				"postToolUse":        Succeeded,
				"postToolUseFailure": Failed,
				"sessionStart":       SessionStarted,
				"sessionEnd":         SessionEnded,
				"subagentStart":      SubagentStarted,
				"subagentStop":       SubagentStopped,
				"agentStop":          Stopped,
			},
			Version: true,
		},
		Settings: []string{".github/hooks/**"},
		Home:     []string{".copilot"},
		Notes:    ".copilot/session-state/**",
	},
	{
		Name:  "windsurf",
		Title: "Windsurf",
		Hook: &Hook{
			Settings: ".windsurf/hooks.json",
			Events:   map[string]string{"pre_write_code": "", "pre_run_command": "", "pre_mcp_tool_use": ""},
			Reports: map[string]Report{
				"post_write_code":       Succeeded,
				"post_run_command":      Succeeded,
				"post_mcp_tool_use":     Succeeded,
				"post_cascade_response": Stopped,
			},
		},
		Settings: []string{".windsurf/hooks.json"},
		Home:     []string{".codeium/windsurf"},
		Notes:    ".codeium/windsurf/memories/**",
		System:   []string{"etc/windsurf"},
	},
}

// RunnerNames are the names of all runners, in the order of the table.
func RunnerNames() (names []string) {
	for _, agent := range Agents {
		if agent.Runner != nil {
			names = append(names, agent.Runner.Name)
		}
	}
	return names
}
