package references

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shells are the languages of blocks that hold commands; dialogs those that show commands
// after a prompt, among what they answer.
var (
	shells  = words("sh bash zsh shell ksh")
	dialogs = words("console shell-session shellsession sh-session terminal session bash-session")
)

func isShell(tag string) bool {
	return shells[tag] || dialogs[tag]
}

var (
	dollar  = regexp.MustCompile(`^\s*(?:\([\w.-]+\) ?)?(?:[\w.-]+@[\w.-]+[:~\w/.-]* ?)?[$%❯] +`)
	angle   = regexp.MustCompile(`^\s*> +`)
	blank   = regexp.MustCompile(`^\s*$`)
	anyName = regexp.MustCompile(`<[A-Za-z](?:[\w .:/|-]*\w)?>`)
)

// script is the commands of a block, and the line of the page that each of its lines is on.
type script struct {
	text  string
	lines []int
}

// scriptOf reads a block. One without a language holds commands only if each of its lines
// begins with a prompt.
func scriptOf(it item) (script, bool) {
	lines := strings.Split(strings.TrimSuffix(it.text, "\n"), "\n")
	prompt := promptOf(lines)
	switch {
	case prompt != nil && isShell(it.tag):
		return prompted(it, lines, prompt), true
	case shells[it.tag]:
		return script{it.text, it.lines}, true
	case it.tag != "" || prompt == nil:
		return script{}, false
	}

	for _, line := range lines {
		if !blank.MatchString(line) && !prompt.MatchString(line) {
			return script{}, false
		}
	}
	return prompted(it, lines, prompt), true
}

// promptOf is the prompt that a block uses, nil for none.
func promptOf(lines []string) *regexp.Regexp {
	for _, prompt := range []*regexp.Regexp{dollar, angle} {
		for _, line := range lines {
			if prompt.MatchString(line) {
				return prompt
			}
		}
	}
	return nil
}

