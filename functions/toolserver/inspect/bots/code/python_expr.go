package code

// precedences of the binary operators of Python, from loose to tight.
var pythonPrecedence = map[string]int{
	"or": 1, "and": 2,
	"in": 4, "not": 4, "is": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4,
	"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8,
	"+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "@": 10, "**": 12,
}

// expressions reads expressions with commas between them, nil for none.
func (p *python) expressions() *Node {
	first := p.expression()
	if first == nil || !p.is(",") {
		return first
	}

	list := node(List, "", first.Line, first)
	for p.take(",") {
		if n := p.expression(); n != nil {
			list.Parts = append(list.Parts, n)
		}
	}

	return list
}

func (p *python) orEmpty() *Node {
	line := p.peek().line
	if n := p.expression(); n != nil {
		return n
	}
	return node(Other, "", line)
}

// expression reads one expression, nil for none.
func (p *python) expression() *Node {
	if !p.deeper() {
		return nil
	}

	defer p.shallower()

	if p.is("lambda") {
		return p.lambda()
	}

	left := p.binary(0)
	if left == nil {
		return nil
	}

	if p.is(":=") {
		t := p.next()
		return node(Assign, t.text, t.line, left, p.orEmpty())
	}

	if p.is("if") && p.elseFollows() {
		p.at++
		condition := p.binaryOrEmpty()
		p.take("else")
		return node(Choice, "", left.Line, condition, left, p.orEmpty())
	}

	return left
}

// elseFollows reports whether an if is that of a choice, and not of a comprehension.
func (p *python) elseFollows() bool {
	for i := p.at + 1; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if t.kind == newlineToken || t.kind == endToken {
			return false
		}

		if t.kind != markToken {
			if t.text == "else" && t.kind == nameToken {
				return true
			}

			if t.kind == nameToken && (t.text == "for" || t.text == "if") {
				return false
			}

			continue
		}

		switch t.text {
		case "(", "[", "{":
			i = p.matching(i)
		case ")", "]", "}", ",", ":", "=":
			return false
		}
	}

	return false
}

func (p *python) binaryOrEmpty() *Node {
	line := p.peek().line
	if n := p.binary(0); n != nil {
		return n
	}
	return node(Other, "", line)
}

func (p *python) lambda() *Node {
	line := p.next().line
	signature := &Signature{}
	for !p.done() && !p.take(":") {
		before := p.at
		for p.is("*", "**", "/", ",") {
			p.at++
		}

		if t := p.peek(); t.kind == nameToken {
			p.at++
			param := node(Param, t.text, t.line)
			if p.take("=") {
				param.Parts = append(param.Parts, p.orEmpty())
			}

			signature.Params = append(signature.Params, param)
		}

		if p.at == before {
			p.at++
		}
	}

	return function(line, signature, node(Block, "", line, node(Exit, "return", line, p.expression())))
}

func (p *python) binary(least int) *Node {
	left := p.unary()
	for left != nil {
		t := p.peek()
		precedence := pythonPrecedence[t.text]
		if precedence <= least || t.kind != markToken && t.kind != nameToken {
			return left
		}

		operator := p.operator()
		right := p.binary(precedence)
		if right == nil {
			return left
		}

		left = node(Binary, operator, t.line, left, right)
	}

	return nil
}

// operator reads an operator of one word or two.
func (p *python) operator() string {
	t := p.next()
	if t.text == "not" && p.take("in") {
		return "not in"
	}

	if t.text == "is" && p.take("not") {
		return "!="
	}

	if t.text == "is" {
		return "=="
	}
	return t.text
}

func (p *python) unary() *Node {
	t := p.peek()
	if !p.is("not", "-", "+", "~", "await", "*", "**", "yield") {
		return p.postfix(p.atom())
	}

	if !p.deeper() {
		return nil
	}

	defer p.shallower()

	p.at++
	p.take("from")
	var operand *Node
	if t.text == "not" {
		operand = p.binary(3)
	} else {
		operand = p.unary()
	}

	if operand == nil {
		return node(Other, t.text, t.line)
	}
	return node(Unary, t.text, t.line, operand)
}

