package references

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a program with its arguments.
type command struct {
	name string
	args []word
	at   place
}

// session follows the commands of a page.
type session struct {
	*checker
	page   *page
	silent bool                // only what is made is noted
	clones map[string]bool     // names of repositories that are cloned
	came   map[string][]string // folders that the blocks of a section changed into
	away   map[string]bool     // sections whose blocks changed into one that is not known

	dirs    []string // where a command may run; none if that is not known
	pushed  [][]string
	fetched bool // files of elsewhere may be here
	moved   bool
}

// code checks everything of a page that is code.
func (c *checker) code(p *page) {
	s := &session{
		checker: c,
		page:    p,
		silent:  true,
		clones:  map[string]bool{},
	}

	for _, silent := range []bool{true, false} {
		s.silent = silent
		s.came = map[string][]string{}
		s.away = map[string]bool{}
		for _, it := range p.items {
			if it.block && !s.ended() {
				s.block(it)
			}
		}
	}

	for _, it := range p.items {
		switch {
		case it.block:
		case c.ended():
			return
		case isCommand(it.text):
			s.mark(it)
		default:
			c.path(p, it)
		}
	}

	c.imports(p)
}

// block follows the commands of a block.
func (s *session) block(it item) {
	read, ok := scriptOf(it)
	if !ok {
		return
	}

	section := strings.Join(it.titles, "\n")
	isOther := isPast(s.page.name, it.titles) || ofOthers(it.passage)
	wasSilent := s.silent
	s.silent = s.silent || isOther || s.away[section]
	s.follow(read, section, it)
	s.silent = wasSilent
}

// follow runs through a script. The blocks before it in the same section may have changed
// the folder.
func (s *session) follow(read script, section string, it item) {
	s.dirs = append(s.startingDirs(it), s.came[section]...)
	s.fetched = false
	s.moved = false
	read.statements(s.statement)
	if !s.moved {
		return
	}

	s.came[section] = append(s.came[section], s.dirs...)
	if len(s.dirs) == 0 {
		s.away[section] = true
	}
}

// startingDirs are the folders where a command may run: those that a path may begin at, and
// those between the page and the root.
func (s *session) startingDirs(it item) []string {
	dirs := s.project.bases(s.page.name, it.around)
	for _, each := range above(path.Dir(s.page.name)) {
		if !slices.Contains(dirs, each) {
			dirs = append(dirs, each)
		}
	}
	return dirs
}

var inlineLink = regexp.MustCompile(`\]\(([^()\s#?]+)\)`)

// linkedFolders are those that the passage around a command links to: it runs there.
func (s *session) linkedFolders(it item) (folders []string) {
	here := path.Dir(s.page.name)
	for _, m := range inlineLink.FindAllStringSubmatch(it.passage.text, -1) {
		linked := path.Join(here, m[1])
		if !leadsOut(linked) && s.project.isFolder(linked) {
			folders = append(folders, linked)
		}
	}

	return folders
}

// mark checks a command in a code mark.
func (s *session) mark(it item) {
	if isPast(s.page.name, it.titles) || isMuted(it) {
		return
	}

	s.dirs = s.linkedFolders(it)
	if len(s.dirs) == 0 {
		s.dirs = s.startingDirs(it)
	}
	s.fetched = false

	line := s.page.line(it.offset)
	read := script{it.text + "\n", []int{line}}
	read.statements(s.statement)
}

// runners are programs whose commands are checked in code marks.
var runners = words("npm yarn pnpm bun make just task go python python3 node bash sh deno npx cargo docker pip pytest poetry uv")

var scriptCall = regexp.MustCompile(`^\.?/?[\w./-]+\.(?:sh|bash|py|js|mjs|rb|pl)\s`)

// isCommand reports whether a code mark is a command, not a name.
func isCommand(mark string) bool {
	fields := strings.Fields(mark)
	for len(fields) > 0 && (wrappers[fields[0]] || assignment.MatchString(fields[0])) {
		fields = fields[1:]
	}
	if len(fields) < 2 {
		return false
	}

	isChange := fields[0] == "cd" && strings.Contains(mark, "&&")
	return isChange || runners[fields[0]] || scriptCall.MatchString(mark)
}