// prompted are the lines after a prompt, and those that continue them.
func prompted(it item, lines []string, prompt *regexp.Regexp) (s script) {
	continued := false
	for i, line := range lines {
		begin := prompt.FindString(line)
		if begin == "" && !continued {
			continue
		}

		command := line[len(begin):]
		if continued {
			command = angle.ReplaceAllString(command, "")
		}
		s.text += command + "\n"
		s.lines = append(s.lines, it.lines[min(i, len(it.lines)-1)])
		continued = strings.HasSuffix(command, `\`)
	}
	return s
}

// statements parses as much of a script as is shell. A line that is none is left out.
func (s script) statements(visit func(*syntax.Stmt, func(syntax.Pos) int)) {
	masked := anyName.ReplaceAllStringFunc(s.text, func(name string) string {
		return "$" + strings.Repeat("_", len(name)-1)
	})
	lines := strings.SplitAfter(masked, "\n")
	for first := 0; first < len(lines); {
		parsed, failed := parse(lines[first:])
		at := func(pos syntax.Pos) int {
			index := first + int(pos.Line()) - 1
			return s.lines[max(0, min(index, len(s.lines)-1))]
		}
		for _, statement := range parsed {
			visit(statement, at)
		}
		if failed < 0 {
			return
		}
		first += failed + 1
	}
}

// parse reads lines up to the first that cannot be read, and tells which that is: -1 for none.
func parse(lines []string) (statements []*syntax.Stmt, failed int) {
	reader := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := reader.Parse(strings.NewReader(strings.Join(lines, "")), "")
	if err == nil {
		return file.Stmts, -1
	}

	failed = 0
	if wrong, ok := err.(syntax.ParseError); ok {
		failed = min(max(int(wrong.Pos.Line())-1, 0), len(lines)-1)
	}
	for until := failed; until > 0; until-- {
		file, err = reader.Parse(strings.NewReader(strings.Join(lines[:until], "")), "")
		if err == nil {
			return file.Stmts, failed
		}
	}
	return nil, failed
}

// word is an argument. One that the shell would change is not known.
type word struct {
	text  string
	known bool
}

func wordOf(w *syntax.Word) word {
	text, known := partsOf(w.Parts, false)
	if strings.HasPrefix(text, "~") {
		known = false
	}
	return word{text, known}
}

func partsOf(parts []syntax.WordPart, quoted bool) (text string, known bool) {
	known = true
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += strings.ReplaceAll(part.Value, `\`, "")
			if !quoted && strings.ContainsAny(part.Value, "*?[]{}…") {
				known = false
			}
		case *syntax.SglQuoted:
			text += part.Value
		case *syntax.DblQuoted:
			inner, ok := partsOf(part.Parts, true)
			text += inner
			known = known && ok
		default:
			known = false
		}
	}
	return text, known
}

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
			if it.block {
				s.block(it)
			}
		}
	}

	for _, it := range p.items {
		switch {
		case it.block:
		case isCommand(it.text):
			s.mark(it)
		default:
			c.path(p, it)
		}
	}
	c.imports(p)
}

// block follows the commands of a block. Those of the blocks before it in the same section
// may have changed the folder.
func (s *session) block(it item) {
	read, ok := scriptOf(it)
	if !ok {
		return
	}

	section := strings.Join(it.titles, "\n")
	skipped := isPast(s.page.name, it.titles) || ofOthers(it.passage) || s.away[section]
	wasSilent := s.silent
	s.silent = s.silent || skipped
	s.dirs = append(s.project.bases(s.page.name, it.around), s.came[section]...)
	s.fetched = false
	s.moved = false
	read.statements(s.statement)
	s.away[section] = s.away[section] || s.moved && len(s.dirs) == 0
	if s.moved {
		s.came[section] = append(s.came[section], s.dirs...)
	}
	s.silent = wasSilent
}

// mark checks a command in a code mark.
func (s *session) mark(it item) {
	if isPast(s.page.name, it.titles) || isMuted(it) {
		return
	}
	line := s.page.line(it.offset)
	read := script{it.text + "\n", []int{line}}
	s.dirs = s.project.bases(s.page.name, it.around)
	if linked := s.linkedFolders(it); len(linked) > 0 {
		s.dirs = linked
	}
	s.fetched = false
	read.statements(s.statement)
}

var inlineLink = regexp.MustCompile(`\]\(([^()\s#?]+)\)`)

// linkedFolders are those that the passage around a command links to: it runs there.
func (s *session) linkedFolders(it item) (folders []string) {
	for _, m := range inlineLink.FindAllStringSubmatch(it.passage.text, -1) {
		joined := path.Join(path.Dir(s.page.name), m[1])
		if !leadsOut(joined) && s.project.isFolder(joined) {
			folders = append(folders, joined)
		}
	}
	return folders
}

// runners are programs whose commands are checked in code marks.
var runners = words("npm yarn pnpm bun make just task go python python3 node bash sh deno npx cargo docker pip pytest poetry uv")

var scriptCall = regexp.MustCompile(`^\.?/?[\w./-]+\.(?:sh|bash|py|js|mjs|rb|pl)\s`)

// isCommand says whether a code mark is a command, not a name.
func isCommand(mark string) bool {
	first, rest, _ := strings.Cut(mark, " ")
	if runners[first] {
		return strings.TrimSpace(rest) != ""
	}
	return scriptCall.MatchString(mark)
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

func (s *session) statements(list []*syntax.Stmt, at func(syntax.Pos) int) {
	for _, each := range list {
		s.statement(each, at)
	}
}

func (s *session) redirect(r *syntax.Redirect, at func(syntax.Pos) int) {
	if r.Word == nil {
		return
	}
	name := wordOf(r.Word)
	switch r.Op {
	case syntax.RdrIn:
		s.file(place{s.page.name, at(r.Pos())}, name)
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

var (
	wrappers    = words("sudo time nohup exec command env nice doas cross-env dotenv xvfb-run npx bunx")
	twoWrappers = words("poetry:run uv:run pipenv:run pdm:run hatch:run rye:run bundle:exec pnpm:exec pnpm:dlx yarn:exec yarn:dlx npm:exec bun:x")
	assignment  = regexp.MustCompile(`^[A-Za-z_]\w*=`)
)

// unwrapped leaves out programs that run the program after them.
func unwrapped(args []word) []word {
	for len(args) > 0 && args[0].known {
		switch {
		case len(args) > 1 && twoWrappers[args[0].text+":"+args[1].text]:
			args = args[2:]
		case wrappers[args[0].text]:
			args = args[1:]
		default:
			return args
		}
		for len(args) > 0 && (strings.HasPrefix(args[0].text, "-") || assignment.MatchString(args[0].text)) {
			args = args[1:]
		}
	}
	return args
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

// makes says whether a command of the page makes a path.
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
