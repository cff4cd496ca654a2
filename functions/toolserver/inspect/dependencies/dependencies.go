// Package dependencies finds the files that a program needs, by reading: the imports of
// Go, JavaScript, TypeScript and Python from an entry file on, and the files that the
// texts name to open. Nothing is run.
//
// It follows only files of the workspace. A package of somebody else is a name that a
// package manager answers for; one that no manifest names is unresolved.
package dependencies

import (
	"path"
	"slices"
	"strings"
)

// Bounds of one graph.
const (
	mostFiles  = 5000
	mostCycles = 20
	mostText   = 2 << 20 // bytes of a file
)

// Ways in which a file is needed.
const (
	Entry    = "entry"
	Import   = "import"
	Require  = "require"
	Config   = "config"   // a text names it to open
	Declared = "declared" // the workspace file names it
)

// File is one that is needed.
type File struct {
	Path   string `json:"path"`
	Via    string `json:"via"`
	Exists bool   `json:"exists"`
}

// Graph is everything that an entry file needs.
type Graph struct {
	Files      []File   // the entry first
	Env        []string // variables that the texts ask for
	Unresolved []string // FILE: NAME
	Cycles     []string // A -> B -> A
	Unread     []string // files whose imports are not known, and why
	Cut        bool     // there are more than mostFiles
}

// Missing are the files that are needed and are not there.
func (g *Graph) Missing() (paths []string) {
	paths = []string{}
	for _, f := range g.Files {
		if !f.Exists {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// Tree reads the workspace.
type Tree struct {
	Read   func(name string, most int64) ([]byte, error)
	Exists func(name string) bool
	List   func(folder string) []string // names of the files in it
}

// need is a file that a text asks for.
type need struct{ path, via string }

// found is what the text of a file asks for.
type found struct {
	needs      []need
	env        []string
	unresolved []string
	unread     string // why the imports are not known
}

// readers by the ending of a file.
var readers = map[string]func(Tree, string, []byte) found{
	".js": javascript, ".mjs": javascript, ".cjs": javascript, ".jsx": javascript, ".ts": javascript, ".tsx": javascript, ".mts": javascript, ".cts": javascript,
	".py": python, ".go": golang,
}

// Reads reports whether the imports of a file can be read.
func Reads(name string) bool {
	return readers[path.Ext(name)] != nil
}

// Of gives the graph of an entry file.
func Of(t Tree, entry string) *Graph {
	g := &Graph{}
	edges := map[string][]string{}
	seen := map[string]bool{entry: true}
	for todo := []need{{entry, Entry}}; len(todo) > 0; {
		next := todo[0]
		todo = todo[1:]
		if len(g.Files) == mostFiles {
			g.Cut = true
			break
		}

		exists := t.Exists(next.path)
		g.Files = append(g.Files, File{next.path, next.via, exists})
		read := readers[path.Ext(next.path)]
		if !exists || read == nil || next.via == Config {
			continue
		}

		text, err := t.Read(next.path, mostText)
		if err != nil {
			g.Unread = append(g.Unread, next.path+": "+err.Error())
			continue
		}

		f := read(t, next.path, text)
		if f.unread != "" {
			g.Unread = append(g.Unread, next.path+": "+f.unread)
		}

		g.Env = append(g.Env, f.env...)
		for _, name := range f.unresolved {
			g.Unresolved = append(g.Unresolved, next.path+": "+name)
		}

		for _, n := range f.needs {
			if n.via != Config && path.Ext(n.path) != ".go" { // Go has no cycles
				edges[next.path] = append(edges[next.path], n.path)
			}
			if !seen[n.path] {
				seen[n.path] = true
				todo = append(todo, n)
			}
		}
	}

	slices.Sort(g.Env)
	g.Env = slices.Compact(g.Env)
	g.Cycles = cycles(entry, edges)
	return g
}

// cycles finds ways back to a file that is being walked through.
func cycles(entry string, edges map[string][]string) (list []string) {
	const walking, walked = 1, 2
	state := map[string]int{}
	var way []string
	var walk func(string)
	walk = func(at string) {
		state[at], way = walking, append(way, at)
		for _, next := range edges[at] {
			switch state[next] {
			case walking:
				if next != at && len(list) < mostCycles {
					from := slices.Index(way, next)
					list = append(list, strings.Join(append(slices.Clone(way[from:]), next), " -> "))
				}
			case 0:
				walk(next)
			}
		}

		state[at], way = walked, way[:len(way)-1]
	}
	walk(entry)

	return list
}

// inside joins a path to a folder; "" if it leads out of the workspace.
func inside(folder, name string) string {
	joined := path.Join(folder, name)
	if joined == ".." ||
		strings.HasPrefix(joined, "../") ||
		path.IsAbs(name) {
		return ""
	}
	return joined
}

// above gives a folder and those above it, to the root of the workspace.
func above(folder string) (folders []string) {
	for at := path.Clean(folder); ; at = path.Dir(at) {
		folders = append(folders, at)
		if at == "." || at == "/" {
			return folders
		}
	}
}
