package references

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// cd changes the folder.
func (s *session) cd(cmd command) {
	s.moved = true
	list := operands(cmd.args, nil)
	if len(list) != 1 || !list[0].known || len(s.dirs) == 0 {
		s.dirs = nil
		return
	}

	name := list[0]
	dirs := s.foldersFrom(name.text)
	switch {
	case len(dirs) > 0:
		s.report(cmd.at, Path, name.text, "")
		s.dirs = dirs
	case s.isClone(name.text):
		s.dirs = []string{"."}
	case s.isInClone(name.text):
		s.dirs = nil
	default:
		s.lost(cmd.at, name)
		s.dirs = nil
	}
}

func (s *session) foldersFrom(name string) (dirs []string) {
	for _, dir := range s.dirs {
		joined := path.Join(dir, name)
		if !leadsOut(joined) && s.project.isFolder(joined) {
			dirs = append(dirs, joined)
		}
	}

	return dirs
}

// isClone reports whether a folder is the checkout of the project itself.
func (s *session) isClone(name string) bool {
	base := strings.ToLower(path.Base(name))
	if s.project.names[base] {
		return true
	}
	return s.clones[base] && len(s.clones) == 1
}

// isInClone reports whether a folder is below the checkout of a repository.
func (s *session) isInClone(name string) bool {
	first, _, isInside := strings.Cut(path.Clean(name), "/")
	repository := strings.ToLower(first)
	return isInside && s.clones[repository]
}

// lost checks a folder that is not there.
func (s *session) lost(at place, name word) {
	if s.look(name) != absent || s.fetched || len(s.clones) > 1 {
		return
	}
	if s.isLostHere(path.Clean(name.text)) {
		s.report(at, Path, name.text, s.whyAbsent(name.text))
	}
}

// isLostHere reports whether a folder is likely to have been of the project.
func (s *session) isLostHere(name string) bool {
	first, _, inside := strings.Cut(name, "/")
	if isOurs(first) {
		return true
	}
	return inside && s.project.anchored(s.dirs, name)
}

// dirsFor are the folders where a command runs, which an option may name.
func (s *session) dirsFor(cmd command, flags ...string) []string {
	dirs := s.dirs
	for _, each := range values(cmd.args, flags...) {
		s.required(cmd.at, each)
		dirs = nil
		if each.known {
			dirs = s.foldersFrom(each.text)
		}
	}

	return dirs
}

func (s *session) pushd(cmd command) {
	s.pushed = append(s.pushed, s.dirs)
	s.cd(cmd)
}

func (s *session) popd(command) {
	if len(s.pushed) == 0 {
		s.dirs = nil
		return
	}

	last := len(s.pushed) - 1
	s.dirs = s.pushed[last]
	s.pushed = s.pushed[:last]
}

// git notes which repositories are cloned, and where to.
func (s *session) git(cmd command) {
	at := slices.IndexFunc(cmd.args, func(arg word) bool {
		return arg.text == "clone"
	})
	if at < 0 {
		return
	}

	list := operands(cmd.args[at+1:], words("-b --branch --depth -o"))
	switch len(list) {
	case 0:
	case 1:
		s.clones[repositoryOf(list[0].text)] = true
	default:
		s.cloneInto(repositoryOf(list[0].text), list[1])
	}
}

// cloneInto notes the folder of a checkout. That of another repository is not this project.
func (s *session) cloneInto(repository string, into word) {
	s.make(into)
	if s.project.names[repository] {
		s.clones[strings.ToLower(path.Base(into.text))] = true
	}
}

// repositoryOf is the name of a repository, in lower case.
func repositoryOf(address string) string {
	base := path.Base(strings.TrimSuffix(address, "/"))
	return strings.ToLower(strings.TrimSuffix(base, ".git"))
}

func (s *session) makeAll(cmd command) {
	for _, each := range operands(cmd.args, nil) {
		s.make(each)
	}
}

// copy checks what is copied. The last argument is made by it.
func (s *session) copy(cmd command) {
	list := operands(cmd.args, words("-m --mode -t -o -g -e"))
	if len(list) < 2 {
		return
	}
	last := len(list) - 1
	for _, each := range list[:last] {
		s.file(cmd.at, each)
	}

	s.make(list[last])
	for _, each := range list[:last] {
		s.make(word{path.Join(list[last].text, path.Base(each.text)), each.known && list[last].known})
	}
}

