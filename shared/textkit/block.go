package textkit

import "strings"

// Kind is what a block of a text is.
type Kind int

// The kinds of blocks.
const (
	Prose   Kind = iota
	Heading      // a title: # Title
	Item         // an item of a list
	Row          // a row of a table
	Code         // a line between fences
)

// Block is a run of lines that belong together: one paragraph of prose, one item, one row.
type Block struct {
	Span
	Kind Kind

	// Paragraph counts the groups between empty lines, from 0. A list without empty
	// lines is one group.
	Paragraph int

	// Indent is the number of spaces before the first line.
	Indent int
}

// Blocks returns the blocks in order. Markers of items and headings are left out of their spans.
func (t *Text) Blocks() []Block {
	r := blockReader{text: t}
	for i, start := range t.lines {
		end := len(t.Plain)
		if i+1 < len(t.lines) {
			end = t.lines[i+1] - 1
		}
		r.line(Span{start, end})
	}
	return r.blocks
}

type blockReader struct {
	text      *Text
	blocks    []Block
	paragraph int
	broken    bool // an empty line stands before the next one
	fenced    bool
	last      Span // the line before
}

func (r *blockReader) line(s Span) {
	t := r.text
	indent := indentOf(t.Of(s))
	s = t.Trim(s)
	if s.Len() == 0 {
		r.broken = true
		return
	}

	if r.broken && len(r.blocks) > 0 {
		r.paragraph++
	}
	starts := r.broken || len(r.blocks) == 0
	r.broken = false
	if isFence(t.Of(s)) {
		r.fenced = !r.fenced
		return
	}

	kind, marker := kindOf(t.Of(s))
	if r.fenced {
		kind, marker = Code, 0
	}
	if !starts && kind == Prose && r.continues(s) {
		r.blocks[len(r.blocks)-1].End = s.End
		r.last = s
		return
	}

	r.last = s
	s.Start += marker
	r.blocks = append(r.blocks, Block{
		Span:      t.Trim(s),
		Kind:      kind,
		Paragraph: r.paragraph,
		Indent:    indent,
	})
}

func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " "))
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// shortLine is below what an editor wraps, in characters.
const shortLine = 50

// continues reports whether a line of prose goes on with what the line before began. A short line
// that ends a sentence, and a line that names a speaker or a field, start something new.
func (r *blockReader) continues(s Span) bool {
	before := r.blocks[len(r.blocks)-1]
	if before.Kind != Prose && before.Kind != Item {
		return false
	}

	line := r.text.Of(s)
	if hasLabel(line) {
		return false
	}

	ended := strings.IndexByte(".?!:;", r.text.Plain[r.last.End-1]) >= 0
	opens := isUpper(line[0]) || isDigit(line[0]) || line[0] == '"'
	short := r.last.Len() < shortLine

	return !short || !opens && !ended
}

// hasLabel reports whether a line starts with a short name and a colon: "Q: ", "Memory policy: ".
func hasLabel(line string) bool {
	label, rest, found := strings.Cut(line, ":")
	if !found || rest != "" && rest[0] != ' ' {
		return false
	}
	return len(label) <= 32 && strings.Count(label, " ") <= 3 && isLetter(line[0])
}

// kindOf tells what a line is and how long its marker is.
func kindOf(line string) (Kind, int) {
	if level := len(line) - len(strings.TrimLeft(line, "#")); 0 < level && level <= 6 && strings.HasPrefix(line[level:], " ") {
		return Heading, level
	}

	if line[0] == '|' {
		return Row, 0
	}
	if line[0] == '>' {
		return Prose, 1
	}

	if n := itemMarker(line); n > 0 {
		return Item, n
	}
	return Prose, 0
}

// itemMarker returns the length of the marker of an item: "- ", "3. ", "(b) ", "[x] ", a bullet.
func itemMarker(line string) int {
	switch line[0] {
	case Bullet, Symbol, Tick:
		return 1
	case '-', '*', '+':
		return dashMarker(line)
	}
	return numberMarker(line)
}

// numberMarker returns the length of "3. ", "12) ", "(b) " or "b) ".
func numberMarker(line string) int {
	from := len(line) - len(strings.TrimPrefix(line, "("))
	body := strings.TrimLeft(line[from:], "0123456789")
	digits := len(line) - from - len(body)

	if digits == 0 && body != "" && isLetter(body[0]) {
		body = body[1:]
	}
	number := line[from : len(line)-len(body)]
	if number == "" || len(number) > 3 {
		return 0
	}

	closed := strings.HasPrefix(body, ") ") || digits > 0 && strings.HasPrefix(body, ". ")
	if !closed {
		return 0
	}
	return len(line) - len(body) + 1
}

func dashMarker(line string) int {
	if len(line) < 2 || line[1] != ' ' {
		return 0
	}

	rest := line[2:]
	if strings.HasPrefix(rest, "[ ] ") {
		return 2 // an open box is part of what the item says
	}
	if len(rest) > 3 && rest[0] == '[' && rest[2] == ']' {
		return 5
	}
	return 1
}
