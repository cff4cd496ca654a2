package references

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// readPage finds everything in a page that may be a reference.
func readPage(name string, source []byte) *page {
	source = bytes.ReplaceAll(source, []byte("\r\n"), []byte(" \n")) // offsets stay
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
	p.defined = namesIn(definedName, p.defining)
	p.keys = namesIn(jsonKey, p.defining)
	p.shown = namesIn(shownName, p.defining)
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
	after := end + 1
	if after >= len(p.source) || p.source[after] != '(' || len(destination) == 0 {
		return
	}

	length := bytes.Index(p.source[after:], destination)
	if length < 0 {
		return
	}
	p.links = append(p.links, target{plain(destination), after + length})
}

// plain is a destination without the escapes of Markdown.
func plain(destination []byte) string {
	text := util.UnescapePunctuations(destination)
	text = util.ResolveNumericReferences(text)
	text = util.ResolveEntityNames(text)
	return string(text)
}

var contributors = regexp.MustCompile(`(?s)<!--\s*ALL-CONTRIBUTORS-LIST:START.*?ALL-CONTRIBUTORS-LIST:END`)

// withoutContributors leaves out the anchors of a list of contributors, which a tool makes
// up to show a text above them.
func (p *page) withoutContributors(links []target) []target {
	for _, region := range contributors.FindAllIndex(p.source, -1) {
		start, end := region[0], region[1]
		links = slices.DeleteFunc(links, func(t target) bool {
			isInside := t.offset >= start && t.offset < end
			return isInside && strings.HasPrefix(t.text, "#")
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
