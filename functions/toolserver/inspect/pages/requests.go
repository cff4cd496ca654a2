package pages

import (
	"regexp"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// request notes the address that a call sends a request to, if it is a text.
func (r *codeReader) request(c *code, each call) {
	a := ask{reads: true}
	var address js.IExpr
	name := strings.TrimPrefix(strings.TrimPrefix(each.name, "window."), "globalThis.")
	name = strings.TrimPrefix(name, "self.")
	first := argument(each, 0)
	switch {
	case each.news:
		address = r.constructed(name, each, &a)
	case name == "import":
		address, a.kind = first, forModule
	case name == "fetch" && !r.own["fetch"]:
		address = first
		a.reads = !writes(argument(each, 1))
	case isClient(name):
		address = addressOf(first)
		a.reads = isReader(name) && !writes(first) && !writes(argument(each, 1))
	case strings.HasSuffix(name, ".open"):
		address = r.opened(strings.TrimSuffix(name, ".open"), each, &a)
	case name == "navigator.sendBeacon":
		address, a.reads = first, false
	case name == "navigator.serviceWorker.register", name == "importScripts":
		address, a.kind = first, forWorker
	case name == "location.assign", name == "location.replace":
		address, a.kind = first, forPage
	}

	r.ask(c, a, address)
}

// ask notes an address that is a text.
func (r *codeReader) ask(c *code, a ask, address js.IExpr) {
	if address == nil {
		return
	}

	text, line, ok := r.constant(besidePage(address))
	if !ok || strings.TrimSpace(text) == "" {
		return
	}

	a.text, a.line = text, line
	c.asks = append(c.asks, a)
}

// constructed is the address that an object is made with.
func (r *codeReader) constructed(name string, each call, a *ask) js.IExpr {
	first := argument(each, 0)
	switch name {
	case "EventSource":
		a.reads = false // it never ends
		return first
	case "Request":
		a.reads = !writes(argument(each, 1))
		return first
	case "Worker", "SharedWorker":
		a.kind = forWorker
		return first
	case "URL":
		if isImportMeta(argument(each, 1)) {
			a.kind = besideModule
			return first
		}
	}
	return nil
}

// isImportMeta reports whether an expression is the address of the module.
func isImportMeta(n js.IExpr) bool {
	member, ok := n.(*js.DotExpr)
	if !ok {
		return false
	}

	_, ok = member.X.(*js.ImportMetaExpr)
	return ok
}

// clients are functions of libraries that send requests.
var clients = words(`axios axios.get axios.post axios.put axios.patch axios.delete axios.head axios.request
	$.get $.post $.getJSON $.ajax $.getScript jQuery.get jQuery.post jQuery.getJSON jQuery.ajax jQuery.getScript
	ky ky.get ky.post ky.put ky.patch ky.delete d3.json d3.csv d3.tsv d3.text d3.xml d3.html htmx.ajax`)

func isClient(name string) bool {
	return clients[name]
}

// isReader reports whether a function of a library only reads.
func isReader(name string) bool {
	for _, verb := range []string{"post", "put", "patch", "delete"} {
		if strings.HasSuffix(name, "."+verb) {
			return false
		}
	}
	return true
}

// requestNames are names of variables that hold an XMLHttpRequest.
var requestNames = regexp.MustCompile(`(?i)xhr|ajax|http|request|^req$`)

// opened is the address with which an XMLHttpRequest is opened. A variable of unknown content
// is one if its name says so and it is given a method.
func (r *codeReader) opened(name string, each call, a *ask) js.IExpr {
	method, _, _ := r.constant(argument(each, 0))
	named := requestNames.MatchString(name) && methods.MatchString(method+" ")
	if !r.sends[name] && name != "new XMLHttpRequest" && !named {
		return nil
	}

	a.reads = strings.EqualFold(method, "GET")
	return argument(each, 1)
}

// argument is one of a call, nil if it has fewer.
func argument(each call, i int) js.IExpr {
	if i >= len(each.arguments) {
		return nil
	}
	return each.arguments[i]
}

// values are the arguments of a call, up to one that stands for several.
func values(arguments *js.Args) []js.IExpr {
	if arguments == nil {
		return nil
	}

	var list []js.IExpr
	for _, each := range arguments.List {
		if each.Rest {
			break
		}

		list = append(list, each.Value)
	}
	return list
}

// nameOf is what a call names, with the objects before it; "" for what has no name.
func nameOf(n js.IExpr) string {
	switch n := n.(type) {
	case *js.Var:
		return string(n.Name())
	case *js.LiteralExpr:
		return string(n.Data)
	case js.LiteralExpr:
		return string(n.Data)
	case *js.GroupExpr:
		return nameOf(n.X)
	case *js.NewExpr:
		return "new " + nameOf(n.X)
	case *js.DotExpr:
		before := nameOf(n.X)
		if before == "" {
			before = "?"
		}
		return before + "." + nameOf(n.Y)
	}
	return ""
}

// property is the value of a member of an object, nil if it has none.
func property(n js.IExpr, names ...string) js.IExpr {
	object, ok := n.(*js.ObjectExpr)
	if !ok {
		return nil
	}

	for _, each := range object.List {
		if each.Name == nil || each.Name.IsComputed() {
			continue
		}

		for _, name := range names {
			if strings.Trim(string(each.Name.Literal.Data), `"'`) == name {
				return each.Value
			}
		}
	}
	return nil
}

// besidePage is the text in new URL(text, location), which is resolved from the page.
func besidePage(n js.IExpr) js.IExpr {
	made, ok := n.(*js.NewExpr)
	if !ok || nameOf(made.X) != "URL" {
		return n
	}

	arguments := values(made.Args)
	if len(arguments) < 2 {
		return n
	}

	base := strings.TrimPrefix(nameOf(arguments[1]), "window.")
	if strings.HasPrefix(base, "location") || base == "document.baseURI" || base == "document.location" {
		return arguments[0]
	}
	return n
}

// addressOf is the address that a library is given: a text, or a member of its settings.
func addressOf(n js.IExpr) js.IExpr {
	if url := property(n, "url"); url != nil {
		return url
	}
	return n
}

// writes reports whether the settings of a request name a method that may change something.
func writes(n js.IExpr) bool {
	method := property(n, "method", "type")
	if method == nil {
		return false
	}

	literal, ok := method.(*js.LiteralExpr)
	if !ok {
		return true
	}

	name := strings.ToUpper(unquoted(literal.Data))
	return name != "GET" && name != "HEAD"
}

// constant is the text that an expression always is, and its line.
func (r *codeReader) constant(n js.IExpr) (text string, line int, ok bool) {
	switch n := n.(type) {
	case *js.LiteralExpr:
		if n.TokenType != js.StringToken {
			return "", 0, false
		}
		return unquoted(n.Data), r.lineOf(n.Data), true
	case *js.TemplateExpr:
		if len(n.List) > 0 || n.Tag != nil {
			return "", 0, false
		}
		return strings.Trim(string(n.Tail), "`"), r.lineOf(n.Tail), true
	case *js.GroupExpr:
		return r.constant(n.X)
	case *js.BinaryExpr:
		return r.joined(n)
	case *js.Var:
		name := string(n.Name())
		text, ok = r.known[name]
		return text, r.useLine(name), ok
	}
	return "", 0, false
}

// joined is the text of two constants with a plus between them.
func (r *codeReader) joined(n *js.BinaryExpr) (text string, line int, ok bool) {
	if n.Op != js.AddToken {
		return "", 0, false
	}

	first, line, ok := r.constant(n.X)
	second, _, ok2 := r.constant(n.Y)
	return first + second, line, ok && ok2
}

// useLine is the line of the last place where a constant stands as an argument.
func (r *codeReader) useLine(name string) int {
	source := string(r.source)
	for _, after := range []string{")", ",", " "} {
		if at := strings.LastIndex(source, "("+name+after); at >= 0 {
			return r.lines.at(at)
		}
	}
	return r.lines.at(max(strings.LastIndex(source, name), 0))
}

// escapes are those that stand in addresses.
var escapes = strings.NewReplacer(`\/`, "/", `\'`, "'", `\"`, `"`, `\\`, `\`, "\\\n", "")

// unquoted is the text of a literal.
func unquoted(data []byte) string {
	if len(data) < 2 {
		return ""
	}
	return escapes.Replace(string(data[1 : len(data)-1]))
}
