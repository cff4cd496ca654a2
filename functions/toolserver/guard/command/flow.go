package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// readAll reads a command and then the functions that nothing called: something may yet.
func (r *reader) readAll(text string) error {
	if err := r.read(text); err != nil {
		return err
	}

	for name, bodies := range r.functions {
		if r.called[name] {
			continue
		}
		before := r.shell.clone()
		r.arguments, r.shifted = nil, true
		r.block(bodies)
		r.shell = before
	}
	r.readTraps()
	if r.setsPath && r.changesModes {
		r.unresolved("PATH=…", r.text)
	}
	return nil
}

func (r *reader) read(text string) error {
	r.calls++
	r.size += len(text)
	isTooMuch := r.calls > maxFound || r.size > maxRead
	if r.depth++; r.depth > maxDepth || isTooMuch {
		r.depth--
		r.unresolved("shells in more than 8 shells", text[:min(len(text), longestValue)])
		return nil
	}
	defer func() { r.depth-- }()

	// Some shells take a line of Windows for one of theirs.
	text = strings.ReplaceAll(text, "\r\n", "\n")
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return ErrSyntax
	}

	r.block(file.Stmts)
	return nil
}

// block visits statements in the order in which the shell would, so that variables and folders
// are known where they are used.
func (r *reader) block(statements []*syntax.Stmt) {
	for _, s := range statements {
		r.walk(s)
	}
}

// walk visits a node and what is in it.
func (r *reader) walk(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Stmt:
			return r.statement(n)
		case *syntax.CallExpr:
			r.call(n)
		case *syntax.Subshell:
			r.apart(n.Stmts...)
			return false
		case *syntax.CmdSubst:
			r.apart(n.Stmts...)
			return false
		case *syntax.ProcSubst:
			feed := r.feed
			if n.Op == syntax.CmdOut { // it reads what the command writes
				r.feed = nil
			}
			r.apart(n.Stmts...)
			r.feed = feed
			return false
		case *syntax.CoprocClause:
			r.apart(n.Stmt)
			return false
		case *syntax.BinaryCmd:
			r.binary(n)
			return false
		case *syntax.IfClause:
			r.branch(n)
			return false
		case *syntax.CaseClause:
			r.choose(n)
			return false
		case *syntax.ForClause:
			r.repeat(n)
			return false
		case *syntax.WhileClause:
			r.forgetSet(n)
			r.block(n.Cond)
			r.body(n.Do)
			return false
		case *syntax.FuncDecl:
			r.functions[n.Name.Value] = append(r.functions[n.Name.Value], n.Body)
			r.called[n.Name.Value] = r.soft > 0 // much of what a script offers is not used
			return false
		case *syntax.DeclClause:
			r.declare(n)
		case *syntax.ParamExp:
			r.assignDefault(n)
		case *syntax.BinaryArithm, *syntax.UnaryArithm:
			r.forgetSet(n)
		}

		return true
	})
}

// statement visits the redirections of a statement, and the rest if it is in the background. It
// reports whether the rest is still to be visited.
func (r *reader) statement(n *syntax.Stmt) bool {
	r.input = ""
	feed := r.feed
	for _, redirect := range n.Redirs {
		r.redirect(redirect)
	}
	if !n.Background && !n.Coprocess && len(n.Redirs) == 0 {
		return true
	}

	before := r.shell.clone()
	for _, redirect := range n.Redirs {
		r.walk(redirect)
	}
	if n.Cmd != nil {
		r.walk(n.Cmd)
	}
	r.feed = feed
	if n.Background || n.Coprocess {
		r.shell = before
	}
	return false
}

// apart visits statements of a shell of their own: what they change ends with them.
func (r *reader) apart(statements ...*syntax.Stmt) {
	before, piped := r.shell.clone(), r.piped
	r.block(statements)
	r.shell, r.piped = before, piped
}

