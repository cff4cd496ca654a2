package code

import "strings"

// class reads a class; one without a name has the name "".
func (s *script) class() *Node {
	line := s.next().line
	name := ""
	if s.peek().kind == nameToken && !s.is("extends", "implements") {
		name = s.next().text
	}

	s.skipTypeArguments()

	var bases []*Node
	if s.take("extends") {
		bases = append(bases, s.postfix(s.atom()))
		s.skipTypeArguments()
	}

	for !s.done() && !s.is("{") {
		s.at++ // implements
	}

	body := node(Block, "", s.peek().line)
	n := node(Class, name, line, bases...)
	n.Parts = append(n.Parts, body)
	if !s.take("{") || !s.deeper() {
		return n
	}

	defer s.shallower()

	for !s.done() && !s.take("}") {
		before := s.at
		if m := s.classMember(); m != nil {
			body.Parts = append(body.Parts, m)
		}

		if s.at == before {
			s.at++
		}
	}

	return n
}

// classMember is nil for what leaves no node.
func (s *script) classMember() *Node {
	if s.take(";") {
		return nil
	}

	private := false
	decorated := false
	for {
		if s.take("@") {
			decorated = true
			s.postfix(s.atom())
			continue
		}

		if s.is("static") && isOne(s.ahead(1), []string{"{"}) {
			s.at++
			return s.block()
		}

		if !modifiers[s.peek().text] || isOne(s.ahead(1), []string{"(", "=", ":", ";", "<", "?", "!"}) {
			break
		}

		private = private || s.is("private", "protected")
		s.at++
	}

	s.take("*")
	private = private || strings.HasPrefix(s.peek().text, "#") || strings.HasPrefix(s.peek().text, "_")

	n := s.methodOrField()
	if n == nil {
		return nil
	}

	if n.Kind == Function {
		n.Func.Private = private
		n.Func.Decorated = decorated
	}
	return n
}

func (s *script) methodOrField() *Node {
	t := s.peek()
	key := s.memberName()
	if key == nil {
		return nil
	}

	if !s.take("?") {
		s.take("!")
	}

	s.skipTypeArguments()
	if s.is("(") {
		n := s.function(true)
		if n != nil {
			n.Func.Name = key.Text
			n.Text = key.Text
		}
		return n
	}

	if s.take(":") {
		s.skipType()
	}

	if !s.take("=") {
		s.take(";")
		return nil
	}

	value := s.expression()
	s.take(";")
	return node(Assign, "=", t.line, key, value)
}

// memberName reads the name of a member of a class or of an object, nil for none. A name that
// is computed is "".
func (s *script) memberName() *Node {
	t := s.peek()
	switch {
	case t.kind == nameToken, t.kind == stringToken, t.kind == numberToken:
		s.at++
		return node(Name, strings.TrimPrefix(t.text, "#"), t.line)
	case s.take("["):
		inner := s.expression()
		s.take("]")
		return node(Name, "", t.line, inner)
	}

	return nil
}

// skipTypeArguments passes what stands in < and >.
func (s *script) skipTypeArguments() {
	if s.is("<") {
		if end := s.endOfTypeArguments(); end > 0 {
			s.at = end
		}
	}
}

// endOfTypeArguments is the place after the > that belongs to the next token, 0 if the token is
// no bracket of types.
func (s *script) endOfTypeArguments() int {
	depth := 0
	for i := s.at; i < len(s.tokens); i++ {
		t := s.tokens[i]
		if t.kind != markToken {
			if t.kind == endToken {
				return 0
			}

			continue
		}

		switch t.text {
		case "<":
			depth++
		case ">", ">>", ">>>":
			depth -= len(t.text)
			if depth <= 0 {
				return i + 1
			}
		case "(", "[", "{":
			i = s.matching(i)
		case ",", ".", "|", "&", "?", ":", "=>", "=", "-", "...", "@", ";":
		default:
			return 0
		}
	}

	return 0
}

// skipType passes a type.
func (s *script) skipType() {
	for !s.done() {
		for s.is("|", "&", "keyof", "typeof", "readonly", "unique", "infer", "asserts", "new", "abstract", "-", "...") {
			s.at++
		}

		parenthesized := s.is("(")
		if !s.skipTypeAtom() {
			return
		}

		for s.is("[") && !s.peek().newline {
			s.skipBrackets()
		}

		switch {
		case s.is("|", "&"):
		case parenthesized && s.take("=>"):
		case s.is("is") && !s.peek().newline, s.is("extends"):
			s.at++
		default:
			return
		}
	}
}

// skipTypeAtom passes a name, a literal or brackets, and reports whether there was one.
func (s *script) skipTypeAtom() bool {
	t := s.peek()
	switch {
	case s.is("(", "{", "["):
		s.skipBrackets()
	case t.kind == nameToken:
		s.at++
		for s.is(".") {
			s.at += 2
		}

		s.skipTypeArguments()
	case t.kind == stringToken, t.kind == numberToken:
		s.at++
	case s.is("<") && s.endOfTypeArguments() > 0:
		s.skipTypeArguments()
		return s.skipTypeAtom()
	default:
		return false
	}

	return true
}

// typeDeclaration passes a declaration of TypeScript. An enum is an object, a namespace a block.
func (s *script) typeDeclaration() *Node {
	t := s.next()
	switch t.text {
	case "declare":
		s.skipStatement()
		return nil
	case "type":
		s.at++
		s.skipTypeArguments()
		if s.take("=") {
			s.skipType()
		}

		s.take(";")
		return nil
	case "namespace", "module":
		s.at++
		return s.block()
	}

	name := s.next()
	if t.text == "enum" {
		return node(Assign, "=", t.line, node(Name, name.text, name.line), s.enumeration())
	}

	for !s.done() && !s.is("{") {
		s.at++
	}

	s.skipBrackets()
	return nil
}

// enumeration reads the members of an enum.
func (s *script) enumeration() *Node {
	n := node(Object, "", s.peek().line)
	if !s.take("{") {
		return n
	}

	for !s.done() && !s.take("}") {
		t := s.next()
		if s.take("=") {
			n.Parts = append(n.Parts, node(Keyword, t.text, t.line, s.expression()))
		}

		s.take(",")
	}

	return n
}

// skipStatement passes tokens up to the end of a statement.
func (s *script) skipStatement() {
	for !s.done() {
		if s.is("{", "(", "[") {
			block := s.is("{")
			s.skipBrackets()
			if block {
				return
			}

			continue
		}

		if s.take(";") {
			return
		}

		s.at++
		if s.peek().newline {
			return
		}
	}
}
