package audit

import (
	"unicode/utf8"
)

// prefixParts are the values before the prev_hash member; actor without its
// quotes but with its escapes.
type prefixParts struct {
	actor, event, id, payload []byte
}

// checkPrefix reports whether the first n bytes of a line, those before its
// prev_hash member, are spelled exactly as the format demands, and returns their
// parts. It allocates nothing.
func checkPrefix(line []byte, n int) (p prefixParts, ok bool) {
	c := checker{b: line}
	if !c.literal(actorMember) {
		return p, false
	}

	p.actor, _, ok = c.text()
	if !ok || len(p.actor) == 0 {
		return p, false
	}

	if len(p.actor) > maxActor { // perhaps only because of its escapes
		if s, err := unquote(p.actor); err != nil || len(s) > maxActor {
			return p, false
		}
	}

	if p.event, ok = c.token(eventMember); !ok {
		return p, false
	}
	if p.id, ok = c.token(idMember); !ok {
		return p, false
	}
	if !c.literal(payloadMember) {
		return p, false
	}

	begin := c.i
	if c.next() != '{' || !c.object(0) || c.i != n {
		return p, false
	}

	p.payload = line[begin:n:n]
	return p, true
}

// checker walks over text and accepts only canonical JSON of the profile.
type checker struct {
	b []byte
	i int
}

func (c *checker) literal(s string) bool {
	if len(c.b)-c.i < len(s) || string(c.b[c.i:c.i+len(s)]) != s {
		return false
	}
	c.i += len(s)
	return true
}

// token accepts a member whose value is an id or event.
func (c *checker) token(member string) (text []byte, ok bool) {
	if !c.literal(member) || c.next() != '"' {
		return nil, false
	}
	begin := c.i + 1
	i := begin
	for i < len(c.b) && tokenByte[c.b[i]] {
		i++
	}

	c.i = i + 1
	return c.b[begin:i], i > begin &&
		i-begin <= maxToken &&
		i < len(c.b) &&
		c.b[i] == '"'
}

// next returns the byte at the current place, 0 at the end.
func (c *checker) next() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

func (c *checker) value(depth int) bool {
	switch b := c.next(); b {
	case '"':
		_, _, ok := c.text()
		return ok
	case '{':
		return c.object(depth)
	case '[':
		return c.array(depth)
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	default:
		return c.integer()
	}
}

// object accepts an object; the current byte is its brace.
func (c *checker) object(depth int) bool {
	if depth == maxDepth {
		return false
	}
	c.i++

	if c.next() == '}' {
		c.i++
		return true
	}

	var last []byte
	var lastKind textKind
	for first := true; ; first = false {
		key, kind, ok := c.text()
		if !ok ||
			kind&beyondASCII != 0 ||
			!first && !keyLess(last, key, lastKind|kind) ||
			c.next() != ':' {
			return false
		}

		c.i++
		if !c.value(depth + 1) {
			return false
		}

		last = key
		lastKind = kind
		switch c.next() {
		case ',':
			c.i++
		case '}':
			c.i++
			return true
		default:
			return false
		}
	}
}

// array accepts an array; the current byte is its bracket.
func (c *checker) array(depth int) bool {
	if depth == maxDepth {
		return false
	}
	c.i++

	if c.next() == ']' {
		c.i++
		return true
	}

	for c.value(depth + 1) {
		switch c.next() {
		case ',':
			c.i++
		case ']':
			c.i++
			return true
		default:
			return false
		}
	}

	return false
}

// integer accepts -?[1-9][0-9]* or 0, within ±(2^53−1).
func (c *checker) integer() bool {
	negative := c.next() == '-'
	if negative {
		c.i++
	}

	begin := c.i
	n := uint64(0)
	for d := c.next() - '0'; d <= 9 && c.i-begin <= maxSeqDigits; d = c.next() - '0' {
		n = n*10 + uint64(d)
		c.i++
	}

	digits := c.i - begin
	if digits == 0 || digits > maxSeqDigits || n > maxInteger {
		return false
	}
	if c.b[begin] == '0' {
		return digits == 1 && !negative
	}
	return true
}

// textKind says what a string contains besides plain ASCII.
type textKind uint8

const (
	escapes textKind = 1 << iota
	beyondASCII
)

// text accepts a string and returns its inside, escapes as written.
func (c *checker) text() (inside []byte, kind textKind, ok bool) {
	if c.next() != '"' {
		return nil, 0, false
	}
	c.i++
	begin := c.i
	for {
		c.i += plainPrefix(c.b[c.i:])
		switch b := c.next(); {
		case b == '"':
			c.i++
			return c.b[begin : c.i-1], kind, true
		case b == '\\':
			kind |= escapes
			if !c.escape() {
				return nil, 0, false
			}
		case b < 0x20:
			return nil, 0, false
		default:
			kind |= beyondASCII
			r, size := utf8.DecodeRune(c.b[c.i:])
			if r == utf8.RuneError && size == 1 {
				return nil, 0, false
			}
			c.i += size
		}
	}
}

// escape accepts an escape if it is the one that appendEscape writes.
func (c *checker) escape() bool {
	var want [6]byte
	for _, char := range []byte("\"\\\b\t\n\f\r") {
		if c.literal(string(appendEscape(want[:0], char))) {
			return true
		}
	}

	rest := c.b[c.i:]
	if len(rest) < 6 || string(rest[:4]) != `\u00` {
		return false
	}

	high := rest[4] - '0'
	low := rest[5]
	if low-'0' <= 9 {
		low -= '0'
	} else {
		low -= 'a' - 10
	}

	if high > 1 || low > 15 {
		return false
	}
	return c.literal(string(appendEscape(want[:0], high<<4|low)))
}

// keyLess compares two keys as written, of the given kinds, by what they mean.
func keyLess(a, b []byte, kind textKind) bool {
	if kind&escapes == 0 {
		return string(a) < string(b)
	}
	x, errX := unquote(a)
	y, errY := unquote(b)
	return errX == nil && errY == nil && x < y
}
