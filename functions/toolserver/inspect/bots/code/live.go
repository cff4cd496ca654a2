package code

import (
	"slices"
	"strings"
)

// run marks what can run. It begins with the statements of the file, and with the functions
// that others or a framework call; a function with a name runs when live code uses its name.
// If that reaches no function, others use the file, and all its functions run.
func (p *Program) run() {
	p.bury(p.Root)
	p.waiting = map[string][]*Node{}
	p.visit(p.Root)

	reached := p.enterAll(p.isEntry)
	if !reached && !p.starts() {
		p.enterAll(func(f *Node) bool { return f.Func.Name != "" })
	}

	p.collect()
}

// starters are pieces of the names of calls that begin the work of a program.
var starters = []string{"run", "poll", "start", "launch", "serve", "idle", "main", "connect", "login", "listen", "loop"}

// starts reports whether the statements of the file begin the work of a program.
func (p *Program) starts() bool {
	return slices.ContainsFunc(p.Root.Parts, func(n *Node) bool {
		for n.Kind == Unary {
			n = n.Parts[0]
		}

		if n.Kind != Call || n.dead {
			return false
		}

		name := strings.ToLower(n.Callee().Last())
		return p.script || slices.ContainsFunc(starters, func(piece string) bool {
			return strings.Contains(name, piece)
		})
	})
}

// enterAll makes the chosen functions run, and reports whether any function runs then.
func (p *Program) enterAll(chosen func(f *Node) bool) bool {
	any := false
	p.Root.Walk(func(n *Node) bool {
		if n.dead {
			return false
		}

		if n.Kind == Function && !n.Live && chosen(n) {
			p.enter(n)
		}

		any = any || n.Kind == Function && n.Live
		return true
	})
	return any
}

// entries are functions that are called from outside by their names.
var entries = words("main setup lambda_handler handler")

// isEntry reports whether something outside of the file calls a function.
func (p *Program) isEntry(f *Node) bool {
	if f.Func.Decorated {
		return true
	}

	around := f.Enclosing(Class, Function)
	if around == nil && entries[f.Func.Name] {
		return true
	}
	if around != nil && around.Kind == Class {
		return p.isMethodOfOthers(around, f)
	}
	return f.Func.Exported && !isGoMethodOfMain(p, f)
}

// isMethodOfOthers reports whether other files can call a method.
func (p *Program) isMethodOfOthers(class, method *Node) bool {
	if method.Func.Private || p.constructs(class.Text) {
		return false
	}
	return p.isClassOfOthers(class, method)
}

// isClassOfOthers reports whether other files make the objects of a class.
func (p *Program) isClassOfOthers(class, method *Node) bool {
	if method.Func.Exported {
		return true
	}

	if !p.script {
		return !p.starts()
	}

	found := false
	p.Root.Walk(func(n *Node) bool {
		if n.Kind == Assign && len(n.Parts) == 2 && isExport(n.Parts[0]) {
			found = found || n.Parts[1] == class || n.Parts[1].mentions(class.Text)
		}
		return !found
	})
	return found
}

// mentions reports whether a name stands in a node.
func (n *Node) mentions(name string) bool {
	found := false
	n.Walk(func(each *Node) bool {
		found = found || each.Kind == Name && each.Text == name && name != ""
		return !found
	})
	return found
}

// isGoMethodOfMain reports whether a function of a program with a main is only exported by its
// spelling.
func isGoMethodOfMain(p *Program, f *Node) bool {
	return !p.library && len(p.functions["main"]) > 0 && isCapital(f.Func.Name)
}

