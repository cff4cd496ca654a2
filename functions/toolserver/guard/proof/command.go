// Package proof says whether the checks of a project were really run: which commands are a run
// of a check, what their success says of it, how many tests an output tells of, and which
// checks are missing after the last edit.
package proof

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"governance.internal/functions/toolserver/guard/workspace"
)

// Run says what a command is for a check.
type Run struct {
	Ran    bool // the check is in the command
	Proves bool // the command succeeds only if the check does
	// ByOutput says that it does so only if the output shows it: the check stands before a pipe
	// into a program that shows a part of the output.
	ByOutput bool
}

// Read looks for a check in a shell command. A command that cannot be read runs none.
func Read(check workspace.Check, command string) Run {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return Run{}
	}

	strict := newReader(check)
	run := strict.run(file.Stmts)
	if run.Proves || !run.Ran {
		return run
	}

	lenient := newReader(check)
	lenient.byOutput = true
	run = lenient.run(file.Stmts)
	run.ByOutput = run.Proves
	return run
}

func newReader(check workspace.Check) *reader {
	return &reader{
		check:   wordsOf(check.Command),
		pattern: check.Pattern.Regexp,
	}
}

func (r *reader) run(statements []*syntax.Stmt) Run {
	proves := r.list(statements)
	return Run{
		Ran:    r.ran,
		Proves: r.ran && proves && !r.bent,
	}
}

// wordsOf are the words of a plain command, nil for anything else.
func wordsOf(command string) []string {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	call, plain := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !plain {
		return nil
	}
	words, _ := literals(call.Args)
	return words
}

// said is what is known of a check when a statement is over.
type said struct {
	proves bool // the check succeeded, if the statement did
	passed bool // the check succeeded, if the shell goes on to the next statement
}

// reader walks through a command in the order in which the shell does.
type reader struct {
	check   []string
	pattern *regexp.Regexp

	ran      bool
	byOutput bool // a pipe that shows the output will do
	bent     bool // names may mean something else than they say
	errexit  bool // set -e
	pipefail bool // set -o pipefail
}

// list reports whether the success of a list of statements says that the check succeeded.
func (r *reader) list(statements []*syntax.Stmt) bool {
	passed, last := false, said{}
	for _, s := range statements {
		last = r.statement(s)
		passed = passed || last.passed
		if r.leaves(s) { // what follows does not run
			return passed
		}
	}
	return passed || last.proves
}

// leaves reports whether a statement ends the shell.
func (r *reader) leaves(s *syntax.Stmt) bool {
	call, plain := s.Cmd.(*syntax.CallExpr)
	if !plain {
		return false
	}
	words, known := literals(call.Args)
	return known && len(words) > 0 && words[0] == "exit"
}

func (r *reader) statement(s *syntax.Stmt) said {
	found := r.command(s)
	if s.Background || s.Coprocess || s.Negated || s.Disown {
		return said{}
	}
	return found
}

func (r *reader) command(s *syntax.Stmt) said {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		proves := r.call(c)
		return said{proves, proves && r.errexit}
	case *syntax.BinaryCmd:
		return r.binary(c)
	case *syntax.Block:
		return said{proves: r.list(c.Stmts)}
	case *syntax.Subshell:
		return r.subshell(c)
	}
	return r.unusual(s.Cmd)
}

// unusual reads what is no plain command and no list.
func (r *reader) unusual(command syntax.Command) said {
	switch c := command.(type) {
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return r.statement(c.Stmt)
		}
	case *syntax.DeclClause:
		r.declare(c.Args)
	case *syntax.FuncDecl:
		r.bent = true
		r.visit(c)
	case nil:
	default: // a condition or a loop: the check may not run at all
		r.visit(c)
	}
	return said{}
}

func (r *reader) subshell(c *syntax.Subshell) said {
	errexit, pipefail := r.errexit, r.pipefail
	proves := r.list(c.Stmts)
	r.errexit, r.pipefail = errexit, pipefail
	return said{proves, proves && errexit}
}

func (r *reader) binary(c *syntax.BinaryCmd) said {
	left, right := r.statement(c.X), r.statement(c.Y)
	switch c.Op {
	case syntax.AndStmt: // set -e does not count for what stands before &&
		proves := left.proves || right.proves
		return said{proves, right.proves && r.errexit}
	case syntax.OrStmt:
		return r.either(c, left, right)
	}

	return r.piped(c, left, right)
}

