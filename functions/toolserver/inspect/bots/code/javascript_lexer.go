package code

import "strings"

// scriptLexer makes tokens of JavaScript and TypeScript.
type scriptLexer struct {
	source   string
	at       int
	line     int
	newline  bool
	depth    int // of templates in templates
	tokens   []token
	comments []span
}

// scriptMarks are the operators of more than one byte, the longest first.
var scriptMarks = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=",
	"%=", "&=", "|=", "^=", "<<", ">>", "**",
}

// beforePattern are the words after which a slash begins a regular expression.
var beforePattern = words("return typeof case in of delete void throw new else do await yield instanceof")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for each := range strings.FieldsSeq(list) {
		set[each] = true
	}
	return set
}

// run reads to the end, or to a brace that closes what encloses the text.
func (l *scriptLexer) run(nested bool) {
	open := 0
	for l.at < len(l.source) {
		if l.space() || l.comment() {
			continue
		}

		c := l.source[l.at]
		if nested && c == '}' && open == 0 {
			break
		}
		open += l.one(c)
	}
	l.end()
}

// space passes a blank or the end of a line, and reports whether there was one.
func (l *scriptLexer) space() bool {
	switch l.source[l.at] {
	case '\n':
		l.line++
		l.newline = true
	case ' ', '\t', '\r':
	default:
		return false
	}
	l.at++
	return true
}

func (l *scriptLexer) end() {
	l.tokens = append(l.tokens, token{
		kind:    endToken,
		line:    l.line,
		start:   l.at,
		end:     l.at,
		newline: true,
	})
}

// comment passes a comment, and reports whether there was one.
func (l *scriptLexer) comment() bool {
	rest := l.source[l.at:]
	length := 0
	switch {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "#!") && l.at == 0, strings.HasPrefix(rest, "<!--"):
		length = strings.IndexByte(rest, '\n')
	case strings.HasPrefix(rest, "/*"):
		length = strings.Index(rest[2:], "*/") + 4
		if length < 4 {
			length = -1
		}
	default:
		return false
	}

	if length < 0 {
		length = len(rest)
	}

	lines := strings.Count(rest[:length], "\n")
	l.newline = l.newline || lines > 0
	l.line += lines
	l.comments = append(l.comments, span{l.at, l.at + length})
	l.at += length
	return true
}

// one reads a token, and returns by how much braces are deeper after it.
func (l *scriptLexer) one(c byte) int {
	t := token{
		line:    l.line,
		start:   l.at,
		newline: l.newline,
	}
	l.newline = false

	l.read(c, &t)
	t.end = l.at
	if t.kind != stringToken {
		t.text = l.source[t.start:t.end]
	}

	l.tokens = append(l.tokens, t)
	return depthOf(t)
}

// depthOf is 1 for a brace that opens, -1 for one that closes, and 0 for anything else.
func depthOf(t token) int {
	if t.kind != markToken {
		return 0
	}
	switch t.text {
	case "{":
		return 1
	case "}":
		return -1
	}
	return 0
}

// read finds the kind and the end of a token.
func (l *scriptLexer) read(c byte, t *token) {
	switch c {
	case '"', '\'':
		t.kind = stringToken
		t.text = l.quoted(c)
	case '`':
		t.kind = stringToken
		t.text, t.inside = l.template()
	case '#', '\\':
		t.kind = nameToken
		l.name()
	default:
		t.kind = l.word(c)
	}
}

// word passes a number, a name, a regular expression or a mark, and tells which.
func (l *scriptLexer) word(c byte) tokenKind {
	switch {
	case beginsNumber(l.source[l.at:]):
		l.number()
		return numberToken
	case isNameByte(c):
		l.name()
		return nameToken
	case c == '/' && l.patternMayBegin() && l.pattern():
		return patternToken
	}
	l.mark()
	return markToken
}

func (l *scriptLexer) name() {
	l.at++
	for l.at < len(l.source) && isNameByte(l.source[l.at]) {
		l.at++
	}
}

func (l *scriptLexer) mark() {
	for _, each := range scriptMarks {
		if strings.HasPrefix(l.source[l.at:], each) {
			l.at += len(each)
			return
		}
	}
	l.at++
}

func (l *scriptLexer) number() {
	for l.at < len(l.source) {
		c := l.source[l.at]
		exponent := (c == '+' || c == '-') && strings.IndexByte("eE", l.source[l.at-1]) >= 0
		if !isNameByte(c) && c != '.' && !exponent {
			return
		}
		l.at++
	}
}

// quoted reads a text in quotes, which ends with its line.
func (l *scriptLexer) quoted(quote byte) string {
	l.at++
	var b strings.Builder
	for l.at < len(l.source) {
		c := l.source[l.at]
		switch {
		case c == quote:
			l.at++
			return b.String()
		case c == '\n':
			return b.String()
		case c == '\\' && l.at+1 < len(l.source):
			l.escape(&b)
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	return b.String()
}

// escape reads a backslash and what it stands before.
func (l *scriptLexer) escape(b *strings.Builder) {
	l.line += unescape(b, l.source[l.at+1])
	l.at += 2
}

// unescape writes what a backslash before a character stands for, and returns the number of line
// breaks that it joins. Both languages agree on it as far as the checks need.
func unescape(b *strings.Builder, c byte) (lines int) {
	switch c {
	case '\n':
		return 1
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	default:
		b.WriteByte(c)
	}
	return 0
}

// template reads a template, and the expressions in it.
func (l *scriptLexer) template() (text string, inside [][]token) {
	l.at++
	var b strings.Builder
	for l.at < len(l.source) {
		c := l.source[l.at]
		switch {
		case c == '`':
			l.at++
			return b.String(), inside
		case c == '\\' && l.at+1 < len(l.source):
			l.escape(&b)
		case strings.HasPrefix(l.source[l.at:], "${"):
			b.WriteByte(' ')
			inside = append(inside, l.expression())
		default:
			if c == '\n' {
				l.line++
			}

			b.WriteByte(c)
			l.at++
		}
	}

	return b.String(), inside
}

// expression reads what stands in ${ and }.
func (l *scriptLexer) expression() []token {
	inner := &scriptLexer{
		source: l.source,
		at:     l.at + 2,
		line:   l.line,
		depth:  l.depth + 1,
	}

	if l.depth > maxDepth/4 {
		l.at = len(l.source)
		return nil
	}

	inner.run(true)
	l.at = min(inner.at+1, len(l.source))
	l.line = inner.line
	l.comments = append(l.comments, inner.comments...)
	return inner.tokens
}

// patternMayBegin reports whether a slash is no division.
func (l *scriptLexer) patternMayBegin() bool {
	if len(l.tokens) == 0 {
		return true
	}

	last := l.tokens[len(l.tokens)-1]
	switch last.kind {
	case nameToken:
		return beforePattern[last.text]
	case markToken:
		return last.text != ")" && last.text != "]" && last.text != "}"
	}

	return false
}

// pattern reads a regular expression, and reports whether there is one.
func (l *scriptLexer) pattern() bool {
	class := false
	for i := l.at + 1; i < len(l.source); i++ {
		switch c := l.source[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.at = i + 1
			for l.at < len(l.source) && isNameByte(l.source[l.at]) {
				l.at++
			}
			return true
		}
	}

	return false
}
