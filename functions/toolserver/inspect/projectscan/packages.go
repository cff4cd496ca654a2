package projectscan

import (
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/mod/modfile"

	"governance.internal/functions/toolserver/inspect/tree"
)

const (
	maxManifests = 50 // that are read
	maxCommands  = 60 // of one file
	unknown      = "unknown"
	staticSite   = "static site"
)

// errNotUnderstood says that a file has another form than its name says.
var errNotUnderstood = errors.New("not understood")

// described is what a manifest says.
type described struct {
	requires []string // names of packages
	scripts  []string
	runner   string // that runs the scripts, such as npm run
}

// manifestKinds are the files that describe packages, the most telling first.
var manifestKinds = []struct {
	file    string
	project string // type of a project with it in its root
	read    func([]byte) (described, error)
	runs    []string // commands that it makes possible
}{
	{"go.mod", "go", readGo, []string{"go build ./...", "go test ./...", "go vet ./..."}},
	{"Cargo.toml", "rust", readCargo, []string{"cargo build", "cargo test"}},
	{"package.json", "node", readNode, nil},
	{"pyproject.toml", "python", readPyproject, nil},
	{"requirements.txt", "python", readRequirements, nil},
	{"setup.py", "python", nil, nil},
	{"pom.xml", "java", nil, []string{"mvn test"}},
	{"build.gradle", "java", nil, []string{"gradle test"}},
	{"build.gradle.kts", "java", nil, []string{"gradle test"}},
	{"Gemfile", "ruby", readGemfile, nil},
	{"composer.json", "php", readComposer, nil},
	{"mix.exs", "elixir", nil, []string{"mix test"}},
	{"pubspec.yaml", "dart", nil, nil},
	{"Package.swift", "swift", nil, []string{"swift test"}},
	{"CMakeLists.txt", "cmake", nil, nil},
}

// packages reads the manifests. Commands are those of the root.
func (p *Project) packages(t *tree.Tree) {
	read := 0
	for _, kind := range manifestKinds {
		for _, file := range p.files {
			if path.Base(file) != kind.file {
				continue
			}

			p.Manifests = append(p.Manifests, file)
			if file == kind.file {
				p.ofRoot(kind.project, kind.file, kind.runs)
			}

			if kind.read == nil {
				continue
			}
			if read++; read > maxManifests {
				p.LimitsHit = append(p.LimitsHit, "manifests")
				return
			}
			p.manifest(t, file, kind.read)
		}
	}

	if p.Type == unknown && slices.Contains(p.Languages, "HTML") {
		p.Type = staticSite
	}
}

// ofRoot notes a manifest in the root: the first one says what the project is.
func (p *Project) ofRoot(project, file string, runs []string) {
	if p.Type == unknown {
		p.Type = project
	}
	for _, run := range runs {
		p.Commands = append(p.Commands, Command{
			Run:  run,
			File: file,
		})
	}
}

func (p *Project) manifest(t *tree.Tree, file string, read func([]byte) (described, error)) {
	text, err := t.Read(file)
	if err != nil {
		p.Unread = append(p.Unread, file)
		return
	}

	d, err := read(text)
	if err != nil {
		p.Unread = append(p.Unread, file)
		return
	}

	for _, name := range d.requires {
		if known := frameworks[name]; known != "" {
			p.Frameworks = append(p.Frameworks, known)
		}
	}

	if path.Dir(file) != "." {
		return
	}
	p.addCommands(file, d.runner, d.scripts)
}

// addCommands adds the commands of a file by their names.
func (p *Project) addCommands(file, runner string, names []string) {
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > maxCommands {
		names = names[:maxCommands]
		p.LimitsHit = append(p.LimitsHit, "commands of "+file)
	}

	for _, name := range names {
		if !isName(name) {
			continue
		}
		p.Commands = append(p.Commands, Command{
			Run:  runner + " " + name,
			File: file,
		})
	}
}

// nameOfThings is what names of commands and servers are made of.
var nameOfThings = regexp.MustCompile(`^[A-Za-z0-9@][A-Za-z0-9_.:@/+-]{0,63}$`)

