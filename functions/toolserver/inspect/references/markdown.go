package references

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is a document of Markdown.
type page struct {
	name     string
	source   []byte
	breaks   []int // offsets of the line feeds
	links    []target
	labels   []target // of links without a definition
	items    []item   // what is code, in the order of the text
	anchors  map[string]bool
	made     map[string]bool // by the commands of the page
	defining string          // the blocks that are no commands
	defined  map[string]bool // names that those define, as a script to add
}

// target is what a link leads to, and where that is written.
type target struct {
	text   string
	offset int
}

// item is a code mark or a block of code.
type item struct {
	text    string
	offset  int
	block   bool
	tag     string   // of a block: its language
	lines   []int    // of a block: the line of each of its lines
	passage passage  // of a mark: what stands around; of a block: what stands before
	titles  []string // of the sections that it is in, the outermost first
	intros  []string // last sentences before the lists that it is in
	around  []string // words of the titles and code marks above and beside it, which may be folders
}

// passage is the text of a paragraph, an item of a list, or a row of a table.
type passage struct {
	text   string
	offset int
	row    bool // of a table
	list   int  // identifies the list or table; 0 for none
}

// line is the number of the line at an offset.
func (p *page) line(offset int) int {
	before, _ := slices.BinarySearch(p.breaks, offset)
	return before + 1
}

// page is a document of Markdown, read once.
func (p *project) page(name string) (*page, error) {
	if known := p.pages[name]; known != nil {
		return known, nil
	}
	text, err := p.text(name)
	if err != nil {
		return nil, err
	}

	read := readPage(name, text)
	p.pages[name] = read
	return read, nil
}

// readPage finds everything in a page that may be a reference.
func readPage(name string, source []byte) *page {
	source = withoutFrontMatter(source)
	p := &page{
		name:    name,
		source:  source,
		anchors: map[string]bool{},
	}
	for i, b := range source {
		if b == '\n' {
			p.breaks = append(p.breaks, i)
		}
	}

	context := parser.NewContext()
	root := newMarkdown(p).Parser().Parse(text.NewReader(source), parser.WithContext(context))
	r := &pageReader{
		page:  p,
		slugs: slugs{},
		code:  map[int]bool{},
	}
	_ = ast.Walk(root, r.visit) // the visitor returns no error

	p.definitions(context, r.code)
	p.links = p.withoutContributors(p.links)
	p.defined = definedIn(p.defining)
	return p
}

// newMarkdown is a parser that tells the page where links are.
func newMarkdown(p *page) goldmark.Markdown {
	inline := parser.DefaultInlineParsers()
	for i, each := range inline {
		if each.Value == parser.NewLinkParser() {
			inline[i].Value = linkWatcher{parser.NewLinkParser(), p}
		}
	}

	reader := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	return goldmark.New(
		goldmark.WithParser(reader),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote),
	)
}

// linkWatcher notes where the destinations of links are, which the tree does not tell.
type linkWatcher struct {
	parser.InlineParser
	page *page
}

func (w linkWatcher) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, at := block.PeekLine()
	closes := line[0] == ']'
	opened := closes && len(line) > 1 && line[1] == '['

	node := w.InlineParser.Parse(parent, block, pc)
	switch found := node.(type) {
	case *ast.Link:
		w.page.addInline(found.Destination, at.Start)
	case *ast.Image:
		w.page.addInline(found.Destination, at.Start)
	case nil:
		if opened {
			w.page.addUndefined(at.Start)
		}
	}
	return node
}

// CloseBlock implements parser.CloseBlocker.
func (w linkWatcher) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := w.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

// addInline adds a link whose text ends at an offset. That of a link with a label is where
// the label is defined.
func (p *page) addInline(destination []byte, end int) {
	rest := p.source[min(end+1, len(p.source)):]
	if !bytes.HasPrefix(rest, []byte("(")) || len(destination) == 0 {
		return
	}
	at := bytes.Index(rest, destination)
	if at < 0 {
		return
	}
	p.links = append(p.links, target{plain(destination), end + 1 + at})
}

var labelStart = regexp.MustCompile(`^[A-Za-z]`)

var labelled = regexp.MustCompile(`^\]\[([A-Za-z][\w .:/-]*)?\]`)

// addUndefined adds the label of a link [text][label] whose text ends at an offset.
func (p *page) addUndefined(end int) {
	match := labelled.FindSubmatch(p.source[end:])
	if match == nil {
		return
	}
	start := bytes.LastIndexByte(p.source[:end], '[')
	if start < 0 || bytes.ContainsAny(p.source[start:end], "\n`") {
		return
	}
	if start > 0 && !bytes.ContainsAny(p.source[start-1:start], " \t\n(*_|>!\"'") {
		return // it is an index: a[0][n]
	}

	words := p.source[start+1 : end]
	label := match[1]
	if len(label) == 0 {
		label = words
	} else if bytes.EqualFold(label, words) {
		return // these are keys: [tab][tab]
	}
	if len(label) > 1 && labelStart.Match(label) {
		p.labels = append(p.labels, target{string(label), end})
	}
}

