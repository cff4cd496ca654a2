package workspace

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/policy"
)

// Candidates for the lists of a new file: what many projects have and an agent
// should not touch, or not without asking.
var (
	commonUntouchable = []string{"**/.env", "**/.env.*", "**/*.pem", "**/*.key", "**/id_rsa*", "secrets/**", "infra/prod/**", "**/*.tfstate", "**/*.tfvars"}
	commonProtected   = []string{"go.mod", "package.json", "pyproject.toml", "requirements*.txt", "Cargo.toml", "pom.xml", "build.gradle*", "Gemfile", "composer.json", "cdk.json", "**/Dockerfile", ".github/workflows/**", "CODEOWNERS", "docs/adr/**", "**/migrations/**", "LICENSE"}
	always            = []string{"**/.env", "**/*.pem", "**/*.key"} // listed even when there are none yet
)

// Draft is a commented governance.yaml for the project as it is found.
func (w *Workspace) Draft(name string) (string, error) {
	c, _, err := w.withoutFile()
	if err != nil {
		return "", err
	}

	names, err := w.names(c.Limits.MaxFiles)
	if err != nil {
		return "", err
	}

	untouchable := present(commonUntouchable, always, names)
	for _, g := range c.Untouchable {
		untouchable = append(untouchable, g.Pattern)
	}

	var b strings.Builder
	fmt.Fprintf(&b, "# What agents may do in this project. Changes take effect at once; agents cannot change this file.\n")
	fmt.Fprintf(&b, "# Schema: governance init -schema. Patterns: * in one name, ** for any folders, {a,b} for a choice.\nversion: 1\nproject: {name: %q}\n",
		name)
	list(&b, "Never changed by an agent, by no way and for no reason.", "untouchable", untouchable)
	list(&b, "Changed only after a person approved: governance approve.",
		"protected", present(commonProtected, nil, names))

	list(&b, "Exceptions from protected. They never lift untouchable.", "allow", nil)
	list(&b, "Left out by scans. The guard looks at these, too.",
		"ignore", present(
			[]string{".git/**", "node_modules/**", "vendor/**", "dist/**", "cdk.out/**"},
			[]string{".git/**"},
			names,
		))

	fmt.Fprintf(&b, "\n# Files through which one session hands over to the next.\nsession: {handoff: %s, worklog: %s}\nrules: {step_back_every: %d, handoff_max_age: 10m}\n",
		c.Session.Handoff, c.Session.Worklog, c.Rules.StepBackEvery)

	if len(c.Docs) > 0 {
		b.WriteString("\n# Documents that must stay true.\ndocs:\n")
		for _, d := range c.Docs {
			fmt.Fprintf(&b, "  - {path: %q, check: [paths, commands]}\n", d.Path)
		}
	}

	if c.Website.Root != "" {
		fmt.Fprintf(&b, "\n# The pages of the project.\nwebsite: {root: %q, pages: [\"**/*.html\"]}\n",
			c.Website.Root)
	}

	return b.String(), nil
}

// names are all files, without those of the version control and of dependencies.
func (w *Workspace) names(limit int) ([]string, error) {
	var names []string
	err := w.Walk(".", limit, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules") {
			names = append(names, name+"/")
			return fs.SkipDir
		}
		names = append(names, name)
		return nil
	})
	return names, err
}

// present keeps the patterns that match something, and those that are wanted anyway.
func present(patterns, wanted, names []string) []string {
	var kept []string
	for _, pattern := range patterns {
		if matchesAny(pattern, names) || slices.Contains(wanted, pattern) {
			kept = append(kept, pattern)
		}
	}
	return kept
}

func matchesAny(pattern string, names []string) bool {
	p, err := policy.Compile(pattern, false)
	return err == nil &&
		slices.ContainsFunc(names, func(name string) bool {
			return p.Match(strings.TrimSuffix(name, "/"))
		})
}

func list(b *strings.Builder, comment, name string, patterns []string) {
	fmt.Fprintf(b, "\n# %s\n%s:", comment, name)
	if len(patterns) == 0 {
		b.WriteString(" []\n")
		return
	}

	b.WriteString("\n")
	for _, pattern := range patterns {
		fmt.Fprintf(b, "  - %q\n", pattern)
	}
}
