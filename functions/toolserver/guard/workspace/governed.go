package workspace

import (
	"os"
	"path/filepath"
)

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

	if main := MainCheckout(dir); main != "" {
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
		if _, missing := os.Stat(filepath.Join(dir, FileName)); missing == nil {
			found = dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return found
		}
		dir = above
	}
}
