package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	agenttherapy "governance.internal/functions/agent-therapy"
)

const therapyAbout = `Diagnoses the instructions of an agent and what it did. Give instruction files such as CLAUDE.md, AGENTS.md,
rules with globs, skills, system prompts and lists of tools, or transcripts, alone or together: files
that are given together are held against each other. It runs on this machine alone and sends nothing.

A name of - reads standard input. All files together have at most 256 KB.`

const therapyStatus = `  0  the files were diagnosed
  2  wrong usage, or a file that cannot be read
`

// therapyOptions are the flags of therapy.
type therapyOptions struct {
	form *form
	kind string
}

func therapyCommand(t terminal) *cobra.Command {
	o := therapyOptions{}
	c := command("therapy FILE...", "Find what contradicts itself in instructions for agents, and what went wrong in transcripts",
		examples(
			"governance therapy CLAUDE.md", "conflicts, gaps and how to repair them",
			"governance therapy AGENTS.md web/AGENTS.md", "nested files against each other",
			"governance therapy --format json AGENTS.md session.jsonl", "rules and what was done, for programs",
		),
		func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return usage("therapy takes at least one file, or - for standard input")
			}
			return o.run(t, args)
		})
	c.Long = therapyAbout
	c.Annotations = map[string]string{exitStatusOf: therapyStatus}
	o.form = addForm(c)
	c.Flags().StringVar(&o.kind, "kind", "", "read every file as `kind`: prompt, rules, skill, tools or transcript")
	return c
}

func (o *therapyOptions) run(t terminal, names []string) error {
	in, err := readTherapyFiles(t, names)
	if err != nil {
		return exit{2, err}
	}

	in.Kind = o.kind
	answer, err := agenttherapy.Diagnose(in)
	var refused *agenttherapy.InputError
	if errors.As(err, &refused) && refused.Field == "kind" {
		return usage("--kind %s", refused.Detail)
	}
	if err != nil {
		return exit{2, err}
	}

	if o.form.isJSON() {
		return printJSON(t, answer)
	}
	return printTherapyPage(t, answer)
}

// readTherapyFiles reads the files under names that are relative paths, so that a patch applies
// where the command ran.
func readTherapyFiles(t terminal, names []string) (agenttherapy.Input, error) {
	var in agenttherapy.Input
	shown := relativeNames(names)

	for i, name := range names {
		text, err := readTherapyFile(t, name)
		if err != nil {
			return in, err
		}
		in.Files = append(in.Files, agenttherapy.File{Name: shown[i], Text: text})
	}
	return in, nil
}

func readTherapyFile(t terminal, name string) (string, error) {
	in := t.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}

	text, err := io.ReadAll(io.LimitReader(in, agenttherapy.MaxBytes+1))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return string(text), nil
}

// relativeNames returns the names as paths relative to this folder, or to the folder that all of
// them share if one lies outside.
func relativeNames(names []string) []string {
	shown := make([]string, len(names))
	outside := false
	for i, name := range names {
		shown[i] = filepath.ToSlash(filepath.Clean(name))
		if name == "-" {
			shown[i] = "instructions.md"
		}
		outside = outside || !filepath.IsLocal(shown[i])
	}
	if !outside {
		return shown
	}

	shared := path.Dir(shown[0])
	for _, name := range shown[1:] {
		for shared != "." && shared != "/" && !strings.HasPrefix(name, shared+"/") {
			shared = path.Dir(shared)
		}
	}
	for i, name := range shown {
		shown[i] = strings.TrimLeft(strings.TrimPrefix(name, shared), "/")
	}
	return shown
}

// printTherapyPage prints a diagnosis for people.
func printTherapyPage(t terminal, a *agenttherapy.Answer) error {
	p := &page{out: t.out}
	for _, f := range a.Files {
		p.line("%s: read as %s, %d lines", printable(f.Name), f.Kind, f.Lines)
		for _, problem := range f.Problems {
			p.line("  %s", printable(problem))
		}
	}

	printConflicts(p, a.Conflicts)
	printGaps(p, a)
	printPatterns(p, a)
	printRepairs(p, a)
	return p.err
}

func printConflicts(p *page, conflicts []agenttherapy.Conflict) {
	if len(conflicts) == 0 {
		return
	}
	p.heading("conflicts")
	for _, c := range conflicts {
		p.line("%s: %s", c.Severity, printable(c.Why))
		p.line("  %s:%d: %s", printable(c.A.File), c.A.Line, printable(shortened(c.A.Quote)))
		p.line("  %s:%d: %s", printable(c.B.File), c.B.Line, printable(shortened(c.B.Quote)))
		p.line("  %s", printable(c.Repair))
	}
}

func printGaps(p *page, a *agenttherapy.Answer) {
	if len(a.Gaps) == 0 {
		return
	}
	p.heading("gaps")
	for _, g := range a.Gaps {
		p.line("%s: %s", g.Code, printable(g.Why))
		p.line("  %s:%d: %s", printable(g.File), g.Line, printable(shortened(g.Quote)))
		p.line("  Add: %s", printable(g.Repair))
	}
}

func printPatterns(p *page, a *agenttherapy.Answer) {
	if len(a.Patterns)+len(a.Breaches) == 0 {
		return
	}
	p.heading("what happened")
	for _, pattern := range a.Patterns {
		p.line("%s: %s", pattern.Code, pattern.Effect)
		for _, q := range pattern.Evidence {
			p.line("  %s, turn %d: %s", printable(q.File), q.Line, printable(shortened(q.Quote)))
		}
		p.line("  %s", pattern.Repair)
	}
	for _, b := range a.Breaches {
		p.line("rule broken: %s", printable(shortened(b.Rule.Quote)))
		p.line("  %s, turn %d: %s", printable(b.Turn.File), b.Turn.Line, printable(shortened(b.Turn.Quote)))
	}
}

func printRepairs(p *page, a *agenttherapy.Answer) {
	if a.Skill == nil && a.Guard == nil {
		p.line("")
		p.line("Nothing was found.")
		return
	}
	if a.Patch != "" {
		p.heading("patch, for git apply")
		p.line("%s", printableLines(a.Patch))
	}
	if a.Guard != nil {
		p.heading("governance.yaml, a draft")
		p.line("%s", printableLines(a.Guard.Content))
	}
	if a.Skill != nil {
		p.line("The repair skill %s is in the answer of --format json.", a.Skill.Path)
	}
}

// printableLines is a text of several lines without what controls a terminal.
func printableLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}
