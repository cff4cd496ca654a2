package references

import (
	"path"
	"regexp"
	"strings"
)

// programs whose arguments are understood.
var programs map[string]func(*session, command)

func init() {
	programs = map[string]func(*session, command){
		"cd": (*session).cd, "pushd": (*session).pushd, "popd": (*session).popd,
		"git": (*session).git, "gh": (*session).git,
		"mkdir": (*session).makeAll, "touch": (*session).makeAll, "tee": (*session).makeAll, "virtualenv": (*session).makeAll,
		"cp": (*session).copy, "mv": (*session).copy, "ln": (*session).copy, "scp": (*session).copy, "install": (*session).copy, "rsync": (*session).copy,
		"curl": (*session).fetch, "wget": (*session).fetch, "unzip": (*session).fetch, "tar": (*session).fetch,
		"echo": (*session).nothing, "printf": (*session).nothing, "rm": (*session).nothing, "export": (*session).nothing, "ssh": (*session).nothing,
		"brew": (*session).nothing, "apt": (*session).nothing, "apt-get": (*session).nothing, "cargo": (*session).nothing, "grep": (*session).nothing, "rg": (*session).nothing,
		"npm": (*session).npm, "yarn": (*session).yarn, "pnpm": (*session).pnpm, "bun": (*session).bun,
		"make": (*session).makefile, "gmake": (*session).makefile, "just": (*session).justfile, "task": (*session).taskfile, "go-task": (*session).taskfile,
		"go":     (*session).golang,
		"python": (*session).python, "python3": (*session).python, "py": (*session).python,
		"pytest": (*session).readAll, "uvicorn": (*session).pythonApp, "gunicorn": (*session).pythonApp, "hypercorn": (*session).pythonApp,
		"pip": (*session).pip, "pip3": (*session).pip, "uv": (*session).pip,
		"node": (*session).interpreter, "tsx": (*session).interpreter, "ts-node": (*session).interpreter, "ruby": (*session).interpreter, "perl": (*session).interpreter, "php": (*session).interpreter, "deno": (*session).interpreter,
		"bash": (*session).interpreter, "sh": (*session).interpreter, "zsh": (*session).interpreter, "source": (*session).interpreter, ".": (*session).interpreter,
		"cat": (*session).readAll, "less": (*session).readAll, "more": (*session).readAll, "head": (*session).readAll, "chmod": (*session).readAll, "ls": (*session).readAll,
		"docker": (*session).docker, "podman": (*session).docker, "docker-compose": (*session).docker,
		"kubectl": (*session).flagged, "helm": (*session).flagged, "terraform": (*session).flagged, "psql": (*session).flagged, "ansible-playbook": (*session).readAll,
	}
}

// run checks a command, and notes what it makes.
func (s *session) run(cmd command) {
	s.outputs(cmd)
	if check := programs[cmd.name]; check != nil {
		check(s, cmd)
		return
	}
	if strings.Contains(cmd.name, "/") {
		s.executable(cmd)
	}
	s.other(cmd)
}

func (s *session) nothing(command) {}

// outputFlags are options whose value is written.
var outputFlags = regexp.MustCompile(`^--?(?:o|O|out\w*|output\w*(?:-\w+)*|out-?(?:dir|file)|dest\w*|target-dir|coverprofile|cpuprofile|memprofile|trace|report\w*|save\w*|log-?file|data-?dir|write-out|prefix-dir)$`)

// outputs notes the files that the options of a command name to be written.
func (s *session) outputs(cmd command) {
	for i, arg := range cmd.args {
		flag, value, joined := strings.Cut(arg.text, "=")
		if !outputFlags.MatchString(flag) {
			continue
		}
		switch {
		case joined:
			s.make(word{value, arg.known})
		case i+1 < len(cmd.args):
			s.make(cmd.args[i+1])
		}
	}
}

