package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

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
	if err := f.workspace.WriteFile(path.Clean(in.Path), []byte(after)); err != nil {
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
	file, err := f.workspace.OpenState(path.Clean(in.Path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return editOutput{}, tool.FileError(in.Path, err)
	}

	_, err = file.WriteString(in.New)
	if err := errors.Join(err, file.Close()); err != nil {
		return editOutput{}, tool.FileError(in.Path, errors.New("it could not be written as a whole"))
	}
	return editOutput{in.Path, true, strings.Count(in.New, "\n")}, nil
}
