package dependencies

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// opens are functions whose first argument, if it is a plain text, is a file.
var opens = map[string]bool{"os.ReadFile": true, "os.Open": true}

// lookups are functions whose first argument is a variable of the environment.
var lookups = map[string]bool{"os.Getenv": true, "os.LookupEnv": true}

// golang reads a file and adds the others of its package, without their tests.
func golang(t Tree, name string, text []byte) (f found) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if file == nil {
		return found{unread: "it is no Go"}
	}
	if err != nil {
		f.unread = "it is not all Go"
	}

	f.folder(t, path.Dir(name))
	root, module := moduleOf(t, path.Dir(name))
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		folder, own := strings.CutPrefix(imported, module+"/")
		switch {
		case module == "" || !own:
		case !f.folder(t, path.Join(root, folder)):
			f.needs = append(f.needs, need{path.Join(root, folder), Import})
		}
	}

	ast.Inspect(file, func(n ast.Node) bool {
		call, argument := plainCall(n)
		switch {
		case lookups[call]:
			f.env = append(f.env, argument)
		case opens[call]:
			if p := inside(".", argument); p != "" {
				f.needs = append(f.needs, need{p, Config})
			}
		}
		return true
	})

	return f
}

// folder adds the files of a package; false if there are none.
func (f *found) folder(t Tree, folder string) (there bool) {
	for _, each := range t.List(folder) {
		if strings.HasSuffix(each, ".go") && !strings.HasSuffix(each, "_test.go") {
			f.needs, there = append(f.needs, need{path.Join(folder, each), Import}), true
		}
	}
	return there
}

// moduleOf is the folder of the go.mod above a folder, and what it calls itself.
func moduleOf(t Tree, folder string) (root, module string) {
	for _, at := range above(folder) {
		if text, err := t.Read(path.Join(at, "go.mod"), mostText); err == nil {
			return at, modfile.ModulePath(text)
		}
	}
	return ".", ""
}

// plainCall is a call PACKAGE.NAME("TEXT", ...).
func plainCall(n ast.Node) (call, argument string) {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) == 0 {
		return "", ""
	}

	function, ok := c.Fun.(*ast.SelectorExpr)
	text, isText := c.Args[0].(*ast.BasicLit)
	if !ok || !isText || text.Kind != token.STRING {
		return "", ""
	}

	from, ok := function.X.(*ast.Ident)
	argument, err := strconv.Unquote(text.Value)
	if !ok || err != nil {
		return "", ""
	}

	return from.Name + "." + function.Sel.Name, argument
}
