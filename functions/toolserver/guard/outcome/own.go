package outcome

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// mostDigested is the size of an ungoverned file whose digest is taken, in bytes. An agent
// waits for it; governed files are always looked at.
const mostDigested = 256 << 10

// Look is a file with its present state. The lists may be nil.
func Look(w *workspace.Workspace, lists *policy.Policy, path, operation string) File {
	file := File{Path: path, Operation: operation}
	if lists != nil {
		if _, rule := lists.Decide(path); rule != nil {
			file.List = rule.List
		}
	}

	info, err := fs.Lstat(w.Files(), path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		file.Digest = Gone
	case err != nil:
	case info.IsDir():
		file.Digest = Folder
	case file.List == "" && info.Size() > mostDigested:
	default:
		file.Digest = digestOf(w, path, info)
	}
	return file
}

// digestOf is the digest of a file, or says that it is gone; "" if neither can be told.
func digestOf(w *workspace.Workspace, path string, info fs.FileInfo) string {
	digest, err := w.Digest(path, info)
	if errors.Is(err, fs.ErrNotExist) {
		return Gone
	}
	return digest // "" with an error
}

// Own is a change of a file that the service makes itself, for a tool or for its own agent.
type Own struct {
	Boundary  string // whose change it is, such as the name of a tool
	Tool      string
	Path      string // from the root of the workspace
	Operation string
	Approval  string // id of the approval that lets it pass, "" for none
	// Everything also writes changes of files down that no list names.
	Everything bool
}

// Around makes a change and writes it down as hooks do: the intent before, the outcome after.
// A change of a governed file that cannot be written down is not made.
func Around(log *violations.Log, own Own, change func() error) error {
	state, err := log.Workspace.Load()
	if err != nil || !state.Configured {
		return change()
	}
	before := Look(log.Workspace, state.Policy, own.Path, own.Operation)
	if before.List == "" && !own.Everything {
		return change()
	}

	journal := Journal{
		Workspace: log.Workspace,
		Now:       log.Now,
		Random:    log.Random,
	}
	r, err := own.record(journal)
	if err != nil {
		return err
	}

	intent := r
	intent.Kind, intent.Decision, intent.Files = Intent, Allowed, []File{before}
	intent.Policy = state.Policy.Version()
	if own.Approval != "" {
		intent.Approvals = []string{own.Approval}
	}
	switch _, err := journal.Append(intent, before.List != ""); {
	case errors.Is(err, errors.ErrUnsupported): // no locks here, so no journal
		return change()
	case err != nil && before.List != "":
		return fmt.Errorf("the change cannot be written down, so it is not made: %w", err)
	case err != nil:
		return change()
	}

	failure := change()
	r.Kind, r.Result = Outcome, Succeeded
	if failure != nil {
		r.Result = Failed
	}
	r.Files = []File{Look(log.Workspace, state.Policy, own.Path, own.Operation)}
	if _, err := journal.Append(r, false); err != nil { // the call stays unknown
		slog.Warn("the outcome of a change is not on the record", "error", err.Error())
	}
	return failure
}

// record is what intent and outcome have in common.
func (o Own) record(j Journal) (Record, error) {
	id, err := audit.NewID(j.Now().UTC(), j.Random)
	if err != nil {
		return Record{}, err
	}
	return Record{
		Boundary: o.Boundary,
		Actor:    Actor{Kind: "service"},
		Call:     id,
		Tool:     o.Tool,
	}, nil
}
