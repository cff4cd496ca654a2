package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	journal "governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/mcp/tool"
)

type editInput struct {
	Path string `json:"path" required:"true" min:"1" max:"1024"`
	Old  string `json:"old" max:"64000" doc:"Text that is in the file exactly once."`
	New  string `json:"new" max:"64000"`
}

type editOutput struct {
	Path    string `json:"path"`
	Created bool   `json:"created,omitempty"`
	Lines   int    `json:"lines_in_file"`
}

// edit changes a file, if the guard allows it.
func (f files) edit(ctx context.Context, _ *tool.Call, in editInput) (editOutput, error) {
	if in.Old == "" {
		return f.create(ctx, in)
	}
	if err := f.allowed(ctx, preflight.Edit, in.Path); err != nil {
		return editOutput{}, err
	}

	before, err := f.text(ctx, in.Path)
	if err != nil {
		return editOutput{}, err
	}

	if n := strings.Count(before, in.Old); n != 1 {
		return editOutput{}, &tool.Error{
			Code:    "conflict",
			Field:   "/old",
			Message: fmt.Sprintf("old is in the file %d times and must be there once.", n),
			Hint:    "Read the file again and take more of its text around the place.",
		}
	}

	after := strings.Replace(before, in.Old, in.New, 1)
	err = f.onRecord(preflight.Edit, in.Path, func() error {
		return f.workspace.WriteFile(path.Clean(in.Path), []byte(after))
	})
	if err != nil {
		return editOutput{}, tool.FileError(in.Path, err)
	}

	return editOutput{in.Path, false, strings.Count(after, "\n")}, nil
}

// create creates a file exclusively, so that no other process can have created it in the
// meantime.
func (f files) create(ctx context.Context, in editInput) (editOutput, error) {
	if err := f.allowed(ctx, preflight.Create, in.Path); err != nil {
		return editOutput{}, err
	}

	err := f.onRecord(preflight.Create, in.Path, func() error {
		return f.writeNew(path.Clean(in.Path), in.New)
	})
	if err != nil {
		return editOutput{}, tool.FileError(in.Path, err)
	}
	return editOutput{in.Path, true, strings.Count(in.New, "\n")}, nil
}

func (f files) writeNew(name, text string) error {
	file, err := f.workspace.OpenState(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}

	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.New("it could not be written as a whole")
	}
	return nil
}

// onRecord makes a change with an intent and an outcome on the record, as hooks write them
// for other agents.
func (f files) onRecord(operation, name string, change func() error) error {
	own := journal.Own{
		Boundary:   f.agent,
		Tool:       "propose_edit",
		Path:       path.Clean(name),
		Operation:  operation,
		Everything: true,
	}
	return journal.Around(f.gate.Log, own, change)
}
