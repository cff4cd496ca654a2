package references

import (
	"path"
	"regexp"
	"strings"
)

var justFiles = []string{"justfile", "Justfile", ".justfile"}

var justValued = words("-f --justfile -d --working-directory --set --shell --color --dotenv-filename --dotenv-path")

// justfile checks the recipes that just is given. A word after a recipe that takes
// arguments is one of those.
func (s *session) justfile(cmd command) {
	for _, each := range values(cmd.args, "-f", "--justfile") {
		s.required(cmd.at, each)
		return
	}

	var files []*targets
	for _, dir := range s.dirs {
		if found := s.project.fileAbove(dir, justFiles); found != "" {
			files = append(files, s.project.justfile(found))
		}
	}

	names := operands(cmd.args, justValued)
	for i, name := range names {
		if takesArguments(files, name.text) {
			names = names[:i+1]
			break
		}
	}

	s.oneOf(cmd.at, JustRecipe, names, files)
}

// withArguments marks a recipe that takes arguments among the names of a justfile.
const withArguments = " "

func takesArguments(files []*targets, recipe string) bool {
	for _, each := range files {
		if each.names[recipe+withArguments] {
			return true
		}
	}
	return false
}

var (
	justRecipe = regexp.MustCompile(`^@?([A-Za-z_][\w-]*)((?:\s+[+*$]*[A-Za-z_][\w-]*(?:=\S+)?)*)\s*:(?:[^=]|$)`)
	justAlias  = regexp.MustCompile(`^alias\s+([\w-]+)\s*:=\s*([\w-]+)`)
	justOther  = regexp.MustCompile(`^(import|mod)(\?)?\s+(?:([\w-]+)\s*)?(?:['"]([^'"]+)['"])?`)
)

// justfile is what a justfile defines.
func (p *project) justfile(name string) *targets {
	if known := p.justfiles[name]; known != nil {
		return known
	}

	t := newTargets(name)
	p.justfiles[name] = t
	text, err := p.text(name)
	if err != nil {
		t.open = true
		return t
	}

	for line := range strings.Lines(string(text)) {
		if m := justRecipe.FindStringSubmatch(line); m != nil {
			t.names[m[1]] = true
			if strings.TrimSpace(m[2]) != "" {
				t.names[m[1]+withArguments] = true
			}
		}
		if m := justAlias.FindStringSubmatch(line); m != nil {
			t.names[m[1]] = true
		}
		if m := justOther.FindStringSubmatch(line); m != nil {
			p.justImport(t, path.Dir(name), m)
		}
	}

	return t
}

// justImport adds the recipes of another file. Those of a module are not followed.
func (p *project) justImport(t *targets, folder string, match []string) {
	file := path.Join(folder, match[4])
	if match[1] == "import" && p.isFile(file) {
		t.add("", p.justfile(file))
		return
	}

	if match[2] == "" {
		t.open = true
	}
}
