// Package workspace reads the project that is governed: its file governance.yaml,
// and its files through one root that nothing escapes.
//
// A workspace without the file is served with what can be detected. A file that
// cannot be read is an error that stays until it is repaired: the guard then refuses
// everything, since the lists that it should keep are unknown.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
)

// Names in the root of the workspace.
const (
	FileName = "governance.yaml"
	StateDir = ".governance" // what the service keeps about the workspace
	DataDir  = ".data"       // what a service that runs here keeps for itself
)

// Workspace is an opened project. It is safe for concurrent use. Close it.
type Workspace struct {
	root *os.Root
	path string // absolute, without links; never told to anybody
	fold bool   // letter case does not count on its volume
	kept []policy.Rule

	places     places
	repository repository // that the workspace is in; its zero value if it is in none
}

// State is the configuration as it is at one moment.
type State struct {
	Config     Config
	Policy     *policy.Policy
	Configured bool   // a file says what holds
	Source     string // name of that file
}

// Open opens a project. Kept are further folders in it that belong to the service
// itself and are untouchable, such as the data directory.
func Open(dir string, kept ...string) (*Workspace, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}

	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}

	w := &Workspace{
		root: root,
		path: path,
		fold: foldsCase(root),
	}
	w.repository, _ = repositoryAbove(path)
	if w.places, err = newPlaces(w.fold); err != nil {
		return nil, errors.Join(err, root.Close())
	}

	for _, folder := range kept {
		if inside, ok := w.Inside(folder); ok && inside != "." {
			w.kept = append(w.kept, policy.Rule{
				List:    policy.Untouchable,
				Pattern: inside + "/**",
			})
		}
	}

	return w, nil
}

// Hide takes the place of the workspace on the machine out of a text.
func (w *Workspace) Hide(text string) string {
	return strings.ReplaceAll(text, w.path, ".")
}

// Own reports whether a rule is about what the service itself, or git, keeps and changes.
func (w *Workspace) Own(rule *policy.Rule) bool {
	return *rule == ownState ||
		OfGit(rule) ||
		slices.Contains(w.kept, *rule)
}

// Close closes the root.
func (w *Workspace) Close() error {
	return w.root.Close()
}

// Inside is the path from the root of a folder of the machine, if it is in the workspace.
func (w *Workspace) Inside(folder string) (string, bool) {
	path, err := filepath.Abs(folder)
	if err != nil {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return below(w.path, path)
}

// foldsCase finds out with the names that are there whether letter case counts.
func foldsCase(root *os.Root) bool {
	list, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return true // the stricter comparison
	}

	for _, entry := range list {
		other := swapCase(entry.Name())
		if other == entry.Name() {
			continue
		}
		one, err := root.Lstat(entry.Name())
		if err != nil {
			continue
		}

		two, err := root.Lstat(other)
		return err == nil && os.SameFile(one, two)
	}

	return false
}

func swapCase(name string) string {
	if upper := strings.ToUpper(name); upper != name {
		return upper
	}
	return strings.ToLower(name)
}

// Load reads the configuration. The error is what the file says wrongly, with lines,
// or that it cannot be read.
func (w *Workspace) Load() (State, error) {
	s := State{Configured: true, Source: FileName}
	text, err := w.ReadFile(FileName, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Config, s.Source, err = w.withoutFile()
		s.Configured = s.Source != ""
	case err == nil:
		s.Config, err = Parse(text)
	}

	if err != nil {
		return State{}, err
	}
	return w.withPolicy(s)
}

// With is the configuration that a workspace file with this text would give.
func (w *Workspace) With(text []byte) (State, error) {
	config, err := Parse(text)
	if err != nil {
		return State{}, err
	}
	return w.withPolicy(State{
		Config:     config,
		Configured: true,
		Source:     FileName,
	})
}

// withPolicy compiles the lists.
func (w *Workspace) withPolicy(s State) (State, error) {
	compiled, err := policy.New(w.rules(s), w.fold)
	var bad *policy.RuleError
	if errors.As(err, &bad) {
		return State{}, Problem{bad.Rule.Line, fmt.Sprintf(
			"%s: %q: %v",
			bad.Rule.List,
			bad.Rule.Pattern,
			bad.Err,
		)}
	}

	s.Policy = compiled
	return s, err
}

// withoutFile takes over the lists of the older configuration, or detects what it can.
func (w *Workspace) withoutFile() (Config, string, error) {
	c, err := w.legacy()
	if errors.Is(err, fs.ErrNotExist) {
		return w.detect(), "", nil
	}
	return c.withDefaults(), legacyName, err
}

func (w *Workspace) rules(s State) []policy.Rule {
	rules := append(append([]policy.Rule{}, builtIn...), w.kept...)
	if s.Configured {
		rules = append(rules, builtInProtected...)
		if folder := w.hooksFolder(); folder != "" {
			rules = append(rules, policy.Rule{
				List:    policy.ProtectedList,
				Pattern: literalPattern(folder),
			})
		}
	}

	for _, list := range []struct {
		name  string
		globs []Glob
	}{{policy.Untouchable, s.Config.Untouchable}, {policy.ProtectedList, s.Config.Protected}, {policy.Allow, s.Config.Allow}} {
		for _, g := range list.globs {
			rules = append(rules, policy.Rule{
				List:    list.name,
				Pattern: g.Pattern,
				Line:    g.Line,
			})
		}
	}

	return rules
}
