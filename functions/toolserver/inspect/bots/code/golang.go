package code

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"strconv"
	"strings"
)

// golang reads Go.
type golang struct {
	files *gotoken.FileSet
}

func readGo(source string) *Program {
	g := golang{files: gotoken.NewFileSet()}
	file, _ := parser.ParseFile(g.files, "", source, parser.ParseComments|parser.SkipObjectResolution) // the tree holds what was understood
	p := &Program{Root: node(Block, "", 1)}
	if file == nil {
		return p
	}

	for _, each := range file.Imports {
		path, _ := strconv.Unquote(each.Path.Value) // the parser checked it
		p.Imports = append(p.Imports, path)
	}

	hasMain := false
	for _, each := range file.Decls {
		hasMain = hasMain || isMain(each)
		p.Root.Parts = append(p.Root.Parts, g.declaration(each)...)
	}

	p.library = !hasMain
	p.Text = blanked(source, g.comments(file))
	return p
}

func isMain(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Name.Name == "main" && f.Recv == nil
}

func (g golang) comments(file *ast.File) []span {
	var spans []span
	for _, group := range file.Comments {
		for _, each := range group.List {
			start := g.files.Position(each.Pos()).Offset
			end := g.files.Position(each.End()).Offset
			spans = append(spans, span{start, end})
		}
	}

	return spans
}

func (g golang) line(n ast.Node) int {
	return g.files.Position(n.Pos()).Line
}

func (g golang) declaration(d ast.Decl) []*Node {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil {
			return nil
		}

		name := d.Name.Name
		n := g.function(d, name, d.Type, d.Body)
		n.Func.Exported = d.Name.IsExported() || name == "main" || name == "init"
		n.Func.Decorated = (name == "main" || name == "init") && d.Recv == nil
		return []*Node{n}
	case *ast.GenDecl:
		return g.specs(d)
	}

	return nil
}

func (g golang) specs(d *ast.GenDecl) []*Node {
	var list []*Node
	for _, each := range d.Specs {
		values, ok := each.(*ast.ValueSpec)
		if !ok {
			continue
		}

		if len(values.Values) == 0 {
			list = append(list, g.zero(values)...)
		}

		for i, value := range values.Values {
			name := values.Names[min(i, len(values.Names)-1)]
			list = append(list, node(Assign, "=", g.line(name), g.expr(name), g.expr(value)))
		}
	}

	return list
}

// zero are the assignments of a declaration without values: what they are is not said.
func (g golang) zero(spec *ast.ValueSpec) []*Node {
	var list []*Node
	for _, name := range spec.Names {
		list = append(list, node(Assign, "=", g.line(name), g.expr(name), nil))
	}
	return list
}

func (g golang) function(at ast.Node, name string, t *ast.FuncType, body *ast.BlockStmt) *Node {
	s := &Signature{Name: name}
	for _, field := range t.Params.List {
		for _, each := range field.Names {
			s.Params = append(s.Params, node(Param, each.Name, g.line(each)))
		}
	}

	return function(g.line(at), s, g.block(body))
}

func (g golang) block(b *ast.BlockStmt) *Node {
	if b == nil {
		return node(Block, "", 0)
	}
	return node(Block, "", g.line(b), g.stmts(b.List)...)
}

func (g golang) stmts(list []ast.Stmt) []*Node {
	var nodes []*Node
	for _, each := range list {
		nodes = append(nodes, g.stmt(each))
	}
	return nodes
}

// stmt is the node of a statement, nil for one without effect.
func (g golang) stmt(s ast.Stmt) *Node {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return g.expr(s.X)
	case *ast.AssignStmt:
		return g.assignment(s)
	case *ast.DeclStmt:
		return node(Other, "", g.line(s), g.declaration(s.Decl)...)
	case *ast.GoStmt:
		return node(Unary, "go", g.line(s), g.expr(s.Call))
	case *ast.DeferStmt:
		return node(Unary, "defer", g.line(s), g.expr(s.Call))
	case *ast.ReturnStmt:
		return node(Exit, "return", g.line(s), g.exprs(s.Results)...)
	case *ast.BranchStmt:
		return node(Exit, s.Tok.String(), g.line(s))
	case *ast.SendStmt:
		return node(Binary, "<-", g.line(s), g.expr(s.Chan), g.expr(s.Value))
	case *ast.IncDecStmt:
		return node(Assign, s.Tok.String(), g.line(s), g.expr(s.X))
	case *ast.LabeledStmt:
		return g.stmt(s.Stmt)
	}

	return g.compound(s)
}

// compound is the node of a statement that holds others.
func (g golang) compound(s ast.Stmt) *Node {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return g.block(s)
	case *ast.IfStmt:
		return g.condition(s)
	case *ast.ForStmt:
		return g.loop(s)
	case *ast.RangeStmt:
		return node(Loop, "range", g.line(s), g.expr(s.X), g.block(s.Body))
	case *ast.SwitchStmt:
		return node(Other, "switch", g.line(s), g.optional(s.Init), g.expr(s.Tag), g.block(s.Body))
	case *ast.TypeSwitchStmt:
		return node(Other, "switch", g.line(s), g.optional(s.Init), g.stmt(s.Assign), g.block(s.Body))
	case *ast.SelectStmt:
		return node(Other, "select", g.line(s), g.block(s.Body))
	case *ast.CaseClause:
		return node(Other, "case", g.line(s), append(g.exprs(s.List), g.branch(s, s.Body))...)
	case *ast.CommClause:
		return node(Other, "case", g.line(s), g.optional(s.Comm), g.branch(s, s.Body))
	}

	return nil
}

