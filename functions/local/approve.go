package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	approvals "governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/preflight"
)

// approveOptions is a parsed approve command.
type approveOptions struct {
	folder string
	deny   bool
	form   *form
}

func approveCommand(t terminal) *cobra.Command {
	o := approveOptions{}
	c := command("approve [ID]", "Show what agents asked for, and grant or deny it",
		examples(
			"governance approve", "list the requests",
			"governance approve ap_7f3k", "grant one, at a terminal",
			"governance approve ap_7f3k --deny", "deny it",
		),
		func(ctx context.Context, args []string) error { return o.run(ctx, t, args) })
	c.Flags().StringVar(&o.folder, "workspace", "", "`directory` of the project")
	c.Flags().BoolVar(&o.deny, "deny", false, "deny instead of granting")
	o.form = addForm(c)
	return c
}

// run shows the requests of agents, and grants or denies one. A decision requires a person
// at a terminal, who repeats the id: an agent that runs the command through a pipe is
// refused.
func (o approveOptions) run(ctx context.Context, t terminal, rest []string) error {
	if len(rest) > 1 {
		return usage("approve takes one id")
	}

	gate, err := preflight.Open(o.folder, "")
	if err != nil {
		return err
	}
	defer gate.Workspace.Close()

	if len(rest) == 0 {
		return listApprovals(t, gate.Approvals, o.form)
	}
	asked, err := gate.Approvals.Get(rest[0])
	if err != nil {
		return err
	}
	if !t.person {
		return exit{2, fmt.Errorf("approve needs a person at a terminal")}
	}

	describe(t, asked)
	fmt.Fprint(t.err, "Type the last four characters of the id to confirm: ")
	line, _ := bufio.NewReader(t.in).ReadString('\n')
	if id := asked.ID; !strings.EqualFold(strings.TrimSpace(line), id[len(id)-4:]) {
		return exit{1, fmt.Errorf("the characters do not match; nothing was decided")}
	}

	decided, err := gate.Approvals.Decide(ctx, asked.ID, "command line", !o.deny)
	if err != nil {
		return err
	}

	fmt.Fprintf(t.err, "%s\n", decided.State)
	return nil
}

// describe shows the whole request before a person decides. No line begins with text from
// the agent.
func describe(t terminal, a approvals.Approval) {
	if a.Shown != "" {
		fmt.Fprintf(t.err, "agent:  %s wants to run this command\n", a.Agent)
		for line := range strings.SplitSeq(a.Shown, "\n") {
			fmt.Fprintf(t.err, "        | %s\n", line)
		}
	} else {
		fmt.Fprintf(t.err, "agent:  %s wants to %s a file\n", a.Agent, a.Operation)
	}

	for _, file := range a.Files {
		fmt.Fprintf(t.err, "file:   %s\n", oneLine(file))
	}

	if len(a.Files) == 0 {
		fmt.Fprintln(t.err, "file:   the command does not show which files it changes")
	}

	fmt.Fprintf(t.err, "reason: %s\n", oneLine(a.Reason))
	fmt.Fprintf(t.err, "digest: %s\n", a.Digest)
	fmt.Fprintf(t.err, "until:  %s\n", a.Expires.Format(time.RFC3339))
}

// oneLine is a text without ends of lines.
func oneLine(text string) string {
	return strings.NewReplacer("\n", "⟨U+000A⟩", "\t", "⟨U+0009⟩").Replace(text)
}

func listApprovals(t terminal, book *approvals.Book, f *form) error {
	list, err := book.List(100)
	if err != nil {
		return err
	}
	if f.isJSON() {
		return printJSON(t, map[string]any{"approvals": list})
	}

	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, a := range list {
		what := a.Shown
		if what == "" {
			what = strings.Join(a.Files, ", ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n",
			a.ID, a.State, oneLine(a.Agent), a.Operation, oneLine(what), oneLine(a.Reason))
	}
	return w.Flush()
}
