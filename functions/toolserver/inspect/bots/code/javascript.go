package code

import "strings"

// script reads JavaScript and TypeScript. Types are passed over.
type script struct {
	cursor
	imports []string
}

func readScript(source string) *Program {
	l := &scriptLexer{
		source:  source,
		line:    1,
		newline: true,
	}

	l.run(false)

	s := &script{cursor: cursor{tokens: l.tokens}}
	root := node(Block, "", 1)
	for !s.done() {
		root.Parts = append(root.Parts, s.statementOrSkip()...)
	}
	return &Program{
		Root:    root,
		Text:    blanked(source, l.comments),
		Imports: s.imports,
		script:  true,
	}
}

// statementOrSkip reads a statement, and passes a token where there is none.
func (s *script) statementOrSkip() []*Node {
	before := s.at
	n := s.statement()
	if s.at == before {
		s.at++
	}

	if n == nil {
		return nil
	}
	return []*Node{n}
}

func (s *script) block() *Node {
	b := node(Block, "", s.peek().line)
	if !s.take("{") {
		return b
	}

	if !s.deeper() {
		s.at--
		s.skipBrackets()
		return b
	}

	defer s.shallower()

	for !s.done() && !s.take("}") {
		b.Parts = append(b.Parts, s.statementOrSkip()...)
	}
	return b
}

// statement is nil for one that leaves no node.
func (s *script) statement() *Node {
	t := s.peek()
	if t.kind == markToken {
		switch t.text {
		case "{":
			return s.block()
		case ";":
			s.at++
			return nil
		case "@":
			return s.decorated()
		}
	}

	if t.kind != nameToken || isOne(s.ahead(1), []string{"=", ":", ".", "?."}) && t.text != "default" {
		return s.labelled()
	}

	switch t.text {
	case "import":
		return s.imported()
	case "export":
		return s.exported()
	case "const", "let", "var", "using":
		s.at++
		return s.declarations()
	case "if":
		return s.condition()
	case "return", "throw", "break", "continue":
		return s.exit()
	case "function":
		return s.function(false)
	case "class":
		return s.class()
	}

	return s.compound(t)
}

// labelled reads an expression, maybe with a label before it.
func (s *script) labelled() *Node {
	if s.peek().kind == nameToken && isOne(s.ahead(1), []string{":"}) {
		s.at += 2
		return s.statement()
	}
	return s.expressionStatement()
}

func (s *script) expressionStatement() *Node {
	n := s.expressions()
	s.take(";")
	return n
}

// compound reads a statement that holds others, or one of TypeScript.
func (s *script) compound(t token) *Node {
	switch t.text {
	case "for", "while":
		return s.loop()
	case "do":
		return s.doLoop()
	case "switch":
		return s.selection()
	case "try":
		return s.attempt()
	case "async":
		if isOne(s.ahead(1), []string{"function"}) {
			s.at++
			return s.function(false)
		}
	case "abstract":
		s.at++
		return s.statement()
	case "case", "default":
		return s.label()
	case "interface", "type", "declare", "enum", "namespace", "module":
		if s.ahead(1).kind == nameToken && !s.ahead(1).newline {
			return s.typeDeclaration()
		}
	}

	return s.expressionStatement()
}

func (s *script) decorated() *Node {
	s.at++
	decorator := s.postfix(s.atom())
	n := s.statement()
	if n == nil || decorator == nil {
		return decorator
	}

	if n.Kind == Function {
		n.Func.Decorated = true
	}
	return node(Other, "", decorator.Line, decorator, n)
}

func (s *script) imported() *Node {
	if isOne(s.ahead(1), []string{"(", "."}) {
		return s.expressionStatement()
	}

	s.at++
	for !s.done() {
		t := s.next()
		if t.kind == stringToken {
			s.imports = append(s.imports, t.text)
			s.take(";")
			return nil
		}

		if t.text == ";" || s.is("import", "export", "const") && s.peek().newline {
			return nil
		}
	}

	return nil
}

func (s *script) exported() *Node {
	s.at++
	if s.is("*", "type", "interface") || s.is("{") {
		return s.exportList()
	}

	s.take("default")
	n := s.statement()
	markExported(n)
	return n
}

// exportList reads the names that others can use.
func (s *script) exportList() *Node {
	if !s.is("{") {
		return s.statement()
	}

	n := s.expressionStatement()
	if s.take("from") {
		s.at++
		return nil
	}
	return n
}

// markExported marks the functions that a statement declares.
func markExported(n *Node) {
	if n == nil {
		return
	}

	switch n.Kind {
	case Function:
		n.Func.Exported = true
	case Assign:
		markExported(n.Parts[len(n.Parts)-1])
	case Object, Other, Keyword:
		for _, each := range n.Parts {
			markExported(each)
		}
	case Class:
		markMethods(n)
	}
}

// markMethods marks the methods of a class that others can call.
func markMethods(class *Node) {
	for _, each := range class.Body().Parts {
		if each.Kind == Function {
			each.Func.Exported = !each.Func.Private
		}
	}
}

func (s *script) declarations() *Node {
	all := node(Other, "", s.peek().line)
	for {
		line := s.peek().line
		target := s.pattern()
		if target == nil {
			break
		}

		s.take("!")
		if s.take(":") {
			s.skipType()
		}

		switch {
		case s.take("="):
			all.Parts = append(all.Parts, node(Assign, "=", line, target, s.expression()))
		case s.is("of", "in"):
			all.Parts = append(all.Parts, target)
		default:
			all.Parts = append(all.Parts, node(Assign, "=", line, target, nil))
		}

		if !s.take(",") {
			break
		}
	}

	s.take(";")
	if len(all.Parts) == 1 {
		return all.Parts[0]
	}
	return all
}