// operands are the arguments that are no options. Those after an option named in valued
// are its values.
func operands(args []word, valued map[string]bool) (list []word) {
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case valued[text]:
			i++
		case text == "--":
			return append(list, args[i+1:]...)
		case strings.HasPrefix(text, "-") && text != "-", assignment.MatchString(text) && args[i].known:
		default:
			list = append(list, args[i])
		}
	}
	return list
}

// values are those of options, as in -C DIR, -C=DIR, or -CDIR for a single letter.
func values(args []word, names ...string) (list []word) {
	for i, arg := range args {
		for _, name := range names {
			rest, found := strings.CutPrefix(arg.text, name)
			short := len(name) == 2
			switch {
			case !found:
			case rest == "" && i+1 < len(args):
				list = append(list, args[i+1])
			case strings.HasPrefix(rest, "="):
				list = append(list, word{rest[1:], arg.known})
			case short && rest != "":
				list = append(list, word{rest, arg.known})
			}
		}
	}
	return list
}

// state of a file that a command names.
type state uint8

const (
	unsure state = iota // it need not be one of this project
	there
	absent
)

var foreign = regexp.MustCompile(`^(?:[A-Za-z][\w+.-]*://|[\w.-]+@|/|~|-|\$|[A-Za-z]:\\)|[:%@]|\.\.\.`)

// look finds a file from where the command runs.
func (s *session) look(name word) state {
	if !name.known || name.text == "" || foreign.MatchString(name.text) || len(s.dirs) == 0 {
		return unsure
	}
	for _, dir := range s.dirs {
		joined := path.Join(dir, name.text)
		switch {
		case s.project.exists(joined):
			return there
		case leadsOut(joined), s.project.isMade(joined), s.page.makes(joined):
			return unsure
		}
	}
	if hasPlaceholder(path.Clean(name.text)) || s.fetched && !strings.Contains(name.text, "/") {
		return unsure
	}
	return absent
}

// file checks an argument that may be a file to read. Only one that has a folder which is
// there, or a usual one, is missed.
func (s *session) file(at place, name word) {
	switch s.look(name) {
	case there:
		s.report(at, Path, name.text, "")
	case absent:
		if s.isPlausible(name.text) {
			s.report(at, Path, name.text, s.whyAbsent(name.text))
		}
	}
}

// required checks an argument that must be a file or folder of the project.
func (s *session) required(at place, name word) {
	switch s.look(name) {
	case there:
		s.report(at, Path, name.text, "")
	case absent:
		if s.isLikely(name.text) {
			s.report(at, Path, name.text, s.whyAbsent(name.text))
		}
	}
}

// isLikely says whether an argument that must be there is likely to be of the project: its
// first folder is there or usual, or files like it are.
func (s *session) isLikely(name string) bool {
	name = path.Clean(name)
	first, _, inside := strings.Cut(name, "/")
	if inside {
		return s.anchored(s.dirs, name) || usualFolders[first] || ourFolders[first]
	}
	return s.hasAlike(name) || usualFolders[name] || ourFolders[name]
}

// hasAlike says whether a folder that a command may run in has a file whose name begins and
// ends as this one: requirements.txt is like requirements-dev.txt.
func (s *session) hasAlike(name string) bool {
	stem := alike.FindString(name)
	for _, dir := range s.dirs {
		entries, _ := s.project.tree.List(dir) // a folder that cannot be read has none
		for _, entry := range entries {
			if stem != "" && !entry.IsDir() && alike.FindString(entry.Name()) == stem {
				return true
			}
		}
	}
	return false
}

var alike = regexp.MustCompile(`^[A-Za-z]+`)

func (s *session) whyAbsent(name string) string {
	return s.project.whyMissing(path.Join(s.dirs[len(s.dirs)-1], name))
}

// isPlausible says whether a path clearly means a file of the project.
func (s *session) isPlausible(name string) bool {
	name = path.Clean(name)
	isFile := s.project.looksLikeFile(name)
	switch {
	case !strings.Contains(name, "/"), !isFile:
		return false
	case s.anchored(s.dirs, name):
		return true
	}
	first, _, _ := strings.Cut(name, "/")
	return isUsual(s.page.name, first) && s.project.endings[strings.ToLower(path.Ext(name))]
}

