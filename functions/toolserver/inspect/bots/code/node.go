// Package code reads programs in Go, JavaScript, TypeScript and Python into one kind of tree,
// and tells which parts of it can run.
//
// The tree is made for questions about behaviour: what is called, with which values, in which
// loop, under which condition. Types, imports and declarations without effect leave no node.
// The readers of JavaScript and Python are tolerant: what they do not understand they skip, so
// that every text has a tree.
package code

// Kind says what a node is.
type Kind uint8

// Kinds of nodes. The comment names the parts, in their order.
const (
	Other    Kind = iota // anything else; what it holds
	Block                // the statements
	If                   // condition, block, what follows else (may be missing)
	Loop                 // the header, then the block
	Exit                 // Text is return, throw, break or continue; its value, if any
	Assign               // Text is the operator; target, value
	Call                 // Text is new for a constructor; what is called, then the arguments
	Keyword              // Text is the name; the value of a named argument or a member of an object
	Name                 // Text is the name
	Member               // Text is the name; the object
	Index                // object, index
	String               // Text is its content; the expressions inside it
	Number               // Text is the literal
	Binary               // Text is the operator; left, right
	Unary                // Text is the operator, or await, go, defer, with; the operand
	Choice               // condition, then, else
	Object               // the members
	List                 // the items
	Function             // Func tells more; the decorators, then the body
	Class                // Text is the name; the bases, then the block
	Param                // Text is the name; the default, if any
)

// Node is a part of a program.
type Node struct {
	Kind   Kind
	Text   string
	Line   int
	Parts  []*Node
	Parent *Node
	Func   *Signature // of a function

	Live  bool // it can run
	Order int  // its place among all nodes, in the order of the source
	dead  bool // control never comes here
}

// Signature is what a function is known by.
type Signature struct {
	Name      string
	Params    []*Node
	Exported  bool // others can call it
	Decorated bool // a framework can call it
	Private   bool // a method that only its class can call
}

// whole are the kinds of nodes none of whose parts may be missing.
var whole = map[Kind]bool{
	Assign:  true,
	Keyword: true,
	Member:  true,
	Binary:  true,
	Unary:   true,
	Choice:  true,
}

// node makes a node of the parts that are there. A missing part of a node that must be whole is
// an empty one.
func node(kind Kind, text string, line int, parts ...*Node) *Node {
	n := &Node{
		Kind: kind,
		Text: text,
		Line: line,
	}

	for _, each := range parts {
		if each == nil && whole[kind] {
			each = node(Other, "", line)
		}

		if each != nil {
			n.Parts = append(n.Parts, each)
		}
	}

	return n
}

// function makes the node of a function.
func function(line int, s *Signature, body *Node, decorators ...*Node) *Node {
	n := node(Function, s.Name, line, decorators...)
	n.Parts = append(n.Parts, body)
	n.Func = s
	return n
}

// Body is what a function, a class or a loop does.
func (n *Node) Body() *Node {
	return n.Parts[len(n.Parts)-1]
}

// Callee is what a call calls.
func (n *Node) Callee() *Node {
	return n.Parts[0]
}

// Args are the arguments of a call.
func (n *Node) Args() []*Node {
	return n.Parts[1:]
}

// Path is the dotted name of a name, a member or a call, such as ctx.telegram.sendMessage. What
// has no name in between is left out.
func (n *Node) Path() string {
	switch n.Kind {
	case Name:
		return n.Text
	case Member:
		if base := n.Parts[0].Path(); base != "" {
			return base + "." + n.Text
		}
		return n.Text
	case Call, Index, Unary:
		return n.Parts[0].Path()
	}

	return ""
}

// Last is the last name of a path.
func (n *Node) Last() string {
	switch n.Kind {
	case Name, Member, Keyword:
		return n.Text
	case Call, Unary:
		return n.Parts[0].Last()
	case Index:
		if key := n.Parts[len(n.Parts)-1]; key.Kind == String {
			return key.Text
		}
		return n.Parts[0].Last()
	}

	return ""
}

// Walk visits a node and everything below it. It does not go below a node for which visit is
// false.
func (n *Node) Walk(visit func(*Node) bool) {
	if !visit(n) {
		return
	}

	if n.Func != nil {
		for _, each := range n.Func.Params {
			each.Walk(visit)
		}
	}

	for _, each := range n.Parts {
		each.Walk(visit)
	}
}

// Any reports whether a node, or one below it, matches.
func (n *Node) Any(matches func(*Node) bool) bool {
	found := false
	n.Walk(func(each *Node) bool {
		found = found || matches(each)
		return !found
	})
	return found
}

// IsName reports whether a node is a name, alone or as a member.
func (n *Node) IsName() bool {
	return n.Kind == Name || n.Kind == Member
}

// Enclosing is the nearest node above that is of one of the kinds, nil if there is none.
func (n *Node) Enclosing(kinds ...Kind) *Node {
	for at := n.Parent; at != nil; at = at.Parent {
		for _, kind := range kinds {
			if at.Kind == kind {
				return at
			}
		}
	}

	return nil
}

// Within reports whether a node is another one, or stands somewhere below it.
func (n *Node) Within(other *Node) bool {
	for at := n; at != nil; at = at.Parent {
		if at == other {
			return true
		}
	}

	return false
}

// link sets the parents, and the order from a number on. It returns the next number.
func (n *Node) link(order int) int {
	n.Order = order
	order++
	if n.Func != nil {
		for _, each := range n.Func.Params {
			each.Parent = n
			order = each.link(order)
		}
	}

	for _, each := range n.Parts {
		each.Parent = n
		order = each.link(order)
	}
	return order
}
