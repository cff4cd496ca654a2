package command

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substitute are the possible values of the output of commands.
func (r *reader) substitute(n *syntax.CmdSubst) []name {
	if len(n.Stmts) != 1 {
		return []name{{}}
	}
	lines, known := r.output(n.Stmts[0])
	if !known || len(lines) > mostValues {
		return []name{{}}
	}
	return lines
}

// filters pass some of their lines on, as they are.
var filters = setOf("grep egrep fgrep rg sort uniq head tail tac shuf tee cat rev-list")

// output are the lines that a command may print, as far as that is known.
func (r *reader) output(s *syntax.Stmt) ([]name, bool) {
	switch n := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return r.outputOfBoth(n)
	case *syntax.CallExpr:
		return r.outputOf(n, s.Redirs)
	case nil:
		if len(s.Redirs) == 1 && s.Redirs[0].Op == syntax.RdrIn { // $(<file)
			return r.lines(s.Redirs[0].Word)
		}
	}
	return nil, false
}

func (r *reader) outputOfBoth(n *syntax.BinaryCmd) ([]name, bool) {
	switch n.Op {
	case syntax.Pipe:
		return r.outputOfPipe(n)
	case syntax.OrStmt, syntax.AndStmt:
		first, ok := r.output(n.X)
		second, too := r.output(n.Y)
		return append(first, second...), ok && too
	}
	return nil, false
}

// outputOfPipe are the lines that a pipe prints, if its last program passes them on as they are.
func (r *reader) outputOfPipe(n *syntax.BinaryCmd) ([]name, bool) {
	last, is := n.Y.Cmd.(*syntax.CallExpr)
	if !is || len(last.Args) == 0 {
		return nil, false
	}

	program := last.Args[0].Lit()
	if program == "wc" {
		return []name{number}, true
	}
	passesOn := filters[program] && !slices.ContainsFunc(last.Args[1:], counts)
	if !passesOn || len(n.Y.Redirs) > 0 {
		return nil, false
	}
	return r.output(n.X)
}

// counts reports whether an option of a filter makes other lines of those that it reads.
func counts(w *syntax.Word) bool {
	option := w.Lit()
	return cluster(option, "conHhb") || strings.HasPrefix(option, "--")
}

// lines are the lines of a file.
func (r *reader) lines(file *syntax.Word) ([]name, bool) {
	at, ok := r.known(file)
	if !ok {
		return nil, false
	}
	text, ok := r.readFile(at)
	if !ok || len(text) > mostText || len(r.result.Trees) > 0 {
		return nil, false
	}
	return linesOf(string(text)), true
}

// mostText is how many bytes of a file are taken for the lines of a command.
const mostText = 4096

func linesOf(text string) []name {
	var all []name
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			all = append(all, name{line, true, false})
		}
	}
	return all
}

// outputOf are the lines that a simple command prints.
func (r *reader) outputOf(n *syntax.CallExpr, redirects []*syntax.Redirect) ([]name, bool) {
	if len(n.Args) == 0 || len(n.Assigns) > 0 {
		return nil, false
	}
	args := r.expand(n.Args)
	if !args[0].ok {
		return nil, false
	}

	c := call{path.Base(args[0].text), args[1:]}
	if _, is := r.functions[args[0].text]; is {
		return nil, false
	}
	lines, known := r.printed(c)
	if !known && c.program == "cat" && len(c.args) == 0 {
		return r.feed, r.feed != nil
	}
	return lines, known
}

// printers give the lines that a program prints, as far as they are known. It is filled at the start, since
// some of the functions look other programs up.
var printers map[string]func(*reader, call) ([]name, bool)