// piped reads a | b.
func (r *reader) piped(c *syntax.BinaryCmd, left, right said) said {
	proves := right.proves
	switch {
	case r.pipefail:
		proves = proves || left.proves
	case r.byOutput && shows(c.Y):
		proves = proves || left.proves
	}
	return said{proves, proves && r.errexit}
}

// shows reports whether a statement only shows the end of its input, or all of it.
func shows(s *syntax.Stmt) bool {
	call, plain := s.Cmd.(*syntax.CallExpr)
	if !plain || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return false
	}
	words, known := literals(call.Args)
	return known && len(words) > 0 && slices.Contains([]string{"tail", "cat", "tee"}, words[0])
}

// either reads a || b.
func (r *reader) either(c *syntax.BinaryCmd, left, right said) said {
	if r.fails(c.Y) {
		return said{left.proves, left.proves}
	}
	return said{proves: left.proves && right.proves}
}

// fails reports whether a statement ends the shell with a failure.
func (r *reader) fails(s *syntax.Stmt) bool {
	call, plain := s.Cmd.(*syntax.CallExpr)
	if !plain || !r.leaves(s) {
		return false
	}
	words, _ := literals(call.Args)
	return len(words) == 2 && words[1] != "0"
}

// visit looks for the check where its success says nothing.
func (r *reader) visit(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch c := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			r.call(c)
		}
		return true
	})
}

// declare looks at export and the like.
func (r *reader) declare(assignments []*syntax.Assign) {
	for _, a := range assignments {
		if a.Name != nil && a.Name.Value == "PATH" {
			r.bent = true // another program may have the name
		}
	}
}

// call reports whether a plain command is the check, or a shell that proves it.
func (r *reader) call(c *syntax.CallExpr) bool {
	r.declare(c.Assigns)
	words, known := literals(c.Args)
	if !known || len(words) == 0 {
		return false
	}

	switch words[0] {
	case "set":
		r.set(words[1:])
	case "trap", "alias", "eval", "enable", "hash":
		r.bent = true
	}

	words = r.bare(words)
	if script, runs := scriptOf(words); runs {
		return r.script(script)
	}
	if !r.is(words) {
		return false
	}
	r.ran = true
	return true
}

func (r *reader) is(words []string) bool {
	if r.pattern != nil {
		return len(words) > 0 && r.pattern.MatchString(strings.Join(words, " "))
	}
	return len(r.check) > 0 && slices.Equal(words, r.check)
}

// script reads a text that another shell runs.
func (r *reader) script(text string) bool {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return false
	}
	errexit, pipefail := r.errexit, r.pipefail
	r.errexit, r.pipefail = false, false
	proves := r.list(file.Stmts)
	r.errexit, r.pipefail = errexit, pipefail
	return proves
}

// scriptOf is the text of a call such as bash -c 'text'.
func scriptOf(words []string) (string, bool) {
	if len(words) != 3 || !slices.Contains([]string{"sh", "bash", "dash", "zsh"}, words[0]) {
		return "", false
	}
	option := strings.TrimPrefix(words[1], "-")
	return words[2], option == "c" || option == "lc"
}

// set follows the options of the shell that decide what a failure does.
func (r *reader) set(options []string) {
	for i, option := range options {
		if option == "" || !strings.ContainsRune("-+", rune(option[0])) {
			continue
		}

		on, letters := option[0] == '-', option[1:]
		if strings.Contains(letters, "e") {
			r.errexit = on
		}
		if strings.HasSuffix(letters, "o") && i+1 < len(options) {
			r.setNamed(options[i+1], on)
		}
	}
}

func (r *reader) setNamed(option string, on bool) {
	switch option {
	case "pipefail":
		r.pipefail = on
	case "errexit":
		r.errexit = on
	}
}

// literals are words without anything that the shell fills in.
func literals(words []*syntax.Word) (all []string, known bool) {
	for _, w := range words {
		text, literal := literal(w.Parts)
		if !literal {
			return nil, false
		}
		all = append(all, text)
	}
	return all, true
}

func literal(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, known := literal(p.Parts)
			if !known {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}