// pattern reads what is declared: a name, or the names in an object or a list.
func (s *script) pattern() *Node {
	t := s.peek()
	if t.kind == nameToken {
		s.at++
		return node(Name, t.text, t.line)
	}

	if s.is("{", "[") {
		return s.atom()
	}
	return nil
}

func (s *script) condition() *Node {
	line := s.next().line
	n := node(If, "", line, s.parenthesized(), s.body())
	if s.take("else") {
		if other := s.body(); other != nil {
			n.Parts = append(n.Parts, other)
		}
	}

	return n
}

// parenthesized reads an expression in brackets; it is never nil.
func (s *script) parenthesized() *Node {
	line := s.peek().line
	if !s.take("(") {
		return node(Other, "", line)
	}

	n := s.expressions()
	s.take(")")
	if n == nil {
		return node(Other, "", line)
	}
	return n
}

// body reads the statement that a condition or a loop is about, as a block.
func (s *script) body() *Node {
	if s.is("{") {
		return s.block()
	}

	if !s.deeper() {
		s.at++
		return node(Block, "", s.peek().line)
	}

	defer s.shallower()
	return node(Block, "", s.peek().line, s.statement())
}

func (s *script) exit() *Node {
	t := s.next()
	if (t.text == "return" || t.text == "throw") && !s.peek().newline && !s.is(";", "}") {
		return s.ended(node(Exit, t.text, t.line, s.expressions()))
	}

	if s.peek().kind == nameToken && !s.peek().newline {
		s.at++
	}
	return s.ended(node(Exit, t.text, t.line))
}

func (s *script) ended(n *Node) *Node {
	s.take(";")
	return n
}

func (s *script) loop() *Node {
	t := s.next()
	s.take("await")
	n := node(Loop, t.text, t.line)
	if s.take("(") {
		for !s.done() && !s.take(")") {
			n.Parts = append(n.Parts, s.headerPart()...)
		}
	}

	n.Parts = append(n.Parts, s.body())
	return n
}

// headerPart reads a piece of what stands in the brackets of a loop.
func (s *script) headerPart() []*Node {
	if s.take("of") || s.take("in") || s.take(";") {
		return nil
	}

	before := s.at
	n := s.statement()
	if s.at == before {
		s.at++
	}

	if n == nil {
		return nil
	}
	return []*Node{n}
}

func (s *script) doLoop() *Node {
	line := s.next().line
	body := s.body()
	condition := node(Other, "", line)
	if s.take("while") {
		condition = s.parenthesized()
	}

	s.take(";")
	return node(Loop, "do", line, condition, body)
}

func (s *script) selection() *Node {
	line := s.next().line
	return node(Other, "switch", line, s.parenthesized(), s.cases())
}

// cases reads the body of a switch: each case is a block of its own.
func (s *script) cases() *Node {
	all := node(Other, "", s.peek().line)
	if !s.take("{") {
		return all
	}

	for !s.done() && !s.take("}") {
		before := s.at
		label := s.label()
		body := node(Block, "", s.peek().line)
		for !s.done() && !s.is("case", "default", "}") {
			body.Parts = append(body.Parts, s.statementOrSkip()...)
		}

		all.Parts = append(all.Parts, node(Other, "case", body.Line, label, body))
		if s.at == before {
			s.at++
		}
	}

	return all
}

func (s *script) label() *Node {
	if s.take("default") {
		s.take(":")
		return nil
	}

	if !s.take("case") {
		return nil
	}

	n := s.expression()
	s.take(":")
	return n
}

func (s *script) attempt() *Node {
	line := s.next().line
	n := node(Other, "try", line, s.block())
	if s.take("catch") {
		if s.is("(") {
			s.skipBrackets()
		}

		n.Parts = append(n.Parts, s.block())
	}

	if s.take("finally") {
		n.Parts = append(n.Parts, s.block())
	}
	return n
}

// function reads a function from the word on; a method begins with its name.
func (s *script) function(method bool) *Node {
	line := s.peek().line
	if !method {
		s.take("function")
		s.take("*")
	}

	name := ""
	if s.peek().kind == nameToken || s.peek().kind == stringToken {
		name = s.next().text
	}

	s.skipTypeArguments()
	params := s.params()
	if s.take(":") {
		s.skipType()
	}

	if !s.is("{") {
		s.take(";") // only declared
		return nil
	}

	signature := &Signature{
		Name:   strings.TrimPrefix(name, "#"),
		Params: params,
	}
	return function(line, signature, s.block())
}

// params reads parameters in brackets.
func (s *script) params() []*Node {
	var list []*Node
	if !s.take("(") {
		return nil
	}

	for !s.done() && !s.take(")") {
		before := s.at
		if p := s.param(); p != nil {
			list = append(list, p)
		}

		s.take(",")
		if s.at == before {
			s.at++
		}
	}

	return list
}

// modifiers stand before members of classes and parameters.
var modifiers = words("public private protected readonly static abstract override declare async get set accessor")

func (s *script) param() *Node {
	for s.take("@") {
		s.postfix(s.atom()) // a decorator
	}

	s.take("...")
	for modifiers[s.peek().text] && s.ahead(1).kind == nameToken {
		s.at++
	}

	line := s.peek().line
	target := s.pattern()
	if target == nil {
		return nil
	}

	s.take("?")
	if s.take(":") {
		s.skipType()
	}

	p := node(Param, "", line)
	if target.Kind == Name {
		p.Text = target.Text
	} else {
		p.Parts = append(p.Parts, target)
	}

	if s.take("=") {
		if value := s.expression(); value != nil {
			p.Parts = append(p.Parts, value)
		}
	}

	return p
}
