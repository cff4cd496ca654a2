package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/preflight"
)

func baselineCommand(t terminal) *cobra.Command {
	var folder string
	var f *form
	c := command("baseline", "Show which governed files changed without passing the guard",
		examples(
			"governance baseline --workspace ~/project", "list the changed files",
			"governance baseline accept --workspace ~/project", "accept them as they are, at a terminal",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("baseline", args); err != nil {
				return err
			}
			return compareBaseline(ctx, t, folder, f)
		})
	c.Flags().StringVar(&folder, "workspace", "", "`directory` of the project")
	f = addForm(c)
	c.AddCommand(acceptCommand(t))
	return c
}

func acceptCommand(t terminal) *cobra.Command {
	var folder string
	c := command("accept", "Accept the governed files as they are, at a terminal",
		examples("governance baseline accept --workspace ~/project", "accept the files of a project"),
		func(ctx context.Context, args []string) error {
			if err := noArguments("baseline accept", args); err != nil {
				return err
			}
			return acceptBaseline(ctx, t, folder)
		})
	c.Flags().StringVar(&folder, "workspace", "", "`directory` of the project")
	return c
}

// baselineReport lists the changes that bypassed the guard.
type baselineReport struct {
	Checked int               `json:"checked"` // governed files
	Changes []baseline.Change `json:"changes"`
}

// compareBaseline shows the governed files that changed without passing the guard, and
// exits with status 1 if there are any.
func compareBaseline(ctx context.Context, t terminal, folder string, f *form) error {
	gate, err := preflight.Open(folder, "")
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()

	changes, checked, err := netOf(gate).Compare(ctx)
	if err != nil {
		return err
	}

	if f.isJSON() {
		if err := printJSON(t, baselineReport{checked, append([]baseline.Change{}, changes...)}); err != nil {
			return err
		}
	} else {
		printChanges(t, changes)
		fmt.Fprintf(t.err, "%d governed files compared, %d changed without passing the guard\n",
			checked, len(changes))
	}

	if len(changes) > 0 {
		return exit{1, nil}
	}
	return nil
}

// acceptBaseline shows the changed files and accepts them as they are. It requires a person
// at a terminal.
func acceptBaseline(ctx context.Context, t terminal, folder string) error {
	gate, err := preflight.Open(folder, "")
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()

	net := netOf(gate)
	changes, _, _ := net.Compare(ctx) // a baseline that cannot be read is replaced
	printChanges(t, changes)
	if !t.person {
		return exit{2, errors.New("baseline accept needs a person at a terminal")}
	}

	n, err := net.Accept(ctx, "command line")
	fmt.Fprintf(t.err, "accepted %d files as they are\n", n)
	return err
}

func netOf(gate *preflight.Gate) *baseline.Net {
	return &baseline.Net{
		Workspace: gate.Workspace,
		Log:       gate.Log,
		Now:       time.Now,
		Approved:  gate.Approvals.UsedSince,
	}
}

func printChanges(t terminal, changes []baseline.Change) {
	for _, c := range changes {
		fmt.Fprintf(t.out, "%s\t%s\t%s\n", c.Kind, c.Path, c.List)
	}
}
