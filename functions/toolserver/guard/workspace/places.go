package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/shared/programs"
)

// HookPrograms are the names of the small program of the hook, which stands beside the
// others: the present name, then the one of earlier versions.
var HookPrograms = []string{programs.Hook, "local-hook"}

// places knows the files of the machine that no agent changes, in whatever workspace it is.
type places struct {
	home     string   // absolute, "" if unknown
	programs []string // of this service, absolute
	anywhere *policy.Policy
	beyond   *policy.Policy
}

func newPlaces(fold bool) (places, error) {
	var p places
	var err error
	if p.anywhere, err = policy.New(elsewhere(), fold); err != nil {
		return p, err
	}
	if p.beyond, err = policy.New(beyond, fold); err != nil {
		return p, err
	}

	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		p.home = real(home)
	}
	if program, err := os.Executable(); err == nil {
		p.programs = []string{real(program)}
		for _, name := range append([]string{programs.Fence}, HookPrograms...) {
			p.programs = append(p.programs, filepath.Join(filepath.Dir(real(program)), name))
		}
	}

	return p, nil
}

// real is a path without links, or itself if it cannot be followed.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}

// name is how rules call a file of the machine.
func (p places) name(full string) string {
	if below, ok := below(p.home, full); ok && p.home != "" {
		return "~/" + below
	}
	return strings.TrimPrefix(filepath.ToSlash(full), "/")
}

// below is the way from a folder to a file in it, or to itself.
func below(folder, full string) (string, bool) {
	inside, err := filepath.Rel(folder, full)
	outside := err != nil ||
		inside == ".." ||
		strings.HasPrefix(inside, ".."+string(filepath.Separator))
	return filepath.ToSlash(inside), !outside
}

// own is the rule about the programs of the service: an agent that replaces one is guarded
// by its own program.
var own = policy.Rule{List: policy.Untouchable, Pattern: "(a program of the guard)"}

// Everywhere is the rule that forbids a change of a file whatever the lists of the workspace
// say, nil if there is none. With content a folder counts for what is in it.
func (w *Workspace) Everywhere(p Path, content bool) *policy.Rule {
	if slices.Contains(w.places.programs, p.full) {
		return &own
	}
	if content && w.holds(p.full) {
		return &own
	}

	name := w.places.name(p.full)
	if decision, rule := w.places.anywhere.Decide(name); decision == policy.Blocked {
		return rule
	}

	if p.Real == "" {
		if decision, rule := w.places.beyond.Decide(name); decision == policy.Blocked {
			return rule
		}
	}

	if !strings.Contains(p.full, "/.git/") && inGitDirectory(p.full) { // else the rules decided
		rule := gitFiles
		return &rule
	}

	return nil
}

// GitFolder is where the repository of the workspace keeps its settings and hooks, which may be
// above or elsewhere; "" without a repository.
func (w *Workspace) GitFolder() string { return w.repository.common }

// Programs are the paths of the programs of this service, whether they are there or not.
func (w *Workspace) Programs() []string { return slices.Clone(w.places.programs) }

// holds reports whether a folder has a program of the service in it, or settings of an
// agent.
func (w *Workspace) holds(folder string) bool {
	kept := slices.Clone(w.places.programs)
	for _, rule := range elsewhere() {
		if at, ok := strings.CutPrefix(rule.Pattern, "~/"); ok && w.places.home != "" {
			kept = append(kept, filepath.Join(w.places.home, at))
		}
	}

	return slices.ContainsFunc(kept, func(file string) bool {
		_, inside := below(folder, file)
		return inside
	})
}

// AtHome is a name that begins with ~/ as the shell writes it out.
func (w *Workspace) AtHome(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "~/")
	if !ok || w.places.home == "" {
		return "", false
	}
	return filepath.Join(w.places.home, rest), true
}
