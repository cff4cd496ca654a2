package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
)

// mostTargets bounds the files of one record.
const mostTargets = 64

// targets are the files that a call names as what it changes, with their present state.
func (c call) targets(w *workspace.Workspace, state workspace.State) []outcome.File {
	var files []outcome.File
	seen := map[string]bool{}
	add := func(name, operation string) {
		p, err := w.Locate(c.Dir, name)
		path := first(p.Real, p.Name)
		if err != nil || path == "" || seen[path] || len(files) >= mostTargets {
			return
		}
		seen[path] = true
		files = append(files, outcome.Look(w, state.Policy, path, operation))
	}

	named := c.files()
	for _, operation := range slices.Sorted(maps.Keys(named)) {
		for _, name := range named[operation] {
			add(name, operation)
		}
	}

	for _, text := range c.commands() {
		analysis, _ := command.Analyze(text, command.Scene{Dir: c.Dir}) // what cannot be read names nothing
		for _, write := range analysis.Writes {
			add(write.Path, operationOf(write))
		}
	}
	return files
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
