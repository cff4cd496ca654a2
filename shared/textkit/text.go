// Package textkit reads plain English prose without a language model: blocks, sentences, words,
// clauses, their modality (is it done, demanded, planned, doubted?) and what is negated in them.
//
// A text is folded first: each code point becomes one ASCII byte, accents are dropped, quotes and
// dashes become straight. A place in the folded form is therefore a place in the text as it was
// sent, in Unicode code points, and [Text.Quote] needs no search.
package textkit

import (
	"unicode"
	"unicode/utf8"
)

// Span is a part of a text, [Start, End) in Unicode code points.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Len returns the number of code points of the span.
func (s Span) Len() int { return s.End - s.Start }

// Holds reports whether another span lies in this one.
func (s Span) Holds(other Span) bool { return s.Start <= other.Start && other.End <= s.End }

// Quote is a verbatim part of a text: text[Start:End] in code points is Quote.
type Quote struct {
	Quote string `json:"quote"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Text is a text as sent, beside its folded form.
type Text struct {
	Source string

	// Plain is the folded form: one ASCII byte for each code point of Source.
	Plain string

	// Lower is Plain in lower case.
	Lower string

	offsets []int32 // code point -> byte of Source
	lines   []int   // first code point of each line
}

// Bytes of the folded form that stand for characters outside ASCII.
const (
	// OtherLetter stands for a letter without a Latin base.
	OtherLetter byte = 0x7f

	// Symbol stands for pictures and signs.
	Symbol byte = 0x01

	// Tick stands for a check mark.
	Tick byte = 0x02

	// Cross stands for a cross that says no.
	Cross byte = 0x03

	// Bullet stands for the bullets of lists.
	Bullet byte = 0x04
)

// New reads a text. An invalid byte counts as one code point, as in a range loop.
func New(source string) *Text {
	t := &Text{Source: source}
	points := utf8.RuneCountInString(source)
	plain := make([]byte, 0, points)
	t.offsets = make([]int32, 0, points+1)
	t.lines = []int{0}

	for at, r := range source {
		t.offsets = append(t.offsets, int32(at))
		plain = append(plain, fold(r))
		if r == '\n' {
			t.lines = append(t.lines, len(plain))
		}
	}

	t.offsets = append(t.offsets, int32(len(source)))
	t.Plain = string(plain)
	t.Lower = lowered(plain)

	return t
}

func lowered(plain []byte) string {
	lower := make([]byte, len(plain))
	for i, b := range plain {
		if isUpper(b) {
			b += 'a' - 'A'
		}
		lower[i] = b
	}
	return string(lower)
}

// Points returns the number of code points.
func (t *Text) Points() int { return len(t.Plain) }

// All is the span of the whole text.
func (t *Text) All() Span { return Span{0, len(t.Plain)} }

// Of returns the folded form of a span.
func (t *Text) Of(s Span) string { return t.Plain[s.Start:s.End] }

// LowerOf returns the folded form of a span in lower case.
func (t *Text) LowerOf(s Span) string { return t.Lower[s.Start:s.End] }

// Verbatim returns what the source says in a span.
func (t *Text) Verbatim(s Span) string {
	return t.Source[t.offsets[s.Start]:t.offsets[s.End]]
}

// Quote returns what the source says in a span, without the white space around it.
func (t *Text) Quote(s Span) Quote {
	s = t.Trim(s)
	return Quote{
		Quote: t.Verbatim(s),
		Start: s.Start,
		End:   s.End,
	}
}

// Trim returns a span without white space at its ends.
func (t *Text) Trim(s Span) Span {
	for s.Start < s.End && isSpace(t.Plain[s.Start]) {
		s.Start++
	}

	for s.End > s.Start && isSpace(t.Plain[s.End-1]) {
		s.End--
	}
	return s
}

// Line returns the number of the line in which a place stands, counted from 1.
func (t *Text) Line(at int) int {
	low, high := 0, len(t.lines)
	for high-low > 1 {
		middle := (low + high) / 2
		if t.lines[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low + 1
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' }

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isLetter(b byte) bool { return isUpper(b) || isLower(b) || b == OtherLetter }

// fold returns the ASCII byte that stands for a character.
func fold(r rune) byte {
	switch {
	case r == '\n':
		return '\n'
	case r < ' ' || r == 0x7f:
		return ' '
	case r < utf8.RuneSelf:
		return byte(r)
	case unicode.IsSpace(r) || isInvisible(r):
		return ' '
	}

	if b, ok := signs[r]; ok {
		return b
	}
	if b, ok := latin(r); ok {
		return b
	}

	if unicode.IsLetter(r) {
		return OtherLetter
	}
	if unicode.IsDigit(r) {
		return '0'
	}
	return Symbol
}

// isInvisible reports zero-width and joining characters.
func isInvisible(r rune) bool {
	return 0x200b <= r && r <= 0x200f || r == 0x2060 || r == 0xfeff || r == 0xad || r == 0xfe0f
}

// signs are punctuation and marks with a plain form.
var signs = map[rune]byte{
	'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '′': '\'', '´': '\'',
	'“': '"', '”': '"', '„': '"', '‟': '"', '″': '"', '«': '"', '»': '"',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-',
	'…': '.', '→': '>', '⇒': '>', '／': '/', '：': ':', '；': ';', '，': ',', '。': '.',
	'•': Bullet, '▪': Bullet, '◦': Bullet, '‣': Bullet, '·': Bullet, '●': Bullet, '○': Bullet, '■': Bullet, '□': Bullet,
	'✅': Tick, '✓': Tick, '✔': Tick, '☑': Tick, '🟢': Tick, '👍': Tick,
	'❌': Cross, '✗': Cross, '✘': Cross, '✖': Cross, '☒': Cross, '🚫': Cross, '🔴': Cross, '👎': Cross,
}

// bases are the Latin letters from U+00C0 to U+017F without their accents.
const bases = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty" +
	"AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs"

func latin(r rune) (byte, bool) {
	if r < 0xc0 || int(r-0xc0) >= len(bases) {
		return 0, false
	}
	return bases[r-0xc0], true
}
