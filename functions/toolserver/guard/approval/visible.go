package approval

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// Marks around a text that is shown from right to left, so that it moves nothing beside it
// (UAX 9: FSI and PDI).
const (
	isolate    = '\u2068'
	endIsolate = '\u2069'
)

// mostBlanks may follow each other before they are counted: more could move what follows out
// of sight.
const mostBlanks = 16

// Visible is a command or the name of a file as a person must see it before deciding: every
// character that shows nothing, looks like another kind of blank or changes the order of what
// is beside it stands as ⟨U+202E⟩. Ends of lines and tabs stay.
func Visible(text string) string { return visible(text, true) }

// Prose is a sentence as a person may read it. Letters that are written from right to left
// stay, in isolation.
func Prose(text string) string {
	shown := visible(text, false)
	if strings.ContainsFunc(shown, rightToLeft) {
		return string(isolate) + shown + string(endIsolate)
	}
	return shown
}

func visible(text string, strict bool) string {
	var b strings.Builder
	blanks := 0
	for i, c := range text {
		if c == ' ' {
			blanks++
			continue
		}

		writeBlanks(&b, blanks)
		blanks = 0

		switch {
		case c == unicode.ReplacementChar &&
			!strings.HasPrefix(text[i:], string(unicode.ReplacementChar)):
			fmt.Fprintf(&b, "⟨byte %02X⟩", text[i])
		case c == '\n' || c == '\t':
			b.WriteRune(c)
		case deceives(c), strict && rightToLeft(c):
			fmt.Fprintf(&b, "⟨U+%04X⟩", c)
		default:
			b.WriteRune(c)
		}
	}

	writeBlanks(&b, blanks)
	return b.String()
}

func writeBlanks(b *strings.Builder, n int) {
	if n > mostBlanks {
		fmt.Fprintf(b, " ⟨%d blanks⟩ ", n)
		return
	}
	b.WriteString(strings.Repeat(" ", n))
}

// fillers are letters and marks that show nothing, and the brackets of our own notation.
const fillers = "\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0⟨⟩"

// deceives reports whether a character shows nothing, or something else than what it is.
func deceives(c rune) bool {
	return !unicode.IsPrint(c) || // controls, formats, separators, and unassigned code points
		unicode.Is(unicode.Variation_Selector, c) ||
		strings.ContainsRune(fillers, c)
}

func rightToLeft(c rune) bool {
	properties, _ := bidi.LookupRune(c)
	switch properties.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return true
	}
	return false
}
