// Package document reads the instructions of an agent: instruction files, rules with globs, skills, system
// prompts and lists of tools. It finds the statements of a document, sentence by sentence, with the
// headings above them and the place where they stand.
package document

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Kind is what a text is.
type Kind string

const (
	Prompt     Kind = "prompt"     // a system prompt or other text without a known name
	Rules      Kind = "rules"      // an instruction file, such as CLAUDE.md, or rules with globs
	Skill      Kind = "skill"      // a SKILL.md
	Tools      Kind = "tools"      // a list of tools as JSON
	Transcript Kind = "transcript" // a conversation
)

// Kinds are the values that a caller may name.
var Kinds = []string{string(Prompt), string(Rules), string(Skill), string(Tools), string(Transcript)}

// Source is a text with its name and its lines.
type Source struct {
	Name string // path with slashes
	Text string

	lines  []int // first byte of each line
	points []int // code points before each line
}

// NewSource returns the source of a text, which is valid UTF-8.
func NewSource(name, text string) *Source {
	s := &Source{Name: name, Text: text}
	before, start := 0, 0

	for line := range strings.Lines(text) {
		s.lines = append(s.lines, start)
		s.points = append(s.points, before)
		before += utf8.RuneCountInString(line)
		start += len(line)
	}

	if len(s.lines) == 0 {
		s.lines, s.points = []int{0}, []int{0}
	}
	return s
}

// Line returns the number, from 1, of the line that holds a byte.
func (s *Source) Line(at int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > at })
}

// Lines returns the number of lines.
func (s *Source) Lines() int { return len(s.lines) }

// LineSpan returns the first byte of a line and the byte after its text, without the line break.
func (s *Source) LineSpan(line int) (start, end int) {
	start, end = s.lines[line-1], len(s.Text)
	if line < len(s.lines) {
		end = s.lines[line]
	}

	text := strings.TrimRight(s.Text[start:end], "\r\n")
	return start, start + len(text)
}

// Quote is a verbatim part of one line of a source. Text[Start:End] in code points is Quote.
type Quote struct {
	File  string `json:"file,omitempty"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Quote returns the part of Text[start:end] that stands on the line of the byte at, without white
// space around it.
func (s *Source) Quote(start, end, at int) Quote {
	line := s.Line(at)
	lineStart, lineEnd := s.LineSpan(line)
	start = max(start, lineStart)
	end = min(end, lineEnd)

	text := s.Text[start:end]
	left := len(text) - len(strings.TrimLeft(text, " \t"))
	start += left
	text = strings.TrimSpace(text)

	from := s.points[line-1] + utf8.RuneCountInString(s.Text[lineStart:start])
	return Quote{
		File:  s.Name,
		Line:  line,
		Quote: text,
		Start: from,
		End:   from + utf8.RuneCountInString(text),
	}
}
