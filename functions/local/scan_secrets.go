package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/security"
	"governance.internal/functions/toolserver/tools/audit"
	"governance.internal/shared/secretscan/filescan"
)

const scanAbout = `Finds credentials in the files of a project: tokens of providers, passwords, connection
strings, private keys, values whose name says secret.

Examples, references, sealed values (SOPS, age, sealed secrets), lock files, digests and
public keys are no findings. No value of a credential is printed.`

const scanStatus = `  0  no finding is as severe as --fail-on
  1  at least one finding is
  2  wrong usage, or a project that cannot be read, or nothing to read
`

// scanOptions are the flags of scan-secrets.
type scanOptions struct {
	acceptance
	form   *form
	failOn string
	staged bool
}

func scanSecretsCommand(t terminal) *cobra.Command {
	o := scanOptions{}
	c := command("scan-secrets [FOLDER]", "Find credentials in files",
		examples(
			"governance scan-secrets", "the project in this folder",
			"governance scan-secrets --staged", "what git would commit",
			"governance scan-secrets --format sarif", "for code scanning",
			"governance scan-secrets --baseline accepted.json --accept --reason \"test keys\"", "accept what is there for 90 days",
		),
		func(ctx context.Context, args []string) error {
			if len(args) > 1 {
				return usage("scan-secrets takes one folder, not %d", len(args))
			}
			return o.run(ctx, t, cmp.Or(strings.Join(args, ""), "."))
		})
	c.Long = scanAbout
	c.Annotations = map[string]string{exitStatusOf: scanStatus}
	o.form = addForm(c, formSARIF)
	c.Flags().StringVar(&o.failOn, "fail-on", "error", "lowest `severity` that fails: error, warn, info or never")
	c.Flags().BoolVar(&o.staged, "staged", false, "what git would commit, instead of the files")
	o.addFlags(c)
	return c
}

// addFlags gives a command the flags of accepted findings.
func (a *acceptance) addFlags(c *cobra.Command) {
	set := c.Flags()
	set.StringVar(&a.baseline, "baseline", "", "`file` of accepted findings, each with its reason and the day on which it expires")
	set.BoolVar(&a.accept, "accept", false, "write the present findings into the baseline; needs --baseline and --reason")
	set.StringVar(&a.reason, "reason", "", "`text`: why the findings are accepted")
	set.StringVar(&a.expires, "expires", "", "`day`, as 2027-01-31, from which accepted findings count again; default: in 90 days")
}

func (o *scanOptions) run(ctx context.Context, t terminal, folder string) error {
	if failRanks[o.failOn] == 0 {
		return usage("--fail-on is error, warn, info or never, not %q", o.failOn)
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := needFolder(folder); err != nil {
		return err
	}

	answer, err := o.scan(ctx, t, folder)
	if err != nil {
		return exit{2, err}
	}
	kept, accepted, err := o.leaveOut(answer.Vulnerabilities)
	if err != nil {
		return err
	}
	if o.accept {
		return o.take(t, kept)
	}

	answer.Vulnerabilities, answer.Allowed = kept, answer.Allowed+accepted
	if err := o.print(t, answer); err != nil {
		return err
	}
	switch {
	case worst(kept, o.failOn):
		return exit{1, nil}
	case answer.Checked == 0 && !o.staged:
		return exit{2, nil}
	}
	return nil
}

func (o *scanOptions) scan(ctx context.Context, t terminal, folder string) (audit.Security, error) {
	if o.staged {
		return scanStaged(ctx, folder)
	}
	w, err := workspace.Open(folder)
	if err != nil {
		return audit.Security{}, err
	}
	defer w.Close()
	return audit.RunSecurity(ctx, w, time.Now(), ".", []string{security.Secrets, security.Exposed}, progressTo(t))
}

func (o *scanOptions) print(t terminal, answer audit.Security) error {
	switch o.form.name {
	case formJSON:
		return printJSON(t, answer)
	case formSARIF:
		return printFindingsSARIF(t, "governance scan-secrets", answer.Vulnerabilities)
	}
	if err := printFindingTable(t, answer.Vulnerabilities); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "%d files read, %d findings, %d accepted\n", answer.Checked, len(answer.Vulnerabilities), answer.Allowed)
	return nil
}