func (s *session) fetch(cmd command) {
	s.fetched = true
	for _, each := range operands(cmd.args, nil) {
		if scheme.MatchString(each.text) {
			s.make(word{path.Base(each.text), each.known})
		}
	}
}

func (s *session) readAll(cmd command) {
	for _, each := range operands(cmd.args, words("-k -m -n -c -p -e -i")) {
		each.text, _, _ = strings.Cut(each.text, "::")
		s.file(cmd.at, each)
	}
}

// interpreter checks the program that is run.
func (s *session) interpreter(cmd command) {
	for i, arg := range cmd.args {
		text := arg.text
		switch {
		case text == "-c", text == "-e", text == "-p", text == "--eval", text == "-s", text == "-r" && i == 0:
			return
		case strings.HasPrefix(text, "-"), text == "run", text == "--import", text == "watch":
			continue
		}
		s.program(cmd.at, arg)
		for _, each := range operands(cmd.args[i+1:], nil) {
			s.file(cmd.at, each)
		}
		return
	}
}

// program checks a file that is run.
func (s *session) program(at place, name word) {
	switch s.look(name) {
	case there:
		s.report(at, Path, name.text, "")
	case absent:
		if s.isOwnScript(name.text) {
			s.report(at, Path, name.text, s.whyAbsent(name.text))
		}
	}
}

// executable checks a program that is named with its folder.
func (s *session) executable(cmd command) {
	s.program(cmd.at, word{cmd.name, true})
}

// creators are words by which programs make what their other arguments name.
var creators = regexp.MustCompile(`^(?:new|create|init|scaffold|startproject|startapp|degit|\w*gen|\w*generate|export|add|build|render|bundle|compile|dump|write|create-[\w@.-]+)$`)

// other checks a command of a program that is not known. Its last file may be one that it
// writes.
func (s *session) other(cmd command) {
	list := operands(cmd.args, nil)
	if isCreator(cmd.name, list) {
		s.makeAll(cmd)
		return
	}

	if s.writesLast(cmd, list) {
		last := len(list) - 1
		s.make(list[last])
		list = list[:last]
	}

	for _, each := range list {
		s.file(cmd.at, each)
	}
}

// isCreator reports whether a program, or the word that tells it what to do, makes things.
func isCreator(name string, args []word) bool {
	return creators.MatchString(path.Base(name)) ||
		slices.ContainsFunc(args, func(each word) bool {
			return creators.MatchString(each.text)
		})
}

// writesLast reports whether the last argument is likely to be written: it is not there, and
// one before it is a file to read.
func (s *session) writesLast(cmd command, list []word) bool {
	last := len(list) - 1
	if last < 1 || followsFlag(cmd.args) {
		return false
	}
	return s.look(list[last]) == absent && s.readsFile(list[:last])
}

// followsFlag reports whether the last argument is the value of an option.
func followsFlag(args []word) bool {
	last := len(args) - 1
	return last > 0 && strings.HasPrefix(args[last-1].text, "-")
}

// readsFile reports whether one of some arguments is a file that is there.
func (s *session) readsFile(list []word) bool {
	for _, each := range list {
		if s.project.looksLikeFile(each.text) && s.look(each) == there {
			return true
		}
	}
	return false
}

// fileFlags are options of programs that take a file or folder of the project.
var fileFlags = map[string][]string{
	"kubectl":   {"-f", "--filename", "-k", "--kustomize"},
	"helm":      {"-f", "--values"},
	"terraform": {"-chdir"},
	"psql":      {"-f", "--file"},
	"docker":    {"-f", "--file"},
	"pip":       {"-r", "--requirement", "-c", "--constraint"},
}

func (s *session) flagged(cmd command) {
	for _, each := range values(cmd.args, fileFlags[cmd.name]...) {
		s.required(cmd.at, each)
	}
	for _, each := range operands(cmd.args, nil) {
		s.file(cmd.at, each)
	}
}

// docker checks the files that a build and a composition read.
func (s *session) docker(cmd command) {
	list := operands(cmd.args, nil)
	composes := cmd.name == "docker-compose"
	builds := false
	for _, each := range list[:min(len(list), 2)] {
		composes = composes || each.text == "compose"
		builds = builds || each.text == "build"
	}

	if !composes && !builds {
		return
	}
	for _, each := range values(cmd.args, fileFlags["docker"]...) {
		s.required(cmd.at, each)
	}
}

func (s *session) pip(cmd command) {
	for _, each := range values(cmd.args, fileFlags["pip"]...) {
		s.required(cmd.at, each)
	}
}
