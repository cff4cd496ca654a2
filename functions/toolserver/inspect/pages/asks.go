package pages

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// ask is an address in a script for which it sends a request.
type ask struct {
	text  string
	line  int
	kind  int
	reads bool // it only reads, so a live check may ask, too
}

// Kinds of requests.
const (
	forData      = iota
	forModule    // an import
	besideModule // new URL(…, import.meta.url)
	forWorker
	forPage // a change of location
)

// codeReader visits the tree of a script.
type codeReader struct {
	source []byte
	lines  lines
	body   bool

	texts  strings.Builder
	known  map[string]string // constants that are a text
	sends  set               // variables that are an XMLHttpRequest
	own    set               // functions that the script declares
	calls  []call
	needs  []problem // why it must be a module
	errors []problem

	patterns  map[js.INode]bool
	functions []bool // the open functions, each with whether it is asynchronous
	loops     []int  // the open loops and switches of each function
}

// call is a call or a construction with its arguments.
type call struct {
	name      string // with the objects before it, such as window.fetch
	arguments []js.IExpr
	news      bool
}

// Enter implements js.IVisitor.
func (r *codeReader) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.FuncDecl:
		r.declare(n.Name)
		r.begin(n.Async)
	case *js.MethodDecl:
		r.begin(n.Async)
	case *js.ArrowFunc:
		r.begin(n.Async)
	case *js.ForStmt, *js.WhileStmt, *js.DoWhileStmt, *js.SwitchStmt:
		r.loop(1)
	case *js.VarDecl:
		r.variables(n)
	case *js.BinaryExpr:
		r.assign(n)
	case *js.ObjectExpr:
		r.object(n)
	case *js.ForOfStmt:
		r.pattern(n.Init)
		r.loop(1)
	case *js.ForInStmt:
		r.pattern(n.Init)
		r.loop(1)
	case *js.ImportStmt:
		r.imports(n.Module, "an import stands outside of a module")
	case *js.ExportStmt:
		r.imports(n.Module, "an export stands outside of a module")
	case *js.LiteralExpr:
		r.literal(n)
	case *js.TemplateExpr:
		r.template(n)
	case *js.UnaryExpr:
		r.unary(n)
	case *js.BranchStmt:
		r.branch(n)
	case *js.CallExpr:
		r.calls = append(r.calls, call{nameOf(n.X), values(&n.Args), false})
	case *js.NewExpr:
		r.calls = append(r.calls, call{nameOf(n.X), values(n.Args), true})
	}
	return r
}

// Exit implements js.IVisitor.
func (r *codeReader) Exit(n js.INode) {
	switch n.(type) {
	case *js.FuncDecl, *js.MethodDecl, *js.ArrowFunc:
		r.functions = r.functions[:len(r.functions)-1]
		r.loops = r.loops[:len(r.loops)-1]
	case *js.ForStmt, *js.ForInStmt, *js.ForOfStmt, *js.WhileStmt, *js.DoWhileStmt, *js.SwitchStmt:
		r.loop(-1)
	}
}

// begin opens a function.
func (r *codeReader) begin(async bool) {
	r.functions = append(r.functions, async)
	r.loops = append(r.loops, 0)
}

// loop opens or closes a loop.
func (r *codeReader) loop(by int) {
	if len(r.loops) == 0 {
		r.loops = append(r.loops, 0)
		r.functions = append(r.functions, true)
	}

	r.loops[len(r.loops)-1] += by
}

// declare notes a function that the script itself has under a name.
func (r *codeReader) declare(name *js.Var) {
	if name != nil {
		r.own[string(name.Name())] = true
	}
}

// variables notes what variables begin with.
func (r *codeReader) variables(n *js.VarDecl) {
	for _, each := range n.List {
		v, ok := each.Binding.(*js.Var)
		if !ok {
			continue
		}

		name := string(v.Name())
		switch value := each.Default.(type) {
		case *js.NewExpr:
			r.sends[name] = r.sends[name] || nameOf(value.X) == "XMLHttpRequest"
		case *js.FuncDecl, *js.ArrowFunc:
			r.own[name] = true
		}
		if n.TokenType == js.ConstToken && each.Default != nil {
			if text, _, ok := r.constant(each.Default); ok {
				r.known[name] = text
			}
		}
	}
}

// assign notes a request that a variable is given, and a change of the location.
func (r *codeReader) assign(n *js.BinaryExpr) {
	if n.Op != js.EqToken {
		return
	}

	r.pattern(n.X)
	name := nameOf(n.X)
	if made, ok := n.Y.(*js.NewExpr); ok && nameOf(made.X) == "XMLHttpRequest" {
		r.sends[name] = true
	}
	if isLocation(name) {
		r.calls = append(r.calls, call{"location.assign", []js.IExpr{n.Y}, false})
	}
}

// isLocation reports whether a value given to a name changes the page.
func isLocation(name string) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(name, "window."), "document.") {
	case "location", "location.href":
		return true
	}
	return false
}

