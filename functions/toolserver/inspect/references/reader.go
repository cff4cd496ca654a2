package references

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

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
	above := len(r.titles)
	for above > 0 && r.titles[above-1].level >= n.Level {
		above--
	}

	words := r.page.textOf(n)
	begun := title{
		level: n.Level,
		text:  words[:min(len(words), mostAround)],
		marks: r.page.marksIn(n),
	}

	r.titles = append(slices.Clone(r.titles[:above]), begun)
	r.addSlugs(words)
	r.enterPassage(n)
	r.before = passage{}
}

// marksIn are the texts of the code marks of a heading.
func (p *page) marksIn(n *ast.Heading) (marks []string) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if span, ok := child.(*ast.CodeSpan); ok {
			marks = append(marks, p.textOf(span))
		}
	}
	return marks
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
	mark := item{
		text:    strings.TrimSpace(r.page.textOf(n)),
		offset:  first.Segment.Start,
		passage: r.passage,
	}
	mark.leads = leads.MatchString(sentenceOf(mark).before)
	r.add(mark)
}

// inLink reports whether a node is the text of a link, which is checked by where it leads.
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

// add adds a code mark or a block, with what is known of its place.
func (r *pageReader) add(found item) {
	for _, each := range r.titles {
		found.titles = append(found.titles, each.text)
		found.around = append(found.around, each.marks...)
		found.around = append(found.around, strings.Fields(each.text)...)
	}

	for _, each := range r.open {
		above := each.above.text
		above = above[max(0, len(above)-mostAround):]
		found.around = append(found.around, marksOf(above)...)
		if strings.HasSuffix(strings.TrimSpace(above), ":") {
			found.intros = append(found.intros, above)
		}
	}

	beside, _ := found.nearby()
	found.around = append(found.around, marksOf(beside)...)
	found.index = len(r.page.items)
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