// statement follows one statement of the shell.
func (s *session) statement(stmt *syntax.Stmt, at func(syntax.Pos) int) {
	for _, redirect := range stmt.Redirs {
		s.redirect(redirect, at)
	}

	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(cmd, at)
	case *syntax.BinaryCmd:
		s.statement(cmd.X, at)
		s.statement(cmd.Y, at)
	case *syntax.Subshell:
		dirs := s.dirs
		s.statements(cmd.Stmts, at)
		s.dirs = dirs
	case *syntax.Block:
		s.statements(cmd.Stmts, at)
	case *syntax.IfClause:
		s.statements(cmd.Cond, at)
		s.statements(cmd.Then, at)
	case *syntax.ForClause:
		s.statements(cmd.Do, at)
	case *syntax.WhileClause:
		s.statements(cmd.Do, at)
	}
}

// redirect notes a file that is written, and checks one that is read.
func (s *session) redirect(r *syntax.Redirect, at func(syntax.Pos) int) {
	if r.Word == nil {
		return
	}

	name := wordOf(r.Word)
	line := at(r.Pos())
	switch r.Op {
	case syntax.RdrIn:
		s.file(place{s.page.name, line}, name)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		s.make(name)
	}
}

func (s *session) call(call *syntax.CallExpr, at func(syntax.Pos) int) {
	var args []word
	for _, each := range call.Args {
		args = append(args, wordOf(each))
	}
	args = unwrapped(args)
	if len(args) == 0 || !args[0].known {
		return
	}

	s.run(command{
		name: args[0].text,
		args: args[1:],
		at:   place{s.page.name, at(call.Pos())},
	})
}

// report notes a reference of a command, unless the session only looks around.
func (s *session) report(at place, kind, target, why string) {
	if !s.silent {
		s.checker.report(at, kind, target, why)
	}
}

// make notes that a command makes a file or folder.
func (s *session) make(name word) {
	if !name.known || name.text == "" {
		return
	}
	if s.page.made == nil {
		s.page.made = map[string]bool{}
	}
	for _, dir := range s.dirs {
		s.page.made[path.Join(dir, name.text)] = true
	}
	s.page.made[path.Clean(name.text)] = true
}

// makes reports whether a command of the page makes a path.
func (p *page) makes(name string) bool {
	if len(p.made) == 0 {
		return false
	}
	for _, at := range above(path.Clean(name)) {
		if at != "." && p.made[at] {
			return true
		}
	}

	return false
}

// unwrapped leaves out programs that run the program after them.
func unwrapped(args []word) []word {
	for len(args) > 0 {
		wrapping := wraps(args)
		if wrapping == 0 {
			break
		}
		args = withoutOptions(args[wrapping:])
	}

	return args
}

// wraps is how many words before a program only tell how to run it.
func wraps(args []word) int {
	if wrappers[args[0].text] {
		return 1
	}
	if len(args) > 1 && twoWrappers[args[0].text+":"+args[1].text] {
		return 2
	}

	return 0
}

func withoutOptions(args []word) []word {
	for i, arg := range args {
		isOption := strings.HasPrefix(arg.text, "-")
		if !isOption && !assignment.MatchString(arg.text) {
			return args[i:]
		}
	}

	return nil
}

var (
	wrappers    = words("sudo time nohup exec command env nice doas cross-env dotenv xvfb-run npx bunx")
	twoWrappers = words("poetry:run uv:run pipenv:run pdm:run hatch:run rye:run bundle:exec pnpm:exec pnpm:dlx yarn:exec yarn:dlx npm:exec bun:x")
	assignment  = regexp.MustCompile(`^[A-Za-z_]\w*=`)
)

func (s *session) statements(list []*syntax.Stmt, at func(syntax.Pos) int) {
	for _, each := range list {
		s.statement(each, at)
	}
}
