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

// unpacked are the folders in which files of unknown names are written and governed ones are, or
// may be.
func (g *Gate) unpacked(state workspace.State, dir string, folders []command.Write) (hidden []string) {
	for _, w := range folders {
		p, err := g.Workspace.Locate(dir, w.Path)
		if err == nil && p.Real == "" && !g.Workspace.IsBelow(dir, w.Path) {
			continue
		}
		if err != nil || p.Real == "" || g.holdsGoverned(state, p.Real) {
			hidden = append(hidden, w.How+" "+filepath.Base(w.Path))
		}
	}
	return hidden
}