// literal notes a text.
func (r *codeReader) literal(n *js.LiteralExpr) {
	if n.TokenType == js.StringToken {
		r.note(unquoted(n.Data))
	}
	if n.TokenType == js.RegExpToken {
		r.expression(n.Data)
	}
}

// expression checks a regular expression.
func (r *codeReader) expression(text []byte) {
	end := bytes.LastIndexByte(text, '/')
	if what := wrongFlags(string(text[end+1:])); what != "" {
		r.errors = append(r.errors, problem{r.lineOf(text), what})
		return
	}
	if !balanced(string(text[1:end])) {
		r.errors = append(r.errors, problem{r.lineOf(text), "a group of a regular expression is not closed"})
	}
}

// wrongFlags says what is wrong with the flags of a regular expression.
func wrongFlags(flags string) string {
	for i, flag := range flags {
		if !strings.ContainsRune("dgimsuvy", flag) || strings.ContainsRune(flags[:i], flag) {
			return "invalid flags of a regular expression: " + flags
		}
	}
	return ""
}

// balanced reports whether the groups of a regular expression are closed.
func balanced(text string) bool {
	open := 0
	inClass := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case inClass:
			continue
		case c == '(':
			open++
		case c == ')':
			open--
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

// object notes an object whose member has a value after =, as only patterns have.
func (r *codeReader) object(n *js.ObjectExpr) {
	for _, each := range n.List {
		if r.patterns[n] {
			r.pattern(each.Value)
			continue
		}
		if each.Init != nil {
			r.errors = append(r.errors, problem{r.objectLine(each), "a member of an object has = in place of a colon"})
			return
		}
	}
}

// objectLine is the line of a member of an object.
func (r *codeReader) objectLine(member js.Property) int {
	if _, line, ok := r.constant(member.Init); ok {
		return line
	}
	if literal, ok := member.Init.(*js.LiteralExpr); ok {
		return r.lineOf(literal.Data)
	}
	return r.wordLine(nameOf(member.Value))
}

// pattern notes what values are taken apart with.
func (r *codeReader) pattern(n js.INode) {
	switch n := n.(type) {
	case *js.ObjectExpr:
		r.patterns[n] = true
		for _, each := range n.List {
			r.pattern(each.Value)
		}
	case *js.ArrayExpr:
		for _, each := range n.List {
			r.pattern(each.Value)
		}
	case *js.GroupExpr:
		r.pattern(n.X)
	case *js.BinaryExpr:
		r.pattern(n.X)
	}
}

// template notes the texts of a template.
func (r *codeReader) template(n *js.TemplateExpr) {
	for _, part := range n.List {
		r.note(strings.Trim(string(part.Value), "`${}"))
	}

	r.note(strings.Trim(string(n.Tail), "`}"))
}

func (r *codeReader) note(text string) {
	r.texts.WriteString("\x00" + text + "\x00")
}

// unary notes where something is waited for.
func (r *codeReader) unary(n *js.UnaryExpr) {
	if n.Op != js.AwaitToken || r.body {
		return
	}
	if len(r.functions) == 0 {
		r.needs = append(r.needs, problem{r.wordLine("await"), "await stands outside of a function and of a module"})
		return
	}
	if !r.functions[len(r.functions)-1] {
		r.errors = append(r.errors, problem{r.wordLine("await"), "await stands in a function that is not async"})
	}
}

// branch checks that break and continue stand in a loop.
func (r *codeReader) branch(n *js.BranchStmt) {
	if n.Label != nil {
		return
	}
	if len(r.loops) == 0 || r.loops[len(r.loops)-1] == 0 {
		word := n.Type.String()
		r.errors = append(r.errors, problem{r.wordLine(word), word + " stands outside of a loop"})
	}
}

// imports notes the module of an import or export statement.
func (r *codeReader) imports(name []byte, need string) {
	line := r.wordLine(strings.Fields(need)[1])
	if name != nil {
		line = r.lineOf(name)
		r.calls = append(r.calls, call{"import", []js.IExpr{&js.LiteralExpr{TokenType: js.StringToken, Data: name}}, false})
	}

	r.needs = append(r.needs, problem{line, need})
}

// lineOf is the line of a piece of the source.
func (r *codeReader) lineOf(piece []byte) int {
	for at := 0; len(piece) > 0; at++ {
		next := bytes.Index(r.source[at:], piece)
		if next < 0 {
			break
		}

		at += next
		if &r.source[at] == &piece[0] {
			return r.lines.at(at)
		}
	}
	return 1
}

// wordLine is the line of the first place of a word.
func (r *codeReader) wordLine(word string) int {
	return r.lines.at(max(bytes.Index(r.source, []byte(word)), 0))
}

// finish takes what was found over into the result.
func (r *codeReader) finish(c *code) {
	c.texts = r.texts.String()
	if len(r.errors) > 0 {
		c.problem = r.errors[0]
	}
	if len(r.needs) > 0 {
		c.module = r.needs[0]
	}

	for _, each := range r.calls {
		r.request(c, each)
	}

	slices.SortStableFunc(c.asks, func(a, b ask) int { return a.line - b.line })
}
