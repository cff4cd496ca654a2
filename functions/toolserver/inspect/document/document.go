// Package document reads JSON, YAML and TOML and knows where in the file each value
// stands, so that one value can be replaced while every other byte stays as it is.
//
// JSON may have comments and trailing commas, as editors write it. A file may begin with a
// byte order mark and may have lines that end with CR LF.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Kind is what a node holds.
type Kind int

// Kinds of nodes.
const (
	Scalar Kind = iota
	Object
	List
)

// Node is a value of a document. Start and End are its first byte and the byte after it,
// counted from the beginning of the file.
type Node struct {
	Kind    Kind
	Start   int
	End     int
	Line    int    // of its first byte, counted from 1
	Text    string // of a scalar, without quotes and escapes
	Members []Member
	Items   []*Node

	// Fixed says why the value cannot be replaced in place, "" if it can.
	Fixed string

	// spell writes a text in the style of this scalar.
	spell func(text string) (string, error)
}

// Member is a named value of an object.
type Member struct {
	Name  string
	Start int // of the name as it is written
	Value *Node
}

// Formats of documents.
const (
	JSON = "json"
	YAML = "yaml"
	TOML = "toml"
)

// byteOrderMark may stand before a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// maxDepth bounds the nesting, so that no document exhausts the stack.
const maxDepth = 200

var errDeep = fmt.Errorf("the document is nested deeper than %d levels", maxDepth)

// FormatOf is the format that the name of a file stands for, "" for any other.
func FormatOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".jsonc", ".json5", ".webmanifest":
		return JSON
	case ".yaml", ".yml":
		return YAML
	case ".toml":
		return TOML
	}
	return ""
}

// Parse reads a document of a format. An error names the line where it can.
func Parse(format string, text []byte) (*Node, error) {
	body := bytes.TrimPrefix(text, byteOrderMark)
	skipped := len(text) - len(body)

	var root *Node
	var err error
	switch format {
	case JSON:
		root, err = parseJSON(body)
	case YAML:
		root, err = parseYAML(body)
	case TOML:
		root, err = parseTOML(body)
	default:
		return nil, errors.New("the format is none of json, yaml and toml")
	}

	if err != nil {
		return nil, err
	}
	root.shift(skipped)
	return root, nil
}

// shift moves the places of a tree.
func (n *Node) shift(by int) {
	if by == 0 {
		return
	}
	n.Start += by
	n.End += by

	for i := range n.Members {
		n.Members[i].Start += by
		n.Members[i].Value.shift(by)
	}
	for _, item := range n.Items {
		item.shift(by)
	}
}

// Member is a value of an object by its name, nil if there is none.
func (n *Node) Member(name string) *Node {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// At is the value at a JSON pointer (RFC 6901), nil if there is none.
func (n *Node) At(pointer string) (*Node, error) {
	if pointer == "" || pointer == "/" && n.Member("") == nil {
		return n, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("the pointer %q does not begin with a slash", pointer)
	}

	at := n
	for step := range strings.SplitSeq(pointer[1:], "/") {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		at = at.child(name)
		if at == nil {
			return nil, nil
		}
	}
	return at, nil
}

func (n *Node) child(name string) *Node {
	if n.Kind != List {
		return n.Member(name)
	}

	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// Spell writes a text as it must stand in place of a scalar: quoted and escaped in its
// style.
func (n *Node) Spell(text string) (string, error) {
	if n.Fixed != "" {
		return "", errors.New(n.Fixed)
	}
	if n.Kind != Scalar {
		return "", errors.New("the value is no single text or number")
	}
	return n.spell(text)
}

// lines counts lines of a text by offset.
type lines struct {
	text  []byte
	at    int // bytes that were counted
	count int // line breaks before at
}

// line is the line of an offset. Offsets may come in any order; rising ones are fast.
func (l *lines) line(offset int) int {
	offset = min(offset, len(l.text))
	if offset < l.at {
		l.at, l.count = 0, 0
	}
	l.count += bytes.Count(l.text[l.at:offset], []byte("\n"))
	l.at = offset
	return l.count + 1
}

// LineOf is the line of an offset in a text, counted from 1.
func LineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}
