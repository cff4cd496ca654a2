package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/shared/lint"
)

// lintOptions are the flags of lint.
type lintOptions struct {
	form     *form
	failOn   string
	baseline string
	accept   bool
	reason   string
	expires  string
	fix      bool
	explain  string
}

const lintAbout = `Lints MCP client configurations for exposed secrets, unpinned packages, broad scopes and
insecure transports.

Without a file it looks for the configurations of all known clients, in this folder and in
your home directory. - reads standard input.`

const lintStatus = `  0  no finding is as severe as --fail-on
  1  at least one finding is
  2  wrong usage, a file that cannot be read or linted, or no file found
`

func lintCommand(t terminal) *cobra.Command {
	o := lintOptions{}
	c := command("lint [FILE...]", "Lint MCP client configurations",
		examples(
			"governance lint", "the configurations of all known clients",
			"governance lint mcp.json --fail-on warn", "one file, strictly",
			"governance lint --format sarif .mcp.json", "for code scanning",
			"governance lint --explain MCP003", "what a finding means",
		),
		func(_ context.Context, files []string) error { return lintFiles(t, o, files) })
	c.Long = lintAbout
	c.Annotations = map[string]string{exitStatusOf: lintStatus}
	o.form = addForm(c, formSARIF)

	set := c.Flags()
	set.StringVar(
		&o.failOn,
		"fail-on",
		"error",
		"lowest `severity` that fails: error, warn, info or never",
	)
	set.StringVar(
		&o.baseline,
		"baseline",
		"",
		"`file` of accepted findings, each with its reason and the day on which it expires",
	)
	set.BoolVar(
		&o.accept,
		"accept",
		false,
		"write the present findings into the baseline; needs --baseline and --reason",
	)
	set.StringVar(&o.reason, "reason", "", "`text`: why the findings are accepted")
	set.StringVar(
		&o.expires,
		"expires",
		"",
		"`day`, as 2027-01-31, from which accepted findings count again; default: in 90 days",
	)
	set.BoolVar(&o.fix, "fix", false, "repair in place what has one right answer, then lint")
	set.StringVar(&o.explain, "explain", "", "explain a `code` such as MCP003, a rule, or all")

	severities := cobra.FixedCompletions([]string{"error", "warn", "info", "never"}, cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc("fail-on", severities) // fails only for an unknown flag
	return c
}

// lintFiles lints configuration files.
func lintFiles(t terminal, o lintOptions, files []string) error {
	if o.explain != "" {
		return explainRules(t, o.explain)
	}
	if err := o.check(); err != nil {
		return err
	}

	if len(files) == 0 {
		found, err := findConfigs(t)
		if err != nil {
			return err
		}
		files = found
	}

	return o.run(t, files)
}

// lintFormats are the outputs.
var lintFormats = map[string]func(terminal, lintReport) error{
	formTable: printLintTable,
	formJSON:  printLintJSON,
	formSARIF: printLintSARIF,
}

// failRanks orders what --fail-on takes; a finding fails when its rank is at least that one.
var failRanks = map[string]int{"info": 1, "warn": 2, "error": 3, "never": 4}

func (o lintOptions) check() error {
	switch {
	case failRanks[o.failOn] == 0:
		return usage("--fail-on is error, warn, info or never, not %q", o.failOn)
	case o.accept && o.baseline == "":
		return usage("--accept needs --baseline FILE, in which accepted findings are kept")
	case o.accept && strings.TrimSpace(o.reason) == "":
		return usage("--accept needs --reason TEXT: why are these findings accepted?")
	}
	return nil
}

func (o lintOptions) run(t terminal, files []string) error {
	var accepted lintBaseline
	if o.baseline != "" {
		var err error
		if accepted, err = readBaseline(o.baseline, o.accept); err != nil {
			return exit{2, err}
		}
	}

	report := lintReport{}
	for _, file := range files {
		if o.fix {
			repairFile(t, file)
		}
		result, err := lintOne(t, file)
		if err != nil {
			fmt.Fprintf(t.err, "%s: %v\n", file, err)
			report.Unread = append(report.Unread, unreadFile{file, err.Error()})
			continue
		}

		report.add(file, result, accepted, time.Now())
	}

	if o.accept {
		if err := o.acceptAll(t, accepted, report); err != nil {
			return err
		}
		return o.status(report, "never")
	}

	if err := lintFormats[o.form.name](t, report); err != nil {
		return err
	}
	return o.status(report, o.failOn)
}

// status is the end of the command.
func (o lintOptions) status(report lintReport, failOn string) error {
	if len(report.Unread) > 0 {
		return exit{2, nil}
	}
	least := failRanks[failOn]
	fails := func(f lintFinding) bool { return failRanks[string(f.Severity)] >= least }
	if slices.ContainsFunc(report.Findings, fails) {
		return exit{1, nil}
	}
	return nil
}

func lintOne(t terminal, file string) (lint.Result, error) {
	document, err := readInput(t, file)
	if err != nil {
		return lint.Result{}, err
	}
	return lint.LintJSONC(document)
}

// repairFile repairs a file and says what was changed.
func repairFile(t terminal, file string) {
	if file == "-" {
		fmt.Fprintln(t.err, "--fix changes files; standard input is only linted")
		return
	}

	repairs, err := fixFile(file)
	if err != nil {
		fmt.Fprintf(t.err, "%s: not repaired: %v\n", file, err)
		return
	}

	for _, r := range repairs {
		fmt.Fprintf(t.err, "%s:%d:%d: %s: %s -> %s\n", file, r.Line, r.Column, r.Rule, r.Before, r.After)
	}
}

// fixFile writes the repaired document beside the file and renames it, so that a crash leaves the
// old file or the new one. A symbolic link stays: the file that it leads to is repaired.
func fixFile(file string) ([]lint.Repair, error) {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, err
	}

	info, err := os.Stat(target)
	if err != nil {
		return nil, err
	}

	document, err := os.ReadFile(target)
	if err != nil {
		return nil, err
	}

	fixed, repairs, err := lint.Fix(document)
	var input *lint.InputError
	if errors.As(err, &input) || len(repairs) == 0 {
		return nil, nil // the lint says what is wrong with the document
	}
	if err != nil {
		return nil, err
	}

	return repairs, replaceFile(target, fixed, info.Mode().Perm())
}

