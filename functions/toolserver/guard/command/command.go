// Package command finds out from the text of a shell command which files it would
// write, without running anything. The command is read by a parser of the shell
// language, so quotes, redirections, here documents and nested shells are seen as
// the shell sees them.
//
// Not everything can be known from a text: the program of an interpreter, what eval
// runs, the value of a variable from outside. Such parts are reported as unresolved, and
// with them the words in them that may be names of files. What a program changes by itself
// is found later, by comparing the files.
//
// A program is one that writes in known ways, or one that is known to only read, or one that is
// unknown. What a program of the last kind is given is reported apart: it counts if it is on
// a list. Scripts are reported, too, for a caller that can read them.
package command

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Write is a file that a command would change.
type Write struct {
	Path    string `json:"path"`
	How     string `json:"how"`     // the program, or the redirection
	Certain bool   `json:"certain"` // the name is known exactly; otherwise it is a pattern
	Delete  bool   `json:"-"`       // with all that is in it: removed, moved away or overwritten
	Into    bool   `json:"-"`       // only if its folder is there
	Dir     string `json:"-"`       // folder that the command changed into before
}

// Analysis is what a command would do.
type Analysis struct {
	Writes      []Write  `json:"writes"`
	Unresolved  []string `json:"unresolved"`  // parts of the text that hide what they do
	Destructive []string `json:"destructive"` // programs that remove or overwrite
	Mentions    []string `json:"-"`           // words in unresolved parts that may name files
	Named       []Write  `json:"-"`           // files given to programs that may or may not write them
	Scripts     []Script `json:"-"`           // files that are run
}

// Limits of the analysis.
const (
	maxDepth = 8   // of shells in shells
	maxFound = 500 // writes and unresolved parts
)

// ErrSyntax says that the shell would not read the command.
var ErrSyntax = errors.New("this is not a command that bash can read")

// Analyze reads a command.
func Analyze(text string) (Analysis, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	r := newReader()
	r.text = text
	err := r.read(text)
	return r.result, err
}

// Hidden is the analysis of a text in an unknown language.
func Hidden(text string) Analysis {
	r := newReader()
	r.unresolved("a program", text)
	return r.result
}

func newReader() *reader {
	return &reader{
		variables: map[string]string{},
		changed:   map[string]bool{},
		links:     map[string]string{},
		result: Analysis{
			Writes:      []Write{},
			Unresolved:  []string{},
			Destructive: []string{},
		},
	}
}

// reader walks one command; nested shells share it.
type reader struct {
	result    Analysis
	variables map[string]string // that have one value, which the command itself sets
	changed   map[string]bool   // that had another value before, or may get one
	dir       string            // where a cd led to, from where the command begins
	lost      bool              // it is unknown where a cd led to
	input     string            // here document of the command
	piped     string            // text of the commands whose output the command reads
	depth     int
	text      string            // the whole command
	links     map[string]string // names that the command makes for files, and for which
	stack     []folder          // of pushd
	splits    bool              // values are split at other characters than blanks
}

// folder is where the shell is.
type folder struct {
	dir  string
	lost bool
}

func (r *reader) read(text string) error {
	if r.depth++; r.depth > maxDepth {
		r.unresolved("shells in more than 8 shells", text)
		return nil
	}
	defer func() { r.depth-- }()

	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return ErrSyntax
	}

	for _, statement := range file.Stmts {
		r.walk(statement)
	}

	return nil
}

// walk visits statements in the order in which the shell would, so that variables and
// folders are known where they are used.
func (r *reader) walk(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Stmt:
			r.statement(n)
		case *syntax.CallExpr:
			r.call(n)
		case *syntax.Subshell:
			r.apart(n.Stmts...)
			return false
		case *syntax.CmdSubst:
			r.apart(n.Stmts...)
			return false
		case *syntax.ProcSubst:
			r.apart(n.Stmts...)
			return false
		case *syntax.BinaryCmd:
			r.binary(n)
			return false
		case *syntax.FuncDecl, *syntax.ForClause, *syntax.WhileClause:
			r.forgetAll() // their bodies run at other times, or more than once
		case *syntax.DeclClause:
			r.declare(n)
		}

		return true
	})
}

func (r *reader) statement(n *syntax.Stmt) {
	r.input = ""
	for _, redirect := range n.Redirs {
		r.redirect(redirect)
	}
}

// apart visits statements of a shell of their own: what they change ends with them.
func (r *reader) apart(statements ...*syntax.Stmt) {
	dir, lost, variables, piped := r.dir, r.lost, maps.Clone(r.variables), r.piped
	for _, s := range statements {
		r.walk(s)
	}
	r.dir, r.lost, r.variables, r.piped = dir, lost, variables, piped
}