// scanStaged looks at what git would commit. A person's git is asked, with arguments and no
// shell.
func scanStaged(ctx context.Context, folder string) (audit.Security, error) {
	answer := audit.Security{
		Status:          "secure",
		Vulnerabilities: []finding.Finding{},
		ByCheck:         map[string]audit.ByCheck{},
		Skipped:         []finding.Skipped{},
	}
	names, err := gitOutput(ctx, folder, "diff", "--cached", "--name-only", "-z", "--diff-filter=ACMR")
	if err != nil {
		return answer, err
	}

	for name := range bytes.SplitSeq(bytes.TrimSuffix(names, []byte{0}), []byte{0}) {
		if len(name) == 0 {
			continue
		}
		text, err := gitOutput(ctx, folder, "show", ":"+string(name))
		if err != nil {
			return answer, err
		}
		answer.Checked++
		found, _ := filescan.Scan(string(name), text)
		for _, f := range found {
			answer.Vulnerabilities = append(answer.Vulnerabilities, finding.Finding{
				Check:    security.Secrets,
				Rule:     f.Rule,
				Severity: f.Severity,
				Path:     string(name),
				Line:     f.Line,
				Message:  "A credential would be committed.",
				Hint:     "Take it out, and read it from the environment or a store of secrets.",
				Evidence: mask.Secret(string(text[f.Start:f.End])),
				Key:      f.Name,
			})
		}
	}
	answer.Vulnerabilities = finding.Complete(answer.Vulnerabilities)
	answer.Count = len(answer.Vulnerabilities)
	if answer.Count > 0 {
		answer.Status = "vulnerabilities_found"
	}
	return answer, nil
}

func gitOutput(ctx context.Context, folder string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = folder
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %s", args[0], cmp.Or(strings.TrimSpace(complaint.String()), err.Error()))
	}
	return out, nil
}

const publishAbout = `Looks through the files that would be published: those of an npm package, a Go module, the
context of a container image, or the last commit. It finds credentials, personal data, paths of
one machine and names of a network at home.`

// publishOptions are the flags of publish.
type publishOptions struct {
	acceptance
	form *form
}

func publishCommand(t terminal) *cobra.Command {
	o := publishOptions{}
	c := command("publish [FOLDER]", "Check what would be published",
		examples(
			"governance publish", "the project in this folder",
			"governance publish --format json ~/project", "for a program",
		),
		func(ctx context.Context, args []string) error {
			if len(args) > 1 {
				return usage("publish takes one folder, not %d", len(args))
			}
			return o.run(ctx, t, cmp.Or(strings.Join(args, ""), "."))
		})
	c.Long = publishAbout
	c.Annotations = map[string]string{exitStatusOf: "  0  nothing critical would be published\n  1  something critical would\n  2  wrong usage, or a project that cannot be read, or nothing to publish\n"}
	o.form = addForm(c, formSARIF)
	o.addFlags(c)
	return c
}

func (o *publishOptions) run(ctx context.Context, t terminal, folder string) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := needFolder(folder); err != nil {
		return err
	}
	w, err := workspace.Open(folder)
	if err != nil {
		return exit{2, err}
	}
	defer w.Close()

	answer, err := audit.RunPublication(ctx, w, ".", "", progressTo(t))
	if err != nil {
		return exit{2, err}
	}
	var list []finding.Finding
	for _, f := range answer.Findings {
		list = append(list, f.Finding)
	}
	kept, _, err := o.leaveOut(list)
	if err != nil {
		return err
	}
	if o.accept {
		return o.take(t, kept)
	}

	if err := o.print(t, answer, kept); err != nil {
		return err
	}
	switch {
	case worst(kept, "error"):
		return exit{1, nil}
	case answer.Files == 0:
		return exit{2, nil}
	}
	return nil
}

func (o *publishOptions) print(t terminal, answer audit.Publication, kept []finding.Finding) error {
	switch o.form.name {
	case formJSON:
		return printJSON(t, answer)
	case formSARIF:
		return printFindingsSARIF(t, "governance publish", kept)
	}
	if err := printFindingTable(t, kept); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "%s: %d files of %s read, %d findings\n", answer.Status, answer.Files, answer.Basis, len(kept))
	return nil
}

// gitHook is what git runs before a commit.
const gitHook = `#!/bin/sh
# Written by governance hook install --git: refuses a commit that holds credentials.
exec %s scan-secrets --staged
`

// installGitHook writes the hook of a repository. One that is there already is left alone.
func installGitHook(ctx context.Context, t terminal, folder string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := gitOutput(ctx, folder, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return exit{2, err}
	}
	hooks := strings.TrimSpace(string(out))
	if !filepath.IsAbs(hooks) {
		hooks = filepath.Join(folder, hooks)
	}

	file := filepath.Join(hooks, "pre-commit")
	text := fmt.Sprintf(gitHook, "'"+strings.ReplaceAll(own, "'", `'\''`)+"'")
	if before, err := os.ReadFile(file); err == nil {
		if string(before) == text {
			fmt.Fprintf(t.err, "%s is installed already\n", file)
			return nil
		}
		return exit{2, fmt.Errorf("%s is there already; add this line to it: %s scan-secrets --staged", file, own)}
	}
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "wrote %s\n", file)
	return nil
}
