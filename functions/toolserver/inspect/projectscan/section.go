package projectscan

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"governance.internal/functions/toolserver/inspect/edit"
)

// Marks of the section in a guidance file. Only what stands between them is ever written.
const (
	Begin = "<!-- governance:begin -->"
	End   = "<!-- governance:end -->"
)

// Errors of a guidance file.
var (
	ErrMarks     = errors.New("the marks " + Begin + " and " + End + " do not make one pair")
	ErrNoSection = errors.New("there is no section between marks")
	ErrNotUTF8   = errors.New("the file is not written in UTF-8")
)

// mark is a mark, also as other programs space it. A mark in backticks is only mentioned.
var mark = regexp.MustCompile("(`?)<!--[ \t]*governance:(begin|end)[ \t]*-->(`?)")

// Section is what a guidance file has between the marks.
type Section struct {
	Start, End int // offsets between the marks
	Found      bool
}

// FindSection finds the section of a file.
func FindSection(file []byte) (Section, error) {
	if bytes.IndexByte(file, 0) >= 0 { // as in every text of UTF-16
		return Section{}, ErrNotUTF8
	}

	var begins, ends [][]int
	for _, m := range mark.FindAllSubmatchIndex(file, -1) {
		mentioned := m[3] > m[2] && m[7] > m[6]
		if mentioned {
			continue
		}

		if kind := string(file[m[4]:m[5]]); kind == "begin" {
			begins = append(begins, m)
		} else {
			ends = append(ends, m)
		}
	}

	if len(begins) == 0 && len(ends) == 0 {
		return Section{}, nil
	}
	if len(begins) != 1 || len(ends) != 1 || ends[0][0] < begins[0][1] {
		return Section{}, ErrMarks
	}

	return Section{
		Start: begins[0][6], // after the mark, before what follows it
		End:   ends[0][3],
		Found: true,
	}, nil
}

// Edit makes the edit that gives a file the guidance: of what stands between its marks, or,
// without any, at its end. It is nil if the file has the guidance.
func (s Section) Edit(file []byte, guide string) *edit.Edit {
	newline := s.newline(file)
	inner := strings.ReplaceAll("\n"+strings.TrimRight(guide, "\n")+"\n", "\n", newline)
	if s.Found {
		return s.replace(file, inner)
	}

	text := Begin + inner + End + newline
	switch {
	case len(bytes.TrimPrefix(file, []byte("\uFEFF"))) == 0:
	case file[len(file)-1] == '\n':
		text = newline + text
	default:
		text = newline + newline + text
	}

	return &edit.Edit{
		Start: len(file),
		End:   len(file),
		Write: text,
		Line:  bytes.Count(file, []byte("\n")) + 1,
		To:    Begin,
	}
}

// newline is the end of the lines of a section: as after its first mark, else as in the file.
func (s Section) newline(file []byte) string {
	within := file[s.Start:s.End]
	switch {
	case bytes.HasPrefix(within, []byte("\r\n")):
		return "\r\n"
	case bytes.HasPrefix(within, []byte("\n")):
		return "\n"
	case bytes.Contains(file, []byte("\r\n")):
		return "\r\n"
	}
	return "\n"
}

func (s Section) replace(file []byte, inner string) *edit.Edit {
	was := string(file[s.Start:s.End])
	if was == inner {
		return nil
	}
	return &edit.Edit{
		Start: s.Start,
		End:   s.End,
		Was:   was,
		Write: inner,
		Line:  bytes.Count(file[:s.Start], []byte("\n")) + 1,
		From:  Begin,
		To:    Begin,
	}
}
