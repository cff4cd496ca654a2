package lint

import (
	"fmt"
	"strconv"
	"strings"
)

// kind is the JSON type of a node.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// node is one JSON value. Numbers and booleans keep the text they were written with. The tree
// keeps offsets for line numbers and exact key case: encoding/json into structs would match
// "Command" to command and silently drop a second "env", and both change what a client runs.
type node struct {
	kind  kind
	text  string
	keys  []string // of an object, parallel to items
	items []*node
	off   int
}

// get returns the member of an object, or nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

// scalar returns the text of a string, number or boolean.
func (n *node) scalar() (string, bool) {
	if n == nil || n.kind == null || n.kind >= list {
		return "", false
	}
	return n.text, true
}

// maxDepth is the deepest nesting a document may have.
const maxDepth = 64

// parser reads one strict JSON document (RFC 8259).
type parser struct {
	doc   string
	pos   int
	path  []step // down to the current value, for the duplicate key error
	spare []node // allocated in blocks
}

// step is a key, or the index of an array's item.
type step struct {
	key   string
	index int // -1 for a key
}

// parse returns the tree of a document, or an InputError.
func parse(doc []byte) (*node, error) {
	if problem := encodingProblem(doc); problem != nil {
		return nil, problem
	}
	p := &parser{doc: string(doc)}
	if strings.HasPrefix(p.doc, "\xef\xbb\xbf") {
		p.pos = 3 // editors on Windows write it, and every client skips it
	}

	p.space()
	if p.pos == len(doc) {
		return nil, &InputError{CodeNotJSON, "The body is empty. Send the MCP client configuration as one JSON object."}
	}

	root, err := p.value(0)
	if err != nil {
		return nil, err
	}

	p.space()
	if p.pos < len(doc) {
		return nil, p.trailing()
	}

	return root, nil
}

func (p *parser) trailing() error {
	switch p.doc[p.pos] {
	case '{', '[', '"':
		return &InputError{CodeMultipleDocuments, "A second JSON document begins at " + position([]byte(p.doc), p.pos) + ". Send one document for each request."}
	}
	return p.fail("unexpected text after the document")
}

// fail returns the error for the current position. Comments get their own code: they are the most
// common mistake in hand-written configurations, and "unexpected /" does not explain it.
func (p *parser) fail(problem string) error {
	where := position([]byte(p.doc), p.pos)
	if p.at('/') || p.at('#') {
		return &InputError{CodeComments, "Comments are not JSON: found one at " + where + ". Remove the comments and send the document again."}
	}
	if p.pos >= len(p.doc) {
		return &InputError{CodeNotJSON, "Not valid JSON: the document ends too early, at " + where + ". Check for a missing bracket, brace or quote."}
	}
	return &InputError{CodeNotJSON, "Not valid JSON: " + problem + " at " + where + ". Correct it and send the document again."}
}

