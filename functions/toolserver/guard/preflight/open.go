package preflight

import (
	"cmp"
	"crypto/rand"
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

// Governed is [workspace.Governed].
func Governed() string { return workspace.Governed() }
