package ops

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/dependencies"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/managed"
)

type dependenciesInput struct {
	Process string `json:"process,omitempty" max:"200" doc:"Name in the workspace file."`
}

// Dependencies is the answer of check_dependencies.
type Dependencies struct {
	Processes  []ProcessNeeds `json:"processes"`
	Shared     []SharedFile   `json:"shared"`
	Unresolved []string       `json:"unresolved"` // and files that could not be read, with the reason
	Cycles     []string       `json:"cycles"`
	Note       string         `json:"note,omitempty"`
}

// ProcessNeeds is what one managed process needs.
type ProcessNeeds struct {
	Name    string              `json:"name"`
	Script  string              `json:"script"` // "" if nothing says with what it begins
	Exists  bool                `json:"exists"`
	Files   []dependencies.File `json:"files"`
	Missing []string            `json:"missing"`
	Env     []string            `json:"env"`
	Ports   []int               `json:"ports"`
}

// SharedFile is needed by several processes.
type SharedFile struct {
	Path string   `json:"path"`
	By   []string `json:"used_by"`
}

// CheckDependencies maps the managed processes to the files that they need.
func CheckDependencies(w *workspace.Workspace) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "check_dependencies",
		Title:       "Dependencies",
		Toolset:     "ops",
		Description: "Which files each managed process needs, by static reading of imports, and which are missing.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ *tool.Call, in dependenciesInput) (Dependencies, error) {
		state, err := w.Load()
		if err != nil {
			return Dependencies{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
			}
		}

		list := state.Config.Processes.Expected
		if len(list) == 0 {
			return Dependencies{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file names no processes.",
				Hint:    "Name them under processes.expected in " + workspace.FileName + ".",
			}
		}

		if in.Process != "" {
			at := slices.IndexFunc(list, func(p managed.Process) bool {
				return p.Name == in.Process
			})
			if at < 0 {
				return Dependencies{}, &tool.Error{
					Code:    "not_found",
					Field:   "/process",
					Message: "The workspace file names no such process.",
				}
			}
			list = list[at : at+1]
		}

		return mapOf(w, state, list), nil
	})
}