func (r *reader) binary(n *syntax.BinaryCmd) {
	switch n.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.pipe(n)
	case syntax.AndStmt:
		r.chain(n)
	case syntax.OrStmt:
		failed := r.shell.clone()
		r.walk(n.X)
		done := r.shell.clone()
		r.shell = join(failed, done)
		if isPlain(n.X) { // a change of folder has failed
			r.place = failed.place
		}
		r.walk(n.Y)
		if leaves(n.Y) {
			r.shell = done
			r.sure = true
			return
		}
		r.shell = join(r.shell, done)
	}
}

// chain visits statements of which each runs only if all before have succeeded.
func (r *reader) chain(n *syntax.BinaryCmd) {
	var stopped []shell
	for i, s := range chained(n) {
		if i > 0 {
			stopped = append(stopped, r.shell.clone())
			r.sure = true
		}
		r.walk(s)
	}

	r.sure = false
	for _, other := range stopped {
		r.shell = join(r.shell, other)
	}
}

// chained are the statements between several &&.
func chained(n *syntax.BinaryCmd) []*syntax.Stmt {
	inner, is := n.X.Cmd.(*syntax.BinaryCmd)
	isPlain := len(n.X.Redirs) == 0 && !n.X.Negated && !n.X.Background
	if is && inner.Op == syntax.AndStmt && isPlain {
		return append(chained(inner), n.Y)
	}
	return []*syntax.Stmt{n.X, n.Y}
}

// isPlain reports whether a statement is a simple command.
func isPlain(s *syntax.Stmt) bool {
	_, is := s.Cmd.(*syntax.CallExpr)
	return is
}

// leaves reports whether nothing that follows a statement runs.
func leaves(s *syntax.Stmt) bool {
	switch n := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(n.Args) > 0 && slices.Contains([]string{"exit", "return"}, n.Args[0].Lit())
	case *syntax.Block:
		return len(n.Stmts) > 0 && leaves(n.Stmts[len(n.Stmts)-1])
	}
	return false
}

func (r *reader) pipe(n *syntax.BinaryCmd) {
	r.apart(n.X)
	text, feed := r.piped, r.feed
	lines, known := r.output(n.X)
	r.piped += " " + source(n.X)
	r.feed = nil
	if known {
		r.feed = lines
	}
	r.apart(n.Y)
	r.piped, r.feed = text, feed
}

func (r *reader) branch(n *syntax.IfClause) {
	if len(n.Cond) > 0 {
		r.block(n.Cond)
	}
	before := r.shell.clone()
	r.block(n.Then)
	if n.Else == nil {
		r.shell = join(r.shell, before)
		return
	}

	after := r.shell
	r.shell = before
	if len(n.Else.Cond) > 0 {
		r.branch(n.Else)
	} else {
		r.block(n.Else.Then)
	}
	r.shell = join(r.shell, after)
}

func (r *reader) choose(n *syntax.CaseClause) {
	r.walk(n.Word)
	before := r.shell.clone()
	for _, item := range n.Items {
		after := r.shell
		r.shell = before.clone()
		for _, pattern := range item.Patterns {
			r.walk(pattern)
		}
		r.block(item.Stmts)
		r.shell = join(r.shell, after)
	}
}

// body visits the body of a loop, which may run several times or not at all. If it changes the
// folder, the next round begins in another one.
func (r *reader) body(statements []*syntax.Stmt) {
	before := r.shell.clone()
	for range 3 {
		start, shifted := r.place, r.shifted
		r.sure = false
		r.block(statements)
		r.shell = join(r.shell, before)
		if r.place.same(start) && r.shifted == shifted {
			return
		}
	}
	r.lost = true
}

// repeat visits a loop over words, or one that counts.
func (r *reader) repeat(n *syntax.ForClause) {
	words, isOverWords := n.Loop.(*syntax.WordIter)
	if !isOverWords {
		r.walk(n.Loop)
		r.forgetSet(n)
		r.body(n.Do)
		return
	}

	var items []name
	for _, w := range words.Items {
		r.walk(w)
		items = append(items, r.fields(w)...)
	}
	if !words.InPos.IsValid() {
		items = r.allArguments()
	}

	r.forgetSet(n)
	r.hold(words.Name.Value, items)
	r.body(n.Do)
}

