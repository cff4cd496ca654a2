package pages

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"
)

// node is an element of a page, or a text in it.
type node struct {
	tag        string // "" for a text
	attributes []attribute
	text       string // of a text; of a script or style as it is written
	at         int    // the first byte, counted from the begin of the file
	parent     *node
	children   []*node
}

// attribute is one of an element. Its place is that of its value.
type attribute struct {
	name  string
	value string
	at    int
}

// attr is the value of an attribute, "" if it is not there.
func (n *node) attr(name string) string {
	a, _ := n.attribute(name)
	return a.value
}

// has reports whether an attribute is there.
func (n *node) has(name string) bool {
	_, ok := n.attribute(name)
	return ok
}

func (n *node) attribute(name string) (attribute, bool) {
	for _, a := range n.attributes {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

// classes are those of an element.
func (n *node) classes() []string {
	return strings.Fields(n.attr("class"))
}

// within finds the closest element above with one of some tags, nil if there is none.
func (n *node) within(tags ...string) *node {
	for p := n.parent; p != nil; p = p.parent {
		if slices.Contains(tags, p.tag) {
			return p
		}
	}
	return nil
}

// walk visits a node and what is in it, in the order of the file. Visit reports whether it
// goes on into the node.
func (n *node) walk(visit func(*node) bool) {
	if !visit(n) {
		return
	}

	for _, c := range n.children {
		c.walk(visit)
	}
}

// content is the text in an element, with all that is nested in it.
func (n *node) content() string {
	var b strings.Builder
	n.walk(func(each *node) bool {
		b.WriteString(each.text)
		return true
	})
	return b.String()
}

// lines finds the line of a place in a text.
type lines []int

func linesOf(text []byte) lines {
	var list lines
	for i, c := range text {
		if c == '\n' {
			list = append(list, i)
		}
	}
	return list
}

// at is the number of the line of an offset.
func (l lines) at(offset int) int {
	return 1 + sort.SearchInts(l, offset)
}

// markup is a page as a tree.
type markup struct {
	root    *node
	lines   lines
	deep    int // the place where elements are nested too deep, 0 for nowhere
	doctype bool
}

// maxDepth is how deep elements may be nested, as in browsers.
const maxDepth = 512

// builder makes the tree of a page.
type builder struct {
	markup
	open []*node // the element that is filled comes last
}

// readMarkup reads a page. Every page is read: what is wrong with it is repaired much as
// browsers do.
func readMarkup(text []byte) markup {
	b := &builder{markup: markup{
		root:  &node{tag: "#document"},
		lines: linesOf(text),
	}}
	b.open = []*node{b.root}

	tokens := html.NewTokenizer(bytes.NewReader(text))
	at := 0
	for {
		kind := tokens.Next()
		raw := tokens.Raw()
		begin := at
		at += len(raw)
		switch kind {
		case html.ErrorToken:
			return b.markup
		case html.DoctypeToken:
			b.doctype = true
		case html.TextToken:
			b.addText(tokens, begin)
		case html.StartTagToken, html.SelfClosingTagToken:
			b.begin(tokens, raw, begin, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			b.end(string(name))
		}
	}
}

func (b *builder) last() *node {
	return b.open[len(b.open)-1]
}

// addText adds a text to the element that is open. Scripts and styles keep theirs as it is.
func (b *builder) addText(tokens *html.Tokenizer, at int) {
	parent := b.last()
	parent.children = append(parent.children, &node{
		text:   string(tokens.Text()),
		at:     at,
		parent: parent,
	})
}

// begin opens an element.
func (b *builder) begin(tokens *html.Tokenizer, raw []byte, at int, slash bool) {
	places := valuePlaces(raw)
	name, more := tokens.TagName()
	n := &node{tag: string(name), at: at}
	for i := 0; more; i++ {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		where := at
		if i < len(places) {
			where = at + places[i]
		}

		n.attributes = append(n.attributes, attribute{string(key), string(value), where})
	}
	if n.tag == "noscript" {
		tokens.NextIsNotRawText() // what those see who run no scripts
	}

	b.closeBefore(n.tag)
	n.parent = b.last()
	n.parent.children = append(n.parent.children, n)
	closed := void[n.tag] || slash && n.within("svg", "math") != nil || slash && n.tag == "svg"
	if closed {
		return
	}
	if len(b.open) >= maxDepth {
		if b.deep == 0 {
			b.deep = at
		}
		return
	}

	b.open = append(b.open, n)
}

// end closes an element, and those that were left open in it.
func (b *builder) end(tag string) {
	ofTable := tableParts[tag]
	for i := len(b.open) - 1; i > 0; i-- {
		open := b.open[i].tag
		if open == tag {
			b.open = b.open[:i]
			return
		}
		if !ofTable && barriers[open] {
			return
		}
	}
}

// closeBefore closes the elements that end where a tag begins, since their own end may be
// left out.
func (b *builder) closeBefore(tag string) {
	if tag == "body" || b.last().tag == "head" && !ofHead[tag] {
		b.end("head")
	}
	if endsParagraph[tag] {
		b.closeUpTo([]string{"p"}, []string{"table", "td", "th", "template", "button", "object", "caption"})
	}
	if isHeading(tag) && isHeading(b.last().tag) {
		b.end(b.last().tag)
	}
	if rule, ok := implied[tag]; ok {
		b.closeUpTo(rule.closes, rule.stays)
	}
}

// closeUpTo closes the outermost open element with one of the tags, as far as an element
// that keeps what is in it.
func (b *builder) closeUpTo(tags, stays []string) {
	outermost := 0
	for i := len(b.open) - 1; i > 0; i-- {
		open := b.open[i].tag
		if slices.Contains(stays, open) {
			break
		}
		if slices.Contains(tags, open) {
			outermost = i
		}
	}
	if outermost > 0 {
		b.open = b.open[:outermost]
	}
}

// valuePlaces are the places of the values of the attributes of a tag, counted from its
// begin; that of the name for an attribute without a value.
func valuePlaces(raw []byte) []int {
	s := tagScanner{raw: raw, at: 1}
	s.skipTo(" /")
	var places []int
	for {
		s.skipOver(" /")
		if s.ends() {
			return places
		}

		places = append(places, s.attribute())
	}
}

// tagScanner goes through a tag. A blank in a list of characters stands for all white space.
type tagScanner struct {
	raw []byte
	at  int
}

// ends reports whether the tag ends here.
func (s *tagScanner) ends() bool {
	return s.at >= len(s.raw) || s.raw[s.at] == '>'
}

// is reports whether one of some characters stands here.
func (s *tagScanner) is(characters string) bool {
	c := s.raw[s.at]
	if isBlank(c) {
		c = ' '
	}
	return strings.IndexByte(characters, c) >= 0
}

// skipTo goes on to one of some characters, or to the end.
func (s *tagScanner) skipTo(characters string) {
	for !s.ends() && !s.is(characters) {
		s.at++
	}
}

// skipOver goes on over some characters.
func (s *tagScanner) skipOver(characters string) {
	for !s.ends() && s.is(characters) {
		s.at++
	}
}

// attribute goes over an attribute, and returns the place of its value.
func (s *tagScanner) attribute() int {
	name := s.at
	s.at++
	s.skipTo(" /=")
	end := s.at
	s.skipOver(" ")
	if s.ends() || !s.is("=") {
		s.at = end
		return name
	}

	s.at++
	s.skipOver(" ")
	if !s.ends() && s.is(`"'`) {
		return s.quotedValue()
	}

	at := s.at
	s.skipTo(" ")
	return at
}

// quotedValue goes over a value in quotes, and returns its place.
func (s *tagScanner) quotedValue() int {
	at := s.at + 1
	length := bytes.IndexByte(s.raw[at:], s.raw[s.at])
	if length < 0 {
		s.at = len(s.raw)
		return at
	}

	s.at = at + length + 1
	return at
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}
