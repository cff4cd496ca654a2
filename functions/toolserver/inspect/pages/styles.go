package pages

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// sheet is what is known of a style sheet.
type sheet struct {
	file      string   // "" for styles in a page
	users     []string // pages that load it
	addresses []styleAddress
	adapts    bool // it has rules for narrow screens
	wraps     bool // it lets what is in a row wrap or scroll
	painted   set  // classes and ids that get a picture or a text from it
	rows      set  // classes, ids and tags whose content stands in a row
}

// styleAddress is one in a style sheet.
type styleAddress struct {
	text     string
	at       int
	imported bool // a further style sheet
}

// styleReader reads a style sheet by its tokens. Rules may be nested.
type styleReader struct {
	sheet
	prelude  strings.Builder // what was read since the last brace or semicolon
	rules    []string        // what stands before the open braces
	imported bool            // after @import
	images   int             // open brackets of image-set
}

// readStyle reads a style sheet, or the declarations of one element.
func readStyle(text string) sheet {
	r := &styleReader{sheet: sheet{painted: set{}, rows: set{}}}
	input := parse.NewInputString(text)
	lexer := css.NewLexer(input)
	at := 0
	for {
		kind, data := lexer.Next()
		if kind == css.ErrorToken {
			break
		}

		r.token(kind, string(data), at)
		at += len(data)
	}

	r.declare() // the last declaration may end without a semicolon
	return r.sheet
}

func (r *styleReader) token(kind css.TokenType, data string, at int) {
	switch kind {
	case css.CommentToken:
		return
	case css.AtKeywordToken:
		r.imported = strings.EqualFold(data, "@import")
	case css.URLToken:
		r.address(addressIn(data), at)
	case css.StringToken:
		if r.imported || r.images > 0 {
			r.address(strings.Trim(data, `"'`), at)
		}
	case css.FunctionToken:
		r.function(data)
	case css.RightParenthesisToken:
		r.images = max(r.images-1, 0)
	case css.LeftBraceToken:
		r.open()
		return
	case css.RightBraceToken:
		r.declare()
		r.rules = r.rules[:max(len(r.rules)-1, 0)]
		return
	case css.SemicolonToken:
		r.declare()
		r.imported = false
		return
	}

	r.prelude.WriteString(data)
}

// function counts the brackets of image-set, in which texts are addresses.
func (r *styleReader) function(name string) {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, "image-set(") || r.images > 0 {
		r.images++
	}
}

// address notes an address and what it paints.
func (r *styleReader) address(text string, at int) {
	if text == "" || strings.HasPrefix(text, "#") {
		return
	}
	if !strings.Contains(strings.ToLower(r.prelude.String()), "@namespace") {
		r.addresses = append(r.addresses, styleAddress{text, at, r.imported})
	}

	r.paint()
}

// paint notes the classes and ids of the rule that is open.
func (r *styleReader) paint() {
	for _, rule := range r.rules {
		for _, name := range selectors.FindAllString(rule, -1) {
			r.painted[name] = true
		}
	}
}

// selectors are the classes and ids in what stands before a brace.
var selectors = regexp.MustCompile(`[.#][A-Za-z_][\w-]*`)

// addressIn is what stands in url().
func addressIn(data string) string {
	inside := strings.TrimSuffix(data[strings.Index(data, "(")+1:], ")")
	return strings.Trim(strings.TrimSpace(inside), `"'`)
}

// narrow finds what makes a rule one for narrow screens.
var narrow = regexp.MustCompile(`(?i)@(media|container)\b.*width`)

// open begins a rule.
func (r *styleReader) open() {
	rule := r.prelude.String()
	r.prelude.Reset()
	r.adapts = r.adapts || narrow.MatchString(rule)
	r.rules = append(r.rules, rule)
}

var (
	wrapping = regexp.MustCompile(`(?i)flex-wrap\s*:\s*wrap|flex-flow\s*:[^;]*\bwrap|overflow(-x)?\s*:\s*(auto|scroll)|auto-fi[lt]|flex-direction\s*:\s*column|display\s*:\s*(inline-)?grid`)
	rowing   = regexp.MustCompile(`(?i)display\s*:\s*(inline-)?flex|white-space\s*:\s*nowrap`)
	written  = regexp.MustCompile(`(?i)^\s*(content\s*:\s*["'][^"']|background[\w-]*\s*:.*gradient)`)
)

