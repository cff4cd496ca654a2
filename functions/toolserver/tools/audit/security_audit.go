package audit

import (
	"context"
	"path"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/security"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/functions/toolserver/mcp/tool"
)

type securityInput struct {
	Path   string   `json:"path" max:"1024" default:"."`
	Checks []string `json:"checks,omitempty" enum:"secrets,exposed,tls,rate_limit,permissions,mcp_config" max:"6"`
}

// Security is the answer of security_audit.
type Security struct {
	Status          string             `json:"status"` // secure, vulnerabilities_found or not_checked
	Count           int                `json:"vulnerability_count"`
	Checked         int                `json:"checked"`
	Passed          int                `json:"checks_passed"`
	Vulnerabilities []finding.Finding  `json:"vulnerabilities"`
	ByCheck         map[string]ByCheck `json:"by_check"`
	Allowed         int                `json:"accepted"` // by fingerprint in the workspace file
	Skipped         []finding.Skipped  `json:"skipped"`
	Truncated       bool               `json:"truncated"`
}

// ByCheck is what one check came to.
type ByCheck struct {
	Checked  int `json:"checked"`
	Findings int `json:"findings"`
}

// SecurityAudit looks for what makes the project easy to attack.
func SecurityAudit(w *workspace.Workspace, now func() time.Time) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "security_audit",
		Title:       "Security audit",
		Toolset:     "audit",
		Description: "Finds credentials in files, missing TLS and rate limits, wide permissions, unsafe client configurations.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
		},
	}, func(ctx context.Context, call *tool.Call, in securityInput) (Security, error) {
		return RunSecurity(ctx, w, now(), in.Path, in.Checks, call.FileProgress())
	})
}

// RunSecurity audits a file or a folder of a workspace, with all checks if none is named.
func RunSecurity(ctx context.Context, w *workspace.Workspace, now time.Time, below string, checks []string, progress func(int)) (Security, error) {
	state, err := w.Load()
	if err != nil {
		return Security{}, unreadable(ctx, err)
	}
	if err := insideWorkspace(below); err != nil {
		return Security{}, err
	}
	if len(checks) == 0 {
		checks = security.All
	}

	t := tree.Of(w, state.Config)
	t.Progress = progress
	report, err := security.Run(ctx, t, below, checks, now)
	if ctx.Err() != nil {
		return Security{}, ctx.Err()
	}
	if err != nil {
		return Security{}, tool.FileError(path.Clean(below), err)
	}
	return securityAnswer(report, checks, state.Config.Limits.MaxFindings), nil
}

// insideWorkspace refuses a path that leads out.
func insideWorkspace(name string) error {
	clean := path.Clean(name)
	if path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(name, "\x00\\") {
		return tool.FileError(name, workspace.ErrOutside)
	}
	return nil
}

func securityAnswer(report security.Report, checks []string, limit int) Security {
	answer := Security{
		Status:          "secure",
		Checked:         report.Files(),
		Vulnerabilities: report.Findings,
		ByCheck:         map[string]ByCheck{},
		Allowed:         report.Allowed,
		Skipped:         report.Skipped,
	}
	for _, check := range checks {
		by := ByCheck{Checked: report.Checked[check]}
		weak := 0
		for _, f := range report.Findings {
			if f.Check != check {
				continue
			}
			by.Findings++
			if f.Severity != finding.Info {
				weak++
			}
		}
		answer.ByCheck[check] = by
		answer.Count += weak
		if by.Checked > 0 && weak == 0 {
			answer.Passed++
		}
	}

	switch {
	case answer.Count > 0:
		answer.Status = "vulnerabilities_found"
	case answer.Checked == 0:
		answer.Status = notChecked
	}
	if len(answer.Vulnerabilities) > limit {
		answer.Vulnerabilities, answer.Truncated = answer.Vulnerabilities[:limit], true
	}
	return answer
}