// replaceFile replaces a file at once.
func replaceFile(file string, content []byte, mode os.FileMode) error {
	fresh, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(fresh.Name()) // gone after the rename

	_, err = fresh.Write(content)
	err = errors.Join(err, fresh.Chmod(mode), fresh.Close())
	if err != nil {
		return err
	}
	return os.Rename(fresh.Name(), file)
}

// explainRules prints the rules of a code, one rule, or all.
func explainRules(t terminal, what string) error {
	wanted := strings.ToLower(what)
	found := false
	for _, rule := range lint.Rules() {
		code := strings.ToLower(rule.Code)
		name := strings.ToLower(rule.Name)
		if wanted != "all" &&
			wanted != code &&
			wanted != name &&
			wanted != code+"/"+name {
			continue
		}

		found = true
		var severities []string
		for _, severity := range rule.Severities {
			severities = append(severities, string(severity))
		}

		fmt.Fprintf(t.out, "%s %s (%s, %s, %s)\n  %s\n  Repair: %s\n\n",
			rule.Code, rule.Name, strings.Join(severities, " or "), rule.Category, rule.OWASP, rule.Doc, rule.Hint)
	}

	if !found {
		return usage("--explain knows no code or rule %q; MCP000 to MCP008 are codes, and --explain all prints every rule", what)
	}
	if wanted == "all" {
		fmt.Fprintln(t.out, "What a lint of a configuration cannot see:")
		for _, line := range lint.NotSeen() {
			fmt.Fprintf(t.out, "  %s\n", line)
		}
	}

	return nil
}
