package core

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/mcp/tool"
)

type violationInput struct {
	Action  string    `json:"action" enum:"get_pattern,get_template,get_enforcement,record,list,stats" default:"get_pattern"`
	Type    string    `json:"type,omitempty" enum:"BLOCKED_UNTOUCHABLE,BLOCKED_PROTECTED,STALE_HANDOFF,RULE_BREACH,UNAPPROVED_LOGIC_CHANGE,FABRICATION,OTHER"`
	Rule    string    `json:"rule,omitempty" max:"64"`
	Context string    `json:"context,omitempty" max:"2000"`
	Agent   string    `json:"agent,omitempty" max:"100"`
	Since   time.Time `json:"since,omitzero"`
	Limit   int64     `json:"limit" default:"50" min:"1" max:"500"`
}

// ViolationLogging is the answer of violation_logging.
type ViolationLogging struct {
	Logged  bool               `json:"logged,omitempty"`
	Entry   *violations.Entry  `json:"entry,omitempty"`
	Entries []violations.Entry `json:"entries,omitempty"`
	Total   *int               `json:"total,omitempty"`
	Stats   *violations.Stats  `json:"stats,omitempty"`
	Text    string             `json:"text,omitempty"`
}

var violationTexts = map[string]string{
	"get_pattern":     "Record a breach when it happens, not when it is found out: what was done, which rule it broke, by whom. The record goes into the audit chain, where verify_audit_chain finds a change or a removal. Refusals of the guard are recorded by themselves.",
	"get_template":    `{"action":"record","type":"RULE_BREACH","rule":"ask_before_touching","agent":"your name","context":"Changed the schema before a person had seen it."}`,
	"get_enforcement": "The guard records BLOCKED_UNTOUCHABLE and BLOCKED_PROTECTED when it refuses, session_handoff records STALE_HANDOFF, the watcher records changes that went around the guard. Everything else is recorded with this tool. verify_audit_chain finds records that were changed or removed after they came into the chain; It cannot find a breach that was never recorded, or one that still waits outside the chain for a server.",
}

// LogViolations records breaches of the rules in the audit chain and counts them.
func LogViolations(log *violations.Log) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "violation_logging",
		Title:       "Violation log",
		Toolset:     "core",
		Description: "Records a breach of a rule in the audit chain, lists or counts them.",
		Hints:       tool.Hints{},
	}, func(ctx context.Context, _ *tool.Call, in violationInput) (ViolationLogging, error) {
		if text, ok := violationTexts[in.Action]; ok {
			return ViolationLogging{Text: text}, nil
		}
		if in.Action == "record" {
			return recordViolation(ctx, log, in)
		}

		entries, err := log.List(ctx, in.Since)
		if err != nil {
			slog.WarnContext(ctx, "violations cannot be read", "error", err.Error())
			return ViolationLogging{}, &tool.Error{
				Code:    "unavailable",
				Message: "The audit chain cannot be read right now.",
				Hint:    "Try again. This does not mean that there are no violations.",
			}
		}

		if in.Type != "" {
			entries = slices.DeleteFunc(entries, func(e violations.Entry) bool {
				return e.Type != in.Type
			})
		}

		if in.Action == "stats" {
			stats := violations.Count(entries, log.Now())
			return ViolationLogging{Stats: &stats}, nil
		}

		total := len(entries)
		slices.Reverse(entries)
		return ViolationLogging{
			Entries: entries[:min(total, int(in.Limit))],
			Total:   &total,
		}, nil
	})
}

func recordViolation(ctx context.Context, log *violations.Log, in violationInput) (ViolationLogging, error) {
	if in.Type == "" {
		return ViolationLogging{}, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/type",
			Message: "record needs type.",
			Allowed: violations.Types,
		}
	}

	detail := map[string]any{"reported": true}
	for name, text := range map[string]string{"rule": in.Rule, "context": in.Context, "agent": in.Agent} {
		if text != "" {
			detail[name] = mask.Text(text)
		}
	}

	entry, err := log.Record(ctx, "session", in.Type, detail)
	if err != nil {
		slog.ErrorContext(ctx, "violation not recorded", "error", err.Error())
		return ViolationLogging{}, &tool.Error{
			Code:    "unavailable",
			Message: "The violation could not be recorded.",
			Hint:    "Tell a person, and try again.",
		}
	}

	return ViolationLogging{Logged: true, Entry: &entry}, nil
}
