package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a paragraph, an item of a list with its further lines, a heading or a row of a table.
type block struct {
	text    string // of the same length as the part of the source, marks as spaces
	start   int
	kind    blockKind
	under   []string
	leadIn  string
	negated bool
}

type blockKind int

const (
	paragraph blockKind = iota
	item
	row
)

// blockReader reads the lines of Markdown or plain text.
type blockReader struct {
	blocks   []block
	headings []heading
	tags     []string
	leads    []lead
	fence    string // the marks that close the fence; empty outside
	comment  bool   // inside <!-- -->
	open     bool   // the last block may go on
	rows     int    // rows of the table so far
	width    int    // length of the last line of text
}

// heading is an open heading.
type heading struct {
	level int
	text  string
}

// lead is a line that introduces a list, and how far it is indented.
type lead struct {
	indent int
	text   string
}

// readBlocks reads text from a byte on.
func readBlocks(text string, from int) []block {
	r := &blockReader{}
	at := from

	for line := range strings.Lines(text[from:]) {
		r.line(strings.TrimRight(line, "\r\n"), at)
		at += len(line)
	}

	return r.blocks
}

// line reads a line that begins at a byte of the source.
func (r *blockReader) line(line string, at int) {
	trimmed := strings.TrimSpace(line)
	indent := indentOf(line)

	switch {
	case r.inFence(trimmed), r.inComment(trimmed):
		r.open = false

	case trimmed == "" || isRule(trimmed):
		r.open = false
		r.rows = 0

	case r.readTag(trimmed), r.readHeading(trimmed):
		r.open = false
		r.leads = nil

	case strings.HasPrefix(trimmed, ">"):
		r.line(strings.Replace(line, ">", " ", 1), at)

	case strings.HasPrefix(trimmed, "|"):
		r.readRow(line, at)

	default:
		r.readText(line, trimmed, indent, at)
	}
}

func (r *blockReader) inFence(trimmed string) bool {
	if r.fence != "" {
		if strings.HasPrefix(trimmed, r.fence) && strings.Trim(trimmed, r.fence[:1]) == "" {
			r.fence = ""
		}
		return true
	}

	for _, marks := range []string{"```", "~~~"} {
		if strings.HasPrefix(trimmed, marks) {
			r.fence = marks
			return true
		}
	}
	return false
}

func (r *blockReader) inComment(trimmed string) bool {
	if !r.comment && !strings.HasPrefix(trimmed, "<!--") {
		return false
	}
	r.comment = !strings.Contains(trimmed, "-->")
	return true
}

// isRule reports whether a line is a rule or underlines a heading.
func isRule(trimmed string) bool {
	return len(trimmed) >= 3 && strings.Trim(trimmed, "-=*_ ") == ""
}

// readTag reads a line that is an opening or a closing tag, as prompts use them for parts.
func (r *blockReader) readTag(trimmed string) bool {
	if len(trimmed) < 3 || trimmed[0] != '<' || trimmed[len(trimmed)-1] != '>' {
		return false
	}

	name := strings.Trim(trimmed, "<>/ ")
	name, _, _ = strings.Cut(name, " ")
	if strings.ContainsAny(name, "<>") {
		return false
	}

	if trimmed[1] == '/' {
		r.closeTag(name)
		return true
	}
	if !strings.HasSuffix(trimmed, "/>") {
		r.tags = append(r.tags, name)
		r.headings = nil
	}
	return true
}

func (r *blockReader) closeTag(name string) {
	for i := len(r.tags) - 1; i >= 0; i-- {
		if r.tags[i] == name {
			r.tags = r.tags[:i]
			return
		}
	}
}

// readHeading reads a heading: marked with #, a line in bold, or a short line in capitals.
func (r *blockReader) readHeading(trimmed string) bool {
	level, text := headingOf(trimmed)
	if level == 0 {
		return false
	}

	for len(r.headings) > 0 && r.headings[len(r.headings)-1].level >= level {
		r.headings = r.headings[:len(r.headings)-1]
	}
	r.headings = append(r.headings, heading{level, text})
	return true
}

// Levels of headings that are not marked with #.
const (
	capitalsLevel = 6
	boldLevel     = 7
)

func headingOf(trimmed string) (level int, text string) {
	marks := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	if marks > 0 && marks <= 6 && strings.HasPrefix(trimmed[marks:], " ") {
		return marks, strings.Trim(trimmed[marks:], "# *")
	}
	if inner, ok := boldLine(trimmed); ok {
		return boldLevel, strings.TrimSuffix(inner, ":")
	}
	if isCapitals(trimmed) {
		return capitalsLevel, strings.TrimSuffix(trimmed, ":")
	}
	return 0, ""
}

// longestBold is the length from which a line in bold is a sentence and no title.
const longestBold = 60

// boldLine returns the text of a line that is in bold as a whole.
func boldLine(line string) (string, bool) {
	inner, opened := strings.CutPrefix(line, "**")
	inner, closed := strings.CutSuffix(strings.TrimSuffix(inner, ":"), "**")
	if !opened || !closed || strings.Contains(inner, "**") {
		return "", false
	}
	return inner, !endsSentence(inner) && len(inner) < longestBold
}

func endsSentence(text string) bool { return strings.HasSuffix(text, ".") }

