package preflight

import (
	"os"
	"path/filepath"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/workspace"
)

// scene is what the reader of commands may know about where a command runs.
func (g *Gate) scene(dir string) command.Scene {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	at := g.Workspace.Absolute(dir)
	return command.Scene{
		Dir:   at,
		Home:  home,
		Top:   g.Workspace.Top(at),
		Files: files{g.Workspace, dir},
	}
}

// files reads scripts and the like for the reader of commands.
type files struct {
	workspace *workspace.Workspace
	dir       string // where the command begins
}

// Read reads a regular file of the workspace.
func (f files) Read(name string) (text []byte, ok bool) {
	p, err := f.workspace.Locate(f.dir, name)
	if err != nil || p.Real == "" {
		return nil, false
	}
	text, err = f.workspace.ReadFile(p.Real, mostScript)
	return text, err == nil
}

// IsFolder reports whether a folder is there.
func (f files) IsFolder(name string) bool {
	p, err := f.workspace.Locate(f.dir, name)
	return err == nil && p.Info != nil && p.Info.IsDir()
}

// isTemporary reports whether a folder is the one for temporary files. A workspace may be somewhere in
// it, but what is unpacked there does not bear its path.
func isTemporary(folder string) bool {
	clean := filepath.Clean(folder)
	return clean == "/tmp" || clean == filepath.Clean(os.TempDir())
}

// unpacked are the folders in which files of unknown names are written and governed ones are, or
// may be.
func (g *Gate) unpacked(state workspace.State, dir string, folders []command.Write) (hidden []string) {
	for _, w := range folders {
		if g.mayUnpackGoverned(state, dir, w.Path) {
			hidden = append(hidden, w.How+" "+filepath.Base(w.Path))
		}
	}
	return hidden
}

// mayUnpackGoverned reports whether files that are written somewhere below a folder may be governed.
func (g *Gate) mayUnpackGoverned(state workspace.State, dir, folder string) bool {
	p, err := g.Workspace.Locate(dir, folder)
	switch {
	case err != nil:
		return true
	case p.Real != "":
		return g.holdsGoverned(state, p.Real)
	}
	return g.Workspace.IsBelow(dir, folder) && !isTemporary(folder)
}
