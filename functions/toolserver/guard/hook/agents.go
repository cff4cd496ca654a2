package hook

import (
	"maps"
	"slices"

	"governance.internal/functions/toolserver/guard/coder"
)

// Agent is a coding agent that can be hooked.
type Agent struct {
	coder.Hook
	Title string
	protocol
}

// protocol is how the guard's verdict reaches an agent.
type protocol struct {
	entry func(matcher, command string) any // of the settings, to be asked before
	tell  func(command string) any          // of the settings, to be told afterwards
	says  func(event string, v verdict, reason string) Answer
	// refuseStop tells an agent to go on; nil if its stop cannot be refused.
	refuseStop func(reason string) Answer
	greets     bool // shows a message of the hook at the start of a session
	// settled reads from a line of a transcript how a call ended that is not reported; nil if
	// the transcript is not known.
	settled func(line []byte) settlement
	exit    func(e ending, c call, m message) ending // reads how a call went; nil if only the event says so
	canAsk  func(event string) bool
}

// protocols by name of the agent. They are those of the documentation: Claude Code (hooks
// reference), Codex CLI (hooks), Gemini CLI (hooks reference), Cursor (hooks), Copilot CLI
// (hooks reference) and Windsurf (Cascade hooks).
var protocols = map[string]protocol{
	"claude-code": {
		entry:      blocking,
		tell:       listed,
		says:       claude,
		canAsk:     always,
		exit:       claudeExitStatus,
		refuseStop: goOn,
		greets:     true,
		settled:    claudeSettled,
	},
	"codex": {
		entry:      matched,
		tell:       listed,
		says:       status,
		canAsk:     never,
		exit:       codexExitStatus,
		refuseStop: goOn,
		greets:     true,
		settled:    codexSettled,
	},
	"gemini": {
		entry:      matched,
		tell:       listed,
		says:       status,
		canAsk:     never,
		exit:       geminiExitStatus,
		refuseStop: goOn,
		greets:     true,
	},
	"cursor": {
		entry:      closing,
		tell:       plain,
		says:       cursor,
		canAsk:     beforeShell,
		exit:       cursorExitStatus,
		refuseStop: followUp,
	},
	"copilot": {
		entry:      shells,
		tell:       inShell,
		says:       copilot,
		canAsk:     always,
		exit:       copilotExitStatus,
		refuseStop: blockStop,
	},
	"windsurf": {
		entry:  shown,
		tell:   quiet,
		says:   status,
		canAsk: never,
		exit:   windsurfExitStatus,
	},
}

// Agents by name: those of [coder.Agents] that call a hook.
var Agents = hooked()

func hooked() map[string]Agent {
	agents := map[string]Agent{}
	for _, known := range coder.Agents {
		if known.Hook != nil {
			agents[known.Name] = Agent{
				Hook:     *known.Hook,
				Title:    known.Title,
				protocol: protocols[known.Name],
			}
		}
	}
	return agents
}

// Names are the names of all agents, sorted.
func Names() []string { return slices.Sorted(maps.Keys(Agents)) }

func beforeShell(event string) bool { return event == "beforeShellExecution" }

func always(string) bool { return true }
func never(string) bool  { return false }

func (a Agent) asks(event string) bool {
	return a.canAsk != nil && a.canAsk(event)
}

func (a Agent) answer(event string, v verdict, reason string) Answer {
	return a.says(event, v, reason)
}

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
		"hookEventName":            "PreToolUse",
		"permissionDecision":       decision,
		"permissionDecisionReason": reason,
	}})
}

// cursor requires an explicit permission.
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
	return object(map[string]any{
		"permissionDecision": map[verdict]string{
			ask:  "ask",
			deny: "deny",
		}[v],
		"permissionDecisionReason": reason,
	})
}

func object(value any) Answer { return Answer{Stdout: textOf(value) + "\n"} }

// handler is a hook in the settings of the agents that match tools.
type handler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	// OnFailure is what Claude Code from 2.1.295 on does when the hook cannot start, takes
	// too long or ends with a status that means nothing: block. Older ones ignore it.
	OnFailure string `json:"onFailure,omitempty"`
}

func (h handler) matching(matcher string) any {
	return struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}{matcher, []handler{h}}
}

// Entries of the settings.
func matched(matcher, command string) any {
	return handler{Type: "command", Command: command}.matching(matcher)
}

func blocking(matcher, command string) any {
	return handler{
		Type:      "command",
		Command:   command,
		OnFailure: "block",
	}.matching(matcher)
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

// Entries of the settings for reports.
func listed(command string) any { return matched("", command) }

func plain(command string) any {
	return struct {
		Command string `json:"command"`
	}{command}
}

func inShell(command string) any { return shells("", command) }

func quiet(command string) any {
	return struct {
		Command string `json:"command"`
		Show    bool   `json:"show_output"`
	}{command, false}
}
