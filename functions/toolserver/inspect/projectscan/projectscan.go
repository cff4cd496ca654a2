// Package projectscan reads what a project is made of: languages, packages, commands,
// tests, CI, MCP servers and its governance. It runs nothing, and the same files have the
// same result.
//
// From the result it makes the guidance for agents that stands between two marks in a file
// such as CLAUDE.md. Names that come from the project's files go there only if they are made
// of the characters of names, so that no file can put sentences into it.
package projectscan

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Project is what was found. All lists are sorted and without doubles.
type Project struct {
	Type       string     `json:"-"`
	Languages  []string   `json:"-"` // the most files first
	Frameworks []string   `json:"-"`
	Servers    []Servers  `json:"-"`
	Manifests  []string   `json:"manifests"` // files that describe packages
	Commands   []Command  `json:"commands"`
	Tests      Tests      `json:"tests"`
	CI         []string   `json:"ci"`
	Governance Governance `json:"governance"`
	Unread     []string   `json:"unread"` // files that could not be read or understood
	LimitsHit  []string   `json:"limits_hit"`

	files []string
}

// Command is a command that the project defines.
type Command struct {
	Run  string `json:"run"`
	File string `json:"file"` // that defines it
}

// Tests are the test files.
type Tests struct {
	Files int      `json:"files"`
	Kinds []string `json:"kinds"` // such as Go or pytest
}

// Governance is what the workspace file says.
type Governance struct {
	Configured  bool     `json:"configured"`
	Untouchable []string `json:"untouchable"`
	Protected   []string `json:"protected"`
	Handoff     string   `json:"handoff"`
	Worklog     string   `json:"worklog"`
	Hooks       []string `json:"hooks"` // settings of agents in which a hook may be installed

	config workspace.Config
}

// Guidance are the files that hold guidance for agents. What they say is not scanned, so
// that writing one does not change the result.
var Guidance = []string{"CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md"}

// Scan reads a project.
func Scan(ctx context.Context, t *tree.Tree, state workspace.State) (*Project, error) {
	files, err := t.Files(ctx)
	if err != nil && !errors.Is(err, workspace.ErrManyFiles) {
		return nil, err
	}

	p := &Project{
		Type:       unknown,
		Frameworks: []string{},
		Servers:    []Servers{},
		Manifests:  []string{},
		Commands:   []Command{},
		CI:         []string{},
		Unread:     []string{},
		LimitsHit:  []string{},
		files:      files,
	}
	if err != nil {
		p.LimitsHit = append(p.LimitsHit, "limits.max_files")
	}

	p.languages()
	p.packages(t)
	p.makefile(t)
	p.tests()
	p.ci()
	p.servers(t.Workspace)
	p.governance(t, state)
	p.arrange()
	return p, ctx.Err()
}

// languagesOf are the languages of files by their endings.
var languagesOf = map[string]string{
	".go": "Go", ".py": "Python", ".rs": "Rust", ".rb": "Ruby", ".php": "PHP", ".java": "Java",
	".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript",
	".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".swift": "Swift", ".cs": "C#", ".fs": "F#",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".zig": "Zig", ".lua": "Lua",
	".sh": "Shell", ".bash": "Shell", ".sql": "SQL", ".tf": "Terraform", ".sol": "Solidity",
	".html": "HTML", ".css": "CSS", ".scss": "CSS", ".vue": "Vue", ".svelte": "Svelte",
	".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".dart": "Dart", ".r": "R",
}

func (p *Project) languages() {
	counts := map[string]int{}
	for _, file := range p.files {
		if name := languagesOf[strings.ToLower(path.Ext(file))]; name != "" {
			counts[name]++
		}
	}

	p.Languages = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(
			cmp.Compare(counts[b], counts[a]),
			strings.Compare(a, b),
		)
	})
	if p.Languages == nil {
		p.Languages = []string{}
	}
}

// testKinds are the tests by the names of their files.
var testKinds = []struct {
	kind string
	name *regexp.Regexp
}{
	{"Go", regexp.MustCompile(`_test\.go$`)},
	{"JavaScript", regexp.MustCompile(`\.(test|spec)\.[cm]?[jt]sx?$|(^|/)__tests__/`)},
	{"Python", regexp.MustCompile(`(^|/)test_[^/]*\.py$|_test\.py$`)},
	{"Rust", regexp.MustCompile(`(^|/)tests/[^/]*\.rs$`)},
	{"Java", regexp.MustCompile(`(^|/)src/test/.*\.(java|kt)$`)},
	{"Ruby", regexp.MustCompile(`_(spec|test)\.rb$`)},
	{"PHP", regexp.MustCompile(`Test\.php$`)},
	{"C#", regexp.MustCompile(`Tests?\.cs$`)},
	{"Shell", regexp.MustCompile(`\.bats$`)},
}

func (p *Project) tests() {
	kinds := []string{}
	for _, file := range p.files {
		for _, t := range testKinds {
			if t.name.MatchString(file) {
				p.Tests.Files++
				kinds = append(kinds, t.kind)
				break
			}
		}
	}
	p.Tests.Kinds = kinds
}

// ciFile matches the files in which builds are described.
var ciFile = regexp.MustCompile(`^(\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|Jenkinsfile|azure-pipelines\.ya?ml|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.buildkite/[^/]+\.ya?ml|\.woodpecker\.ya?ml|\.forgejo/workflows/[^/]+\.ya?ml|\.gitea/workflows/[^/]+\.ya?ml)$`)

func (p *Project) ci() {
	for _, file := range p.files {
		if ciFile.MatchString(file) {
			p.CI = append(p.CI, file)
		}
	}
}

// arrange sorts the lists that are sets.
func (p *Project) arrange() {
	for _, list := range []*[]string{&p.Frameworks, &p.Manifests, &p.CI, &p.Tests.Kinds, &p.Unread} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(p.Commands, func(a, b Command) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			strings.Compare(a.Run, b.Run),
		)
	})
	p.Commands = slices.Compact(p.Commands)
}

// has is the first file that matches an expression, "" if none does.
func (p *Project) has(name *regexp.Regexp) string {
	i := slices.IndexFunc(p.files, name.MatchString)
	if i < 0 {
		return ""
	}
	return p.files[i]
}