func isCapital(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// constructs reports whether the program itself makes objects of a class.
func (p *Program) constructs(class string) bool {
	found := false
	p.Root.Walk(func(n *Node) bool {
		if n.Kind == Call && n.Callee().Last() == class {
			found = true
		}
		return !found
	})
	return class != "" && found
}

// collect lists the live calls.
func (p *Program) collect() {
	p.calls = nil
	p.Root.Walk(func(n *Node) bool {
		if n.Kind == Call && n.Live {
			p.calls = append(p.calls, n)
		}
		return true
	})
}

// enter makes a function run.
func (p *Program) enter(f *Node) {
	if f.Live {
		return
	}

	f.Live = true
	for _, each := range f.Func.Params {
		p.visit(each)
	}

	for _, each := range f.Parts {
		p.visit(each)
	}
}

// visit marks a node that control reaches.
func (p *Program) visit(n *Node) {
	if n.dead {
		return
	}

	if n.Kind == Function {
		p.meet(n)
		return
	}

	n.Live = true

	switch n.Kind {
	case Call:
		p.calls = append(p.calls, n)
	case Name, Member:
		if !isMention(n) {
			p.use(n.Text)
		}
	case Class:
		p.meetClass(n)
		return
	case Index:
		p.useMembers(n.Parts[0].Last())
	}

	for i, each := range n.Parts {
		if n.Kind == Assign && i == 0 {
			p.write(each)
			continue
		}

		p.visit(each)
	}
}

// isMention reports whether a name is only spoken of, as in f.name and typeof f.
func isMention(n *Node) bool {
	switch n.Parent.Kind {
	case Member:
		return spoken[n.Parent.Text]
	case Unary:
		return n.Parent.Text == "typeof"
	}

	return false
}

var spoken = words("name length toString __name__ __doc__ displayName")

// write visits what a value is assigned to: its own name is not used by that.
func (p *Program) write(target *Node) {
	if target.Kind != Name && target.Kind != Member {
		p.visit(target)
		return
	}

	target.Live = true
	for _, each := range target.Parts {
		p.visit(each)
	}
}

// meet comes upon a function: one that is handed on runs, others wait until their name is used.
func (p *Program) meet(f *Node) {
	name, waits := waitsFor(f)
	if !waits || f.Func.Decorated {
		p.enter(f)
		return
	}

	list, known := p.waiting[name]
	if known && len(list) == 0 {
		p.enter(f) // its name was used before
		return
	}
	p.waiting[name] = append(list, f)
}

// waitsFor is the name for whose use a function waits. It reports false for a function that is
// handed on at once.
func waitsFor(f *Node) (name string, waits bool) {
	switch f.Parent.Kind {
	case Call, Exit:
		return "", false
	case Assign:
		target := f.Parent.Parts[0]
		return target.Last(), target.Last() != "" && !isExport(target)
	case Keyword:
		object := f.Parent.Parent
		return f.Func.Name, object.Parent.Kind == Assign && !isExport(object.Parent.Parts[0])
	}
	return f.Func.Name, f.Func.Name != ""
}

// isExport reports whether an assignment hands a value to other modules.
func isExport(target *Node) bool {
	path := target.Path()
	return path == "module.exports" || strings.HasPrefix(path, "module.exports.") || strings.HasPrefix(path, "exports.")
}

// use makes the functions with a name run, those that come later, too.
func (p *Program) use(name string) {
	list := p.waiting[name]
	p.waiting[name] = []*Node{}
	for _, each := range list {
		p.enter(each)
	}
}

// useMembers makes the functions in an object run: which of them cannot be known.
func (p *Program) useMembers(name string) {
	for _, value := range p.values[name] {
		if value.Kind != Object {
			continue
		}

		for _, each := range value.Parts {
			if each.Kind == Keyword {
				p.use(each.Text)
			}
		}
	}
}

// meetClass visits what a class declares. The methods that a framework calls run; others wait.
func (p *Program) meetClass(class *Node) {
	for _, each := range class.Parts[:len(class.Parts)-1] {
		p.visit(each)
	}

	inherits := len(class.Parts) > 1
	for _, each := range class.Body().Parts {
		if each.Kind == Function && (isSpecial(each.Func.Name) || inherits && isCallback(each.Func.Name)) {
			p.enter(each)
			continue
		}

		p.visit(each)
	}
}

// isSpecial reports whether a language calls a method itself.
func isSpecial(name string) bool {
	return name == "constructor" || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// isCallback reports whether a framework calls a method of a class that inherits from its own.
func isCallback(name string) bool {
	for _, prefix := range []string{"on", "handle", "setup", "cog_", "run", "process", "receive"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}

	return false
}