func isName(text string) bool {
	return nameOfThings.MatchString(text)
}

func readGo(text []byte) (described, error) {
	file, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil {
		return described{}, errNotUnderstood
	}

	var d described
	for _, r := range file.Require {
		if !r.Indirect {
			d.requires = append(d.requires, majorless(r.Mod.Path))
		}
	}
	return d, nil
}

// majorless is the path of a module without its major version.
func majorless(module string) string {
	dir, last := path.Split(module)
	if regexpMajor.MatchString(last) {
		return strings.TrimSuffix(dir, "/")
	}
	return module
}

var regexpMajor = regexp.MustCompile(`^v[0-9]+$`)

func readNode(text []byte) (described, error) {
	var file struct {
		Manager      string         `json:"packageManager"`
		Scripts      map[string]any `json:"scripts"`
		Dependencies map[string]any `json:"dependencies"`
		Development  map[string]any `json:"devDependencies"`
	}
	if json.Unmarshal(withoutMark(text), &file) != nil {
		return described{}, errNotUnderstood
	}

	runner, _, _ := strings.Cut(file.Manager, "@")
	if !slices.Contains([]string{"pnpm", "yarn", "bun"}, runner) {
		runner = "npm"
	}
	return described{
		requires: slices.Concat(keys(file.Dependencies), keys(file.Development)),
		scripts:  keys(file.Scripts),
		runner:   runner + " run",
	}, nil
}

func readComposer(text []byte) (described, error) {
	var file struct {
		Scripts map[string]any `json:"scripts"`
		Require map[string]any `json:"require"`
	}
	if json.Unmarshal(withoutMark(text), &file) != nil {
		return described{}, errNotUnderstood
	}

	return described{
		requires: keys(file.Require),
		scripts:  keys(file.Scripts),
		runner:   "composer run",
	}, nil
}

func readCargo(text []byte) (described, error) {
	var file struct {
		Dependencies map[string]any `toml:"dependencies"`
	}
	if toml.Unmarshal(withoutMark(text), &file) != nil {
		return described{}, errNotUnderstood
	}

	return described{requires: keys(file.Dependencies)}, nil
}

func readPyproject(text []byte) (described, error) {
	var file struct {
		Project struct {
			Dependencies []string       `toml:"dependencies"`
			Scripts      map[string]any `toml:"scripts"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
				Scripts      map[string]any `toml:"scripts"`
			} `toml:"poetry"`
			Pytest map[string]any `toml:"pytest"`
		} `toml:"tool"`
	}
	if toml.Unmarshal(withoutMark(text), &file) != nil {
		return described{}, errNotUnderstood
	}

	poetry := file.Tool.Poetry
	d := described{
		requires: slices.Concat(distributions(file.Project.Dependencies), keys(poetry.Dependencies)),
		scripts:  slices.Concat(keys(file.Project.Scripts), keys(poetry.Scripts)),
		runner:   "python entry point",
	}

	if len(file.Tool.Pytest) > 0 {
		d.requires = append(d.requires, "pytest")
	}
	return d, nil
}

func readRequirements(text []byte) (described, error) {
	lines := strings.Split(string(withoutMark(text)), "\n")
	return described{requires: distributions(lines)}, nil
}

// distribution is the name at the beginning of a requirement (PEP 508).
var distribution = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)

func distributions(requirements []string) []string {
	var names []string
	for _, r := range requirements {
		if m := distribution.FindStringSubmatch(r); m != nil {
			names = append(names, strings.ToLower(m[1]))
		}
	}
	return names
}

var gem = regexp.MustCompile(`(?m)^\s*gem\s+["']([A-Za-z0-9_-]+)["']`)

func readGemfile(text []byte) (described, error) {
	var d described
	for _, m := range gem.FindAllSubmatch(text, -1) {
		d.requires = append(d.requires, string(m[1]))
	}
	return d, nil
}

// withoutMark is a text without its byte order mark.
func withoutMark(text []byte) []byte {
	return []byte(strings.TrimPrefix(string(text), "\uFEFF"))
}

func keys(object map[string]any) []string {
	names := []string{}
	for name := range object {
		names = append(names, name)
	}
	return names
}
