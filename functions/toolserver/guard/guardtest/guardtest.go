// Package guardtest makes a governed project for tests: a folder with files, its
// guard and an audit chain in memory.
package guardtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/audit"
	"governance.internal/shared/audit/memory"
)

// World is a governed project.
type World struct {
	testing.TB
	Dir       string // absolute
	Workspace *workspace.Workspace
	Store     audit.Store
	Log       *violations.Log
	Gate      *preflight.Gate
	Approvals *approval.Book
	Time      time.Time // what its clock shows
}

// Governance is a workspace file that most tests do with.
const Governance = `version: 1
untouchable: ["infra/prod/**", "**/*.pem"]
protected: ["go.mod", "docs/adr/**"]
allow: ["docs/adr/README.md"]
`

// New makes a project with files; a name that ends with a slash is a folder.
func New(t testing.TB, files map[string]string) *World {
	t.Helper()
	w := &World{TB: t, Dir: t.TempDir()}
	written := time.Now()
	for name, text := range files {
		w.Write(name, text)
		if err := os.Chtimes(filepath.Join(w.Dir, name), written, written); err != nil { // else the order is chance
			t.Fatal(err)
		}
	}
	return open(t, w.Dir)
}

// open makes a project of a folder that is there.
func open(t testing.TB, dir string) *World {
	t.Helper()
	w := &World{
		TB:   t,
		Dir:  dir,
		Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	}

	var err error
	if w.Workspace, err = workspace.Open(w.Dir); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = w.Workspace.Close() })
	if w.Store, err = memory.New("governance", memory.Options{}); err != nil {
		t.Fatal(err)
	}

	w.Log = &violations.Log{
		Trail:     w.Store,
		Workspace: w.Workspace,
		Now:       w.Now,
		Random:    rand.Reader,
	}
	w.Approvals = &approval.Book{
		Workspace: w.Workspace,
		Now:       w.Now,
		Random:    rand.Reader,
		Record:    w.Log.Note,
	}
	w.Log.Approved = w.Approvals.Holds
	w.Gate = &preflight.Gate{
		Workspace: w.Workspace,
		Log:       w.Log,
		Approvals: w.Approvals,
	}
	return w
}

// Now is the clock of the world.
func (w *World) Now() time.Time { return w.Time }

// Write writes a file of the project.
func (w *World) Write(name, text string) {
	w.Helper()
	full := filepath.Join(w.Dir, name)
	folder := filepath.Dir(full)
	if name[len(name)-1] == '/' {
		folder = full
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		w.Fatal(err)
	}
	if folder == full {
		return
	}

	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// Read reads a file of the project.
func (w *World) Read(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// Recorded are the entries of the chain of a type.
func (w *World) Recorded(kind string) []audit.Entry {
	w.Helper()
	head, err := w.Store.Head(context.Background())
	if err != nil {
		w.Fatal(err)
	}

	var found []audit.Entry
	for block, err := range w.Store.Blocks(context.Background(), 1, head.Seq) {
		if err != nil {
			w.Fatal(err)
		}

		for line := range bytes.Lines(block.Lines) {
			e, err := audit.ParseEntry(bytes.Clone(bytes.TrimSuffix(line, []byte("\n"))))
			if err != nil {
				w.Fatal(err)
			}
			if e.Event == kind {
				found = append(found, e)
			}
		}
	}

	return found
}

// Call calls a tool that must succeed, and decodes its answer into out.
func (w *World) Call(t *tool.Tool, arguments string, out any) {
	w.Helper()
	result := t.Run(context.Background(), &tool.Call{
		Arguments: json.RawMessage(arguments),
		Transport: "mcp",
	})
	if result.IsError {
		w.Fatalf("%s %s: %v", t.Name, arguments, result.Err)
	}
	if err := json.Unmarshal(result.Structured, out); err != nil {
		w.Fatal(err)
	}
}

// Refused calls a tool that must fail, and returns its error.
func (w *World) Refused(t *tool.Tool, arguments string) *tool.Error {
	w.Helper()
	result := t.Run(context.Background(), &tool.Call{
		Arguments: json.RawMessage(arguments),
		Transport: "mcp",
	})
	if !result.IsError {
		w.Fatalf("%s %s succeeded: %s", t.Name, arguments, result.Structured)
	}
	return result.Err
}
