package code

import "slices"

// bury marks what control never reaches: statements after an exit, and the branches of
// conditions that never hold.
func (p *Program) bury(root *Node) {
	root.Walk(func(n *Node) bool {
		switch n.Kind {
		case Block:
			buryAfterExit(n)
		case If, Choice:
			p.buryBranch(n)
		case Loop:
			p.buryLoop(n)
		case Binary:
			p.buryOperand(n)
		}
		return true
	})
}

func buryAfterExit(block *Node) {
	over := false
	for _, each := range block.Parts {
		if over && each.Kind != Function && each.Kind != Class {
			each.dead = true
		}

		over = over || ends(each)
	}
}

// ends reports whether nothing after a statement is reached.
func ends(n *Node) bool {
	switch n.Kind {
	case Exit:
		return true
	case Call:
		return slices.Contains(enders, n.Path())
	case Unary:
		return n.Text == "await" && ends(n.Parts[0])
	case Block:
		return slices.ContainsFunc(n.Parts, ends)
	case If:
		return bothEnd(n)
	}
	return false
}

func bothEnd(n *Node) bool {
	if len(n.Parts) < 3 {
		return false
	}
	return ends(n.Parts[1]) && ends(n.Parts[2])
}

// enders are functions that do not return.
var enders = []string{"process.exit", "sys.exit", "exit", "os._exit", "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "panic", "Deno.exit"}

func (p *Program) buryBranch(n *Node) {
	value, known := p.truth(n.Parts[0], 0)
	if !known || len(n.Parts) < 2 {
		return
	}
	if !value {
		n.Parts[1].dead = true
		return
	}

	if len(n.Parts) > 2 {
		n.Parts[2].dead = true
	}
	if n.Kind == If && ends(n.Parts[1]) {
		buryAfter(n)
	}
}

// buryAfter marks the statements after one that always ends its block.
func buryAfter(n *Node) {
	if n.Parent == nil || n.Parent.Kind != Block {
		return
	}
	after := slices.Index(n.Parent.Parts, n) + 1
	for _, each := range n.Parent.Parts[after:] {
		each.dead = each.Kind != Function
	}
}

func (p *Program) buryLoop(n *Node) {
	conditional := n.Text == "while" || n.Text == "for" && len(n.Parts) == 2
	if !conditional || len(n.Parts) < 2 {
		return
	}

	if value, known := p.truth(n.Parts[0], 0); known && !value {
		n.Body().dead = true
	}
}

func (p *Program) buryOperand(n *Node) {
	if len(n.Parts) < 2 {
		return
	}

	value, known := p.truth(n.Parts[0], 0)
	if !known {
		return
	}

	switch n.Text {
	case "&&", "and":
		n.Parts[1].dead = !value
	case "||", "or":
		n.Parts[1].dead = value
	}
}

// Truth reports whether a condition always holds or never does.
func (p *Program) Truth(n *Node) (value, known bool) {
	return p.truth(n, 0)
}

func (p *Program) truth(n *Node, depth int) (value, known bool) {
	if depth > 8 {
		return false, false
	}

	switch n.Kind {
	case Name:
		return p.truthOfName(n.Text, depth)
	case Member:
		if p.isMemberOfLiteral(n.Text) {
			return p.truthOfConstant(n.Text, depth)
		}
	case Number:
		number, ok := number(n.Text)
		return number != 0, ok
	case String:
		return n.Text != "", len(n.Parts) == 0
	case Unary:
		if n.Text == "!" || n.Text == "not" {
			value, known = p.truth(n.Parts[0], depth+1)
			return !value, known
		}
	case Binary:
		return p.truthOfBoth(n, depth)
	}

	return false, false
}

// truthOfBoth is that of two conditions: one of them may be enough.
func (p *Program) truthOfBoth(n *Node, depth int) (value, known bool) {
	left, knowLeft := p.truth(n.Parts[0], depth+1)
	right, knowRight := p.truth(n.Parts[1], depth+1)
	enough := isOr(n.Text)
	if !enough && !isAnd(n.Text) {
		return false, false
	}
	if knowLeft && left == enough {
		return enough, true
	}
	if knowRight && right == enough {
		return enough, true
	}
	return !enough, knowLeft && knowRight
}

func isAnd(operator string) bool { return operator == "&&" || operator == "and" }

func isOr(operator string) bool { return operator == "||" || operator == "or" }

func (p *Program) truthOfName(name string, depth int) (value, known bool) {
	switch name {
	case "true", "True":
		return true, true
	case "false", "False", "null", "None", "undefined", "nil", "TYPE_CHECKING":
		return false, true
	}

	return p.truthOfConstant(name, depth)
}

// truthOfConstant is that of a name that is given a value once.
func (p *Program) truthOfConstant(name string, depth int) (value, known bool) {
	values := p.values[name]
	if len(values) != 1 || p.isParam(name) || p.isChanged(name) {
		return false, false
	}

	if values[0].Kind == Object || values[0].Kind == List || values[0].Kind == String {
		return false, false
	}
	return p.truth(values[0], depth+1)
}

// isMemberOfLiteral reports whether a name is only given a value as a member of an object that is
// written out. The fields of other objects have values that nothing writes.
func (p *Program) isMemberOfLiteral(name string) bool {
	values := p.values[name]
	return len(values) == 1 && values[0].Parent.Kind == Keyword
}

// isChanged reports whether a name is counted up or down.
func (p *Program) isChanged(name string) bool {
	changed := false
	p.Root.Walk(func(n *Node) bool {
		if n.Kind == Assign && n.Text != "=" && n.Text != ":=" && n.Parts[0].Last() == name {
			changed = true
		}
		return !changed
	})
	return changed
}

// isParam reports whether a name is that of a parameter.
func (p *Program) isParam(name string) bool {
	found := false
	p.Root.Walk(func(n *Node) bool {
		if n.Kind == Param && n.Text == name {
			found = true
		}
		return !found
	})
	return found
}