func init() {
	aNumber := func(*reader, call) ([]name, bool) { return []name{number}, true }
	printers = map[string]func(*reader, call) ([]name, bool){
		"pwd":      func(r *reader, _ call) ([]name, bool) { return r.here(r.place), !r.lost },
		"echo":     (*reader).echoed,
		"printf":   (*reader).formatted,
		"dirname":  (*reader).ofPaths,
		"basename": (*reader).ofPaths,
		"realpath": (*reader).ofPaths,
		"readlink": (*reader).ofPaths,
		"seq":      aNumber,
		"wc":       aNumber,
		"nproc":    aNumber,
		"id":       aNumber,
		"date":     (*reader).dated,
		"mktemp":   (*reader).temporary,
		"ls":       (*reader).listed,
		"find":     (*reader).searched,
		"cat":      (*reader).concatenated,
		"grep":     (*reader).matched,
		"egrep":    (*reader).matched,
		"fgrep":    (*reader).matched,
		"rg":       (*reader).matched,
		"git":      (*reader).printedByGit,
	}
}

// printed are the lines that a program prints.
func (r *reader) printed(c call) ([]name, bool) {
	printer, known := printers[c.program]
	if !known {
		return nil, false
	}
	return printer(r, c)
}

// dated is a date, which has no slash unless its format has one.
func (r *reader) dated(c call) ([]name, bool) {
	slash := slices.ContainsFunc(c.args, func(a argument) bool { return !a.ok || strings.Contains(a.text, "/") || strings.Contains(a.text, "%D") })
	return []name{something}, !slash
}

// temporary is a new name in the folder for temporary files.
func (r *reader) temporary(c call) ([]name, bool) {
	_, moved := r.values["TMPDIR"]
	plain := len(c.files()) == 0 && !c.has("-p", "-t") && !moved
	return []name{{"/tmp/tmp.XXXXXXXXXX", true, false}}, plain
}

func (r *reader) echoed(c call) ([]name, bool) {
	args := c.args
	if len(args) > 0 && args[0].text == "-n" {
		args = args[1:]
	}
	if len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		return nil, false
	}

	texts := []name{{known: true}}
	for i, a := range args {
		if i > 0 {
			texts = product(texts, []name{{" ", true, false}})
		}
		if texts = product(texts, r.names(a.word)); len(texts) > mostValues {
			return nil, false
		}
	}
	return texts, allKnown(texts)
}

func allKnown(values []name) bool {
	return !slices.ContainsFunc(values, func(v name) bool { return !v.known })
}

