package core

import (
	"context"
	"log/slog"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/mcp/tool"
)

type preflightInput struct {
	Action    string   `json:"action" enum:"check,check_command,get_script,get_pattern,get_untouchable_template" default:"check"`
	Path      string   `json:"path,omitempty" max:"1024"`
	Paths     []string `json:"paths,omitempty" max:"200"`
	Operation string   `json:"operation" enum:"edit,create,delete,rename,execute" default:"edit"`
	Command   string   `json:"command,omitempty" max:"8000" doc:"For check_command: a bash command."`
	Agent     string   `json:"agent,omitempty" max:"100" doc:"Your name, for the record."`
}

// PreflightCheck is the answer of preflight_check.
type PreflightCheck struct {
	Decision policy.Decision    `json:"decision,omitempty"`
	ExitCode *int               `json:"exit_code,omitempty"`
	Results  []preflight.Result `json:"results,omitempty"`
	Logged   string             `json:"logged_entry,omitempty"`
	Next     string             `json:"next,omitempty"`

	Writes      []command.Write `json:"writes,omitempty"` // of a command
	Unresolved  []string        `json:"unresolved,omitempty"`
	Destructive []string        `json:"destructive,omitempty"`

	Text string `json:"text,omitempty"` // of the actions that only show something
}

// CheckPreflight decides before a change whether it may be made.
func CheckPreflight(gate *preflight.Gate) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "preflight_check",
		Title:       "Preflight check",
		Toolset:     "core",
		Description: "Says before a change whether files may be changed: OK, PROTECTED (a person must approve), BLOCKED or UNKNOWN. Call it before every edit and command.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Needs:       []tool.Need{tool.NeedWorkspaceFile},
	}, func(ctx context.Context, call *tool.Call, in preflightInput) (PreflightCheck, error) {
		if text, ok := texts[in.Action]; ok {
			return PreflightCheck{Text: text}, nil
		}
		if in.Action == "check_command" {
			return checkCommand(ctx, gate, in)
		}
		if in.Path != "" {
			in.Paths = append([]string{in.Path}, in.Paths...)
		}

		if len(in.Paths) == 0 {
			return PreflightCheck{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/path",
				Message: "check needs path or paths.",
				Hint:    "Name the files that you want to change, from the root of the workspace.",
			}
		}

		report, err := gate.Check(ctx, preflight.Action{
			Agent:     in.Agent,
			Tool:      "preflight_check",
			Operation: in.Operation,
			Dir:       ".",
			Paths:     in.Paths,
		})
		if err != nil {
			return PreflightCheck{}, unrecorded(ctx, err)
		}

		return PreflightCheck{
			Decision: report.Decision,
			ExitCode: &report.ExitCode,
			Results:  shown(report.Results),
			Logged:   report.Logged,
			Next:     report.Next,
		}, nil
	})
}

func checkCommand(ctx context.Context, gate *preflight.Gate, in preflightInput) (PreflightCheck, error) {
	if in.Command == "" {
		return PreflightCheck{}, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/command",
			Message: "check_command needs command.",
		}
	}

	report, err := gate.CheckCommand(
		ctx,
		preflight.Action{
			Agent: in.Agent,
			Tool:  "preflight_check",
			Dir:   ".",
		},
		in.Command,
	)
	if err != nil {
		return PreflightCheck{}, unrecorded(ctx, err)
	}

	for i := range report.Writes {
		report.Writes[i].Path = mask.Text(report.Writes[i].Path)
	}

	return PreflightCheck{
		Decision:    report.Decision,
		ExitCode:    &report.ExitCode,
		Results:     shown(report.Results),
		Logged:      report.Logged,
		Next:        report.Next,
		Writes:      report.Writes,
		Unresolved:  mask.All(report.Unresolved),
		Destructive: report.Destructive,
	}, nil
}

// shown redacts secrets in the paths that the caller gave.
func shown(results []preflight.Result) []preflight.Result {
	for i := range results {
		results[i].Path = mask.Text(results[i].Path)
	}
	return results
}

// unrecorded is the error for a refusal that could not be recorded.
func unrecorded(ctx context.Context, err error) error {
	slog.ErrorContext(ctx, "violation not recorded", "error", err.Error())
	return &tool.Error{
		Code:    "unavailable",
		Message: "The change is refused, and the refusal could not be recorded.",
		Hint:    "Do not make the change. Tell a person that the audit chain takes no entries.",
	}
}