// isCapitals reports whether a line is a short title in capitals, such as "ROOM REQUESTS".
func isCapitals(line string) bool {
	letters := 0
	for _, r := range line {
		if unicode.IsLower(r) || strings.ContainsRune(".!?;,`|", r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	words := len(strings.Fields(line))
	return letters >= 3 && words <= 5 && !isItemStart(line)
}

// under returns the headings and tags above.
func (r *blockReader) under() []string {
	names := make([]string, 0, len(r.tags)+len(r.headings))
	names = append(names, r.tags...)
	for _, h := range r.headings {
		names = append(names, h.text)
	}
	return names
}

// readRow reads a row of a table. The first row names the columns.
func (r *blockReader) readRow(line string, at int) {
	r.open = false
	r.rows++
	if r.rows == 1 || strings.Trim(line, " \t|-:") == "" {
		return
	}

	r.blocks = append(r.blocks, block{
		text:    rowText(line),
		start:   at,
		kind:    row,
		under:   r.under(),
		negated: r.negative(),
	})
}

// rowText replaces the marks of a row by spaces and the first one between cells by a colon.
func rowText(line string) string {
	text := []byte(line)
	marks := 0
	for i, b := range text {
		if b != '|' {
			continue
		}
		marks++
		text[i] = ' '
		if marks == 2 {
			text[i] = ':'
		}
	}
	return strings.TrimRight(string(text), " :")
}

// readText reads a line of a paragraph or of an item.
func (r *blockReader) readText(line, trimmed string, indent, at int) {
	if body := itemBody(line); body > 0 {
		r.startItem(line, body, indent, at)
		r.width = len(line)
		return
	}

	goesOn := r.open && r.continues(trimmed)
	r.width = len(line)

	if goesOn {
		last := &r.blocks[len(r.blocks)-1]
		gap := at - (last.start + len(last.text))
		last.text += strings.Repeat(" ", gap) + line
		r.lead(last.text, indent)
		return
	}

	if indent == 0 {
		r.leads = nil
	}
	r.add(block{text: line, start: at, kind: paragraph})
	r.lead(line, indent)
}

func (r *blockReader) startItem(line string, body, indent, at int) {
	for len(r.leads) > 0 && r.leads[len(r.leads)-1].indent > indent {
		r.leads = r.leads[:len(r.leads)-1]
	}

	r.add(block{text: line[body:], start: at + body, kind: item})
	r.lead(line[body:], indent+1)
}

// lead remembers a line that ends with a colon: it introduces the list below.
func (r *blockReader) lead(text string, indent int) {
	text = strings.TrimRight(text, " *_")
	if strings.HasSuffix(text, ":") {
		r.leads = append(r.leads, lead{indent, strings.TrimSuffix(text, ":")})
	}
}

func (r *blockReader) add(b block) {
	b.under = r.under()
	if len(r.leads) > 0 {
		b.leadIn = r.leads[len(r.leads)-1].text
	}
	b.negated = r.negative()
	r.blocks = append(r.blocks, b)
	r.open = true
	r.rows = 0
}

// longLine is a length from which a line was probably broken by an editor.
const longLine = 65

// continues reports whether a line goes on with the last block.
func (r *blockReader) continues(trimmed string) bool {
	last := strings.TrimSpace(r.blocks[len(r.blocks)-1].text)
	final, _ := utf8.DecodeLastRuneInString(last)
	if strings.ContainsRune(":", final) {
		return false
	}

	first, _ := utf8.DecodeRuneInString(trimmed)
	if unicode.IsLower(first) {
		return true
	}

	return r.width >= longLine && !strings.ContainsRune(".!?", final)
}

// negative reports whether what stands here must not be done, by its heading or its lead-in.
func (r *blockReader) negative() bool {
	if len(r.leads) > 0 {
		return IsProhibitive(r.leads[len(r.leads)-1].text)
	}
	if len(r.headings) > 0 {
		return IsProhibitive(r.headings[len(r.headings)-1].text)
	}
	return len(r.tags) > 0 && IsProhibitive(r.tags[len(r.tags)-1])
}

func indentOf(line string) int {
	width := 0
	for _, r := range line {
		switch r {
		case ' ':
			width++
		case '\t':
			width += 4
		default:
			return width
		}
	}
	return width
}

// itemBody returns the byte at which the text of an item begins; 0 if the line is no item.
func itemBody(line string) int {
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	rest := line[start:]
	if !isItemStart(rest) {
		return 0
	}

	mark := strings.IndexAny(rest, " \t")
	body := start + mark
	for body < len(line) && (line[body] == ' ' || line[body] == '\t') {
		body++
	}
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if strings.HasPrefix(line[body:], box) {
			body += len(box)
		}
	}
	return body
}

func isItemStart(text string) bool {
	mark, _, ok := strings.Cut(text, " ")
	if !ok {
		return false
	}

	switch mark {
	case "-", "*", "+", "•", "–", "—", "◦", "▪", "·", "→":
		return true
	}

	number := strings.TrimRight(strings.TrimLeft(mark, "("), ".)")
	return number != mark && isItemNumber(number)
}

// isItemNumber reports whether text numbers an item: "1", "2.3", "a".
func isItemNumber(text string) bool {
	if text == "" || len(text) > 4 {
		return false
	}
	if strings.Trim(text, "0123456789.") == "" {
		return true
	}
	return len(text) == 1 && text[0] >= 'a' && text[0] <= 'z'
}
