package tool

import (
	"errors"
	"io/fs"
	"path"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
)

// FileError tells a caller why a file of the workspace cannot be used, and what to do.
// Name is the file as the caller or the workspace file spells it.
func FileError(name string, err error) *Error {
	if path.IsAbs(name) { // not repeated, since names must be relative
		name = "The file"
	}
	name = mask.Text(name)

	code, hint := "unavailable", "Try again, or name another file."
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, hint = "not_found", "Look which files are there, or write it first."
	case errors.Is(err, fs.ErrExist):
		code, hint = "conflict", "Read it, and name the place to change."
	case errors.Is(err, workspace.ErrNotRegular):
		code, hint = "not_regular_file", "A person must look at it."
	case errors.Is(err, workspace.ErrTooLarge):
		code, hint = "too_large", "Shorten it."
	case errors.Is(err, workspace.ErrOutside), errors.Is(err, workspace.ErrBadName), errors.Is(err, fs.ErrInvalid):
		code, hint = "path_outside_workspace", "Name a file by its path from the root of the workspace."
	}

	return &Error{
		Code:    code,
		Message: name + ": " + err.Error() + ".",
		Hint:    hint,
	}
}
