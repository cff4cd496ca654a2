package references

import (
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

// goModule is a module of the project.
type goModule struct {
	path   string
	folder string
}

func (p *project) goModules() (list []goModule) {
	for _, name := range p.named["go.mod"] {
		text, err := p.text(name)
		if err != nil {
			continue
		}
		if module := modfile.ModulePath(text); module != "" {
			list = append(list, goModule{module, path.Dir(name)})
		}
	}

	return list
}

// goCommands are those that are given packages.
var goCommands = words("build run test install vet generate list fmt fix doc")

// goValued are options whose value is the next argument.
var goValued = words(`-o -p -asmflags -buildmode -compiler -gcflags -installsuffix -ldflags -mod -modfile -overlay -pgo -pkgdir -tags -toolexec
	-run -bench -benchtime -count -covermode -coverpkg -coverprofile -cpu -cpuprofile -exec -fuzz -fuzztime -memprofile -blockprofile -mutexprofile
	-outputdir -parallel -shuffle -skip -timeout -trace -vet -vettool -C -f`)

// golang checks the packages that a go command is given.
func (s *session) golang(cmd command) {
	if len(cmd.args) == 0 {
		return
	}
	args := cmd.args[1:]
	verb := cmd.args[0].text
	if verb == "-C" && len(args) > 1 {
		verb = args[1].text
	}
	if !goCommands[verb] {
		return
	}

	asked := s.dirs
	for _, each := range values(cmd.args, "-C") {
		s.required(cmd.at, each)
		s.dirs = nil
		if each.known {
			s.dirs = (&session{checker: s.checker, dirs: asked}).foldersFrom(each.text)
		}
	}

	packages := operands(cmd.args, goValued)[1:]
	if verb == "run" {
		s.goRun(cmd, packages)
	} else {
		for _, each := range packages {
			s.goPackage(cmd.at, each)
		}
	}

	s.dirs = asked
}

// goRun checks the package or the files that are run. What follows is for the program.
func (s *session) goRun(cmd command, args []word) {
	isFile := func(w word) bool { return path.Ext(w.text) == ".go" }
	for i, each := range args {
		if i == 0 || isFile(args[0]) && isFile(each) {
			s.goPackage(cmd.at, each)
			continue
		}
		s.other(command{
			args: args[i:],
			at:   cmd.at,
		})
		return
	}
}

// goPackage checks one package, a pattern of packages, or a file.
func (s *session) goPackage(at place, name word) {
	text, _, _ := strings.Cut(name.text, "@")
	if !name.known || len(s.dirs) == 0 {
		return
	}
	if path.Ext(text) == ".go" {
		s.program(at, name)
		return
	}

	text = strings.TrimSuffix(strings.TrimSuffix(text, "..."), "/")
	isLocal := strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
	if !isLocal {
		s.goImport(at, name.text, text)
		return
	}

	folder := word{text, true}
	switch s.look(folder) {
	case there:
		s.report(at, GoPackage, name.text, "")
	case absent:
		s.report(at, GoPackage, name.text, "there is no folder "+path.Clean(text))
	}
}

// goImport checks a package that is named by its module.
func (s *session) goImport(at place, written, text string) {
	nearest := goModule{}
	for _, module := range s.project.modules {
		inside := text == module.path || strings.HasPrefix(text, module.path+"/")
		if inside && len(module.path) > len(nearest.path) {
			nearest = module
		}
	}

	if nearest.path == "" || hasPlaceholder(path.Base(text)) {
		return
	}

	folder := path.Join(nearest.folder, strings.TrimPrefix(text, nearest.path))
	why := ""
	if !s.project.exists(folder) {
		why = "the module " + nearest.path + " has no folder " + folder
	}
	s.report(at, GoPackage, written, why)
}
