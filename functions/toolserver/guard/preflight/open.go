package preflight

import (
	"cmp"
	"crypto/rand"
	"os"
	"path/filepath"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Open opens the guard of a project without a server: what it refuses waits in the
// spool until a server takes it into the chain. Empty names are the [Governed] folder
// and the usual one for the data of the service.
func Open(folder, data string) (*Gate, error) {
	if folder == "" { // an agent waits: who names it looks for none
		folder = Governed()
	}

	data = cmp.Or(data, filepath.Join(folder, workspace.DataDir))
	w, err := workspace.Open(folder, data)
	if err != nil {
		return nil, err
	}

	log := &violations.Log{
		Workspace: w,
		Now:       time.Now,
		Random:    rand.Reader,
	}
	book := &approval.Book{
		Workspace: w,
		Now:       time.Now,
		Random:    rand.Reader,
		Record:    log.Note,
	}
	return &Gate{
		Workspace: w,
		Log:       log,
		Approvals: book,
		Halted:    func() string { return haltIn(data) },
	}, nil
}

// Governed is the outermost folder from here upward with a workspace file: an agent
// could write another one further in. A further checkout of a repository without the file
// is governed by the main one. Without any it is this folder.
func Governed() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	if found := outermost(dir); found != "" {
		return found
	}

	if main := workspace.MainCheckout(dir); main != "" {
		if found := outermost(main); found != "" {
			return found
		}
	}
	return "."
}

// outermost is the last folder from one upward that has a workspace file, "" if none has.
func outermost(dir string) string {
	found := ""
	for {
		if _, missing := os.Stat(filepath.Join(dir, workspace.FileName)); missing == nil {
			found = dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return found
		}
		dir = above
	}
}
