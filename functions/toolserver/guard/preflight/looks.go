package preflight

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// decide judges a name as the kernel reads it, and as those programs do that take out ..
// before they open it: behind a link these are two files.
func (g *Gate) decide(state workspace.State, dir, name, operation string) Result {
	result := g.judge(state, dir, name, operation)
	if home, ok := g.Workspace.AtHome(name); ok {
		if other := g.judge(state, "", home, operation); policy.Worse(result.Decision, other.Decision) != result.Decision {
			return other
		}
	}

	if strings.Contains(dir+"/"+name, "..") {
		clean := filepath.Clean(name)
		if !filepath.IsAbs(name) {
			clean = filepath.Join(dir, name)
		}
		if other := g.judge(state, "", clean, operation); policy.Worse(result.Decision, other.Decision) != result.Decision {
			return other
		}
	}

	return result
}

func (g *Gate) judge(state workspace.State, dir, name, operation string) Result {
	result := Result{
		Path:     g.shown(dir, name),
		Decision: policy.OK,
		Via:      Direct,
	}

	p, err := g.Workspace.Locate(dir, name)
	if err != nil {
		result.Decision, result.Reason = policy.Blocked, "The path cannot be followed: "+err.Error()+"."
		return result
	}

	looks := []func(workspace.State, workspace.Path, string) (Result, bool){
		g.byName,
		g.byTarget,
		g.byPlace,
		g.byTwin,
		byKind,
		g.byOtherName,
		g.byContent,
	}
	for _, look := range looks {
		if found, ok := look(state, p, operation); ok &&
			policy.Worse(result.Decision, found.Decision) != result.Decision {
			found.Path = cmp.Or(found.Path, result.Path)
			result = found
		}
	}

	switch {
	case result.Decision != policy.OK:
	case p.Real == "" &&
		(operation == Delete || operation == Rename) &&
		g.Workspace.IsBelow(dir, name):
		result.Decision, result.Via, result.Reason = policy.Blocked, Parent, "The whole workspace is in this folder."
	case p.Real == "":
		result.Decision, result.Reason = policy.Unknown, "The file is not in the workspace, or the name leads out of it, so no list governs it."
	case !state.Configured:
		result.Decision, result.Reason = policy.Unknown, "There is no "+workspace.FileName+", so nothing is known about the file. Run governance init to write one."
	default:
		result.Reason = "No list names the file."
	}

	return result
}

func (g *Gate) byName(state workspace.State, p workspace.Path, _ string) (Result, bool) {
	return ruled(state, p.Name, Direct)
}

func (g *Gate) byTarget(state workspace.State, p workspace.Path, _ string) (Result, bool) {
	if p.Real == p.Name {
		return Result{}, false
	}
	return ruled(state, p.Real, Symlink)
}

// byPlace looks at what no agent changes, wherever it is on the machine.
func (g *Gate) byPlace(_ workspace.State, p workspace.Path, operation string) (Result, bool) {
	if operation == Read {
		return Result{}, false
	}
	rule := g.Workspace.Everywhere(p, operation == Delete || operation == Rename)
	if rule == nil {
		return Result{}, false
	}

	return Result{
		Decision: policy.Blocked,
		Matched:  rule,
		Via:      Direct,
		Reason:   "No agent changes " + rule.Pattern + ", and no approval lifts that: it decides what is guarded, or runs by itself.",
	}, true
}

// elsewhere begins what a file of another checkout is called.
const elsewhere = "another checkout: "

// byTwin looks the file up in the lists if it is one of another checkout of the repository.
func (g *Gate) byTwin(state workspace.State, p workspace.Path, operation string) (Result, bool) {
	twin := g.Workspace.Twin(p)
	if found, ok := ruled(state, twin, Checkout); ok {
		found.Path = elsewhere + twin
		return found, true
	}

	if twin == "" ||
		p.Info == nil ||
		!p.Info.IsDir() ||
		operation != Delete && operation != Rename {
		return Result{}, false
	}

	var worst Result
	err := g.Workspace.WalkTwin(p, state.Config.Limits.MaxFiles, func(name string) {
		if found, ok := ruled(state, name, Checkout); ok && !workspace.OfGit(found.Matched) {
			worst = worse(worst, found)
		}
	})
	if err != nil {
		worst = worse(worst, unseen(err))
	}

	return worst, worst.Decision != ""
}

