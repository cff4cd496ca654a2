package core

import (
	"context"
	"strings"
	"time"

	"governance.internal/functions/toolserver/framework"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/audit"
)

type infoInput struct {
	Topic string `json:"topic" enum:"overview,origin,implementation_guide,problem_it_solves,stats,capabilities" default:"overview"`
}

// SystemInfo is the answer of get_governance_system_info.
type SystemInfo struct {
	Topic        string       `json:"topic"`
	GeneratedAt  time.Time    `json:"generated_at"`
	Name         string       `json:"name"`
	Version      string       `json:"version"`
	Build        string       `json:"build"`
	Text         string       `json:"text,omitempty"`
	Steps        []string     `json:"steps,omitempty"`
	Stats        []Stat       `json:"stats,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
}

// Stat is a number and where it comes from.
type Stat struct {
	Name   string `json:"name"`
	Value  uint64 `json:"value"`
	Source string `json:"source"`
}

// Capability reports whether a tool can do its work here.
type Capability struct {
	Tool  string `json:"tool"`
	State string `json:"state"` // ready, needs_config or unavailable
	Why   string `json:"why,omitempty"`
}

// System is what get_governance_system_info reads.
type System struct {
	Name, Version, Build string
	Started              time.Time
	Now                  func() time.Time
	Store                audit.Store
	Count                Count
	Calls                func() uint64 // tool calls since the start
	Governed             func() (untouchable, protected uint64, err error)
	// Capabilities are those over a transport: http, mcp, sse or stdio.
	Capabilities func(transport string) []Capability
}

// GetGovernanceSystemInfo describes the server. Each number has a source.
func GetGovernanceSystemInfo(s System) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "get_governance_system_info",
		Title:       "About this server",
		Toolset:     "core",
		Description: "What this server is, how to set it up, its figures, and which tools are ready.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, call *tool.Call, in infoInput) (SystemInfo, error) {
		answer := SystemInfo{
			Topic:       in.Topic,
			GeneratedAt: s.Now().UTC(),
			Name:        s.Name,
			Version:     s.Version,
			Build:       s.Build,
			Text:        topics[in.Topic],
		}

		var err error
		switch in.Topic {
		case "implementation_guide":
			answer.Steps = Guide
		case "stats":
			answer.Stats, err = s.stats(ctx)
		case "capabilities":
			answer.Capabilities = s.Capabilities(call.Transport)
		}

		return answer, err
	})
}

func (s System) stats(ctx context.Context) ([]Stat, error) {
	unreadable := &tool.Error{
		Code:    "unavailable",
		Message: "The audit chain cannot be read right now, and the figures come from it.",
		Hint:    "Try again.",
	}

	head, err := s.Store.Head(ctx)
	if err != nil {
		return nil, unreadable
	}

	counts, err := s.Count(ctx, time.Unix(0, 0))
	if err != nil {
		return nil, unreadable
	}

	stats := []Stat{
		{"audit_entries", head.Seq, "head of the audit chain"},
		{"tool_calls", s.Calls(), "counter of this process since its start"},
		{"uptime_s", uint64(max(0, s.Now().Sub(s.Started)) / time.Second), "clock of this process"},
	}

	untouchable, protected, err := s.Governed()
	if err != nil {
		return nil, &tool.Error{
			Code:    "unavailable",
			Message: "The files that the lists match cannot be counted: " + err.Error() + ".",
			Hint:    "Repair the workspace file, or raise limits.max_files.",
		}
	}

	stats = append(
		stats,
		Stat{"files_untouchable", untouchable, "files of the workspace that the list matches"},
		Stat{"files_protected", protected, "files of the workspace that the list matches"},
	)
	for _, violation := range framework.ViolationTypes() {
		stats = append(stats, Stat{"violations_" + strings.ToLower(violation), counts[violation], "entries of this type in the audit chain"})
	}

	return stats, nil
}

var topics = map[string]string{
	"overview":          "A governance layer for agent systems: rules that are checked, an audit trail that shows every change to itself, and a switch that stops everything. Agents reach it as MCP tools, programs as a pay-per-call HTTP API.",
	"origin":            "It follows the published contract of an earlier tool server for agents, version 1.11.0, with one difference: a tool here does what its name says, or says that it cannot.",
	"problem_it_solves": "Agents forget, repeat work, change what they should not and report success they did not check. Rules in a prompt do not stop that; a check outside of the agent does, and a record outside of its reach shows what happened.",
}

// Guide are the steps of setting the server up.
var Guide = []string{
	"Start the server and connect a client to /mcp, or to /sse for older clients.",
	"Call get_framework and put the rules into the instructions of your agents.",
	"Call lint_mcp_config on each client configuration and repair the errors.",
	"Set KILL_SECRET, keep it away from agents, and try POST /kill once.",
	"Call verify_audit_chain, keep its head, and hand it in at the next verification.",
	"Watch GET /health and GET /audit/verify from outside.",
}
