package main

import (
	"context"
	"fmt"
	"time"

	"governance.internal/functions/toolserver/guard/baseline"
	"governance.internal/functions/toolserver/guard/preflight"
)

// compareBaseline shows which governed files changed without passing the guard. Exit
// status 1 when there are any. With accept a person at a terminal takes the files as
// they are.
func compareBaseline(ctx context.Context, t terminal, args []string) error {
	accept := len(args) > 0 && args[0] == "accept"
	if accept {
		args = args[1:]
	}

	set := flags(t, "baseline", "baseline [accept] [-workspace DIR]")
	folder := set.String("workspace", "", "`directory` of the project")
	if rest, err := parse(set, args); err != nil || len(rest) > 0 {
		return usage("baseline takes no argument but accept")
	}

	gate, err := preflight.Open(*folder, "")
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()

	net := &baseline.Net{
		Workspace: gate.Workspace,
		Log:       gate.Log,
		Now:       time.Now,
		Approved:  gate.Approvals.UsedSince,
	}
	changes, checked, err := net.Compare(ctx)
	for _, c := range changes {
		fmt.Fprintf(t.out, "%s\t%s\t%s\n", c.Kind, c.Path, c.List)
	}

	switch {
	case accept && !t.person:
		return exit{2, fmt.Errorf("baseline accept needs a person at a terminal")}
	case accept:
		n, err := net.Accept(ctx, "command line")
		fmt.Fprintf(t.err, "accepted %d files as they are\n", n)
		return err
	case err != nil:
		return err
	}

	fmt.Fprintf(t.err, "%d governed files compared, %d changed without passing the guard\n",
		checked, len(changes))
	if len(changes) > 0 {
		return exit{1, nil}
	}

	return nil
}
