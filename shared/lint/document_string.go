package lint

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string of the document. One without escapes is a piece of the document itself.
func (p *parser) string() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.doc) {
		switch c := p.doc[p.pos]; {
		case c == '"':
			s := p.doc[start:p.pos]
			p.pos++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", p.fail("a line break or control character inside a string")
		}

		p.pos++
	}

	return "", p.fail("")
}

// escaped finishes a string from its first backslash on.
func (p *parser) escaped(start int) (string, error) {
	out := append([]byte(nil), p.doc[start:p.pos]...)
	for p.pos < len(p.doc) {
		c := p.doc[p.pos]
		switch {
		case c == '"':
			p.pos++
			return string(out), nil
		case c < ' ':
			return "", p.fail("a line break or control character inside a string")
		case c != '\\':
			out = append(out, c)
			p.pos++
			continue
		}

		r, err := p.escape()
		if err != nil {
			return "", err
		}

		out = utf8.AppendRune(out, r)
	}

	return "", p.fail("")
}

func (p *parser) escape() (rune, error) {
	p.pos++
	if p.pos >= len(p.doc) {
		return 0, p.fail("")
	}

	c := p.doc[p.pos]
	if c == 'u' {
		r, ok := p.hex()
		if !ok {
			return 0, p.fail(`a malformed \u escape`)
		}

		if utf16.IsSurrogate(r) &&
			p.pos+1 < len(p.doc) &&
			p.doc[p.pos] == '\\' &&
			p.doc[p.pos+1] == 'u' {
			back := p.pos
			p.pos++
			low, ok := p.hex()
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				return pair, nil
			}
			p.pos = back
		}

		return r, nil // utf8.AppendRune turns half a surrogate pair into U+FFFD
	}

	at := strings.IndexByte(`"\/bfnrt`, c)
	if at < 0 {
		return 0, p.fail(`an unknown escape in a string (write \\ for a backslash, also in Windows paths)`)
	}

	p.pos++
	return rune("\"\\/\b\f\n\r\t"[at]), nil
}

// hex reads the four digits after \u; the position is on the u.
func (p *parser) hex() (rune, bool) {
	if p.pos+5 > len(p.doc) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.doc[p.pos+1 : p.pos+5]) {
		at := strings.IndexByte("0123456789abcdef", c|0x20)
		if at < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(at)
	}

	p.pos += 5
	return r, true
}