// formatted are the lines of printf, if its format is plain.
func (r *reader) formatted(c call) ([]name, bool) {
	if len(c.args) == 0 || !c.args[0].ok {
		return nil, false
	}
	format := strings.NewReplacer(`\n`, "\n", `\0`, "\n", `\t`, "\t").Replace(c.args[0].text)
	if !strings.ContainsAny(format, `%\`) {
		return linesOf(format), true
	}
	if format == "%s" {
		return r.joinedUp(c.args[1:])
	}
	if strings.TrimSpace(format) != "%s" {
		return nil, false
	}

	var all []name
	for _, a := range c.args[1:] {
		for _, value := range r.names(a.word) {
			all = append(all, name{strings.ReplaceAll(value.text, `\0`, ""), value.known, value.pattern})
		}
	}
	return all, allKnown(all)
}

// joinedUp are the texts of arguments without anything between them.
func (r *reader) joinedUp(args []argument) ([]name, bool) {
	all := []name{{known: true}}
	for _, a := range args {
		if all = product(all, r.names(a.word)); len(all) > mostValues {
			return nil, false
		}
	}
	for i, value := range all {
		all[i].text = strings.ReplaceAll(value.text, `\0`, "\n")
	}
	return all, allKnown(all)
}

// ofPaths are parts of the paths that a program is given.
func (r *reader) ofPaths(c call) ([]name, bool) {
	operands := c.files()
	if len(operands) == 0 {
		return nil, false
	}
	suffix := ""
	if c.program == "basename" && len(operands) == 2 {
		suffix = operands[1].text
	}

	var all []name
	for _, value := range r.names(operands[0].word) {
		switch {
		case c.program == "basename" && !value.known:
			value = something
		case c.program == "basename":
			value.text = strings.TrimSuffix(path.Base(value.text), suffix)
		case c.program == "dirname":
			value.text = path.Dir(strings.TrimRight(value.text, "/"))
		}
		all = append(all, value)
	}
	return all, allKnown(all)
}

// listed are the names that ls prints: of what is in folders, or the files themselves.
func (r *reader) listed(c call) ([]name, bool) {
	operands := c.files()
	if len(operands) == 0 {
		return []name{something}, true
	}

	all := []name{something}
	for _, a := range operands {
		all = append(all, r.names(a.word)...)
	}
	return all, allKnown(all)
}

func (r *reader) concatenated(c call) ([]name, bool) {
	var all []name
	for _, a := range c.files() {
		lines, known := r.lines(a.word)
		if !known {
			return nil, false
		}
		all = append(all, lines...)
	}
	return all, len(all) > 0
}

// matched are the names of files that grep prints with -l; without it grep prints unknown lines.
func (r *reader) matched(c call) ([]name, bool) {
	options, operands := c.parse(grammar{valued: "eABCmtgf", long: map[string]bool{"include": true, "exclude": true, "exclude-dir": true, "regexp": true, "glob": true}})
	if !given(options, "l", "L", "files-with-matches", "files-without-match") {
		return nil, false
	}
	if !given(options, "e", "regexp") && len(operands) > 0 {
		operands = operands[1:]
	}

	all := []name{}
	if len(operands) == 0 {
		return []name{{"**", true, true}}, true
	}
	recursive := c.program == "rg" || given(options, "r", "R", "recursive")
	for _, a := range operands {
		for _, value := range r.names(a.word) {
			if recursive && value.known {
				all = append(all, name{value.text + "/**", true, true})
			}
			all = append(all, value)
		}
	}
	return all, allKnown(all)
}

func (r *reader) printedByGit(c call) ([]name, bool) {
	if len(c.args) == 0 {
		return nil, false
	}
	rest := call{"git", c.args[1:]}
	switch c.args[0].text {
	case "rev-parse":
		switch {
		case rest.has("--show-toplevel"):
			return []name{{r.scene.Top, true, false}}, r.scene.Top != ""
		case rest.has("--short", "HEAD"):
			return []name{something}, true
		}
	case "ls-files", "diff":
		names := c.args[0].text == "ls-files" || rest.has("--name-only")
		return r.tracked(rest), names
	case "grep":
		return r.behindDashes(rest), rest.has("-l", "--name-only", "--files-with-matches")
	}
	return nil, false
}

// tracked are the files that git names for some pathspecs.
func (r *reader) tracked(c call) []name {
	var all []name
	for _, a := range c.files() {
		if a.ok && r.looksLikeFile(a.text) {
			all = append(all, r.matchedByGit(a.text), name{strings.TrimRight(a.text, "/") + "/**", true, true})
		}
	}
	if len(all) == 0 || len(all) != 2*len(c.files()) {
		return []name{{"**", true, true}}
	}
	return all
}

// matchedByGit is a pathspec as a pattern; without a folder it matches in all of them.
func (r *reader) matchedByGit(text string) name {
	if hasPattern(text) && !strings.Contains(text, "/") {
		text = "**/" + text
	}
	return name{text, true, hasPattern(text)}
}

// behindDashes are the files that pathspecs behind -- name, all without any.
func (r *reader) behindDashes(c call) []name {
	at := slices.IndexFunc(c.args, func(a argument) bool { return a.text == "--" })
	if at < 0 {
		return []name{{"**", true, true}}
	}
	return r.tracked(call{c.program, c.args[at+1:]})
}

// looksLikeFile tells names of files from those of commits.
func (r *reader) looksLikeFile(text string) bool {
	if strings.HasPrefix(text, ":") {
		return false
	}
	if strings.ContainsAny(text, "/*") || path.Ext(text) != "" {
		return !strings.Contains(text, "..")
	}
	at, ok := r.fileName(text)
	return ok && r.scene.Files != nil && r.scene.Files.IsFolder(at)
}
