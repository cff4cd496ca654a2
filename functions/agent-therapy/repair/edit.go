// Package repair edits instructions so that findings go away, and writes what is needed to keep them
// away: a patch and a skill.
package repair

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/document"
)

// Cut is a sentence to remove: bytes of a text.
type Cut struct {
	Start, End int
}

// Remove returns a text without some sentences. A line on which nothing else stands goes with its
// sentence.
func Remove(text string, cuts []Cut) string {
	wide := make([]Cut, 0, len(cuts))
	for _, c := range cuts {
		wide = append(wide, widened(text, c))
	}
	slices.SortFunc(wide, func(a, b Cut) int { return a.Start - b.Start })

	var b strings.Builder
	at := 0
	for _, c := range wide {
		if c.End <= at {
			continue
		}
		b.WriteString(text[at:max(at, c.Start)])
		at = c.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// widened extends a sentence to its whole lines if nothing else stands on them, else to the space
// behind it.
func widened(text string, c Cut) Cut {
	lineStart := strings.LastIndexByte(text[:c.Start], '\n') + 1
	lineEnd := len(text)
	if n := strings.IndexByte(text[c.End:], '\n'); n >= 0 {
		lineEnd = c.End + n + 1
	}

	head, tail := text[lineStart:c.Start], text[c.End:lineEnd]
	isRow := strings.HasPrefix(strings.TrimSpace(head+text[c.Start:c.End]), "|")
	if isRow || isMark(head) && strings.Trim(tail, " \t\r\n*_|") == "" {
		return Cut{lineStart, lineEnd}
	}

	for c.End < len(text) && text[c.End] == ' ' {
		c.End++
	}
	return c
}

// isMark reports whether the part of a line before its text is only the mark of an item.
func isMark(head string) bool {
	mark := strings.Trim(head, " \t>*_")
	mark = strings.TrimSuffix(strings.TrimSuffix(mark, "[ ]"), "[x]")
	mark = strings.TrimSpace(mark)
	if mark == "" {
		return true
	}
	return strings.Trim(mark, "-*+•–—◦▪·→0123456789.()abcdefghijklmnopqrstuvwxyz") == "" && len(mark) <= 5 && !strings.ContainsAny(mark, " ")
}

// Append returns a text with lines under a heading at its end.
func Append(text, heading string, lines []string) string {
	if len(lines) == 0 {
		return text
	}

	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}

	var b strings.Builder
	b.WriteString(strings.TrimRight(text, "\r\n \t"))
	b.WriteString(end + end + "## " + heading + end + end)
	for _, line := range lines {
		b.WriteString("- " + line + end)
	}
	return b.String()
}

// CanEdit reports whether a text of a kind is edited: JSON and conversations are not.
func CanEdit(kind document.Kind) bool {
	return kind != document.Tools && kind != document.Transcript
}