// notBeginnings are words that no expression begins with.
var notBeginnings = words("else elif in is and or for if as from import with def class return while try except finally async")

// atom reads the beginning of an expression, nil for none.
func (p *python) atom() *Node {
	t := p.peek()
	switch t.kind {
	case stringToken:
		return p.texts()
	case numberToken:
		p.at++
		return node(Number, t.text, t.line)
	case nameToken:
		if notBeginnings[t.text] {
			return nil
		}

		p.at++
		return node(Name, t.text, t.line)
	case markToken:
		return p.bracketed(t)
	}

	return nil
}

// texts reads texts that follow each other: they are one.
func (p *python) texts() *Node {
	n := node(String, "", p.peek().line)
	for p.peek().kind == stringToken {
		t := p.next()
		n.Text += t.text
		for _, tokens := range t.inside {
			if p.depth > maxDepth/2 {
				continue
			}

			inner := python{cursor: cursor{
				tokens: tokens,
				depth:  p.depth + 1,
			}}
			if e := inner.expressions(); e != nil {
				n.Parts = append(n.Parts, e)
			}
		}
	}

	return n
}

func (p *python) bracketed(t token) *Node {
	switch t.text {
	case "(":
		list := p.items("(", ")")
		if len(list) == 1 && !(p.at >= 2 && p.tokens[p.at-2].text == ",") {
			return list[0]
		}
		return node(List, "", t.line, list...)
	case "[":
		return node(List, "", t.line, p.items("[", "]")...)
	case "{":
		return node(Object, "", t.line, p.items("{", "}")...)
	case "...":
		p.at++
		return node(Other, t.text, t.line)
	}

	return nil
}

// items reads what stands in brackets: expressions, named arguments, pairs, comprehensions.
func (p *python) items(open, end string) []*Node {
	var list []*Node
	if !p.take(open) {
		return nil
	}

	for !p.done() && !p.take(end) {
		before := p.at
		if n := p.item(); n != nil {
			list = append(list, n)
		}

		p.take(",")
		if p.at == before {
			p.at++
		}
	}

	return list
}

func (p *python) item() *Node {
	n := p.expression()
	if n == nil {
		return p.comprehension()
	}

	switch {
	case p.is("=") && n.Kind == Name:
		p.at++
		return node(Keyword, n.Text, n.Line, p.orEmpty())
	case p.take(":"):
		return p.pair(n)
	case p.is("for", "async"):
		return node(Other, "", n.Line, n, p.comprehension())
	}

	return n
}

// pair reads the value of a key, or the end of a slice.
func (p *python) pair(key *Node) *Node {
	value := p.orEmpty()
	if key.Kind == String || key.Kind == Name {
		name := key.Text
		pair := node(Keyword, name, key.Line, value)
		if p.is("for", "async") {
			return node(Other, "", key.Line, pair, p.comprehension())
		}
		return pair
	}

	return node(Other, "", key.Line, key, value)
}

// comprehension reads the for and if of a comprehension, or passes one mark.
func (p *python) comprehension() *Node {
	n := node(Other, "", p.peek().line)
	for p.is("for", "if", "async", "in") {
		if p.is("for") {
			p.targets()
			continue
		}

		p.at++
		if e := p.binary(0); e != nil {
			n.Parts = append(n.Parts, e)
		}
	}

	if len(n.Parts) == 0 {
		return nil
	}
	return n
}

// postfix reads what follows the beginning of an expression: members, calls, indices.
func (p *python) postfix(n *Node) *Node {
	for n != nil {
		t := p.peek()
		if t.kind != markToken {
			return n
		}

		switch t.text {
		case ".":
			p.at++
			name := p.next()
			n = node(Member, name.text, name.line, n)
		case "(":
			n = node(Call, "", n.Line, append([]*Node{n}, p.items("(", ")")...)...)
		case "[":
			n = node(Index, "", t.line, append([]*Node{n}, p.items("[", "]")...)...)
		default:
			return n
		}
	}

	return nil
}
