package document

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

func parseTOML(text []byte) (*Node, error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil { // finds what the syntax alone does not, such as a key twice
		return nil, tomlError(err)
	}

	reader := &tomlReader{
		text:    text,
		counted: &lines{text: text},
	}
	reader.parser.Reset(text)
	root := reader.object(0)
	root.End = len(text)

	table := root
	for reader.parser.NextExpression() {
		expression := reader.parser.Expression()
		switch expression.Kind {
		case unstable.Table:
			table = reader.table(root, expression.Key())
		case unstable.ArrayTable:
			table = reader.arrayTable(root, expression.Key())
		case unstable.KeyValue:
			if err := reader.keyValue(table, expression, 0); err != nil {
				return nil, err
			}
		}
	}
	root.enclose()
	return root, reader.parser.Error()
}

// enclose widens objects and lists so that they end after what they hold: tables are put
// together from several places.
func (n *Node) enclose() {
	for _, m := range n.Members {
		m.Value.enclose()
		n.End = max(n.End, m.Value.End)
	}
	for _, item := range n.Items {
		item.enclose()
		n.End = max(n.End, item.End)
	}
}

func tomlError(err error) error {
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, _ := at.Position()
		return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return err
}

// tomlReader makes a tree of the expressions of a TOML document.
type tomlReader struct {
	text    []byte
	counted *lines
	parser  unstable.Parser
}

func (r *tomlReader) object(at int) *Node {
	return &Node{
		Kind:  Object,
		Start: at,
		End:   at,
		Line:  r.counted.line(at),
	}
}

// step goes to a member of an object, the last item if it is a list, and makes it if it is
// not there.
func (r *tomlReader) step(from *Node, name string, at int) *Node {
	next := from.Member(name)
	if next == nil {
		next = r.object(at)
		from.Members = append(from.Members, Member{
			Name:  name,
			Start: at,
			Value: next,
		})
	}

	if next.Kind == List && len(next.Items) > 0 {
		return next.Items[len(next.Items)-1]
	}
	return next
}

// table is the object of a header such as [a.b].
func (r *tomlReader) table(root *Node, keys unstable.Iterator) *Node {
	at := root
	for keys.Next() {
		key := keys.Node()
		at = r.step(at, string(key.Data), int(key.Raw.Offset))
	}
	return at
}

// arrayTable is the new item of a header such as [[a.b]].
func (r *tomlReader) arrayTable(root *Node, keys unstable.Iterator) *Node {
	at := root
	for keys.Next() {
		key := keys.Node()
		offset := int(key.Raw.Offset)
		if !keys.IsLast() {
			at = r.step(at, string(key.Data), offset)
			continue
		}

		begin := bytes.LastIndexByte(r.text[:offset], '\n') + 1
		item := r.object(begin)
		list := at.Member(string(key.Data))
		if list == nil {
			list = &Node{
				Kind:  List,
				Start: begin,
				Line:  item.Line,
				End:   begin,
				Fixed: arrayOfTables,
			}
			at.Members = append(at.Members, Member{
				Name:  string(key.Data),
				Start: begin,
				Value: list,
			})
		}

		list.Items = append(list.Items, item)
		at = item
	}
	return at
}

// arrayOfTables marks a list whose items have headers of their own.
const arrayOfTables = "the list is an array of tables"

// keyValue adds a value to an object. Dotted keys name objects on the way.
func (r *tomlReader) keyValue(to *Node, expression *unstable.Node, depth int) error {
	if depth > maxDepth {
		return errDeep
	}

	keys := expression.Key()
	at := to
	for keys.Next() {
		key := keys.Node()
		if !keys.IsLast() {
			at = r.step(at, string(key.Data), int(key.Raw.Offset))
			continue
		}

		value, err := r.value(expression.Value(), depth)
		if err != nil {
			return err
		}
		if value.Kind == List { // the parser does not say where an array stands
			afterKey := int(key.Raw.Offset + key.Raw.Length)
			value.Start = afterKey + bytes.IndexByte(r.text[afterKey:], '[')
			value.End = int(expression.Raw.Offset + expression.Raw.Length)
			value.Line = r.counted.line(value.Start)
		}
		at.Members = append(at.Members, Member{
			Name:  string(key.Data),
			Start: int(key.Raw.Offset),
			Value: value,
		})
		to.End = max(to.End, value.End)
	}
	return nil
}

func (r *tomlReader) value(v *unstable.Node, depth int) (*Node, error) {
	start := int(v.Raw.Offset)
	n := &Node{
		Start: start,
		End:   start + int(v.Raw.Length),
		Line:  r.counted.line(start),
	}

	switch v.Kind {
	case unstable.Array:
		n.Kind = List
		items := v.Children()
		for items.Next() {
			item, err := r.value(items.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
			n.End = item.End
		}
	case unstable.InlineTable:
		n.Kind = Object
		members := v.Children()
		for members.Next() {
			if err := r.keyValue(n, members.Node(), depth+1); err != nil {
				return nil, err
			}
		}
		n.End += bytes.IndexByte(r.text[n.End:], '}') + 1
	default:
		r.scalar(n, v)
	}
	return n, nil
}

func (r *tomlReader) scalar(n *Node, v *unstable.Node) {
	n.Text = string(v.Data)
	written := string(r.text[n.Start:n.End])

	switch {
	case v.Kind != unstable.String:
		n.spell = spellBareTOML
	case strings.HasPrefix(written, `"""`), strings.HasPrefix(written, "'''"):
		n.Fixed = "the value is a text of several lines"
	case strings.HasPrefix(written, "'"):
		n.spell = spellLiteralTOML
	default:
		n.spell = func(text string) (string, error) { return quoteJSON(text), nil }
	}
}

var bareTOML = regexp.MustCompile(`^[+-]?[0-9][0-9_]*(\.[0-9]+)?$|^(true|false)$`)

func spellBareTOML(text string) (string, error) {
	if !bareTOML.MatchString(text) {
		return "", errors.New("a number stands there, and the new value is none")
	}
	return text, nil
}

func spellLiteralTOML(text string) (string, error) {
	if strings.Contains(text, "'") || strings.ContainsFunc(text, isControl) {
		return quoteJSON(text), nil
	}
	return "'" + text + "'", nil
}
