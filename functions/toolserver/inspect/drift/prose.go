package drift

import (
	"regexp"
	"strings"
)

// line is a line of a document as a person reads it.
type line struct {
	number int
	start  int // of its first byte in the file
	text   string
	header []string // of the table that the line is a row of
}

// cells are the columns of a row of a table, with their places in the line.
type cell struct {
	start int
	text  string
}

// readLines are the lines of a document that state something: without comments, and without
// fences that show what a program prints or what something else looks like.
func readLines(text string) []line {
	var lines []line
	reader := lineReader{}
	at := 0
	for number, each := range strings.SplitAfter(text, "\n") {
		l := line{
			number: number + 1,
			start:  at,
			text:   strings.TrimRight(each, "\r\n"),
		}
		at += len(each)
		if reader.states(&l) {
			lines = append(lines, l)
		}
	}
	return lines
}

// lineReader remembers what a line stands in.
type lineReader struct {
	fence   string // that is open, "" for none
	silent  bool   // the fence states nothing
	comment bool
	header  []string
	before  string // the last line, for the header of a table
}

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})\\s*([\\w+-]*)")
	ruleLine  = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)

	// quietFences are the languages of fences that state nothing about this project.
	quietFences = regexp.MustCompile(`(?i)^(output|text|txt|console|log|diff|plain|plaintext)$`)
)

// states reports whether a line states something, and puts it into its table.
func (r *lineReader) states(l *line) bool {
	if found := fenceLine.FindStringSubmatch(l.text); found != nil {
		r.toggle(found[1], found[2])
		return false
	}
	if r.fence != "" {
		return !r.silent
	}

	if r.inComment(l.text) {
		return false
	}
	r.table(l)
	return strings.TrimSpace(l.text) != ""
}

func (r *lineReader) toggle(mark, language string) {
	switch {
	case r.fence == "":
		r.fence = mark
		r.silent = quietFences.MatchString(language)
	case strings.HasPrefix(mark, r.fence):
		r.fence = ""
	}
}

func (r *lineReader) inComment(text string) bool {
	if r.comment {
		r.comment = !strings.Contains(text, "-->")
		return true
	}
	begin := strings.Index(text, "<!--")
	if begin < 0 {
		return false
	}
	r.comment = !strings.Contains(text[begin:], "-->")
	return strings.TrimSpace(text[:begin]) == ""
}

func (r *lineReader) table(l *line) {
	isRow := strings.Contains(l.text, "|")
	switch {
	case isRow && ruleLine.MatchString(l.text):
		r.header = nil
		for _, c := range cellsOf(r.before) {
			r.header = append(r.header, strings.ToLower(plainText(c.text)))
		}
	case !isRow:
		r.header = nil
	}
	l.header = r.header
	r.before = l.text
}

// cellsOf are the columns of a row.
func cellsOf(text string) []cell {
	var cells []cell
	start := 0
	for _, bar := range bars(text) {
		part := text[start:bar]
		isMargin := len(cells) == 0 && strings.TrimSpace(part) == ""
		if !isMargin {
			cells = append(cells, cell{start, part})
		}
		start = bar + 1
	}

	last := text[start:]
	if strings.TrimSpace(last) != "" {
		cells = append(cells, cell{start, last})
	}
	return cells
}

// bars are the places of the bars between columns, without those in code and after a backslash.
func bars(text string) []int {
	var places []int
	inCode := false
	for i := range len(text) {
		if text[i] == '`' {
			inCode = !inCode
		}

		isEscaped := i > 0 && text[i-1] == '\\'
		if text[i] == '|' && !inCode && !isEscaped {
			places = append(places, i)
		}
	}
	return places
}

// plainText is a text without the marks of Markdown around it.
func plainText(text string) string {
	return strings.Trim(text, " \t`*_")
}

// codes are the texts in code marks of a line.
var codes = regexp.MustCompile("`([^`]+)`")

// supposed marks a line that is about something else than this project as it is now.
var supposed = regexp.MustCompile(`(?i)\be\.g\.|\bi\.e\.|\b(for example|for instance|such as|example|used to|formerly|previously|no longer|was moved|old|legacy|deprecated|instead of|changed from|do not use|don't use|never use)\b`)

// bounded marks a number that is a limit, or counts something else than all of them.
var bounded = regexp.MustCompile(`(?i)\b(up to|at most|at least|maximum|minimum|more than|less than|fewer than|per|each|other|another|additional|of the)\b`)
