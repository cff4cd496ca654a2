package preflight

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/git"
)

// trees decides about changes to the files of commits: governed files in which the commits differ
// count. What cannot be compared hides what it does.
func (g *Gate) trees(report *Report, state workspace.State, dir string, trees []command.Tree) (hidden []string) {
	for _, t := range trees {
		names, err := g.changedBy(state, t)
		if err != nil {
			hidden = append(hidden, t.Source)
			report.add(g.mentions(state, dir, namesIn(t.Source))...)
			continue
		}
		for _, name := range names {
			if result, ok := ruled(state, name, Direct); ok && !workspace.OfGit(result.Matched) {
				result.Path = name
				result.Reason = "Git changes this file with the branch or the commit. " + result.Reason
				report.add(result)
			}
		}
	}
	return hidden
}

// changedBy are the files that a change to a commit may change, from the root of the workspace.
func (g *Gate) changedBy(state workspace.State, t command.Tree) ([]string, error) {
	repository, err := git.Open(g.Workspace)
	if err != nil {
		return nil, err
	}
	defer repository.Close()

	t.From, t.To = g.revision(t.From), g.revision(t.To)
	var names []string
	if t.To != "" {
		differ, err := repository.Between(t.From, t.To)
		if err != nil {
			return nil, err
		}
		names = append(names, differ...)
	}
	if t.Worktree {
		changed, err := g.changedSince(state, repository, t.To)
		if err != nil {
			return nil, err
		}
		names = append(names, changed...)
	}
	if t.Untracked {
		unknown, err := g.untracked(state, repository)
		if err != nil {
			return nil, err
		}
		names = append(names, unknown...)
	}
	return names, nil
}

// changedSince are the governed files whose content is another one than in a commit.
func (g *Gate) changedSince(state workspace.State, repository *git.Repository, commit string) ([]string, error) {
	if commit != "" {
		if err := repository.At(commit); err != nil {
			return nil, err
		}
	}
	governed, err := g.governed(state, ".")
	if err != nil {
		return nil, err
	}
	kept, err := repository.Files(".")
	if err != nil {
		return nil, err
	}
	for _, name := range kept {
		if decision, rule := state.Policy.Decide(name); isGoverned(decision, rule) && !slices.Contains(governed, name) {
			governed = append(governed, name)
		}
	}

	var changed []string
	for _, name := range governed {
		text, err := g.Workspace.ReadFile(name, mostScript)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			changed = append(changed, name)
			continue
		case err != nil:
			return nil, err
		}

		if !slices.Contains(kept, name) { // git leaves files alone that it does not know
			continue
		}
		differs, err := repository.Differs(name, text)
		if err != nil {
			return nil, err
		}
		if differs != "" {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// untracked are the governed files that the last commit does not have.
func (g *Gate) untracked(state workspace.State, repository *git.Repository) ([]string, error) {
	governed, err := g.governed(state, ".")
	if err != nil {
		return nil, err
	}
	kept, err := repository.Files(".")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(governed, func(name string) bool { return slices.Contains(kept, name) }), nil
}

// governed are the governed files below a folder, without those that git and the service keep.
func (g *Gate) governed(state workspace.State, folder string) ([]string, error) {
	var names []string
	err := g.Workspace.Walk(folder, state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() && (name == ".git" || name == workspace.StateDir) {
			return fs.SkipDir
		}
		decision, rule := state.Policy.Decide(name)
		if !entry.IsDir() && isGoverned(decision, rule) {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

func isGoverned(decision policy.Decision, rule *policy.Rule) bool {
	refused := decision == policy.Blocked || decision == policy.Protected
	return refused && rule != nil && !workspace.OfGit(rule)
}

// holdsGoverned reports whether a folder has governed files in it, or would have: the lists name files
// there, or the folder itself.
func (g *Gate) holdsGoverned(state workspace.State, folder string) bool {
	if _, ok := ruled(state, folder, Direct); ok {
		return true
	}
	governed, err := g.governed(state, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || len(governed) > 0
}

var stashEntry = regexp.MustCompile(`^(?:stash@\{(\d+)\}|(\d+)|stash)((?:~\d*|\^)*)$`)

// revision is a revision that is not kept as a reference, as one that is: an entry of the stash, or the
// branch before.
func (g *Gate) revision(name string) string {
	if name == "@{-1}" {
		return g.branchBefore()
	}
	m := stashEntry.FindStringSubmatch(name)
	if m == nil || abbreviatedHash(name) {
		return name
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if m[1]+m[2] == "" || err == nil && n == 0 {
		return "stash" + m[3]
	}
	if commit := g.stashed(n); commit != "" {
		return commit + m[3]
	}
	return name
}

// abbreviatedHash tells digits of a hash from the number of an entry of the stash.
func abbreviatedHash(name string) bool {
	return len(name) >= 4 && !strings.HasPrefix(name, "stash")
}

// logLines are the lines of a log of references, the last one first.
func (g *Gate) logLines(name string) []string {
	text, err := g.Workspace.ReadFile(".git/logs/"+name, mostScript)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Reverse(lines)
	return lines
}

// branchBefore is the branch that was left last, "@{-1}" if that is not known.
func (g *Gate) branchBefore() string {
	for _, line := range g.logLines("HEAD") {
		_, moved, ok := strings.Cut(line, "checkout: moving from ")
		if ok {
			before, _, _ := strings.Cut(moved, " to ")
			return before
		}
	}
	return "@{-1}"
}

// stashed is the commit of an entry of the stash, "" if there is none.
func (g *Gate) stashed(n int) string {
	lines := g.logLines("refs/stash")
	if n >= len(lines) {
		return ""
	}
	fields := strings.Fields(lines[n])
	if len(fields) < 2 {
		return ""
	}
	return fields[1]
}