func (g golang) loop(s *ast.ForStmt) *Node {
	start := g.optional(s.Init)
	condition := g.expr(s.Cond)
	step := g.optional(s.Post)
	return node(Loop, "for", g.line(s), start, condition, step, g.block(s.Body))
}

// branch is the node of the statements of a case.
func (g golang) branch(of ast.Node, body []ast.Stmt) *Node {
	return node(Block, "", g.line(of), g.stmts(body)...)
}

func (g golang) optional(s ast.Stmt) *Node {
	if s == nil {
		return nil
	}
	return g.stmt(s)
}

func (g golang) condition(s *ast.IfStmt) *Node {
	n := node(If, "", g.line(s), g.expr(s.Cond), g.block(s.Body), g.optional(s.Else))
	if s.Init == nil {
		return n
	}
	return node(Other, "", g.line(s), g.stmt(s.Init), n)
}

func (g golang) assignment(s *ast.AssignStmt) *Node {
	assign := func(target, value *Node) *Node {
		return node(Assign, s.Tok.String(), g.line(s), target, value)
	}

	if len(s.Rhs) == 1 {
		value := g.expr(s.Rhs[0])
		if len(s.Lhs) == 1 {
			return assign(g.expr(s.Lhs[0]), value)
		}
		targets := node(List, "", g.line(s), g.exprs(s.Lhs)...)
		return assign(targets, value)
	}

	all := node(Other, "", g.line(s))
	for i, target := range s.Lhs {
		last := len(s.Rhs) - 1
		value := g.expr(s.Rhs[min(i, last)])
		all.Parts = append(all.Parts, assign(g.expr(target), value))
	}
	return all
}

func (g golang) exprs(list []ast.Expr) []*Node {
	var nodes []*Node
	for _, each := range list {
		nodes = append(nodes, g.expr(each))
	}
	return nodes
}

// expr is the node of an expression, nil for none.
func (g golang) expr(e ast.Expr) *Node {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.Ident:
		return node(Name, e.Name, g.line(e))
	case *ast.BasicLit:
		return g.literal(e)
	case *ast.SelectorExpr:
		return node(Member, e.Sel.Name, g.line(e.Sel), g.expr(e.X))
	case *ast.CallExpr:
		return node(Call, "", g.line(e), append([]*Node{g.expr(e.Fun)}, g.exprs(e.Args)...)...)
	case *ast.IndexExpr:
		return node(Index, "", g.line(e), g.expr(e.X), g.expr(e.Index))
	case *ast.BinaryExpr:
		return node(Binary, e.Op.String(), g.line(e), g.expr(e.X), g.expr(e.Y))
	case *ast.UnaryExpr:
		return node(Unary, e.Op.String(), g.line(e), g.expr(e.X))
	case *ast.FuncLit:
		return g.function(e, "", e.Type, e.Body)
	case *ast.CompositeLit:
		return g.composite(e)
	}

	return g.wrapped(e)
}

// wrapped is the node of an expression that only wraps another.
func (g golang) wrapped(e ast.Expr) *Node {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.expr(e.X)
	case *ast.StarExpr:
		return g.expr(e.X)
	case *ast.TypeAssertExpr:
		return g.expr(e.X)
	case *ast.IndexListExpr:
		return g.expr(e.X)
	case *ast.SliceExpr:
		return node(Index, "", g.line(e), g.expr(e.X), node(Other, "", g.line(e), g.expr(e.Low), g.expr(e.High)))
	case *ast.KeyValueExpr:
		return node(Keyword, keyOf(e.Key), g.line(e), g.expr(e.Value))
	}

	return node(Other, "", g.line(e))
}

// keyOf is the name of a member of a composite literal.
func keyOf(key ast.Expr) string {
	switch key := key.(type) {
	case *ast.Ident:
		return key.Name
	case *ast.SelectorExpr:
		return key.Sel.Name
	case *ast.BasicLit:
		text, err := strconv.Unquote(key.Value)
		if err != nil {
			return key.Value
		}
		return text
	}

	return ""
}

func (g golang) composite(e *ast.CompositeLit) *Node {
	object := node(Object, "", g.line(e))
	if name, ok := e.Type.(*ast.SelectorExpr); ok {
		object.Text = name.Sel.Name
	}

	if name, ok := e.Type.(*ast.Ident); ok {
		object.Text = name.Name
	}

	for _, each := range e.Elts {
		if pair, ok := each.(*ast.KeyValueExpr); ok && keyOf(pair.Key) == "" {
			object.Parts = append(object.Parts, g.expr(pair.Key), g.expr(pair.Value))
			continue
		}

		object.Parts = append(object.Parts, g.expr(each))
	}

	return object
}

func (g golang) literal(e *ast.BasicLit) *Node {
	switch e.Kind {
	case gotoken.STRING:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			text = strings.Trim(e.Value, "`\"")
		}
		return node(String, text, g.line(e))
	case gotoken.INT, gotoken.FLOAT:
		return node(Number, e.Value, g.line(e))
	}
	return node(Other, e.Value, g.line(e))
}
