package table

import (
	"fmt"
	"strings"
)

// Record is one row of a table.
type Record struct {
	Line  int // the physical line on which it starts, from 1
	Cells []string
	Raw   string // its text with the end of the line
}

// IsBlank reports whether no cell holds anything.
func (r Record) IsBlank() bool {
	for _, cell := range r.Cells {
		if cell != "" {
			return false
		}
	}
	return true
}

// Cell is the cell of a column, empty behind the end of the row.
func (r Record) Cell(column int) string {
	if column < 0 || column >= len(r.Cells) {
		return ""
	}
	return r.Cells[column]
}

// QuoteError says that quotes in a record do not close, or close in the middle of a cell.
type QuoteError struct {
	Line int
}

func (e *QuoteError) Error() string {
	return fmt.Sprintf("line %d: a quote in the row is not closed where the cell ends, so the rows cannot be told apart", e.Line)
}

// splitter reads records from text.
type splitter struct {
	text      string
	at        int
	line      int
	delimiter byte
}

// split parts text into records. Cells are trimmed. Lines without any character are left out.
func split(text string, delimiter byte) ([]Record, error) {
	s := &splitter{
		text:      text,
		line:      1,
		delimiter: delimiter,
	}
	records := make([]Record, 0, strings.Count(text, "\n")+1)

	for s.at < len(s.text) {
		start := s.at
		line := s.line

		cells, err := s.record()
		if err != nil {
			return records, &QuoteError{line}
		}

		isEmptyLine := len(cells) == 1 && cells[0] == ""
		if isEmptyLine {
			continue
		}
		records = append(records, Record{
			Line:  line,
			Cells: cells,
			Raw:   s.text[start:s.at],
		})
	}
	return records, nil
}

// record reads cells up to the end of the line.
func (s *splitter) record() ([]string, error) {
	var cells []string
	for {
		cell, err := s.cell()
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)

		if s.at >= len(s.text) || s.text[s.at] != s.delimiter {
			s.endLine()
			return cells, nil
		}
		s.at++
	}
}

// endLine moves behind CR, LF or both.
func (s *splitter) endLine() {
	if s.at < len(s.text) && s.text[s.at] == '\r' {
		s.at++
		if s.at >= len(s.text) || s.text[s.at] != '\n' {
			s.line++
			return
		}
	}
	if s.at < len(s.text) && s.text[s.at] == '\n' {
		s.at++
		s.line++
	}
}

// cell reads one cell and stops at the delimiter or the end of the line.
func (s *splitter) cell() (string, error) {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == '"' {
		return s.quoted()
	}

	for s.at < len(s.text) && !s.ends(s.text[s.at]) {
		s.at++
	}
	return strings.TrimSpace(s.text[start:s.at]), nil
}

func (s *splitter) ends(b byte) bool { return b == s.delimiter || b == '\r' || b == '\n' }

// quoted reads a cell between quotes, in which two quotes stand for one.
func (s *splitter) quoted() (string, error) {
	opened := s.line
	s.at++
	start := s.at
	doubled := false

	for {
		length := strings.IndexAny(s.text[s.at:], "\"\r\n")
		if length < 0 {
			return "", &QuoteError{opened}
		}
		s.at += length

		if s.text[s.at] != '"' {
			s.endLine()
			continue
		}

		isPair := s.at+1 < len(s.text) && s.text[s.at+1] == '"'
		if !isPair {
			break
		}
		doubled = true
		s.at += 2
	}

	content := s.text[start:s.at]
	s.at++
	if doubled {
		content = strings.ReplaceAll(content, `""`, `"`)
	}
	return strings.TrimSpace(content), s.skipToEnd(opened)
}

// skipToEnd allows only spaces between a closing quote and the end of the cell.
func (s *splitter) skipToEnd(opened int) error {
	for s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
	if s.at < len(s.text) && !s.ends(s.text[s.at]) {
		return &QuoteError{opened}
	}
	return nil
}