func mapOf(w *workspace.Workspace, state workspace.State, list []managed.Process) Dependencies {
	out := Dependencies{
		Processes:  []ProcessNeeds{},
		Shared:     []SharedFile{},
		Unresolved: []string{},
		Cycles:     []string{},
	}

	users := map[string][]string{}
	for _, p := range list {
		needs, g := needsOf(w, state, p)
		out.Processes = append(out.Processes, needs)
		out.Unresolved = append(append(out.Unresolved, g.Unresolved...), g.Unread...)
		out.Cycles = append(out.Cycles, g.Cycles...)
		if g.Cut {
			out.Note = "There are more files than are followed; the list is cut."
		}
		for _, f := range needs.Files {
			users[f.Path] = append(users[f.Path], p.Name)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(users)) {
		if len(users[name]) > 1 {
			out.Shared = append(out.Shared, SharedFile{name, users[name]})
		}
	}

	slices.Sort(out.Unresolved)
	out.Unresolved = slices.Compact(out.Unresolved)
	slices.Sort(out.Cycles)
	out.Cycles = slices.Compact(out.Cycles)
	return out
}

func needsOf(w *workspace.Workspace, state workspace.State, p managed.Process) (ProcessNeeds, *dependencies.Graph) {
	tree := treeOf(w)
	needs := ProcessNeeds{
		Name:   p.Name,
		Script: scriptOf(w, p),
		Files:  []dependencies.File{},
		Env:    append([]string{}, p.Env...),
		Ports:  append([]int{}, p.Ports...),
	}

	g := &dependencies.Graph{}
	if needs.Script != "" {
		g = dependencies.Of(tree, needs.Script)
		needs.Exists = tree.Exists(needs.Script)
		switch {
		case !needs.Exists:
			g.Unread = append(g.Unread, p.Name+": its script is no file of the workspace, so it is not read")
		case !dependencies.Reads(needs.Script):
			g.Unread = append(g.Unread, needs.Script+": imports of this language are not read")
		}
	} else {
		g.Unread = append(g.Unread, p.Name+": nothing says with which file it begins; set script")
	}

	add := func(name, via string, exists bool) {
		if !slices.ContainsFunc(g.Files, func(f dependencies.File) bool { return f.Path == name }) {
			g.Files = append(g.Files, dependencies.File{
				Path:   name,
				Via:    via,
				Exists: exists,
			})
		}
	}
	for _, argument := range p.Command {
		if _, value, ok := strings.Cut(argument, "="); ok && strings.HasPrefix(argument, "-") {
			argument = value
		}
		if name := fileNamed(fromRoot(w, argument)); name != "" && name != needs.Script {
			add(name, dependencies.Config, tree.Exists(name))
		}
	}

	for _, required := range p.Requires {
		matches := matching(w, state, required.Pattern)
		for _, name := range matches {
			add(name, dependencies.Declared, true)
		}
		if len(matches) == 0 {
			add(required.Pattern, dependencies.Declared, false)
		}
	}

	needs.Files = append(needs.Files, g.Files...)
	needs.Missing = g.Missing()
	needs.Env = append(needs.Env, g.Env...)
	slices.Sort(needs.Env)
	needs.Env = slices.Compact(needs.Env)
	return needs, g
}

// treeOf is the workspace as the graph reads it.
func treeOf(w *workspace.Workspace) dependencies.Tree {
	return dependencies.Tree{
		Read: w.ReadFile,
		Exists: func(name string) bool {
			info, err := fs.Stat(w.Files(), name)
			return err == nil && info.Mode().IsRegular()
		},
		List: func(folder string) (names []string) {
			entries, _ := fs.ReadDir(w.Files(), folder) // nil for a missing folder
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		},
	}
}

// scriptOf is the file that a process begins with: what the workspace file says, or the
// first argument that is one.
func scriptOf(w *workspace.Workspace, p managed.Process) string {
	if p.Script != "" {
		return fromRoot(w, p.Script)
	}

	for _, argument := range p.Command {
		name := fromRoot(w, argument)
		if dependencies.Reads(name) &&
			!path.IsAbs(name) &&
			!strings.HasPrefix(name, "..") {
			return name
		}
	}
	return ""
}

// fromRoot spells a file by its path from the root of the workspace. One that is not in it
// stays as it is.
func fromRoot(w *workspace.Workspace, name string) string {
	if !path.IsAbs(name) {
		return path.Clean(name)
	}

	place, err := w.Locate(".", name)
	switch {
	case err == nil && place.Name != "":
		return place.Name
	case err == nil && place.Real != "":
		return place.Real
	}
	return path.Clean(name)
}

// configs are the endings of files that programs are configured with.
var configs = []string{".json", ".yaml", ".yml", ".toml", ".ini", ".conf", ".cfg", ".env", ".xml", ".properties"}

// fileNamed is the file of the workspace that an argument names, "" if it names none.
func fileNamed(argument string) string {
	name := path.Clean(argument)
	if argument == "" ||
		path.IsAbs(name) ||
		strings.HasPrefix(name, "..") ||
		strings.HasPrefix(name, "-") ||
		strings.ContainsAny(name, " :\x00\\") {
		return ""
	}

	if slices.Contains(configs, path.Ext(name)) {
		return name
	}
	return ""
}

// matching are the files that a pattern of the workspace file means.
func matching(w *workspace.Workspace, state workspace.State, pattern string) (names []string) {
	g, err := policy.Compile(pattern, false)
	if err != nil {
		return nil
	}

	_ = w.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error { // what was found until a limit counts
		if entry.IsDir() &&
			(entry.Name() == ".git" || entry.Name() == "node_modules" || name == workspace.StateDir) {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() && g.Match(name) {
			names = append(names, name)
		}
		return nil
	})

	return names
}
