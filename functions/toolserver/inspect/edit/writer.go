package edit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Writer writes planned edits. It asks the guard about each file, keeps a copy of the file
// as it was, and records one entry for all files of a call before the first one is changed.
type Writer struct {
	Workspace *workspace.Workspace
	Gate      *preflight.Gate
	Log       *violations.Log
	Now       func() time.Time
}

// Outcome is what became of the plans.
type Outcome struct {
	Files []File
	Diff  string // of all files that change or would change
	Entry string // id of the entry in the audit chain, "" if nothing was written
}

// Changed reports whether a file was written, or would be.
func (o Outcome) Changed() int {
	n := 0
	for _, f := range o.Files {
		if f.Status == Updated || f.Status == WouldUpdate {
			n++
		}
	}
	return n
}

// change is a file with its new text.
type change struct {
	file   *File
	real   string // where links lead
	isNew  bool
	before []byte
	after  []byte
}

// Run carries plans out for a tool, or shows what would happen with dry. A file that may
// not be changed is reported and left alone; the others are written.
func (w *Writer) Run(ctx context.Context, tool, event string, dry bool, files []File) (Outcome, error) {
	var changes []change
	var diff strings.Builder
	for i := range files {
		c, ok := w.prepare(ctx, tool, dry, &files[i])
		if !ok {
			continue
		}
		changes = append(changes, c)
		diff.WriteString(Diff(c.file.Path, c.before, c.after))
	}

	done := Outcome{
		Files: files,
		Diff:  diff.String(),
	}
	if dry || len(changes) == 0 {
		return done, nil
	}

	entry, err := w.record(ctx, tool, event, changes)
	if err != nil {
		return done, err
	}
	done.Entry = entry

	failed := w.writeAll(ctx, tool, changes)
	if len(failed) == 0 {
		return done, nil
	}
	_, err = w.Log.Record(ctx, tool, event+"_FAILED", map[string]any{
		"entry": entry,
		"files": failed,
	})
	return done, err
}

// prepare reads a file and makes its new text. It is not ok if nothing is to be written,
// and the file then says why.
func (w *Writer) prepare(ctx context.Context, tool string, dry bool, f *File) (change, bool) {
	if len(f.Edits) == 0 {
		f.Status = Current
		return change{}, false
	}

	c, err := w.read(f)
	if err == nil {
		c.after, err = Apply(c.before, f.Edits)
	}
	if err != nil {
		f.Status, f.Reason = Failed, err.Error()
		return c, false
	}

	report := w.look(ctx, tool, c, dry)
	if why := refusal(report, tool, f.Path); why != "" {
		f.Status, f.Reason = Blocked, why
		return c, false
	}

	f.Status = WouldUpdate
	return c, true
}

// read reads a file as it is, which may be that it does not exist yet.
func (w *Writer) read(f *File) (change, error) {
	c := change{file: f}
	place, err := w.Workspace.Locate(".", f.Path)
	if err != nil {
		return c, err
	}
	if place.Real == "" {
		return c, workspace.ErrOutside
	}

	c.real = place.Real
	c.before, err = w.Workspace.ReadFile(c.real, maxEdited)
	if f.Create && errors.Is(err, fs.ErrNotExist) {
		c.isNew = true
		return c, nil
	}
	return c, err
}

// look asks the guard whether a file may be changed.
func (w *Writer) look(ctx context.Context, tool string, c change, dry bool) preflight.Report {
	operation := preflight.Edit
	if c.isNew {
		operation = preflight.Create
	}

	action := preflight.Action{
		Agent:     tool,
		Tool:      tool,
		Operation: operation,
		Dir:       ".",
		Paths:     []string{c.file.Path},
	}
	return w.Gate.Look(ctx, action, !dry)
}

// maxEdited bounds a file that is edited, in bytes.
const maxEdited = 64 << 20

func refusal(report preflight.Report, tool, name string) string {
	switch report.Decision {
	case policy.Protected:
		return fmt.Sprintf("PROTECTED: a person approves it first (request_approval: agent %s, paths [%s])", tool, name)
	case policy.Blocked:
		if len(report.Results) == 0 {
			return report.Next
		}
		return "UNTOUCHABLE: a person changes it"
	}
	return ""
}

// record writes the entry: which files become what.
func (w *Writer) record(ctx context.Context, tool, event string, changes []change) (string, error) {
	var files []map[string]any
	for _, c := range changes {
		files = append(files, map[string]any{
			"path":          c.file.Path,
			"edits":         len(c.file.Edits),
			"sha256_before": digest(c.before),
			"sha256_after":  digest(c.after),
		})
	}
	entry, err := w.Log.Record(ctx, tool, event, map[string]any{"files": files})
	return entry.ID, err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writeAll writes every file, and returns the names of those that could not be written.
func (w *Writer) writeAll(ctx context.Context, tool string, changes []change) []string {
	stamp := w.Now().UTC().Format("20060102T150405.000000000Z")
	var failed []string
	for _, c := range changes {
		err := ctx.Err()
		if err == nil {
			err = w.onRecord(tool, c, func() error { return w.write(c, stamp) })
		}
		if err != nil {
			c.file.Status, c.file.Reason = Failed, err.Error()
			failed = append(failed, c.file.Path)
			continue
		}
		c.file.Status = Updated
	}
	return failed
}

// onRecord makes a change of a governed file with an intent and an outcome on the record.
func (w *Writer) onRecord(tool string, c change, write func() error) error {
	own := outcome.Own{
		Boundary:  "tools",
		Tool:      tool,
		Path:      c.real,
		Operation: preflight.Edit,
	}
	return outcome.Around(w.Log, own, write)
}

// write keeps a copy of a file and replaces it, if it is still as it was read.
func (w *Writer) write(c change, stamp string) error {
	if c.isNew {
		return w.create(c)
	}

	backup := path.Join(workspace.StateDir, "backups", stamp, c.real)
	if err := w.Workspace.WriteFile(backup, c.before); err != nil {
		return errors.Join(errors.New("no backup could be made, so nothing was changed"), err)
	}

	now, err := w.Workspace.ReadFile(c.real, maxEdited)
	if err != nil {
		return err
	}
	if string(now) != string(c.before) {
		return errChanged
	}

	c.file.Backup = backup
	return w.Workspace.WriteFile(c.real, c.after)
}

// create makes a file, if there is still none.
func (w *Writer) create(c change) error {
	_, err := fs.Stat(w.Workspace.Files(), c.real)
	if err == nil {
		return errChanged
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return errors.New("whether the file exists is unknown")
	}
	return w.Workspace.WriteFile(c.real, c.after)
}
