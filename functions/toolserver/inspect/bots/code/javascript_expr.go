package code

// precedences of the binary operators of JavaScript, from loose to tight.
var scriptPrecedence = map[string]int{
	"??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6,
	"==": 7, "!=": 7, "===": 7, "!==": 7,
	"<": 8, ">": 8, "<=": 8, ">=": 8, "instanceof": 8, "in": 8,
	"<<": 9, ">>": 9, ">>>": 9,
	"+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
}

var scriptAssignments = []string{
	"=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=",
}

// expressions reads expressions with commas between them, nil for none.
func (s *script) expressions() *Node {
	first := s.expression()
	if first == nil || !s.is(",") {
		return first
	}

	all := node(Other, ",", first.Line, first)
	for s.take(",") {
		if n := s.expression(); n != nil {
			all.Parts = append(all.Parts, n)
		}
	}

	return all
}

// expression reads one expression, nil for none.
func (s *script) expression() *Node {
	if !s.deeper() {
		return nil
	}

	defer s.shallower()

	if n := s.arrow(); n != nil {
		return n
	}

	left := s.binary(0)
	if left == nil {
		return nil
	}

	for s.is("as", "satisfies") && !s.peek().newline {
		s.at++
		s.skipType()
	}

	if s.is(scriptAssignments...) {
		t := s.next()
		return node(Assign, t.text, t.line, left, s.expression())
	}

	if s.take("?") {
		then := s.orEmpty()
		s.take(":")
		return node(Choice, "", left.Line, left, then, s.orEmpty())
	}

	return left
}

// orEmpty is an expression that is never nil.
func (s *script) orEmpty() *Node {
	line := s.peek().line
	if n := s.expression(); n != nil {
		return n
	}
	return node(Other, "", line)
}

func (s *script) binary(least int) *Node {
	left := s.unary()
	for left != nil {
		for s.is("as", "satisfies") && !s.peek().newline {
			s.at++
			s.skipType()
		}

		t := s.peek()
		precedence := scriptPrecedence[t.text]
		if precedence <= least || t.kind != markToken && t.kind != nameToken {
			return left
		}

		s.at++
		right := s.binary(precedence)
		if right == nil {
			return left
		}

		left = node(Binary, t.text, t.line, left, right)
	}

	return nil
}

func (s *script) unary() *Node {
	t := s.peek()
	if s.is("!", "-", "+", "~", "++", "--", "...", "await", "typeof", "void", "delete", "yield") {
		if !s.deeper() {
			return nil
		}

		defer s.shallower()

		s.at++
		s.take("*")
		operand := s.unaryOrArrow()
		if operand == nil {
			return node(Other, t.text, t.line)
		}
		return node(Unary, t.text, t.line, operand)
	}

	if s.is("<") {
		s.skipTypeArguments()
	}
	return s.postfix(s.atom())
}

func (s *script) unaryOrArrow() *Node {
	if n := s.arrow(); n != nil {
		return n
	}
	return s.unary()
}

// arrow reads an arrow function, nil if there is none.
func (s *script) arrow() *Node {
	start := s.at
	line := s.peek().line
	if s.is("async") && !s.ahead(1).newline && !isOne(s.ahead(1), []string{"function", "=>", ".", ",", ")"}) {
		s.at++
	}

	s.skipTypeArguments()

	var params []*Node
	switch {
	case s.peek().kind == nameToken && isOne(s.ahead(1), []string{"=>"}):
		t := s.next()
		params = append(params, node(Param, t.text, t.line))
	case s.is("(") && s.arrowFollows():
		params = s.params()
		if s.take(":") {
			s.skipType()
		}
	}

	if !s.take("=>") {
		s.at = start
		return nil
	}

	signature := &Signature{Params: params}
	if s.is("{") {
		return function(line, signature, s.block())
	}

	value := s.expression()
	body := node(Block, "", line, node(Exit, "return", line, value))
	return function(line, signature, body)
}

// arrowFollows reports whether the brackets that begin here are parameters.
func (s *script) arrowFollows() bool {
	at := s.at
	defer func() { s.at = at }()

	s.skipBrackets()
	if s.is("=>") {
		return true
	}

	if !s.take(":") {
		return false
	}

	s.skipType()
	return s.is("=>")
}

// atom reads the beginning of an expression, nil for none.
func (s *script) atom() *Node {
	t := s.peek()
	switch t.kind {
	case stringToken:
		s.at++
		return s.text(t)
	case numberToken:
		s.at++
		return node(Number, t.text, t.line)
	case patternToken:
		s.at++
		return node(Other, t.text, t.line)
	case nameToken:
		return s.word(t)
	case markToken:
		return s.bracketed(t)
	}

	return nil
}

// text is a text with the expressions inside it.
func (s *script) text(t token) *Node {
	n := node(String, t.text, t.line)
	for _, tokens := range t.inside {
		if len(tokens) == 0 || s.depth > maxDepth/2 {
			continue
		}

		inner := script{cursor: cursor{
			tokens: tokens,
			depth:  s.depth + 1,
		}}
		if e := inner.expressions(); e != nil {
			n.Parts = append(n.Parts, e)
		}
	}

	return n
}

// notExpressions are words that no expression begins with.
var notExpressions = words("else case default catch finally of in instanceof extends return throw const let var if for while")

