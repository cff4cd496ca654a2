package document

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func parseYAML(text []byte) (*Node, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 {
		return &Node{
			Kind:  Object,
			Line:  1,
			Fixed: "the document is empty",
		}, nil
	}

	source := &yamlSource{text: text}
	for i := range text {
		if i == 0 || text[i-1] == '\n' {
			source.begins = append(source.begins, i)
		}
	}
	return source.node(root.Content[0], 0)
}

// yamlSource finds the bytes of the nodes of package yaml, which knows lines and columns.
type yamlSource struct {
	text   []byte
	begins []int // first byte of each line
}

// offset is the byte at a line and a column, both counted from 1; columns count
// characters.
func (s *yamlSource) offset(line, column int) int {
	if line < 1 || line > len(s.begins) {
		return len(s.text)
	}
	at := s.begins[line-1]
	for range column - 1 {
		if at >= len(s.text) {
			break
		}
		_, size := utf8.DecodeRune(s.text[at:])
		at += size
	}
	return at
}

func (s *yamlSource) node(y *yaml.Node, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}

	start := s.offset(y.Line, y.Column)
	n := &Node{
		Start: start,
		End:   start,
		Line:  y.Line,
	}

	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = Object
		return n, s.members(n, y, depth)
	case yaml.SequenceNode:
		n.Kind = List
		return n, s.items(n, y, depth)
	case yaml.AliasNode:
		n.Text = y.Alias.Value
		n.Fixed = "the value is an alias of another one"
		n.End = start + 1 + len(y.Value)
		return n, nil
	}

	s.scalar(n, y)
	return n, nil
}

func (s *yamlSource) members(n *Node, y *yaml.Node, depth int) error {
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		value, err := s.node(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}

		n.Members = append(n.Members, Member{
			Name:  key.Value,
			Start: s.offset(key.Line, key.Column),
			Value: value,
		})
		n.End = max(n.End, value.End)
	}

	if y.Style&yaml.FlowStyle != 0 {
		n.End = s.closing(n, '{', '}')
	}
	return nil
}

func (s *yamlSource) items(n *Node, y *yaml.Node, depth int) error {
	for _, each := range y.Content {
		item, err := s.node(each, depth+1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
		n.End = max(n.End, item.End)
	}

	if y.Style&yaml.FlowStyle != 0 {
		n.End = s.closing(n, '[', ']')
	}
	return nil
}

// closing is the byte after the bracket that ends a flow collection. After the last value
// only blanks, commas and comments can stand before it.
func (s *yamlSource) closing(n *Node, open, shut byte) int {
	at := n.End
	if len(n.Items)+len(n.Members) == 0 {
		at = s.skipTags(n.Start)
		n.Start = at
		if at < len(s.text) && s.text[at] == open {
			at++
		}
	}

	for at < len(s.text) && s.text[at] != shut {
		if s.text[at] == '#' {
			at += strings.IndexByte(string(s.text[at:])+"\n", '\n')
			continue
		}
		at++
	}
	return min(at+1, len(s.text))
}

// tags are an anchor or a tag before a value.
var tags = regexp.MustCompile(`^[&!][^\s,\[\]{}]*[ \t]*`)

// skipTags passes over the anchor and the tag of a value.
func (s *yamlSource) skipTags(at int) int {
	for {
		found := tags.FindIndex(s.text[min(at, len(s.text)):])
		if found == nil {
			return at
		}
		at += found[1]
	}
}

// scalar finds where the text of a scalar ends, if it stands in one line.
func (s *yamlSource) scalar(n *Node, y *yaml.Node) {
	n.Text = y.Value
	if y.Tag == "!!null" {
		n.Text = ""
	}
	n.Start = s.skipTags(n.Start)
	n.End = n.Start
	rest := string(s.text[min(n.Start, len(s.text)):])

	switch {
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.Fixed = "the value is a block of lines"
		n.End = s.endOfBlock(y)
	case y.Style&yaml.DoubleQuotedStyle != 0:
		n.End += quotedEnd(rest, '"')
		n.spell = spellDoubleQuoted
	case y.Style&yaml.SingleQuotedStyle != 0:
		n.End += quotedEnd(rest, '\'')
		n.spell = spellSingleQuoted
	case strings.HasPrefix(rest, y.Value):
		n.End += len(y.Value)
		n.spell = spellPlain(y)
	default:
		n.Fixed = "the value runs over several lines"
	}
}

// endOfBlock is the first byte after the lines of a block: the next line with content that
// is not indented deeper than the line of its key.
func (s *yamlSource) endOfBlock(y *yaml.Node) int {
	indent := s.indent(y.Line - 1)
	for i := y.Line; i < len(s.begins); i++ {
		line := strings.TrimSpace(s.lineText(i))
		if line != "" && s.indent(i) <= indent {
			return s.begins[i]
		}
	}
	return len(s.text)
}

// lineText is a line, counted from 0, with its end.
func (s *yamlSource) lineText(i int) string {
	end := len(s.text)
	if i+1 < len(s.begins) {
		end = s.begins[i+1]
	}
	return string(s.text[s.begins[i]:end])
}

func (s *yamlSource) indent(i int) int {
	line := s.lineText(i)
	return len(line) - len(strings.TrimLeft(line, " "))
}

// quotedEnd is the length of a quoted text with its quotes.
func quotedEnd(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		if isEscape(text[i:], quote) {
			i++
			continue
		}
		if text[i] == quote {
			return i + 1
		}
	}
	return len(text)
}

// isEscape reports whether a text begins with an escape: a backslash in double quotes, or two
// quotes in single ones.
func isEscape(text string, quote byte) bool {
	if quote == '"' {
		return text[0] == '\\'
	}
	return strings.HasPrefix(text, "''")
}

func spellDoubleQuoted(text string) (string, error) {
	return quoteJSON(text), nil // a subset of what YAML reads in double quotes
}

func spellSingleQuoted(text string) (string, error) {
	if strings.ContainsFunc(text, isControl) {
		return quoteJSON(text), nil
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'", nil
}

func isControl(r rune) bool {
	return r < ' ' || r == 0x7f
}

// spellPlain leaves out quotes where the text is read back as the same kind of value.
func spellPlain(old *yaml.Node) func(string) (string, error) {
	return func(text string) (string, error) {
		if readsAs(text, text, old.ShortTag()) {
			return text, nil
		}
		if old.ShortTag() == "!!int" || old.ShortTag() == "!!float" {
			if readsAs(text, text, "!!int") || readsAs(text, text, "!!float") {
				return text, nil
			}
			return "", errors.New("a number stands there, and the new value is none")
		}
		return quoteJSON(text), nil
	}
}

// readsAs reports whether YAML reads a spelling as a text with a tag, both in a block and
// inside of brackets.
func readsAs(spelling, text, tag string) bool {
	if strings.ContainsAny(spelling, "\r\n") {
		return false
	}
	var read yaml.Node
	if err := yaml.Unmarshal([]byte("[k: "+spelling+", x]"), &read); err != nil || len(read.Content) != 1 {
		return false
	}

	list := read.Content[0]
	if len(list.Content) != 2 || len(list.Content[0].Content) != 2 {
		return false
	}
	value := list.Content[0].Content[1]
	kinds := []string{tag}
	if tag == "!!null" {
		kinds = append(kinds, "!!str")
	}
	return value.Kind == yaml.ScalarNode && value.Value == text && slices.Contains(kinds, value.ShortTag())
}
