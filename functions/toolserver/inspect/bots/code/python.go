package code

import "strings"

// python reads Python.
type python struct {
	cursor
	imports    []string
	docstrings []span
}

func readPython(source string) *Program {
	l := &pythonLexer{
		source: source,
		line:   1,
	}

	l.run()

	p := &python{cursor: cursor{tokens: l.tokens}}
	root := node(Block, "", 1)
	for !p.done() {
		root.Parts = append(root.Parts, p.statementOrSkip()...)
	}
	return &Program{
		Root:    root,
		Text:    blanked(source, append(l.comments, p.docstrings...)),
		Imports: p.imports,
	}
}

func (p *python) statementOrSkip() []*Node {
	before := p.at
	list := p.statement()
	if p.at == before {
		p.at++
	}
	return list
}

// takeKind consumes the next token if it is of a kind.
func (p *python) takeKind(kind tokenKind) bool {
	if p.peek().kind != kind {
		return false
	}

	p.at++
	return true
}

// block reads what follows a colon: an indented block, or statements on the same line.
func (p *python) block() *Node {
	b := node(Block, "", p.peek().line)
	p.take(":")
	if !p.takeKind(newlineToken) {
		b.Parts = p.line()
		return b
	}

	if !p.takeKind(indentToken) {
		return b
	}

	if !p.deeper() {
		p.skipBlock()
		return b
	}

	defer p.shallower()

	for !p.done() && !p.takeKind(dedentToken) {
		b.Parts = append(b.Parts, p.statementOrSkip()...)
	}
	return b
}

// skipBlock passes the rest of a block that is nested too deeply.
func (p *python) skipBlock() {
	for depth := 1; depth > 0 && !p.done(); {
		switch p.next().kind {
		case indentToken:
			depth++
		case dedentToken:
			depth--
		}
	}
}

// line reads the statements of one line.
func (p *python) line() []*Node {
	var list []*Node
	for !p.done() && !p.takeKind(newlineToken) {
		before := p.at
		if n := p.simple(); n != nil {
			list = append(list, n)
		}

		p.take(";")
		if p.at == before {
			p.at++
		}
	}

	return list
}

func (p *python) statement() []*Node {
	t := p.peek()
	switch t.kind {
	case newlineToken, indentToken, dedentToken:
		p.at++
		return nil
	case stringToken:
		p.docstring(t)
	case markToken:
		if t.text == "@" {
			return []*Node{p.decorated()}
		}
	case nameToken:
		if n := p.compound(t); n != nil {
			return []*Node{n}
		}
	}

	return p.line()
}

// docstring notes a text that stands alone: it is a comment.
func (p *python) docstring(t token) {
	if p.ahead(1).kind == newlineToken {
		p.docstrings = append(p.docstrings, span{t.start, t.end})
	}
}

// compound reads a statement with a block, nil if there is none.
func (p *python) compound(t token) *Node {
	switch t.text {
	case "async":
		if isOne(p.ahead(1), []string{"def", "for", "with"}) {
			p.at++
			return p.compound(p.peek())
		}
	case "def":
		return p.function(nil)
	case "class":
		return p.class()
	case "if", "elif":
		return p.condition()
	case "while":
		p.at++
		return node(Loop, t.text, t.line, p.orEmpty(), p.block())
	case "for":
		return p.loop()
	case "try":
		return p.attempt()
	case "with":
		return p.with()
	case "match":
		return p.match()
	}

	return nil
}

func (p *python) decorated() *Node {
	var decorators []*Node
	for p.take("@") {
		if e := p.expression(); e != nil {
			decorators = append(decorators, e)
		}

		p.takeKind(newlineToken)
	}

	p.take("async")
	if p.is("def") {
		return p.function(decorators)
	}

	n := node(Other, "", p.peek().line, decorators...)
	n.Parts = append(n.Parts, p.statementOrSkip()...)
	return n
}

// plainDecorators do not hand a function to a framework.
var plainDecorators = words("staticmethod classmethod property cache lru_cache wraps contextmanager asynccontextmanager override abstractmethod setter retry timer log")

func (p *python) function(decorators []*Node) *Node {
	line := p.next().line
	name := p.next().text
	if p.is("[") {
		p.skipBrackets()
	}

	params := p.params()
	if p.take("->") {
		p.expression()
	}

	signature := &Signature{
		Name:    name,
		Params:  params,
		Private: strings.HasPrefix(name, "_"),
	}

	for _, each := range decorators {
		if !plainDecorators[each.Last()] {
			signature.Decorated = true
		}
	}

	return function(line, signature, p.block(), decorators...)
}

func (p *python) params() []*Node {
	var list []*Node
	if !p.take("(") {
		return nil
	}

	for !p.done() && !p.take(")") {
		before := p.at
		if n := p.param(); n != nil && n.Text != "self" && n.Text != "cls" {
			list = append(list, n)
		}

		p.take(",")
		if p.at == before {
			p.at++
		}
	}

	return list
}

