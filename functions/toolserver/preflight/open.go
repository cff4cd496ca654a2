package preflight

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"time"

	"governance.internal/functions/toolserver/approval"
	"governance.internal/functions/toolserver/violations"
	"governance.internal/functions/toolserver/workspace"
)

// Open opens the guard of a project without a server: what it refuses waits in the
// spool until a server takes it into the chain. An empty name is the [Governed] folder.
func Open(folder string) (*Gate, error) {
	if folder == "" {
		folder = Governed()
	}
	w, err := workspace.Open(folder, filepath.Join(folder, workspace.DataDir))
	if err != nil {
		return nil, err
	}
	log := &violations.Log{Workspace: w, Now: time.Now, Random: rand.Reader}
	book := &approval.Book{Workspace: w, Now: time.Now, Random: rand.Reader, Record: log.Note}
	return &Gate{Workspace: w, Log: log, Approvals: book}, nil
}

// Governed is the outermost folder from here upward with a workspace file: an agent
// could write another one further in. Without any it is this folder.
func Governed() string {
	found := "."
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, workspace.FileName)); missing == nil {
			found = dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return found
}
