package code

// tokenKind says what a token is.
type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	patternToken // a regular expression
	markToken    // an operator or a bracket
	newlineToken // of Python, outside of brackets
	indentToken
	dedentToken
)

// token is a word of a program.
type token struct {
	kind    tokenKind
	text    string // of a text its content
	line    int
	start   int
	end     int
	newline bool      // it is the first of its line
	inside  [][]token // the expressions in a text
}

// span is a piece of a source, in bytes.
type span struct{ start, end int }

// cursor moves over tokens. The last token is always the end.
type cursor struct {
	tokens []token
	at     int
	depth  int // of nested parts, so that no input exhausts the stack
}

// maxDepth is how deep parts may be nested.
const maxDepth = 400

func (c *cursor) peek() token {
	return c.tokens[min(c.at, len(c.tokens)-1)]
}

func (c *cursor) ahead(n int) token {
	return c.tokens[min(c.at+n, len(c.tokens)-1)]
}

func (c *cursor) next() token {
	t := c.peek()
	if c.at < len(c.tokens) {
		c.at++
	}
	return t
}

func (c *cursor) done() bool {
	return c.peek().kind == endToken
}

// is reports whether the next token is one of these words or marks.
func (c *cursor) is(texts ...string) bool {
	return isOne(c.peek(), texts)
}

func isOne(t token, texts []string) bool {
	if t.kind != nameToken && t.kind != markToken {
		return false
	}

	for _, text := range texts {
		if t.text == text {
			return true
		}
	}

	return false
}

// take consumes the next token if it is the text.
func (c *cursor) take(text string) bool {
	if !c.is(text) {
		return false
	}

	c.at++
	return true
}

// deeper reports whether another part may be nested; every true needs a call of shallower.
func (c *cursor) deeper() bool {
	if c.depth >= maxDepth {
		return false
	}

	c.depth++
	return true
}

func (c *cursor) shallower() { c.depth-- }

// matching is the place of the bracket that closes the one at a place, or the last place.
func (c *cursor) matching(at int) int {
	depth := 0
	for i := at; i < len(c.tokens); i++ {
		if c.tokens[i].kind != markToken {
			continue
		}

		switch c.tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
			if depth == 0 {
				return i
			}
		}
	}

	return len(c.tokens) - 1
}

// skipBrackets passes a bracket and all up to the one that closes it.
func (c *cursor) skipBrackets() {
	c.at = min(c.matching(c.at)+1, len(c.tokens)-1)
}

// blanked is a source without some spans; the lines stay where they are.
func blanked(source string, spans []span) string {
	out := []byte(source)
	for _, each := range spans {
		for i := each.start; i < min(each.end, len(out)); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}

	return string(out)
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