// forgetSet forgets the variables that are set anywhere in a node: in a loop they may have another
// value than the text before it says.
func (r *reader) forgetSet(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				r.forgetLoop(n)
			}
		case *syntax.BinaryArithm:
			r.forgetArithmetic(n.X)
		case *syntax.UnaryArithm:
			r.forgetArithmetic(n.X)
		}
		return true
	})
}

// forgetLoop forgets a variable that a loop sets; one that counts stays a number.
func (r *reader) forgetLoop(a *syntax.Assign) {
	_, was := r.values[a.Name.Value]
	r.forget(a.Name.Value)
	if was && a.Value != nil && len(a.Value.Parts) == 1 && !a.Append {
		if _, counts := a.Value.Parts[0].(*syntax.ArithmExp); counts {
			r.values[a.Name.Value] = []name{number}
		}
	}
}

// forgetArithmetic makes a variable of a calculation a number: it may be set there.
func (r *reader) forgetArithmetic(x syntax.ArithmExpr) {
	word, is := x.(*syntax.Word)
	if !is || word.Lit() == "" {
		return
	}
	if _, set := r.values[word.Lit()]; set {
		r.values[word.Lit()] = []name{number}
	}
}

// function visits the body of a function with the arguments of a call.
func (r *reader) function(program string, args []argument) {
	r.called[program] = true
	r.calls++
	if r.depth++; r.depth > maxDepth || r.calls > maxFound {
		r.depth--
		r.hide(append([]argument{{literal(program), program, true}}, args...))
		return
	}
	defer func() { r.depth-- }()

	arguments, shifted, locals := r.arguments, r.shifted, r.locals
	outside := maps.Clone(r.values)
	r.arguments, r.shifted, r.locals = r.possible(args), false, map[string]bool{}
	for _, body := range r.functions[program] {
		r.walk(body)
	}

	for variable := range r.locals {
		for _, key := range []string{variable, elements(variable)} {
			delete(r.values, key)
			if values, was := outside[key]; was {
				r.values[key] = values
			}
		}
	}
	r.arguments, r.shifted, r.locals = arguments, shifted, locals
}

// possible are the values that each of some arguments may have.
func (r *reader) possible(args []argument) [][]name {
	values := [][]name{}
	for _, a := range args {
		values = append(values, r.names(a.word))
	}
	return values
}

func (r *reader) redirect(n *syntax.Redirect) {
	switch n.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob:
		r.word(n.Word, n.Op.String(), false)
	case syntax.RdrIn:
		lines, _ := r.lines(n.Word)
		r.feed = append(lines, r.feed...)
		if file, ok := r.known(n.Word); ok {
			r.input, _ = r.scriptText(argument{n.Word, file, true})
		}
	case syntax.Hdoc, syntax.DashHdoc:
		r.input = r.hereDocument(n)
	case syntax.WordHdoc:
		r.input = r.typedText(r.unsplitParts(n.Word))
	case syntax.DplOut: // >&2 is a stream, >& file a file
		if value, ok := r.known(n.Word); !ok || strings.Trim(value, "0123456789-") != "" {
			r.word(n.Word, n.Op.String(), false)
		}
	}
}

// hereDocument is the text of a here document. The shell leaves it as it is if any part of the word that ends
// it is quoted.
func (r *reader) hereDocument(n *syntax.Redirect) string {
	switch {
	case n.Hdoc == nil: // it is empty
		return ""
	case isQuoted(n.Word):
		return r.typedText([]name{{n.Hdoc.Lit(), true, false}})
	}
	return r.typedText(r.parts(n.Hdoc.Parts, true))
}

func isQuoted(word *syntax.Word) bool {
	for _, part := range word.Parts {
		literal, isLiteral := part.(*syntax.Lit)
		if !isLiteral || strings.Contains(literal.Value, `\`) {
			return true
		}
	}
	return false
}

// typedText is a here document as far as it is known; its lines are what the command reads.
func (r *reader) typedText(values []name) string {
	r.feed = nil
	if len(values) != 1 {
		return unknownText
	}
	if values[0].known && len(values[0].text) < mostText {
		r.feed = linesOf(values[0].text)
	}
	return values[0].text
}

// unknownText is a here document that is not known. No shell can read it.
const unknownText = "("