func (p *parser) space() {
	for p.pos < len(p.doc) {
		switch p.doc[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) value(depth int) (*node, error) {
	if p.pos >= len(p.doc) {
		return nil, p.fail("")
	}
	if depth > maxDepth {
		return nil, &InputError{CodeTooDeep, fmt.Sprintf("The document is nested deeper than %d levels at %s. A client configuration needs fewer than ten.",
			maxDepth, position([]byte(p.doc), p.pos))}
	}

	n := p.node()
	var err error
	switch c := p.doc[p.pos]; {
	case c == '{':
		n.kind = object
		err = p.object(n, depth)
	case c == '[':
		n.kind = list
		err = p.list(n, depth)
	case c == '"':
		n.kind = text
		n.text, err = p.string()
	case c == '-' || isDigit(c):
		n.kind = number
		n.text, err = p.number()
	case c == '\'':
		err = p.fail("a single quote (JSON strings use double quotes)")
	default:
		err = p.word(n)
	}

	return n, err
}

func (p *parser) node() *node {
	if len(p.spare) == 0 {
		p.spare = make([]node, 24)
	}
	n := &p.spare[0]
	n.off = p.pos
	p.spare = p.spare[1:]
	return n
}

func (p *parser) word(n *node) error {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(p.doc[p.pos:], word) {
			n.text = word
			if word != "null" {
				n.kind = boolean
			}
			p.pos += len(word)
			return nil
		}
	}
	return p.fail("unexpected text where a value should be")
}

func (p *parser) object(n *node, depth int) error {
	p.pos++
	var seen map[string]bool
	for first := true; ; first = false {
		p.space()
		if first && p.at('}') {
			p.pos++
			return nil
		}

		if !p.at('"') {
			return p.fail(p.keyProblem())
		}

		at := p.pos
		key, err := p.string()
		if err != nil {
			return err
		}

		p.path = append(p.path, step{key, -1})
		if n.repeats(key, &seen) {
			return &InputError{CodeDuplicateKey, bounded("The key "+display(pointer(p.keys()))+" occurs twice in one object, again at "+position([]byte(p.doc), at)+". Clients disagree about which one counts. Remove one and send the document again.", maxDetail)}
		}

		p.space()
		if !p.at(':') {
			return p.fail("missing colon after a key")
		}

		p.pos++
		p.space()
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}

		p.path = p.path[:len(p.path)-1]
		n.keys = append(n.keys, key)
		n.items = append(n.items, item)
		if done, err := p.separator('}'); done || err != nil {
			return err
		}
	}
}

// keys returns the path down to the current value as reference tokens.
func (p *parser) keys() []string {
	keys := make([]string, len(p.path))
	for i, s := range p.path {
		keys[i] = s.key
		if s.index >= 0 {
			keys[i] = strconv.Itoa(s.index)
		}
	}
	return keys
}

// repeats reports whether the object has the key already. Small objects are searched, large ones
// get an index.
func (n *node) repeats(key string, index *map[string]bool) bool {
	if len(n.keys) < 16 {
		return n.get(key) != nil
	}
	if *index == nil {
		*index = make(map[string]bool, 64)
		for _, k := range n.keys {
			(*index)[k] = true
		}
	}

	repeated := (*index)[key]
	(*index)[key] = true
	return repeated
}

func (p *parser) keyProblem() string {
	if p.at('}') {
		return "a trailing comma before }"
	}
	return "a key without double quotes"
}

func (p *parser) list(n *node, depth int) error {
	p.pos++
	for {
		p.space()
		if p.at(']') {
			if len(n.items) > 0 {
				return p.fail("a trailing comma before ]")
			}
			p.pos++
			return nil
		}

		p.path = append(p.path, step{"", len(n.items)})
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}

		p.path = p.path[:len(p.path)-1]
		n.items = append(n.items, item)
		if done, err := p.separator(']'); done || err != nil {
			return err
		}
	}
}

// separator reads the comma before the next item or the closing bracket.
func (p *parser) separator(closing byte) (done bool, err error) {
	p.space()
	switch {
	case p.at(closing):
		p.pos++
		return true, nil
	case p.at(','):
		p.pos++
		return false, nil
	}
	return false, p.fail("a missing comma or closing bracket")
}

// number reads -?int frac? exp? and returns it as written.
func (p *parser) number() (string, error) {
	start := p.pos
	if p.at('-') {
		p.pos++
	}

	whole := p.digits()
	if whole == 0 || whole > 1 && p.doc[p.pos-whole] == '0' {
		return "", p.fail("a malformed number")
	}

	if p.at('.') {
		p.pos++
		if p.digits() == 0 {
			return "", p.fail("a malformed number")
		}
	}

	if p.at('e') || p.at('E') {
		p.pos++
		if p.at('+') || p.at('-') {
			p.pos++
		}
		if p.digits() == 0 {
			return "", p.fail("a malformed number")
		}
	}

	return p.doc[start:p.pos], nil
}

func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.doc) && isDigit(p.doc[p.pos]) {
		p.pos++
	}
	return p.pos - start
}

// at reports whether the next character is c.
func (p *parser) at(c byte) bool {
	return p.pos < len(p.doc) && p.doc[p.pos] == c
}
