// Package outside is what a process outside a fence does for the programs behind it: it answers
// their hooks, and writes the protected files that a person approved.
package outside

import (
	"bytes"
	"context"
	"fmt"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/hook"
)

// Project is the workspace that the fence is for. Folders are absolute.
type Project struct {
	Folder    string
	Data      string // that the service keeps for itself, "" for the usual one
	Snapshots hook.Snapshots
}

// Of is the project of a folder, with the usual data and snapshots.
func Of(snapshots hook.Snapshots) func(folder string) broker.Handler {
	return func(folder string) broker.Handler {
		return Project{Folder: folder, Snapshots: snapshots}.Handler()
	}
}

// Handler answers requests from behind the fence.
func (p Project) Handler() broker.Handler {
	return func(ctx context.Context, r broker.Request) broker.Answer {
		switch r.Kind {
		case broker.Hook:
			return p.hook(ctx, r)
		case broker.Write:
			return p.Write(ctx, r)
		}
		return broker.Answer{
			Errors: fmt.Appendf(nil, "nothing outside the fence does %q\n", r.Kind),
			Status: refused,
		}
	}
}

// refused is the exit status of what the guard does not let happen.
const refused = 2

// hook answers a call of an agent. The place of the project is this one, whatever was asked for.
func (p Project) hook(ctx context.Context, r broker.Request) broker.Answer {
	arguments := append(r.Arguments[:len(r.Arguments):len(r.Arguments)], "-workspace", p.Folder)
	if p.Data != "" {
		arguments = append(arguments, "-data", p.Data)
	}

	var out, errs bytes.Buffer
	status := hook.Main(hook.Behind(ctx, r.Process), p.Snapshots, arguments, bytes.NewReader(r.Input), &out, &errs)
	return broker.Answer{
		Output: out.Bytes(),
		Errors: errs.Bytes(),
		Status: status,
	}
}