// plain is a destination without the escapes of Markdown.
func plain(destination []byte) string {
	text := util.UnescapePunctuations(destination)
	text = util.ResolveNumericReferences(text)
	text = util.ResolveEntityNames(text)
	return string(text)
}

var definition = regexp.MustCompile(`(?m)^[ \t>*+-]*\[([^\[\]\n]{1,999})\]:[ \t]*(?:\n[ \t>]*)?(<[^>\n]*>|\S+)`)

// definitions adds what the labels of the page stand for, used or not.
func (p *page) definitions(context parser.Context, code map[int]bool) {
	for _, m := range definition.FindAllSubmatchIndex(p.source, -1) {
		label := p.source[m[2]:m[3]]
		written := p.source[m[4]:m[5]]
		known, ok := context.Reference(util.ToLinkReference(label))
		if !ok || code[p.line(m[2])] {
			continue
		}

		destination := bytes.TrimSuffix(bytes.TrimPrefix(written, []byte("<")), []byte(">"))
		if bytes.Equal(destination, known.Destination()) {
			p.links = append(p.links, target{plain(destination), m[4]})
		}
	}
}

// definesLabel says whether a line looks like the definition of a label, even if it is not one
// where it stands: some generators are less strict.
func (p *page) definesLabel(label string) bool {
	for _, m := range definition.FindAllSubmatch(p.source, -1) {
		if bytes.EqualFold(bytes.TrimSpace(m[1]), []byte(strings.TrimSpace(label))) {
			return true
		}
	}
	return false
}

var contributors = regexp.MustCompile(`(?s)<!--\s*ALL-CONTRIBUTORS-LIST:START.*?ALL-CONTRIBUTORS-LIST:END`)

// withoutContributors leaves out the anchors of a list of contributors, which a tool makes
// up to show a text above them.
func (p *page) withoutContributors(links []target) []target {
	for _, region := range contributors.FindAllIndex(p.source, -1) {
		links = slices.DeleteFunc(links, func(t target) bool {
			inside := t.offset >= region[0] && t.offset < region[1]
			return inside && strings.HasPrefix(t.text, "#")
		})
	}
	return links
}

// withoutFrontMatter blanks the settings that a page may begin with.
func withoutFrontMatter(source []byte) []byte {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	for _, fence := range []string{"---", "+++"} {
		first, rest, _ := bytes.Cut(source, []byte("\n"))
		if string(bytes.TrimSpace(first)) != fence {
			continue
		}
		end := bytes.Index(rest, []byte("\n"+fence))
		if end < 0 {
			continue
		}

		blank := bytes.Clone(source)
		until := len(first) + 1 + end + 1 + len(fence)
		for i := range blank[:until] {
			if blank[i] != '\n' {
				blank[i] = ' '
			}
		}
		return blank
	}

	return source
}

// pageReader walks through the tree of a page.
type pageReader struct {
	page    *page
	slugs   slugs
	titles  []title
	passage passage
	before  passage      // the last paragraph outside of the block at hand
	code    map[int]bool // lines of blocks of code and of HTML
	lists   int          // how many lists and tables began
	open    []openList   // those that are not over
}

// openList is a list or a table that is being read.
type openList struct {
	id    int
	above passage // the text that it is below of
}

type title struct {
	level int
	text  string
	marks []string
}

func (r *pageReader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		r.leave(n)
		return ast.WalkContinue, nil
	}

	switch n := n.(type) {
	case *ast.Heading:
		r.heading(n)
	case *ast.List, *tables.Table:
		r.lists++
		r.open = append(r.open, openList{r.lists, r.passage})
	case *ast.Paragraph, *ast.TextBlock, *tables.TableCell:
		r.enterPassage(n)
	case *ast.CodeSpan:
		r.mark(n)
		return ast.WalkSkipChildren, nil
	case *ast.FencedCodeBlock:
		r.block(n, string(n.Language(r.page.source)))
	case *ast.CodeBlock:
		r.block(n, "")
	case *ast.HTMLBlock:
		r.markup(n.Lines(), n.ClosureLine)
	case *ast.RawHTML:
		r.markup(n.Segments, text.Segment{})
	}
	return ast.WalkContinue, nil
}

func (r *pageReader) leave(n ast.Node) {
	switch n.(type) {
	case *ast.List, *tables.Table:
		r.open = r.open[:len(r.open)-1]
	case *ast.Paragraph, *ast.TextBlock:
		r.before = r.passage
	}
}

// heading begins a section.
func (r *pageReader) heading(n *ast.Heading) {
	for len(r.titles) > 0 && r.titles[len(r.titles)-1].level >= n.Level {
		r.titles = r.titles[:len(r.titles)-1]
	}

	words := r.page.textOf(n)
	var marks []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if span, ok := child.(*ast.CodeSpan); ok {
			marks = append(marks, r.page.textOf(span))
		}
	}
	r.titles = append(slices.Clone(r.titles), title{n.Level, words, marks})
	r.addSlugs(words)
	r.enterPassage(n)
	r.before = passage{}
}

