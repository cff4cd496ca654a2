package agent

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"governance.internal/functions/toolserver/preflight"
	"governance.internal/functions/toolserver/tool"
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
		return editOutput{}, &tool.Error{Code: "conflict", Field: "/old", Message: fmt.Sprintf("old is in the file %d times and must be there once.", n), Hint: "Read the file again and take more of its text around the place."}
	}
	return f.write(in.Path, strings.Replace(before, in.Old, in.New, 1), false)
}

func (f files) create(ctx context.Context, in editInput) (editOutput, error) {
	if err := f.allowed(ctx, preflight.Create, in.Path); err != nil {
		return editOutput{}, err
	}
	if _, err := fs.Stat(f.workspace.Files(), path.Clean(in.Path)); err == nil {
		return editOutput{}, fileError(in.Path, fs.ErrExist)
	}
	return f.write(in.Path, in.New, true)
}

func (f files) write(name, text string, created bool) (editOutput, error) {
	if err := f.workspace.WriteFile(path.Clean(name), []byte(text)); err != nil {
		return editOutput{}, fileError(name, err)
	}
	return editOutput{name, created, strings.Count(text, "\n")}, nil
}
