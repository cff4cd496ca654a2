package code

import "strings"

// pythonLexer makes tokens of Python. Lines inside of brackets are one line.
type pythonLexer struct {
	source   string
	at       int
	line     int
	open     int // brackets
	indents  []int
	fresh    bool // a line begins
	depth    int  // of texts in texts
	tokens   []token
	comments []span
}

var pythonMarks = []string{
	"**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "**", "//", ">>", "<<",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
}

func (l *pythonLexer) run() {
	l.indents = []int{0}
	l.fresh = true
	for l.at < len(l.source) {
		if l.fresh && l.open == 0 {
			l.indentation()
			continue
		}

		l.one(l.source[l.at])
	}

	l.add(newlineToken, l.at)
	for range l.indents[1:] {
		l.add(dedentToken, l.at)
	}

	l.add(endToken, l.at)
}

func (l *pythonLexer) add(kind tokenKind, start int) {
	l.tokens = append(l.tokens, token{
		kind:  kind,
		text:  l.source[start:l.at],
		line:  l.line,
		start: start,
		end:   l.at,
	})
}

// indentation compares the beginning of a line with the lines before.
func (l *pythonLexer) indentation() {
	width := 0
	for l.at < len(l.source) && strings.IndexByte(" \t\f\r", l.source[l.at]) >= 0 {
		if l.source[l.at] == '\t' {
			width += 8 - width%8
		} else {
			width++
		}

		l.at++
	}

	if l.at == len(l.source) {
		return
	}

	switch l.source[l.at] {
	case '\n':
		l.at++
		l.line++
		return
	case '#':
		l.comment()
		return
	}

	l.fresh = false
	if width > l.indents[len(l.indents)-1] {
		l.indents = append(l.indents, width)
		l.add(indentToken, l.at)
		return
	}

	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(dedentToken, l.at)
	}
}

func (l *pythonLexer) comment() {
	end := strings.IndexByte(l.source[l.at:], '\n')
	if end < 0 {
		end = len(l.source) - l.at
	}

	l.comments = append(l.comments, span{l.at, l.at + end})
	l.at += end
}

func (l *pythonLexer) one(c byte) {
	switch c {
	case '\n':
		l.lineEnd()
	case ' ', '\t', '\r', '\f':
		l.at++
	case '#':
		l.comment()
	case '\\':
		l.continuation()
	default:
		l.word(c)
	}
}

// lineEnd ends the statement, outside of brackets.
func (l *pythonLexer) lineEnd() {
	l.at++
	if l.open == 0 {
		l.add(newlineToken, l.at)
		l.fresh = true
	}

	l.line++
}

// continuation joins two lines.
func (l *pythonLexer) continuation() {
	l.at++
	if strings.HasPrefix(l.source[l.at:], "\n") {
		l.at++
		l.line++
	}
}

func (l *pythonLexer) word(c byte) {
	switch {
	case l.textBegins():
		l.text()
	case beginsNumber(l.source[l.at:]):
		l.number()
	case isNameByte(c):
		l.name()
	default:
		l.mark()
	}
}

// beginsNumber reports whether a text begins with a number, as 1 or .5.
func beginsNumber(text string) bool {
	text = strings.TrimPrefix(text, ".")
	return text != "" && isDigit(text[0])
}

func (l *pythonLexer) number() {
	start := l.at
	for l.at < len(l.source) && (isNameByte(l.source[l.at]) || l.source[l.at] == '.') {
		l.at++
	}

	l.add(numberToken, start)
}

func (l *pythonLexer) name() {
	start := l.at
	for l.at < len(l.source) && isNameByte(l.source[l.at]) {
		l.at++
	}

	l.add(nameToken, start)
}

func (l *pythonLexer) mark() {
	start := l.at
	l.at++
	for _, each := range pythonMarks {
		if strings.HasPrefix(l.source[start:], each) {
			l.at = start + len(each)
			break
		}
	}

	switch l.source[start] {
	case '(', '[', '{':
		l.open++
	case ')', ']', '}':
		l.open = max(0, l.open-1)
	}

	l.add(markToken, start)
}

// prefixLength is how many letters stand before a quote, -1 if no text begins here.
func (l *pythonLexer) prefixLength() int {
	for i := l.at; i < len(l.source) && i <= l.at+2; i++ {
		c := l.source[i]
		if c == '"' || c == '\'' {
			return i - l.at
		}

		if strings.IndexByte("rRbBuUfFtT", c) < 0 {
			return -1
		}
	}

	return -1
}

func (l *pythonLexer) textBegins() bool { return l.prefixLength() >= 0 }

// text reads a text, and the expressions in one that is formatted.
func (l *pythonLexer) text() {
	start := l.at
	first := l.line
	prefix := strings.ToLower(l.source[l.at : l.at+l.prefixLength()])
	l.at += len(prefix)

	quote := l.source[l.at : l.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.source[l.at:], triple) {
		quote = triple
	}

	l.at += len(quote)

	content := l.content(quote)
	t := token{
		kind:  stringToken,
		text:  content,
		line:  first,
		start: start,
		end:   l.at,
	}

	if strings.ContainsAny(prefix, "ft") && l.depth < maxDepth/4 {
		t.text, t.inside = l.formatted(content, first)
	}

	l.tokens = append(l.tokens, t)
}

// content reads up to the closing quote. A text in one quote ends with its line.
func (l *pythonLexer) content(quote string) string {
	var b strings.Builder
	for l.at < len(l.source) {
		rest := l.source[l.at:]
		switch {
		case strings.HasPrefix(rest, quote):
			l.at += len(quote)
			return b.String()
		case rest[0] == '\\' && len(rest) > 1:
			l.escape(&b)
		case rest[0] == '\n' && len(quote) == 1:
			return b.String()
		default:
			if rest[0] == '\n' {
				l.line++
			}

			b.WriteByte(rest[0])
			l.at++
		}
	}

	return b.String()
}

func (l *pythonLexer) escape(b *strings.Builder) {
	l.line += unescape(b, l.source[l.at+1])
	l.at += 2
}

// formatted takes the expressions out of a formatted text.
func (l *pythonLexer) formatted(content string, line int) (text string, inside [][]token) {
	var b strings.Builder
	for i := 0; i < len(content); i++ {
		if content[i] != '{' {
			b.WriteByte(content[i])
			continue
		}

		if strings.HasPrefix(content[i:], "{{") {
			b.WriteByte('{')
			i++
			continue
		}

		end := strings.IndexByte(content[i:], '}')
		if end < 0 {
			break
		}

		inner := &pythonLexer{
			source: content[i+1 : i+end],
			line:   line,
			depth:  l.depth + 1,
		}

		inner.run()
		inside = append(inside, inner.tokens)
		b.WriteByte(' ')
		i += end
	}

	return b.String(), inside
}