// param reads a parameter, nil for a mark between them.
func (p *python) param() *Node {
	for p.is("*", "**", "/") {
		p.at++
	}

	t := p.peek()
	if t.kind != nameToken {
		return nil
	}

	p.at++
	n := node(Param, t.text, t.line)
	if p.take(":") {
		p.expression()
	}

	if p.take("=") {
		n.Parts = append(n.Parts, p.orEmpty())
	}
	return n
}

func (p *python) class() *Node {
	line := p.next().line
	name := p.next().text
	if p.is("[") {
		p.skipBrackets()
	}

	n := node(Class, name, line)
	if p.is("(") {
		n.Parts = p.items("(", ")")
	}

	n.Parts = append(n.Parts, p.block())
	return n
}

func (p *python) condition() *Node {
	line := p.next().line
	n := node(If, "", line, p.orEmpty(), p.block())
	switch {
	case p.is("elif"):
		n.Parts = append(n.Parts, p.condition())
	case p.take("else"):
		n.Parts = append(n.Parts, p.block())
	}

	return n
}

func (p *python) loop() *Node {
	line := p.next().line
	target := p.targets()
	p.take("in")
	n := node(Loop, "for", line, target, p.expressions(), p.block())
	if p.take("else") {
		return node(Other, "", line, n, p.block())
	}
	return n
}

// targets reads names up to in.
func (p *python) targets() *Node {
	n := node(List, "", p.peek().line)
	for !p.done() && !p.is("in", ":") && p.peek().kind != newlineToken {
		t := p.next()
		if t.kind == nameToken {
			n.Parts = append(n.Parts, node(Name, t.text, t.line))
		}
	}

	return n
}

func (p *python) attempt() *Node {
	n := node(Other, "try", p.next().line, p.block())
	for p.is("except", "else", "finally") {
		p.at++
		p.take("*")
		if !p.is(":") {
			p.expressions()
			if p.take("as") {
				p.at++
			}
		}

		n.Parts = append(n.Parts, p.block())
	}

	return n
}

func (p *python) with() *Node {
	line := p.next().line
	n := node(Other, "with", line)
	bracketed := p.is("(") && isOne(p.tokens[min(p.matching(p.at)+1, len(p.tokens)-1)], []string{":"})
	if bracketed {
		p.at++
	}

	for !p.done() && !p.is(":", ")") && p.peek().kind != newlineToken {
		before := p.at
		if e := p.expression(); e != nil {
			n.Parts = append(n.Parts, node(Unary, "with", e.Line, e))
		}

		if p.take("as") {
			p.postfix(p.atom())
		}

		p.take(",")
		if p.at == before {
			p.at++
		}
	}

	p.take(")")
	n.Parts = append(n.Parts, p.block())
	return n
}

// match reads a match statement, nil if the word is a name.
func (p *python) match() *Node {
	start := p.at
	line := p.next().line
	subject := p.expressions()
	if subject == nil || !p.take(":") || !p.takeKind(newlineToken) || !p.takeKind(indentToken) {
		p.at = start
		return nil
	}

	n := node(Other, "switch", line, subject)
	for p.is("case") {
		p.at++
		pattern := p.expressions()
		if p.take("if") {
			p.expression()
		}

		n.Parts = append(n.Parts, node(Other, "case", line, pattern, p.block()))
	}

	p.takeKind(dedentToken)
	return n
}

// simple reads a statement without a block, nil for one that leaves no node.
func (p *python) simple() *Node {
	t := p.peek()
	if t.kind == nameToken {
		switch t.text {
		case "return", "raise", "break", "continue":
			return p.exit()
		case "import", "from":
			p.imported()
			return nil
		case "pass", "global", "nonlocal":
			p.skipLine()
			return nil
		case "del", "assert":
			p.at++
		}
	}

	left := p.expressions()
	if left == nil {
		return nil
	}

	if p.take(":") {
		p.expression() // the type
	}
	return p.assigned(left)
}

var pythonAssignments = []string{"=", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", ">>=", "<<=", "@="}

func (p *python) assigned(left *Node) *Node {
	if !p.is(pythonAssignments...) || !p.deeper() {
		return left
	}

	defer p.shallower()

	t := p.next()
	value := p.expressions()
	if value == nil {
		return left
	}
	return node(Assign, t.text, t.line, left, p.assigned(value))
}

func (p *python) exit() *Node {
	t := p.next()
	kind := t.text
	if kind == "raise" {
		kind = "throw"
	}

	n := node(Exit, kind, t.line, p.expressions())
	if p.take("from") {
		p.expression()
	}
	return n
}

func (p *python) imported() {
	from := p.next().text == "from"
	for !p.atLineEnd() {
		t := p.next()
		if t.text == "import" && from {
			p.skipLine()
			return
		}

		inPath := p.at >= 2 && p.tokens[p.at-2].text == "."
		switch {
		case t.text == "as":
			p.at++
		case t.kind == nameToken && !inPath:
			p.imports = append(p.imports, t.text)
		}
	}
}

func (p *python) atLineEnd() bool {
	return p.done() || p.peek().kind == newlineToken || p.is(";")
}

func (p *python) skipLine() {
	for !p.atLineEnd() {
		p.at++
	}
}
