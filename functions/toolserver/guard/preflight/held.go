package preflight

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// held are the governed places that the kernel keeps this process, and all that it starts, from
// changing: it runs behind a fence. The zero value holds nothing.
type held struct {
	names []string // from the root of the workspace; a folder stands for all that is in it
}

// heldByKernel asks the kernel which fence stands around this process, or around the one behind a fence
// for which this one answers. Nothing that a process outside of
// a fence could set counts, such as a variable of the environment. If one governed place that is there is
// not held, none counts as held.
func (g *Gate) heldByKernel(state workspace.State) held {
	process := "self"
	if g.Fenced {
		process = strconv.Itoa(g.Behind)
	}
	mounts, ok := kernelMounts(process)
	if !ok {
		return held{}
	}

	names, err := g.places(state)
	if err != nil || len(names) == 0 {
		return held{}
	}
	top := g.Workspace.Absolute(".")
	for _, name := range names {
		if !mounts.holds(top, name) {
			return held{}
		}
	}
	return held{append(names, ".git/config", ".git/hooks")}
}

// places are the governed files and folders that are there, without what git and the service keep.
func (g *Gate) places(state workspace.State) ([]string, error) {
	var names []string
	err := g.Workspace.Walk(".", state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		decision, rule := state.Policy.Decide(name)
		if rule != nil && g.Workspace.Own(rule) {
			return nil
		}
		if decision != policy.Blocked && decision != policy.Protected {
			return nil
		}
		names = append(names, name)
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return names, err
}

// covers reports whether a name is held.
func (h held) covers(name string) bool {
	return slices.ContainsFunc(h.names, func(place string) bool {
		return name == place || strings.HasPrefix(name, place+"/")
	})
}

// calm lets results pass that are about places that are held, for a command of which only a part
// names them and may change them.
func (h held) calm(results []Result) []Result {
	return slices.DeleteFunc(results, func(r Result) bool { return h.covers(r.Path) })
}

// beyondFence are programs whose effect no fence holds: they speak to git objects, to other machines and to
// services that were started outside.
var beyondFence = []string{
	"git", "ssh", "mosh", "sftp", "scp", "rsync", "docker", "podman", "nerdctl", "kubectl", "helm", "aws", "gsutil", "gcloud", "rclone", "gh",
	"psql", "mysql", "mariadb", "crontab", "at", "batch", "tmux", "screen", "systemd-run", "emacsclient", "socat", "terraform", "tofu", "npm",
}

// notHeld are the parts of a command that hide what they do and reach beyond a fence.
func notHeld(parts []string) []string {
	var left []string
	for _, part := range parts {
		first, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		isSetting := strings.Contains(first, "=")
		if slices.Contains(beyondFence, path.Base(first)) || isSetting {
			left = append(left, part)
		}
	}
	return left
}

// standing is the result that says why a command may run that hides what it does.
func (h held) standing() Result {
	return Result{
		Path:     ".",
		Decision: policy.OK,
		Via:      Direct,
		Reason:   "Parts of the command hide what they do; the fence of the kernel keeps the governed files that are there as they are.",
	}
}

// hiddenParts decides about what hides its effect: it goes to a person, unless a fence holds whatever it
// may do.
func (g *Gate) hiddenParts(report *Report, state workspace.State, analysis command.Analysis, fence func() held, others []string) {
	parts := slices.Concat(analysis.Unresolved, others)
	if len(parts) == 0 {
		return
	}
	standing := fence()
	if len(standing.names) > 0 && len(others) == 0 && len(notHeld(analysis.Unresolved)) == 0 {
		report.add(standing.standing())
		return
	}
	report.Decision = policy.Worse(report.Decision, unresolved(state))
}

// mounts are those of the namespace of this process.
type mounts struct {
	readOnly map[string]bool // places that are mounts of their own and cannot be written
	points   map[string]bool // all mounts
}

// holds reports whether a place can neither be written nor replaced: it is read-only, and each folder above
// it is a mount that cannot be renamed. The fence makes those mounts in a view of the workspace that
// another mount covers.
func (m mounts) holds(top, name string) bool {
	at := filepath.Join(top, name)
	if !m.readOnly[at] {
		real, err := filepath.EvalSymlinks(at)
		if err != nil || !m.readOnly[real] {
			return false
		}
	}

	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if !m.points[filepath.Join(top, folder)] && !m.points[filepath.Join(coveredView, top, folder)] {
			return false
		}
	}
	return true
}

// coveredView is where the fence shows all files once more, before the new /proc covers it.
const coveredView = "/proc"