// addSlugs adds the anchors of a heading.
func (r *pageReader) addSlugs(words string) {
	if m := explicitID.FindStringSubmatch(words); m != nil {
		r.page.anchors[strings.ToLower(m[2])] = true
		words = m[1]
	}
	for _, slug := range r.slugs.of(words) {
		r.page.anchors[slug] = true
	}
}

// textOf is what a reader sees of a node.
func (p *page) textOf(n ast.Node) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			value := child.Segment.Value(p.source)
			if _, isCode := n.(*ast.CodeSpan); isCode {
				b.Write(value)
			} else {
				b.WriteString(plain(value))
			}
			if child.SoftLineBreak() || child.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(child.Value)
		case *ast.AutoLink:
			b.Write(child.Label(p.source))
		case *ast.Image, *ast.RawHTML: // neither is text
		default:
			b.WriteString(p.textOf(child))
		}
	}
	return b.String()
}

// enterPassage notes the text of a block. A cell of a table is read with its row.
func (r *pageReader) enterPassage(n ast.Node) {
	lines := n.Lines()
	if lines == nil || lines.Len() == 0 {
		r.passage = passage{}
		return
	}

	start := lines.At(0).Start
	end := lines.At(lines.Len() - 1).Stop
	_, isCell := n.(*tables.TableCell)
	if isCell {
		start = bytes.LastIndexByte(r.page.source[:start], '\n') + 1
		if length := bytes.IndexByte(r.page.source[end:], '\n'); length >= 0 {
			end += length
		}
	}

	r.passage = passage{
		text:   string(r.page.source[start:end]),
		offset: start,
		row:    isCell,
	}
	if len(r.open) > 0 {
		r.passage.list = r.open[len(r.open)-1].id
	}
}

// mark adds a code mark.
func (r *pageReader) mark(n *ast.CodeSpan) {
	first, ok := n.FirstChild().(*ast.Text)
	if !ok || inLink(n) {
		return
	}
	r.add(item{
		text:    strings.TrimSpace(r.page.textOf(n)),
		offset:  first.Segment.Start,
		passage: r.passage,
	})
}

// inLink says whether a node is the text of a link, which is checked by where it leads.
func inLink(n ast.Node) bool {
	for at := n.Parent(); at != nil; at = at.Parent() {
		if at.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// block adds a block of code.
func (r *pageReader) block(n ast.Node, tag string) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}

	var b strings.Builder
	var numbers []int
	for i := range lines.Len() {
		segment := lines.At(i)
		number := r.page.line(segment.Start)
		numbers = append(numbers, number)
		r.code[number] = true
		b.Write(segment.Value(r.page.source))
	}
	r.add(item{
		text:    b.String(),
		offset:  lines.At(0).Start,
		block:   true,
		tag:     strings.ToLower(strings.Trim(tag, "{}.")),
		lines:   numbers,
		passage: r.before,
	})
}

var codeMark = regexp.MustCompile("`([^`\n]+)`")

// marksOf are the texts of the code marks in a passage.
func marksOf(text string) (marks []string) {
	for _, m := range codeMark.FindAllStringSubmatch(text, -1) {
		marks = append(marks, m[1])
	}
	return marks
}

func (r *pageReader) add(found item) {
	for _, each := range r.titles {
		found.titles = append(found.titles, each.text)
		found.around = append(found.around, each.marks...)
		found.around = append(found.around, strings.Fields(each.text)...)
	}
	for _, each := range r.open {
		found.around = append(found.around, marksOf(each.above.text)...)
		if strings.HasSuffix(strings.TrimSpace(each.above.text), ":") {
			found.intros = append(found.intros, each.above.text)
		}
	}
	found.around = append(found.around, marksOf(found.passage.text)...)
	r.page.items = append(r.page.items, found)
	if found.block && !isShell(found.tag) {
		r.page.defining += found.text + "\n"
	}
}

// markup reads HTML, whose lines need not follow each other in the source.
func (r *pageReader) markup(lines *text.Segments, last text.Segment) {
	var joined []byte
	var offsets []int // of each byte
	add := func(segment text.Segment) {
		for at := segment.Start; at < segment.Stop; at++ {
			joined = append(joined, r.page.source[at])
			offsets = append(offsets, at)
		}
		r.code[r.page.line(segment.Start)] = true
	}
	for i := range lines.Len() {
		add(lines.At(i))
	}
	if !last.IsEmpty() {
		add(last)
	}

	found := readHTML(joined)
	for _, link := range found.links {
		r.page.links = append(r.page.links, target{link.text, offsets[link.offset]})
	}
	for _, id := range found.ids {
		r.page.anchors[strings.ToLower(id)] = true
	}
	for _, heading := range found.headings {
		r.addSlugs(heading)
	}
}

// markdown checks the references of a page.
func (c *checker) markdown(name string, source []byte) {
	p, err := c.project.page(name)
	if err != nil {
		return
	}

	for _, link := range p.links {
		c.link(place{name, p.line(link.offset)}, link.text)
	}
	for _, label := range p.labels {
		if p.definesLabel(label.text) {
			continue
		}
		c.report(place{name, p.line(label.offset)}, Label, label.text, "no line of the page defines this label")
	}
	c.code(p)
}