// worse is the stricter of two results; a tie leaves the first.
func worse(a, b Result) Result {
	if policy.Worse(a.Decision, b.Decision) != a.Decision {
		return b
	}
	return a
}

// unseen is the refusal of a folder that cannot be looked into.
func unseen(err error) Result {
	return Result{
		Decision: policy.Blocked,
		Via:      Parent,
		Reason:   "Cannot read what is in the folder: " + err.Error() + ".",
	}
}

// byKind refuses to write into pipes, sockets and devices: what is behind them cannot be seen.
func byKind(_ workspace.State, p workspace.Path, operation string) (Result, bool) {
	if !p.Special() || operation == Delete {
		return Result{}, false
	}
	return Result{
		Decision: policy.Blocked,
		Via:      Direct,
		Reason:   "This is a pipe, a socket or a device and no file.",
	}, true
}

// byOtherName looks for another name of the same file, which a hard link gives it.
func (g *Gate) byOtherName(state workspace.State, p workspace.Path, operation string) (Result, bool) {
	if !p.Linked() || operation == Delete { // a removed name leaves the others
		return Result{}, false
	}
	var worst Result
	err := g.Workspace.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		found, ok := ruled(state, name, Hardlink)
		if !ok ||
			policy.Worse(worst.Decision, found.Decision) == worst.Decision ||
			!entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil && os.SameFile(info, p.Info) {
			worst = found
		}
		return nil
	})
	if err != nil && worst.Decision != policy.Blocked {
		return Result{
			Decision: policy.Protected,
			Via:      Hardlink,
			Reason:   "The file has further names, and they were not all found: " + err.Error() + ".",
		}, true
	}

	return worst, worst.Decision != ""
}

// byContent looks into a folder that is removed or moved with all that is in it.
func (g *Gate) byContent(state workspace.State, p workspace.Path, operation string) (Result, bool) {
	takesContent := operation == Delete || operation == Rename
	if !takesContent || !isFolder(p) || !state.Policy.Reaches(p.Real) {
		return Result{}, false
	}

	var worst Result
	err := g.Workspace.Walk(p.Real, state.Config.Limits.MaxFiles, func(name string, _ fs.DirEntry) error {
		worst = worseOf(worst, state, name)
		if worst.Decision == policy.Blocked {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unseen(err), true
	}

	return worst, worst.Decision != ""
}

// isFolder reports whether a path is a folder of the workspace that exists.
func isFolder(p workspace.Path) bool {
	return p.Real != "" && p.Info != nil && p.Info.IsDir()
}

// worseOf gives the refusal of a file below a folder, if it is graver than the one found before. A
// whole repository may go, so the files of git do not count.
func worseOf(before Result, state workspace.State, name string) Result {
	found, ok := ruled(state, name, Parent)
	if !ok || workspace.OfGit(found.Matched) {
		return before
	}
	if policy.Worse(before.Decision, found.Decision) == before.Decision {
		return before
	}
	return found
}

const untouchable = "The file is untouchable: no agent changes it, and no approval lifts that."

// ruled is the refusal of a path from the root, if the lists refuse it.
func ruled(state workspace.State, name, via string) (Result, bool) {
	if name == "" {
		return Result{}, false
	}
	decision, rule := state.Policy.Decide(name)
	if decision == policy.OK {
		return Result{}, false
	}

	matched := *rule
	if exact, err := policy.Compile(matched.Pattern, false); err == nil &&
		via == Direct &&
		!exact.Match(name) {
		via = Case
	}

	result := Result{
		Decision: decision,
		Matched:  &matched,
		Via:      via,
		Reason:   untouchable,
	}

	if decision == policy.Protected {
		result.Reason = "The file is protected: a person must approve the change first."
	}

	return result, true
}
