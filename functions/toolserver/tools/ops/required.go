package ops

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
)

// required checks the files that processes need, as check_dependencies finds them, and
// those that the workspace file lists for documents and sessions.
func (s ArchiveDeps) required(state workspace.State, p workspace.Path) ArchiveCheck {
	c := ArchiveCheck{"not_required", "pass", []string{}}
	fail := func(evidence string) {
		c.Status = "fail"
		if len(c.Evidence) < maxEvidence {
			c.Evidence = append(c.Evidence, evidence)
		}
	}

	open := []string{}
	for _, process := range state.Config.Processes.Expected {
		needs, graph := needsOf(s.Workspace, state, process)
		for _, file := range needs.Files {
			if isOrHolds(p, file.Path) {
				fail(fmt.Sprintf("process %s needs %s (%s)", process.Name, file.Path, file.Via))
			}
		}

		open = append(open, graph.Unread...)
		for _, name := range graph.Unresolved {
			open = append(open, name+" leads to no file that is known")
		}
		if graph.Cut {
			open = append(open, "process "+process.Name+" needs more files than are followed")
		}
	}

	need := func(who, file string) {
		if file != "" && isOrHolds(p, path.Clean(file)) {
			fail(who + " needs " + file)
		}
	}
	for _, d := range state.Config.Docs {
		need("docs", d.Path)
	}

	for _, fact := range slices.Concat(state.Config.Versions, state.Config.Counts) {
		need("fact "+fact.Name, fact.Source.File)
	}

	need("session", state.Config.Session.Handoff)
	need("session", state.Config.Session.Worklog)

	if c.Status == "pass" && len(open) > 0 {
		return ArchiveCheck{"not_required", "unknown", open[:min(len(open), maxEvidence)]}
	}
	return c
}

// isOrHolds reports whether a path is a file, or a folder with it, under any of its names.
func isOrHolds(p workspace.Path, file string) bool {
	for _, name := range []string{p.Name, p.Real} {
		if name != "" && (file == name || strings.HasPrefix(file, name+"/")) {
			return true
		}
	}
	return false
}
