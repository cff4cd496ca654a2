package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	approvals "governance.internal/functions/toolserver/approval"
	"governance.internal/functions/toolserver/preflight"
)

// approve shows what agents asked for, and grants or denies it. Deciding needs a
// person at a terminal, who types the id again: an agent that runs the command
// through a pipe is refused.
func approve(ctx context.Context, t terminal, args []string) error {
	set := flags(t, "approve", "approve [-workspace DIR] [-deny] [ID]")
	folder := set.String("workspace", "", "`directory` of the project")
	refuse := set.Bool("deny", false, "deny instead of granting")
	rest, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return usage("approve takes one id")
	}
	gate, err := preflight.Open(*folder)
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()
	if len(rest) == 0 {
		return listApprovals(t, gate.Approvals)
	}
	asked, err := gate.Approvals.Get(rest[0])
	if err != nil {
		return err
	}
	if !t.person {
		return exit{2, fmt.Errorf("approve needs a person at a terminal")}
	}
	what := strings.Join(asked.Paths, ", ")
	if asked.Operation == "command" {
		what = "a command with the digest " + asked.Digest
	}
	fmt.Fprintf(t.err, "%q wants: %s %q\nreason: %q\nuntil: %s\nType the last four characters of the id to confirm: ", asked.Agent, asked.Operation, what, asked.Reason, asked.Expires.Format(time.RFC3339))
	line, _ := bufio.NewReader(t.in).ReadString('\n')
	if id := asked.ID; !strings.EqualFold(strings.TrimSpace(line), id[len(id)-4:]) {
		return exit{1, fmt.Errorf("nothing was decided")}
	}
	decided, err := gate.Approvals.Decide(ctx, asked.ID, "command line", !*refuse)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.err, "%s\n", decided.State)
	return nil
}

func listApprovals(t terminal, book *approvals.Book) error {
	list, err := book.List(100)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, a := range list {
		fmt.Fprintf(w, "%s\t%s\t%q\t%s\t%q\t%q\n", a.ID, a.State, a.Agent, a.Operation, strings.Join(a.Paths, ","), a.Reason)
	}
	return w.Flush()
}
