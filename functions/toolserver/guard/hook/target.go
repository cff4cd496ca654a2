package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
)

// mostTargets bounds the files of one record.
const mostTargets = 64

// targets are the files that a call names as what it changes, with their present state.
func (c call) targets(w *workspace.Workspace, state workspace.State) []outcome.File {
	t := &targets{
		workspace: w,
		state:     state,
		dir:       c.Dir,
		seen:      map[string]bool{},
	}

	named := c.files()
	for _, operation := range slices.Sorted(maps.Keys(named)) {
		for _, name := range named[operation] {
			t.add(name, operation)
		}
	}

	for _, text := range c.commands() {
		analysis, _ := command.Analyze(text, command.Scene{Dir: c.Dir}) // what cannot be read names nothing
		for _, write := range analysis.Writes {
			t.add(write.Path, operationOf(write))
			if !write.Certain {
				t.addMatching(write.Path, operationOf(write))
			}
		}
	}
	return t.files
}

// targets collects files, each once and with its state.
type targets struct {
	workspace *workspace.Workspace
	state     workspace.State
	dir       string
	seen      map[string]bool
	files     []outcome.File
}

// add takes a name and, behind a link, the file that it leads to. Of a governed folder all
// files in it are taken, too.
func (t *targets) add(name, operation string) {
	p, err := t.workspace.Locate(t.dir, name)
	if err != nil {
		return
	}
	for _, path := range []string{p.Name, p.Real} {
		file, fresh := t.take(path, operation)
		if fresh && file.Digest == outcome.Folder && path != "." {
			t.addBelow(path, operation)
		}
	}
}

func (t *targets) take(path, operation string) (file outcome.File, fresh bool) {
	if path == "" || t.seen[path] || len(t.files) >= mostTargets {
		return file, false
	}
	t.seen[path] = true
	file = outcome.Look(t.workspace, t.state.Policy, path, operation)
	t.files = append(t.files, file)
	return file, true
}

// addBelow takes the governed files in a folder.
func (t *targets) addBelow(folder, operation string) {
	t.walk(folder, operation, func(string) bool { return true })
}

// addMatching takes the governed files that a pattern of the shell matches.
func (t *targets) addMatching(pattern, operation string) {
	p, err := t.workspace.Locate(t.dir, pattern)
	if err != nil || p.Name == "" || !strings.ContainsAny(p.Name, "*?[") {
		return
	}
	if matcher, err := policy.Compile(p.Name, true); err == nil {
		t.walk(".", operation, matcher.Match)
	}
}

func (t *targets) walk(folder, operation string, wanted func(name string) bool) {
	if t.state.Policy == nil {
		return
	}
	_ = t.workspace.Walk(folder, t.state.Config.Limits.MaxFiles, func(name string, e fs.DirEntry) error { // what cannot be read is not named
		switch {
		case len(t.files) >= mostTargets:
			return fs.SkipAll
		case e.IsDir() && (name == workspace.StateDir || e.Name() == ".git"):
			return fs.SkipDir
		case e.IsDir() || !wanted(name):
			return nil
		}
		if _, rule := t.state.Policy.Decide(name); rule != nil {
			t.take(name, operation)
		}
		return nil
	})
}

// readFile is the file that a call reads, if it names one of the workspace.
func (c call) readFile(w *workspace.Workspace) []outcome.File {
	name := c.text(pathNames...)
	if name == "" {
		return nil
	}
	p, err := w.Locate(c.Dir, strings.TrimPrefix(name, "file://"))
	path := first(p.Real, p.Name)
	if err != nil || path == "" {
		return nil
	}
	return []outcome.File{{Path: path, Operation: preflight.Read}}
}

func operationOf(write command.Write) string {
	if write.Delete {
		return preflight.Delete
	}
	return preflight.Edit
}

// key joins the calls of the hook that are about one call of a tool: the id of the agent, or
// a digest of the tool and its arguments.
func (c call) key() string {
	if c.Use != "" {
		return shortened(c.Use, 128)
	}

	arguments := map[string]any{}
	for name, raw := range c.Input {
		var value any
		_ = json.Unmarshal(raw, &value) // was read before
		arguments[name] = value
	}
	text, err := json.Marshal(arguments) // sorted by name
	if err != nil {
		return ""
	}

	sum := sha256.Sum256(append([]byte(bareTool(c.Tool)+"\x00"), text...))
	return "sha256:" + hex.EncodeToString(sum[:16])
}
