package hook

import (
	"maps"
	"slices"
)

// Agent is a coding agent that can be hooked.
type Agent struct {
	Title    string
	Settings string            // file of its settings, from the root of the workspace
	Events   map[string]string // to hook, with a pattern of the tools, "" for all
	entry    func(matcher, command string) any
	Before   string // what a person must do before the hook is called, "" for nothing
	version  bool   // the settings say version 1
	says     func(event string, v verdict, reason string) Answer
	canAsk   func(event string) bool
}

// Agents by name. The protocols are those of their documentation: Claude Code
// (hooks reference), Codex CLI (hooks), Gemini CLI (hooks reference), Cursor (hooks),
// Copilot CLI (hooks reference) and Windsurf (Cascade hooks).
var Agents = map[string]Agent{
	"claude-code": {
		Title: "Claude Code", Settings: ".claude/settings.local.json", says: claude, canAsk: always, entry: matched,
		Events: map[string]string{"PreToolUse": "*"}, // new tools that run commands come with new versions
	},
	"codex": {
		Title: "Codex CLI", Settings: ".codex/hooks.json", says: status, canAsk: never, entry: matched,
		Events: map[string]string{"PreToolUse": ""},
		Before: "Codex calls a hook only after you trusted it: start codex in the project, enter /hooks and trust this one",
	},
	"gemini": {
		Title: "Gemini CLI", Settings: ".gemini/settings.json", says: status, canAsk: never, entry: matched,
		Events: map[string]string{"BeforeTool": ".*"},
		Before: "Gemini CLI calls a hook only in a folder that you trust: start gemini in the project and trust it; --skip-trust does not do",
	},
	"cursor": {
		Title: "Cursor", Settings: ".cursor/hooks.json", says: cursor, canAsk: func(event string) bool { return event == "beforeShellExecution" }, entry: closing, version: true,
		Events: map[string]string{"preToolUse": "", "beforeShellExecution": ""},
	},
	"copilot": {
		Title: "Copilot CLI", Settings: ".github/hooks/hooks.json", says: copilot, canAsk: always, entry: shells, version: true,
		Events: map[string]string{"preToolUse": ""},
	},
	"windsurf": {
		Title: "Windsurf", Settings: ".windsurf/hooks.json", says: status, canAsk: never, entry: shown,
		Events: map[string]string{"pre_write_code": "", "pre_run_command": "", "pre_mcp_tool_use": ""},
	},
}

// Names are the names of all agents, sorted.
func Names() []string { return slices.Sorted(maps.Keys(Agents)) }

func always(string) bool { return true }
func never(string) bool  { return false }

func (a Agent) asks(event string) bool { return a.canAsk != nil && a.canAsk(event) }

func (a Agent) answer(event string, v verdict, reason string) Answer { return a.says(event, v, reason) }

// status tells by the exit status: 2 refuses, and the agent reads standard error.
func status(_ string, v verdict, reason string) Answer {
	if v == pass {
		return Answer{}
	}
	return Answer{Stderr: reason + "\n", Status: 2}
}

func claude(event string, v verdict, reason string) Answer {
	decision := map[verdict]string{ask: "ask", deny: "deny"}[v]
	if v == pass {
		return Answer{}
	}
	if event == "" { // the call was not understood, so neither may be the answer
		return status(event, v, reason)
	}
	return object(map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason,
	}})
}

// cursor must be told yes in words.
func cursor(_ string, v verdict, reason string) Answer {
	decision := map[verdict]string{pass: "allow", ask: "ask", deny: "deny"}[v]
	if v == pass {
		return object(map[string]any{"permission": decision})
	}
	return object(map[string]any{"permission": decision, "user_message": reason, "agent_message": reason})
}

func copilot(_ string, v verdict, reason string) Answer {
	if v == pass {
		return Answer{}
	}
	return object(map[string]any{"permissionDecision": map[verdict]string{ask: "ask", deny: "deny"}[v], "permissionDecisionReason": reason})
}

func object(value any) Answer { return Answer{Stdout: textOf(value) + "\n"} }

// Entries of the settings.
func matched(matcher, command string) any {
	type handler struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	return struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}{matcher, []handler{{"command", command}}}
}

func closing(_, command string) any {
	return struct {
		Command    string `json:"command"`
		FailClosed bool   `json:"failClosed"` // a hook that cannot start refuses
	}{command, true}
}

func shown(_, command string) any {
	return struct {
		Command string `json:"command"`
		Show    bool   `json:"show_output"`
	}{command, true}
}

func shells(_, command string) any {
	return struct {
		Type string `json:"type"`
		Bash string `json:"bash"`
	}{"command", command}
}