// isOwnScript says whether a program that an interpreter runs clearly is one of the project.
func (s *session) isOwnScript(name string) bool {
	name = path.Clean(name)
	if strings.Contains(name, "/") {
		return s.isPlausible(name) || s.isPlausible(name+".sh") && s.hasParent(s.dirs, name)
	}

	ending := path.Ext(name)
	if ending == "" || everywhere[name] || hasPlaceholder(name) || strings.Contains(s.page.defining, "\n") && s.page.showsLanguage(ending) {
		return false
	}
	for _, dir := range s.dirs {
		if s.project.siblings(dir, ending) {
			return true
		}
	}
	return false
}

// languages are the tags of blocks by the ending of the files that they show.
var languages = map[string]map[string]bool{
	".go": words("go golang"), ".py": words("python py python3"), ".js": words("js javascript node jsx"), ".mjs": words("js javascript"),
	".ts": words("ts typescript tsx"), ".rb": words("ruby rb"), ".sh": words("sh bash"), ".php": words("php"),
}

// showsLanguage says whether a page shows programs of a language: a file of it that the page
// runs may be one of those.
func (p *page) showsLanguage(ending string) bool {
	tags := languages[ending]
	for _, it := range p.items {
		if it.block && !isShell(it.tag) && tags[it.tag] {
			return true
		}
	}
	return false
}

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

// isClone says whether a folder is the checkout of the project itself.
func (s *session) isClone(name string) bool {
	base := strings.ToLower(path.Base(name))
	if s.project.names[base] {
		return true
	}
	return s.clones[base] && len(s.clones) == 1
}

// isInClone says whether a folder is below the checkout of a repository.
func (s *session) isInClone(name string) bool {
	first, _, inside := strings.Cut(path.Clean(name), "/")
	return inside && s.clones[strings.ToLower(first)]
}

// lost checks a folder that is not there.
func (s *session) lost(at place, name word) {
	if s.look(name) != absent || s.fetched || len(s.clones) > 1 {
		return
	}
	clean := path.Clean(name.text)
	first, _, inside := strings.Cut(clean, "/")
	if inside && s.anchored(s.dirs, clean) || isUsual(s.page.name, first) || ourFolders[first] {
		s.report(at, Path, name.text, s.whyAbsent(name.text))
	}
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
	for i, arg := range cmd.args {
		if arg.text != "clone" {
			continue
		}
		list := operands(cmd.args[i+1:], words("-b --branch --depth -o"))
		if len(list) == 0 {
			return
		}
		into := list[len(list)-1]
		base := strings.TrimSuffix(path.Base(strings.TrimSuffix(into.text, "/")), ".git")
		if len(list) > 1 {
			repository := strings.TrimSuffix(path.Base(list[0].text), ".git")
			s.make(into)
			if !s.project.names[strings.ToLower(repository)] {
				return
			}
		}
		s.clones[strings.ToLower(base)] = true
		return
	}
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
	creates := creators.MatchString(path.Base(cmd.name))
	for _, each := range list {
		creates = creates || creators.MatchString(each.text)
	}
	if creates {
		for _, each := range list {
			s.make(each)
		}
		return
	}

	last := len(list) - 1
	if last > 0 && s.look(list[last]) == absent && s.readsFile(list[:last]) && !followsFlag(cmd.args) {
		s.make(list[last])
		list = list[:last]
	}
	for _, each := range list {
		s.file(cmd.at, each)
	}
}

// followsFlag says whether the last argument is the value of an option.
func followsFlag(args []word) bool {
	last := len(args) - 1
	return last > 0 && strings.HasPrefix(args[last-1].text, "-")
}

// readsFile says whether one of some arguments is a file that is there.
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
