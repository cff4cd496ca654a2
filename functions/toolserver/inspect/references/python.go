package references

import (
	"path"
	"regexp"
	"strings"
)

var moduleName = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`)

// python checks the program or module that an interpreter of Python is given.
func (s *session) python(cmd command) {
	for i, arg := range cmd.args {
		if arg.text == "-c" {
			return
		}
		if arg.text == "-m" && i+1 < len(cmd.args) {
			s.pythonCommand(cmd, i+1)
			return
		}
		if !strings.HasPrefix(arg.text, "-") {
			break
		}
	}

	s.interpreter(cmd)
}

// pythonCommand checks a module that is run as a program. Some of those are programs
// themselves.
func (s *session) pythonCommand(cmd command, at int) {
	module := cmd.args[at]
	inner := command{
		name: module.text,
		args: cmd.args[at+1:],
		at:   cmd.at,
	}

	switch module.text {
	case "venv", "virtualenv":
		s.makeAll(inner)
	case "pip", "pytest":
		s.run(inner)
	default:
		s.module(cmd.at, module)
		for _, each := range operands(inner.args, nil) {
			s.file(cmd.at, each)
		}
	}
}

// module checks a module, if its package is one of the project.
func (s *session) module(at place, name word) {
	if !name.known || !moduleName.MatchString(name.text) {
		return
	}

	parts := strings.Split(name.text, ".")
	ours := false
	for _, dir := range s.dirs {
		for _, root := range []string{dir, path.Join(dir, "src")} {
			if !s.project.isPythonPackage(path.Join(root, parts[0])) {
				continue
			}
			ours = true
			whole := path.Join(root, path.Join(parts...))
			if s.project.isFile(whole+".py") || s.project.isFolder(whole) || s.project.isMade(whole) {
				s.report(at, PythonModule, name.text, "")
				return
			}
		}
	}

	if ours {
		s.report(at, PythonModule, name.text, "the package "+parts[0]+" has no such module")
	}
}

// isPythonPackage reports whether a folder holds modules of Python.
func (p *project) isPythonPackage(folder string) bool {
	if !p.isFolder(folder) {
		return false
	}
	return p.isFile(path.Join(folder, "__init__.py")) || p.siblings(folder, ".py")
}

// pythonApp checks the module of an application MODULE:NAME.
func (s *session) pythonApp(cmd command) {
	for _, each := range operands(cmd.args, words("--host --port --workers -w -b --bind -k --reload-dir --log-level")) {
		module, _, isApp := strings.Cut(each.text, ":")
		if isApp {
			s.module(cmd.at, word{module, each.known})
		}
	}
}
