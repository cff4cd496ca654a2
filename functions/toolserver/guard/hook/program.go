package hook

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Name is the argument that makes a program of ours a hook.
const Name = "hook"

// refused is the exit status that agents take for a no, whatever the reason.
const refused = 2

// Snapshots makes what a gate calls before a destructive command.
type Snapshots func(*workspace.Workspace, *violations.Log) func(context.Context) (string, error)

// behind is the key of what [Behind] says.
type behind struct{}

// Behind marks a call that a process behind a fence of the kernel passes on to this one outside.
func Behind(ctx context.Context, process int) context.Context {
	return context.WithValue(ctx, behind{}, process)
}

// doorFor is the way out of the fence around this process, nil without one.
func doorFor(folder string) *broker.Door {
	if folder == "" {
		folder = preflight.Governed()
	}
	return broker.Find(folder)
}

// Main is the program of a hook: it answers the call on its standard input and
// returns the exit status. Arguments that it cannot read and a project that it cannot
// open refuse the call.
func Main(ctx context.Context, snapshots Snapshots, args []string, in io.Reader, out, errs io.Writer) int {
	set := flag.NewFlagSet(Name, flag.ContinueOnError)
	set.SetOutput(errs)
	set.Usage = func() {
		fmt.Fprintln(errs, "usage: hook -agent NAME [-workspace DIR]  (a tool call as JSON on standard input)")
		set.PrintDefaults()
	}
	agent := set.String("agent", "claude-code", "`name` of the agent: "+strings.Join(Names(), ", "))

	folder := set.String(
		"workspace",
		"",
		"`directory` of the project; by default the outermost one above that has "+workspace.FileName,
	)

	data := set.String(
		"data",
		"",
		"`directory` that the service keeps for itself; by default "+workspace.DataDir+" in the project",
	)

	event := set.String("event", "", "`name` of the event that the settings registered this command for, if the agent does not say it")

	if err := set.Parse(args); err != nil {
		return refused // the flag set has said it
	}
	if set.NArg() > 0 || !slices.Contains(Names(), *agent) {
		set.Usage()
		return refused
	}

	if door := doorFor(*folder); door != nil { // behind a fence nothing can be recorded
		return door.Pass(broker.Hook, args, in, out, errs)
	}

	gate, err := preflight.Open(*folder, *data)
	if err != nil {
		fmt.Fprintf(errs, "hook: the workspace cannot be opened, so the call is refused: %v\n", err)
		return refused
	}
	defer gate.Workspace.Close()

	gate.Enforces, gate.Installed = true, true
	gate.Behind, gate.Fenced = ctx.Value(behind{}).(int)
	gate.Snapshot = snapshots(gate.Workspace, gate.Log)
	answer := Hook{
		Gate:  gate,
		Agent: *agent,
		Event: *event,
	}.Answer(ctx, in)
	_, outErr := io.WriteString(out, answer.Stdout)
	_, errErr := io.WriteString(errs, answer.Stderr)
	if outErr != nil || errErr != nil {
		return refused
	}

	return answer.Status
}
