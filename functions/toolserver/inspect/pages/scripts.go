package pages

import (
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
)

// script is what is known of a script.
type script struct {
	code
	file    string   // "" for a script in a page
	users   []string // pages that run it
	from    []here   // where those resolve addresses from
	imports []*importMap
	classic place // where it is loaded as no module, the zero value for nowhere
	itself  here  // the address of the file
}

// javaScript are the types of scripts that browsers run as JavaScript (MIME Sniffing,
// "JavaScript MIME type").
var javaScript = words(`application/ecmascript application/javascript application/x-ecmascript application/x-javascript
	text/ecmascript text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3
	text/javascript1.4 text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript module`)

// jsonTypes are the types of script elements that hold JSON.
var jsonTypes = words("application/ld+json application/json importmap speculationrules")

// typeOf is the type of a script element as a browser takes it.
func typeOf(n *node) string {
	if !n.has("type") {
		language := strings.ToLower(n.attr("language"))
		if language == "" {
			return "text/javascript"
		}
		return "text/" + language
	}

	kind := strings.ToLower(strings.TrimSpace(n.attr("type")))
	if kind == "" {
		return "text/javascript"
	}
	return kind
}

// readScripts reads the scripts of a page: elements, attributes and linked files.
func (r *reader) readScripts() {
	r.each(r.readImportMap, "script") // one counts for the modules before it, too
	r.each(r.readScript, "script")
	for _, n := range r.elements {
		for _, a := range n.attributes {
			if strings.HasPrefix(a.name, "on") && len(a.name) > len("on") {
				r.readHandler(n, a.name, a.value)
			}
		}
	}
}

// readImportMap takes over the import map of a page.
func (r *reader) readImportMap(n *node) {
	if typeOf(n) != "importmap" || n.has("src") {
		return
	}

	r.imports = parseImportMap(n.content(), r.from)
	for _, each := range r.imports.targets() {
		at := n.at
		if len(n.children) > 0 {
			at = n.children[0].at + max(strings.Index(n.content(), each), 0)
		}

		r.references = append(r.references, r.reference(&toModule, each, at))
	}
}

// readScript reads a script element.
func (r *reader) readScript(n *node) {
	kind := typeOf(n)
	switch {
	case jsonTypes[kind]:
		r.readData(n)
	case !javaScript[kind]:
		return // for a program of the page
	case n.has("src"):
		r.referIf(&toFile, n, "src")
		r.loadScript(n, kind == "module")
	default:
		r.readInline(n, kind == "module")
	}
}

// readData checks data in a script element.
func (r *reader) readData(n *node) {
	text := n.content()
	if strings.TrimSpace(text) == "" || n.has("src") {
		return
	}
	if at, what := problemOfJSON(text); what != "" && !templated.MatchString(lineAt(text, at)) {
		r.wrong(r.lines.at(n.children[0].at+at), "data_syntax", what, lineAt(text, at))
	}
}

// problemOfJSON is where a text is no JSON, and why; "" if it is. What is wrong with a comma
// before a bracket is the comma.
func problemOfJSON(text string) (at int, what string) {
	var value any
	err := json.Unmarshal([]byte(text), &value)
	var bad *json.SyntaxError
	if !errors.As(err, &bad) {
		return 0, ""
	}

	before := strings.TrimRight(text[:max(0, int(bad.Offset)-1)], " \t\r\n")
	if strings.HasSuffix(before, ",") {
		return len(before) - 1, bad.Error()
	}
	return min(max(0, int(bad.Offset)-1), len(strings.TrimRight(text, " \t\r\n"))), bad.Error()
}

// readInline reads a script in the page.
func (r *reader) readInline(n *node, module bool) {
	if len(n.children) == 0 {
		return
	}

	begin := r.lines.at(n.children[0].at)
	each := &script{
		code:    readCode(n.content(), false),
		from:    []here{r.from},
		imports: []*importMap{r.imports},
		itself:  r.from,
	}

	r.page.scripts = append(r.page.scripts, each)
	r.reportSyntax(each.code, module, begin)
	r.references = append(r.references, r.requests(each, func(line int) place {
		return r.page.at(begin + line - 1)
	})...)
	r.loadImports(each, r.from)
}

