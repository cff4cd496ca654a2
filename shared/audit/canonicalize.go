package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// canonicalize appends the canonical spelling of a JSON text inside depth arrays
// and objects. It sorts keys and respells strings; it refuses what
// has no spelling in the profile.
func canonicalize(dst, text []byte, depth int) ([]byte, error) {
	if !json.Valid(text) {
		return nil, fmt.Errorf("payload: raw message is not JSON: %w", ErrProfile)
	}
	if !utf8.Valid(text) {
		return nil, errText
	}
	r := rewriter{src: text}
	return r.value(dst, depth)
}

// canonicalizeMarshalled is canonicalize for the output of encoding/json. That
// package replaces bytes that are not UTF-8 by the escape \ufffd, which it writes
// for no other reason: a text with this escape was repaired, and is refused.
func canonicalizeMarshalled(dst, text []byte, depth int) ([]byte, error) {
	for rest := text; ; {
		i := bytes.Index(rest, []byte(`\ufffd`))
		if i < 0 {
			return canonicalize(dst, text, depth)
		}

		slashes := 0
		for slashes < i && rest[i-1-slashes] == '\\' {
			slashes++
		}

		if slashes%2 == 0 {
			return nil, errText
		}
		rest = rest[i+1:]
	}
}

// rewriter reads a text that is valid JSON and valid UTF-8.
type rewriter struct {
	src []byte
	i   int
}

// peek returns the next byte that is not white space.
func (r *rewriter) peek() byte {
	for {
		switch c := r.src[r.i]; c {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return c
		}
	}
}

func (r *rewriter) value(dst []byte, depth int) ([]byte, error) {
	switch c := r.peek(); c {
	case '{':
		return r.object(dst, depth)
	case '[':
		return r.array(dst, depth)
	case '"':
		s, err := r.text()
		if err != nil {
			return nil, err
		}
		return appendText(dst, s), nil
	case 't', 'f', 'n':
		begin := r.i
		for r.i < len(r.src) && r.src[r.i] >= 'a' && r.src[r.i] <= 'z' {
			r.i++
		}
		return append(dst, r.src[begin:r.i]...), nil
	default:
		return r.number(dst)
	}
}

func (r *rewriter) object(dst []byte, depth int) ([]byte, error) {
	if depth == maxDepth {
		return nil, errDepth
	}
	type member struct {
		key   string
		value []byte
	}

	var members []member
	for r.i++; r.peek() != '}'; {
		if r.peek() == ',' {
			r.i++
			r.peek()
		}

		key, err := r.text()
		if err != nil {
			return nil, err
		}
		if !isASCII(key) {
			return nil, errKey
		}

		r.peek()
		r.i++ // the colon
		value, err := r.value(nil, depth+1)
		if err != nil {
			return nil, err
		}

		members = append(members, member{key, value})
	}

	r.i++
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Compare(a.key, b.key)
	})
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			if m.key == members[i-1].key {
				return nil, fmt.Errorf("payload: duplicate key: %w", ErrProfile)
			}
			dst = append(dst, ',')
		}

		dst = append(append(appendText(dst, m.key), ':'), m.value...)
	}

	return append(dst, '}'), nil
}

func (r *rewriter) array(dst []byte, depth int) ([]byte, error) {
	if depth == maxDepth {
		return nil, errDepth
	}
	dst = append(dst, '[')
	for r.i++; r.peek() != ']'; {
		if r.peek() == ',' {
			r.i++
			dst = append(dst, ',')
		}

		var err error
		if dst, err = r.value(dst, depth+1); err != nil {
			return nil, err
		}
	}

	r.i++
	return append(dst, ']'), nil
}

// number accepts only a text that is an integer: not 1.0, not 1e2.
func (r *rewriter) number(dst []byte) ([]byte, error) {
	begin := r.i
	for r.i < len(r.src) && isNumberByte(r.src[r.i]) {
		r.i++
	}

	text := string(r.src[begin:r.i])
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text == "-0" {
		return nil, errInteger
	}
	return appendInteger(dst, n)
}

func isNumberByte(b byte) bool {
	return strings.IndexByte("+-.0123456789Ee", b) >= 0
}

// text reads a string and returns what it means.
func (r *rewriter) text() (string, error) {
	begin := r.i
	for r.i++; r.src[r.i] != '"'; r.i++ {
		if r.src[r.i] == '\\' {
			r.i++
		}
	}

	r.i++
	return unquote(r.src[begin+1 : r.i-1])
}

// unquote returns the meaning of the inside of a valid JSON string. Half a
// surrogate pair has no meaning and is refused.
func unquote(b []byte) (string, error) {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b), nil
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}

		i++
		if at := bytes.IndexByte([]byte(`"\/bfnrt`), b[i]); at >= 0 {
			out = append(out, "\"\\/\b\f\n\r\t"[at])
			continue
		}

		c := codeUnit(b[i+1:])
		i += 4
		if utf16.IsSurrogate(c) {
			if len(b)-i < 7 || b[i+1] != '\\' || b[i+2] != 'u' {
				return "", errText
			}

			c = utf16.DecodeRune(c, codeUnit(b[i+3:]))
			if c == utf8.RuneError {
				return "", errText
			}
			i += 6
		}

		out = utf8.AppendRune(out, c)
	}

	return string(out), nil
}

// codeUnit reads the four digits of a \u escape.
func codeUnit(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}
