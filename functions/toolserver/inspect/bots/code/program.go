package code

import (
	"path"
	"slices"
	"strings"
)

// Program is a source that was read.
type Program struct {
	Root    *Node
	Text    string   // the source without comments; the lines stay where they are
	Imports []string // the modules that it names

	library   bool // others call it
	script    bool // of JavaScript, where what is not exported is not called by others
	functions map[string][]*Node
	values    map[string][]*Node // what is assigned to a name, wherever
	calls     []*Node
	waiting   map[string][]*Node // functions that run when their name is used
}

var readers = map[string]func(string) *Program{
	".go":  readGo,
	".js":  readScript,
	".mjs": readScript,
	".cjs": readScript,
	".jsx": readScript,
	".ts":  readScript,
	".mts": readScript,
	".cts": readScript,
	".tsx": readScript,
	".py":  readPython,
}

// Reads reports whether a file is in a language that can be read.
func Reads(name string) bool {
	return readers[strings.ToLower(path.Ext(name))] != nil
}

// Read reads a source by the ending of its name. It is nil if the language cannot be read.
func Read(name string, source []byte) *Program {
	read := readers[strings.ToLower(path.Ext(name))]
	if read == nil {
		return nil
	}

	text := strings.ReplaceAll(string(source), "\r\n", "\n")
	p := read(strings.TrimPrefix(text, "\ufeff"))
	p.Root.link(0)
	p.index()
	p.run()
	return p
}

// Calls are the calls that can happen, in their order.
func (p *Program) Calls() []*Node { return p.calls }

// Functions are the functions with a name.
func (p *Program) Functions(name string) []*Node { return p.functions[name] }

// Values are what is assigned to a name, or given under it as an argument or a member.
func (p *Program) Values(name string) []*Node { return p.values[name] }

// IsParam reports whether a name stands for a parameter of a function around it.
func (n *Node) IsParam() bool {
	for f := n.Enclosing(Function); f != nil; f = f.Enclosing(Function) {
		for _, each := range f.Func.Params {
			if each.Text == n.Text {
				return true
			}
		}
	}

	return false
}

// index notes which names stand for which functions and values.
func (p *Program) index() {
	p.functions = map[string][]*Node{}
	p.values = map[string][]*Node{}
	p.Root.Walk(func(n *Node) bool {
		switch n.Kind {
		case Function:
			p.define(n.Func.Name, n)
		case Assign:
			p.assign(n)
		case Keyword:
			p.note(n.Text, n.Parts)
		case Param:
			p.note(n.Text, n.Parts)
		}
		return true
	})
	p.bindArguments()
}

func (p *Program) define(name string, f *Node) {
	if name != "" && !slices.Contains(p.functions[name], f) {
		p.functions[name] = append(p.functions[name], f)
	}
}

func (p *Program) note(name string, values []*Node) {
	if name != "" && len(values) > 0 {
		p.values[name] = append(p.values[name], values[len(values)-1])
	}
}

func (p *Program) assign(n *Node) {
	if len(n.Parts) < 2 {
		return
	}

	target := n.Parts[0]
	value := n.Parts[1]
	if value.Kind == Function {
		p.define(target.Last(), value)
	}

	if target.Kind != List && target.Kind != Object {
		p.note(target.Last(), n.Parts[1:])
		return
	}

	for _, each := range target.Parts {
		p.note(each.Last(), n.Parts[1:])
	}
}

// bindArguments notes what calls hand to the parameters of functions of the program.
func (p *Program) bindArguments() {
	p.Root.Walk(func(n *Node) bool {
		if n.Kind != Call {
			return true
		}

		for _, f := range p.functions[n.Callee().Last()] {
			for i, each := range n.Args() {
				if i < len(f.Func.Params) && each.Kind != Keyword {
					p.note(f.Func.Params[i].Text, []*Node{each})
				}
			}
		}
		return true
	})
}
