// Package security looks for what makes a project easy to attack: credentials in files,
// addresses without TLS, endpoints without a limit, permissions that are too wide, and
// configurations of MCP clients.
package security

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/shared/secretscan/filescan"
)

// Checks, in their order.
const (
	Secrets     = "secrets"
	Exposed     = "exposed"
	TLS         = "tls"
	RateLimit   = "rate_limit"
	Permissions = "permissions"
	MCPConfig   = "mcp_config"
)

// All are the checks.
var All = []string{Secrets, Exposed, TLS, RateLimit, Permissions, MCPConfig}

// Report is what an audit found.
type Report struct {
	Findings []finding.Finding
	Checked  map[string]int // files, or endpoints, by check
	Skipped  []finding.Skipped
	Allowed  int // findings that the workspace file accepts
}

// Files reports how many files or endpoints were looked at.
func (r Report) Files() int {
	n := 0
	for _, checked := range r.Checked {
		n += checked
	}
	return n
}

// audit is one run.
type audit struct {
	tree   *tree.Tree
	config workspace.Config
	files  []string // that are looked at
	report Report
}

// Run makes the checks below a file or a folder.
func Run(ctx context.Context, t *tree.Tree, below string, checks []string, now time.Time) (Report, error) {
	files, err := filesBelow(ctx, t, below)
	if err != nil {
		return Report{}, err
	}
	a := &audit{
		tree:   t,
		config: t.Config,
		files:  files,
		report: Report{
			Findings: []finding.Finding{},
			Checked:  map[string]int{},
			Skipped:  []finding.Skipped{},
		},
	}

	for _, each := range []struct {
		names []string
		check func(*audit, context.Context, []string) error
	}{
		{[]string{Secrets, Exposed}, (*audit).secrets},
		{[]string{TLS}, (*audit).tls},
		{[]string{RateLimit}, (*audit).rateLimit},
		{[]string{Permissions}, (*audit).permissions},
		{[]string{MCPConfig}, (*audit).mcpConfig},
	} {
		var wanted []string
		for _, name := range each.names {
			if slices.Contains(checks, name) {
				wanted = append(wanted, name)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		if err := each.check(a, ctx, wanted); err != nil {
			return a.report, err
		}
	}

	a.report.Findings = finding.Complete(a.report.Findings)
	a.allow(now)
	return a.report, ctx.Err()
}

// filesBelow are the files of a scan below a name. A file that is named is looked at even
// where it is ignored.
func filesBelow(ctx context.Context, t *tree.Tree, below string) ([]string, error) {
	below = path.Clean(below)
	if below != "." {
		if _, err := fs.Stat(t.Workspace.Files(), below); err != nil {
			return nil, err
		}
		if t.IsFile(below) {
			return []string{below}, nil
		}
	}

	all, err := t.Files(ctx)
	if err != nil && !errors.Is(err, workspace.ErrManyFiles) {
		return nil, err
	}
	if below == "." {
		return all, nil
	}
	var files []string
	for _, name := range all {
		if strings.HasPrefix(name, below+"/") {
			files = append(files, name)
		}
	}
	return files, nil
}

func (a *audit) add(f finding.Finding) {
	a.report.Findings = append(a.report.Findings, f)
}

func (a *audit) skip(check, reason, enable string) {
	a.report.Skipped = append(a.report.Skipped, finding.Skipped{
		Check:  check,
		Reason: reason,
		Enable: enable,
	})
}

// allow leaves out the findings that a person accepted by fingerprint, until the day on which
// the exception expires.
func (a *audit) allow(now time.Time) {
	today := now.UTC().Format(time.DateOnly)
	kept := a.report.Findings[:0]
	for _, f := range a.report.Findings {
		at := slices.IndexFunc(a.config.Security.SecretAllow, func(e workspace.SecretException) bool { return e.Fingerprint == f.Fingerprint })
		if at < 0 {
			kept = append(kept, f)
			continue
		}
		exception := a.config.Security.SecretAllow[at]
		if exception.Expires <= today {
			f.Message += fmt.Sprintf(" (accepted until %s)", exception.Expires)
			kept = append(kept, f)
			continue
		}
		a.report.Allowed++
	}
	a.report.Findings = kept
}

// secrets looks for credentials. Inside of the website everybody can read them.
func (a *audit) secrets(ctx context.Context, wanted []string) error {
	root := ""
	if a.config.Website.Root != "" {
		root = path.Clean(a.config.Website.Root) + "/"
	}
	if root == "" && slices.Contains(wanted, Exposed) {
		a.skip(Exposed, "no website is described", "Set website.root in "+workspace.FileName+".")
	}

	for _, name := range a.files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		isExposed := root != "" && strings.HasPrefix(name, root)
		check := Secrets
		if isExposed && slices.Contains(wanted, Exposed) {
			check = Exposed
		}
		if !slices.Contains(wanted, check) {
			continue
		}

		text, err := a.tree.Read(name)
		if err != nil {
			a.skip(check+" "+name, err.Error(), "")
			continue
		}
		a.report.Checked[check]++
		a.secretsOf(check, name, text)
	}
	return nil
}

func (a *audit) secretsOf(check, name string, text []byte) {
	found, _ := filescan.Scan(name, text)
	for _, f := range found {
		severity := f.Severity
		where := "this file"
		if check == Exposed && severity != filescan.Info {
			severity, where = finding.Error, "a file that the website serves"
		}
		subject := "A credential (" + f.Rule + ")"
		if f.Name != "" {
			subject = fmt.Sprintf("The value of %s (%s)", mask.Text(f.Name), f.Rule)
		}
		a.add(finding.Finding{
			Check:    check,
			Rule:     f.Rule,
			Severity: severity,
			Path:     name,
			Line:     f.Line,
			Message:  subject + " stands in " + where + ".",
			Hint:     hintOf(f),
			Evidence: mask.Secret(string(text[f.Start:f.End])),
			Key:      f.Name,
		})
	}
}

func hintOf(f filescan.Finding) string {
	switch f.Rule {
	case filescan.RuleHash:
		return "Keep hashes of passwords out of the repository if you can."
	case filescan.RulePublic:
		return "A publishable key may stand here; check that it is the one that is meant."
	}
	if f.Severity == filescan.Warn {
		return "A key of a test mode: read it from the environment, as the real one."
	}
	return "Revoke it, and read the new one from the environment or a store of secrets."
}
