// Package text reads a document: its plain form, its sentences and its sections.
//
// Everything is found in the plain form, where white space is collapsed and quotes and dashes
// are straight. A [Quote] leads back to the text as it was sent, in Unicode code points.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a document as sent, beside its plain form.
type Text struct {
	Source string

	// Plain has straight quotes and dashes and no runs of white space. A line break in it
	// ends a paragraph.
	Plain string

	// Lower is Plain with the letters A to Z in lower case; offsets agree.
	Lower string

	origin []int32 // byte of Plain -> first byte of its character in Source
	points []int32 // byte of Source -> code points before it
}

// Span is a part of Plain, in bytes.
type Span struct {
	Start, End int
}

// Len returns the number of bytes of the span.
func (s Span) Len() int { return s.End - s.Start }

// Quote is a verbatim part of the source: Source[Start:End] in code points is Quote.
type Quote struct {
	Quote string `json:"quote"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// New reads a source, which is valid UTF-8.
func New(source string) *Text {
	t := &Text{Source: source}
	t.countPoints()
	t.straighten()
	t.Lower = lowerASCII(t.Plain)

	return t
}

// Of returns the text of a span in the plain form.
func (t *Text) Of(s Span) string { return t.Plain[s.Start:s.End] }

// LowerOf returns the text of a span in lower case.
func (t *Text) LowerOf(s Span) string { return t.Lower[s.Start:s.End] }

// All is the span of the whole text.
func (t *Text) All() Span { return Span{0, len(t.Plain)} }

// Points returns the number of code points of the source.
func (t *Text) Points() int { return int(t.points[len(t.Source)]) }

// Quote returns what the source says in a span, without the white space around it.
func (t *Text) Quote(s Span) Quote {
	s = t.Trim(s)
	if s.Len() == 0 {
		return Quote{}
	}

	start := int(t.origin[s.Start])
	last := int(t.origin[s.End-1])
	_, size := utf8.DecodeRuneInString(t.Source[last:])
	end := last + size

	return Quote{
		Quote: t.Source[start:end],
		Start: int(t.points[start]),
		End:   int(t.points[end]),
	}
}

// Trim returns a span without white space at its ends.
func (t *Text) Trim(s Span) Span {
	for s.Start < s.End && isPlainSpace(t.Plain[s.Start]) {
		s.Start++
	}

	for s.End > s.Start && isPlainSpace(t.Plain[s.End-1]) {
		s.End--
	}
	return s
}

func isPlainSpace(b byte) bool { return b == ' ' || b == '\n' }

func (t *Text) countPoints() {
	t.points = make([]int32, len(t.Source)+1)
	n := int32(-1)

	for i := range len(t.Source) {
		if utf8.RuneStart(t.Source[i]) {
			n++
		}
		t.points[i] = n
	}

	t.points[len(t.Source)] = n + 1
}

// straighten fills Plain and origin.
func (t *Text) straighten() {
	var plain strings.Builder
	plain.Grow(len(t.Source))
	write := func(s string, from int) {
		plain.WriteString(s)
		for range len(s) {
			t.origin = append(t.origin, int32(from))
		}
	}

	for at := 0; at < len(t.Source); {
		r, size := utf8.DecodeRuneInString(t.Source[at:])
		if !isSpace(r) {
			write(straight(r, t.Source[at:at+size]), at)
			at += size
			continue
		}
		end := endOfSpace(t.Source, at)
		mark := " "
		if endsParagraph(t.Source[at:end], t.Source[end:]) {
			mark = "\n"
		}
		write(mark, at)
		at = end
	}

	t.Plain = plain.String()
}

// isSpace reports whether a character separates words. The zero-width ones count, too.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' || r == 0
}

func endOfSpace(source string, at int) int {
	for at < len(source) {
		r, size := utf8.DecodeRuneInString(source[at:])
		if !isSpace(r) {
			break
		}
		at += size
	}
	return at
}

// straight returns the plain form of a character.
func straight(r rune, as string) string {
	switch r {
	case '\u2018', '\u2019', '\u201a', '\u201b', '\u2032', '`':
		return "'"
	case '\u201c', '\u201d', '\u201e', '\u201f', '\u2033', '\u00ab', '\u00bb':
		return `"`
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return "-"
	}
	return as
}

// endsParagraph reports whether white space between two words ends a paragraph: an empty line
// does, and a line break before a number, a letter in brackets or a bullet.
func endsParagraph(space, rest string) bool {
	switch strings.Count(space, "\n") + strings.Count(space, "\f") {
	case 0:
		return false
	case 1:
		return startsItem(rest)
	}
	return true
}

func lowerASCII(s string) string {
	lower := []byte(s)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}