func (s *script) word(t token) *Node {
	switch {
	case notExpressions[t.text]:
		return nil
	case t.text == "function":
		return s.function(false)
	case t.text == "async" && isOne(s.ahead(1), []string{"function"}):
		s.at++
		return s.function(false)
	case t.text == "class":
		return s.class()
	case t.text == "new":
		return s.construction()
	}

	s.at++
	return node(Name, t.text, t.line)
}

func (s *script) construction() *Node {
	line := s.next().line
	if s.take(".") {
		s.at++
		return node(Name, "new.target", line)
	}

	callee := s.atom()
	for callee != nil && s.is(".") {
		s.at++
		t := s.next()
		callee = node(Member, t.text, t.line, callee)
	}

	if callee == nil {
		return nil
	}

	s.skipTypeArguments()

	call := node(Call, "new", line, callee)
	if s.is("(") {
		call.Parts = append(call.Parts, s.arguments()...)
	}
	return call
}

func (s *script) bracketed(t token) *Node {
	switch t.text {
	case "(":
		s.at++
		n := s.expressions()
		s.take(")")
		if n == nil {
			return node(Other, "", t.line)
		}
		return n
	case "[":
		return node(List, "", t.line, s.items("[", "]")...)
	case "{":
		return s.object()
	}

	return nil
}

func (s *script) arguments() []*Node {
	return s.items("(", ")")
}

// items reads expressions in brackets.
func (s *script) items(open, end string) []*Node {
	var list []*Node
	if !s.take(open) {
		return nil
	}

	for !s.done() && !s.take(end) {
		before := s.at
		if n := s.expression(); n != nil {
			list = append(list, n)
		}

		s.take(",")
		if s.at == before {
			s.at++
		}
	}

	return list
}

func (s *script) object() *Node {
	n := node(Object, "", s.peek().line)
	s.take("{")
	if !s.deeper() {
		return n
	}

	defer s.shallower()

	for !s.done() && !s.take("}") {
		before := s.at
		if m := s.objectMember(); m != nil {
			n.Parts = append(n.Parts, m)
		}

		s.take(",")
		if s.at == before {
			s.at++
		}
	}

	return n
}

func (s *script) objectMember() *Node {
	if s.is("...") {
		return s.expression()
	}

	for (s.is("async", "get", "set") && !isOne(s.ahead(1), []string{":", ",", "(", "}", "="})) || s.is("*") {
		s.at++
	}

	t := s.peek()
	key := s.memberName()
	if key == nil {
		return nil
	}

	s.skipTypeArguments()
	switch {
	case s.is("("):
		f := s.function(true)
		if f == nil {
			return nil
		}

		f.Func.Name = key.Text
		return node(Keyword, key.Text, t.line, f)
	case s.take(":"):
		return s.member(key, t.line)
	case s.take("="):
		return node(Keyword, key.Text, t.line, s.expression()) // a default in a pattern
	}

	return node(Keyword, key.Text, t.line, node(Name, key.Text, t.line))
}

// member reads the value of a member.
func (s *script) member(key *Node, line int) *Node {
	value := s.expression()
	if value == nil {
		return nil
	}

	if value.Kind == Function && value.Func.Name == "" {
		value.Func.Name = key.Text
	}

	n := node(Keyword, key.Text, line, value)
	n.Parts = append(n.Parts, key.Parts...)
	return n
}

// postfix reads what follows the beginning of an expression: members, calls, indices.
func (s *script) postfix(n *Node) *Node {
	for n != nil {
		next := s.suffix(n, s.peek())
		if next == nil {
			return n
		}
		n = next
	}
	return nil
}

// suffix reads one thing that follows an expression, nil for none.
func (s *script) suffix(n *Node, t token) *Node {
	if t.kind == stringToken && s.isTemplate(t) {
		s.at++
		return node(Call, "", t.line, n, s.text(t))
	}
	if t.kind != markToken {
		return nil
	}

	switch t.text {
	case ".", "?.":
		return s.access(n)
	case "(":
		return node(Call, "", n.Line, append([]*Node{n}, s.arguments()...)...)
	case "[":
		return s.index(n)
	case "++", "--":
		s.at++
		return n
	case "!":
		return s.asserted(n, t)
	case "<":
		return s.typed(n)
	}
	return nil
}

// asserted passes the mark that says that a value is there, nil for none.
func (s *script) asserted(n *Node, t token) *Node {
	if t.newline {
		return nil
	}
	s.at++
	return n
}

// typed passes the types of a call, nil for none.
func (s *script) typed(n *Node) *Node {
	if !s.callWithTypes() {
		return nil
	}
	s.skipTypeArguments()
	return n
}

// isTemplate reports whether a text directly follows, as in a tagged template.
func (s *script) isTemplate(t token) bool {
	return t.text != "" && s.at > 0 && s.tokens[s.at-1].end == t.start
}

// callWithTypes reports whether a < begins the types of a call.
func (s *script) callWithTypes() bool {
	end := s.endOfTypeArguments()
	return end > 0 && end < len(s.tokens) && isOne(s.tokens[end], []string{"("})
}

func (s *script) access(n *Node) *Node {
	t := s.next()
	if t.text == "?." && s.is("(", "[") {
		return n
	}

	name := s.peek()
	if name.kind != nameToken {
		return n
	}

	s.at++
	return node(Member, name.text, name.line, n)
}

func (s *script) index(n *Node) *Node {
	line := s.next().line
	inner := s.expressions()
	s.take("]")
	if inner == nil {
		return n
	}
	return node(Index, "", line, n, inner)
}
