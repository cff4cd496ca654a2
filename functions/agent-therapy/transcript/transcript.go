// Package transcript reads conversations of agents: plain text with names of speakers, and the JSON
// and JSON lines that Claude Code, Codex, Gemini and the interfaces of model providers write.
package transcript

import (
	"strings"

	"governance.internal/functions/agent-therapy/document"
)

// Role is who speaks in a turn.
type Role int

const (
	User Role = iota
	Assistant
	System
	Result // what a tool answered
)

// Call is a use of a tool.
type Call struct {
	Name      string
	Arguments string // as written; equal arguments have equal text
}

// Turn is one message. Several blocks of one message are one turn.
type Turn struct {
	Number int // from 1
	Role   Role
	Text   string // what is said, or what a tool answered
	Calls  []Call
	Failed bool // a tool reported an error

	start, end int // bytes of the source
}

// Transcript is a conversation.
type Transcript struct {
	Source *document.Source
	Turns  []Turn
}

// Read reads a conversation in any of the known forms. It has no turns if the text is none.
func Read(source *document.Source) *Transcript {
	t := &Transcript{Source: source}
	trimmed := strings.TrimSpace(source.Text)

	if document.IsJSON(trimmed) {
		t.readJSON()
	} else {
		t.readPlain()
	}

	for i := range t.Turns {
		t.Turns[i].Number = i + 1
	}
	return t
}

// Quote is a verbatim part of a transcript; Line is the number of the turn.
type Quote = document.Quote

// Quote returns the evidence of a turn: the words, as far as they stand in the source just so, or
// the beginning of the turn. Offsets are code points of the source.
func (t *Transcript) Quote(turn *Turn, words string) Quote {
	raw := t.Source.Text[turn.start:turn.end]
	at, length := t.place(raw, words)
	if length == 0 {
		at, length = t.place(raw, turn.Text)
	}
	if length == 0 && len(turn.Calls) > 0 {
		at, length = t.place(raw, turn.Calls[0].Name)
	}

	q := t.Source.Quote(turn.start+at, turn.start+at+length, turn.start+at)
	q.Line = turn.Number
	return q
}

// place finds the longest beginning of the first line of some words that stands in raw as it is.
func (t *Transcript) place(raw, words string) (at, length int) {
	words = strings.TrimSpace(words)
	line, _, _ := strings.Cut(words, "\n")
	line, _, _ = strings.Cut(line, `"`)
	line, _, _ = strings.Cut(line, `\`)
	line = strings.TrimSpace(line)
	if line == "" {
		return 0, 0
	}

	if at = strings.Index(raw, line); at >= 0 {
		return at, len(line)
	}

	fields := strings.Fields(line)
	for n := len(fields) - 1; n > 0; n-- {
		part := strings.Join(fields[:n], " ")
		if at = strings.Index(raw, part); at >= 0 {
			return at, len(part)
		}
	}
	return 0, 0
}