// declare ends a declaration.
func (r *styleReader) declare() {
	text := r.prelude.String()
	r.prelude.Reset()
	r.wraps = r.wraps || wrapping.MatchString(text)
	if written.MatchString(text) {
		r.paint()
	}
	if rowing.MatchString(text) && len(r.rules) > 0 {
		for _, name := range rowNames.FindAllString(r.rules[len(r.rules)-1], -1) {
			r.rows[name] = true
		}
	}
}

// rowNames are classes, ids and tags in what stands before a brace.
var rowNames = regexp.MustCompile(`[.#]?[A-Za-z_][\w-]*`)

// readStyles reads the styles of a page: elements, attributes and linked files.
func (r *reader) readStyles() {
	for _, n := range r.elements {
		switch {
		case n.tag == "style":
			r.readStyleElement(n)
		case n.tag == "link" && isStyleSheet(n):
			r.loadStyle(r.from, n.attr("href"))
		}
		if n.has("style") {
			r.readStyleAttribute(n)
		}
	}
}

// isStyleSheet reports whether a link element loads a style sheet.
func isStyleSheet(n *node) bool {
	rel := strings.Fields(strings.ToLower(n.attr("rel")))
	loaded := strings.EqualFold(n.attr("as"), "style") && slices.Contains(rel, "preload")
	return n.has("href") && (loaded || slices.Contains(rel, "stylesheet"))
}

func (r *reader) readStyleElement(n *node) {
	text := n.content()
	begin := n.at
	if len(n.children) > 0 {
		begin = n.children[0].at
	}

	found := readStyle(text)
	r.page.sheets = append(r.page.sheets, &found)
	for _, a := range found.addresses {
		r.referStyle(a, begin+a.at)
	}
}

func (r *reader) readStyleAttribute(n *node) {
	style, _ := n.attribute("style")
	for _, a := range readStyle(style.value).addresses {
		r.referStyle(a, style.at)
	}
}

// referStyle notes an address in the styles of a page.
func (r *reader) referStyle(a styleAddress, at int) {
	if a.imported {
		r.loadStyle(r.from, a.text)
	}

	r.references = append(r.references, r.reference(a.use(), a.text, at))
}

// use is what an address in a style sheet is for.
func (a styleAddress) use() *use {
	if isPicture(a.text) && !a.imported {
		return &toImage
	}
	return &toFile
}

// loadStyle reads a style sheet that a page loads, and those that it imports.
func (r *reader) loadStyle(from here, text string) {
	a, ok := r.site.resolve(from, text)
	if !ok {
		return
	}
	if !a.local || !r.site.isFile(a.path) {
		r.anyStyle = true
		return
	}

	found := r.scan.sheet(r.site.File(a.path))
	if found == nil || slices.Contains(r.page.sheets, found) {
		return
	}

	r.page.sheets = append(r.page.sheets, found)
	if !r.outside {
		found.users = append(found.users, r.file)
	}

	for _, each := range found.addresses {
		if each.imported {
			r.loadStyle(here{path: a.path}, each.text)
		}
	}
}

// sheet reads a style sheet, once in a scan. It is nil if the file cannot be read.
func (s *scan) sheet(file string) *sheet {
	if known, ok := s.sheets[file]; ok {
		return known
	}

	text, err := s.site.tree.Read(file)
	if err != nil {
		s.sheets[file] = nil
		return nil
	}

	found := readStyle(string(text))
	found.file = file
	s.sheets[file] = &found
	return &found
}

// judgeSheets reports the addresses of style sheets that lead to nothing.
func (s *scan) judgeSheets() {
	for file, each := range s.sheets {
		if each == nil || len(each.users) == 0 || len(each.addresses) == 0 {
			continue
		}

		text, _ := s.site.tree.Read(file) // was read before
		index := linesOf(text)
		for _, a := range each.addresses {
			s.judgeReference(reference{
				use:     a.use(),
				address: a.text,
				from:    []here{{path: "/" + s.site.NameOf(file)}},
				at:      place{file, index.at(a.at)},
				read:    true,
			})
		}
	}
}