func (r *reader) binary(n *syntax.BinaryCmd) {
	switch n.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.apart(n.X)
		before := r.piped
		r.piped += " " + source(n.X)
		r.apart(n.Y)
		r.piped = before
	default:
		dir := r.dir
		r.walk(n.X)
		changed := r.dir != dir
		r.walk(n.Y)
		if changed && n.Op == syntax.OrStmt { // the change of folder may have failed
			r.lost = true
		}
	}
}

func (r *reader) forget(name string) {
	delete(r.variables, name)
	r.changed[name] = true
}

func (r *reader) forgetAll() {
	for name := range r.variables {
		r.forget(name)
	}
}

func (r *reader) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	value := ""
	ok := a.Value == nil

	if a.Value != nil {
		value, ok = r.known(a.Value)
		r.set(a.Name.Value, value, ok)
	}

	before, there := r.variables[a.Name.Value]
	same := !r.changed[a.Name.Value] && (!there || before == value)
	if ok &&
		same &&
		!a.Append &&
		a.Array == nil &&
		a.Index == nil {
		r.variables[a.Name.Value] = value
		return
	}

	r.forget(a.Name.Value)
}

// declare visits declarations. With options a variable may be another name of one, or
// change what it is given.
func (r *reader) declare(n *syntax.DeclClause) {
	plain := !slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
		return a.Naked &&
			a.Value != nil &&
			strings.ContainsAny(source(a.Value), "niluc")
	})
	for _, a := range n.Args {
		r.assign(a)
		if a.Name != nil && !plain {
			r.forget(a.Name.Value)
		}
	}
}

func (r *reader) redirect(n *syntax.Redirect) {
	switch n.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob:
		r.word(n.Word, n.Op.String(), false)
	case syntax.Hdoc, syntax.DashHdoc:
		if n.Hdoc != nil { // else it is empty
			r.input, _, _ = r.parts(n.Hdoc.Parts, true)
		}
	case syntax.WordHdoc:
		r.input, _ = r.known(n.Word)
	case syntax.DplOut: // >&2 is a stream, >& file a file
		if value, ok := r.known(n.Word); !ok || strings.Trim(value, "0123456789-") != "" {
			r.word(n.Word, n.Op.String(), false)
		}
	}
}

// call visits a simple command.
func (r *reader) call(n *syntax.CallExpr) {
	for _, a := range n.Assigns {
		switch {
		case len(n.Args) == 0:
			r.assign(a)
		case a.Name != nil && a.Value != nil: // for this program alone
			value, ok := r.known(a.Value)
			r.set(a.Name.Value, value, ok)
		}
	}

	if len(n.Args) > 0 {
		r.run(n.Args)
	}
}

// word notes a file that is written.
func (r *reader) word(w *syntax.Word, how string, remove bool) {
	for _, name := range r.names(w) {
		if !name.known {
			r.unresolved(how+" "+source(w), source(w))
			continue
		}
		r.write(name.text, how, remove, !name.pattern)
	}
}

func (r *reader) write(name, how string, remove, certain bool) {
	if name == "" ||
		strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/dev/fd") ||
		len(r.result.Writes) >= maxFound {
		return
	}

	name = r.behind(name)
	relative := !path.IsAbs(name)
	if strings.HasPrefix(name, "~") || relative && r.lost || name == "!" {
		r.unresolved(how+" "+name, name)
		return
	}

	w := Write{
		Path:    name,
		How:     how,
		Certain: certain,
		Delete:  remove,
	}

	if relative && r.dir != "" {
		w.Path, w.Dir = r.dir+"/"+name, r.dir
	}

	r.result.Writes = append(r.result.Writes, w)
}

// behind is where a name leads through the links that the command itself makes.
func (r *reader) behind(name string) string {
	clean := path.Clean(name)
	for link, file := range r.links {
		if rest, ok := strings.CutPrefix(clean+"/", link+"/"); ok {
			return path.Clean(file + "/" + rest)
		}
	}
	return name
}

// unresolved notes a part that hides what it does, and what in it may be a file.
func (r *reader) unresolved(part, text string) {
	if len(r.result.Unresolved) >= maxFound {
		return
	}
	r.result.Unresolved = append(r.result.Unresolved, part)
	for _, mention := range strings.FieldsFunc(text, parts) {
		r.result.Mentions = append(r.result.Mentions, mention)
		if r.dir != "" && !path.IsAbs(mention) {
			r.result.Mentions = append(r.result.Mentions, r.dir+"/"+mention)
		}
	}
}

func (r *reader) destructive(program string) {
	r.result.Destructive = append(r.result.Destructive, program)
}

// source is the text of a word as the command spells it.
func source(node syntax.Node) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, node) // to memory
	return b.String()
}