// readHandler reads the script in an attribute.
func (r *reader) readHandler(n *node, name, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}

	a, _ := n.attribute(name)
	begin := r.lines.at(a.at)
	each := &script{
		code: readCode(text, true),
		from: []here{r.from},
	}

	r.page.scripts = append(r.page.scripts, each)
	r.reportSyntax(each.code, true, begin)
	r.references = append(r.references, r.requests(each, func(line int) place {
		return r.page.at(begin + line - 1)
	})...)
}

// reportSyntax notes what is wrong with the syntax of a script in the page.
func (r *reader) reportSyntax(c code, module bool, begin int) {
	if line, what := c.wrong(module); line > 0 {
		r.page.findings = append(r.page.findings, wrongAt(
			r.page.at(begin+line-1),
			"script_syntax",
			what,
			lineIn(c.text, line),
		))
	}
}

// libraries are scripts that fill no element by themselves: they are called by others, or
// they count visitors.
var libraries = regexp.MustCompile(`(?i)jquery|bootstrap|react|vue|d3|chart|leaflet|lodash|moment|swiper|aos|alpine|htmx|` +
	`tailwind|awesome|polyfill|gtag|gtm|analytics|beacon|pixel|plausible|fathom|matomo|hotjar|clarity|sentry|insights|` +
	`prism|highlight|mathjax|katex|three|gsap|axios`)

// loadScript reads a script file that the page runs.
func (r *reader) loadScript(n *node, module bool) {
	a, ok := r.site.resolve(r.from, n.attr("src"))
	if !ok {
		return
	}
	if !a.local {
		r.foreign = r.foreign || !libraries.MatchString(a.remote)
		return
	}
	if !r.site.isFile(a.path) {
		return
	}

	each := r.load(a.path)
	if each != nil && !module && !r.outside {
		each.classic = r.page.at(r.line(n))
	}
}

// load reads a script of the website for this page, and the modules that it imports.
func (r *reader) load(name string) *script {
	each := r.script(name)
	if each == nil || slices.Contains(r.page.scripts, each) {
		return each
	}

	r.page.scripts = append(r.page.scripts, each)
	if !r.outside {
		each.users = append(each.users, r.file)
		each.from = append(each.from, r.from)
		each.imports = append(each.imports, r.imports)
	}

	r.loadImports(each, here{path: name})
	return each
}

// loadImports reads the modules of the website that a script imports, and its workers.
func (r *reader) loadImports(each *script, from here) {
	for _, q := range each.asks {
		text, base := q.text, from
		if q.kind == forModule {
			text, base = r.imports.located(q.text, from)
		}
		if a, ok := r.site.resolve(base, text); ok && q.loads() && r.isOwnScript(a) {
			r.load(a.path)
		}
	}
}

// loads reports whether a request is for a script.
func (a ask) loads() bool {
	return a.kind == forModule || a.kind == besideModule || a.kind == forWorker
}

// isOwnScript reports whether an address leads to a script of the website.
func (r *reader) isOwnScript(a address) bool {
	return a.local && isScriptName(a.path) && r.site.isFile(a.path)
}

// isScriptName reports whether a path ends like that of a script.
func isScriptName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".js", ".mjs", ".cjs":
		return true
	}
	return false
}

// script reads a script file, once in a scan. It is nil if the file cannot be read.
func (s *scan) script(name string) *script {
	file := s.site.File(name)
	if known, ok := s.scripts[file]; ok {
		return known
	}

	text, err := s.site.tree.Read(file)
	if err != nil {
		s.scripts[file] = nil
		return nil
	}

	each := &script{
		code:   readCode(string(text), false),
		file:   file,
		itself: here{path: name},
	}

	s.scripts[file] = each
	return each
}

// judgeScripts reports what is wrong with the script files.
func (s *scan) judgeScripts() {
	for file, each := range s.scripts {
		if each == nil || len(each.users) == 0 {
			continue
		}

		line, what := each.wrong(each.classic == place{})
		if line > 0 {
			s.found(wrongAt(place{file, line}, "script_syntax", what, lineIn(each.text, line)))
		}

		at := func(line int) place { return place{file, line} }
		for _, r := range s.requests(each, at) {
			s.judgeReference(r)
		}
	}
}

// lineAt is the line of a text at a place.
func lineAt(text string, at int) string {
	begin := strings.LastIndex(text[:at], "\n") + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	return strings.TrimSpace(line)
}

// lineIn is a line of a text.
func lineIn(text string, number int) string {
	for line := range strings.Lines(text) {
		number--
		if number == 0 {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
