package textkit

import (
	"slices"
	"strings"
)

// Sentence is one sentence, heading, item, row or line of code.
type Sentence struct {
	Span
	Kind      Kind
	Paragraph int  // see [Block]
	Question  bool // it ends with a question mark
	Words     []Word
}

// Sentences returns the sentences in order, with their words.
func (t *Text) Sentences() []Sentence {
	var all []Sentence
	for _, b := range t.Blocks() {
		if b.Kind == Row && isRule(t.Of(b.Span)) {
			continue
		}
		for _, s := range t.split(b) {
			for _, part := range t.cut(s) {
				all = append(all, t.sentence(part, b))
			}
		}
	}
	return all
}

// longestSentence bounds what is read as one sentence, in code points.
const longestSentence = 1200

// cut divides what is far too long for a sentence at white space.
func (t *Text) cut(s Span) []Span {
	var parts []Span
	for s.Len() > longestSentence {
		end := s.Start + longestSentence
		if at := strings.LastIndexAny(t.Plain[s.Start:end], " \n"); at > 0 {
			end = s.Start + at
		}
		parts = append(parts, t.Trim(Span{s.Start, end}))
		s = t.Trim(Span{end, s.End})
	}
	return append(parts, s)
}

// isRule reports whether a row only draws the line below the head of a table.
func isRule(row string) bool {
	return strings.Trim(row, "|-: ") == ""
}

func (t *Text) sentence(s Span, b Block) Sentence {
	text := strings.TrimRight(t.Of(s), `"')*_ `)
	return Sentence{
		Span:      s,
		Kind:      b.Kind,
		Paragraph: b.Paragraph,
		Question:  strings.HasSuffix(text, "?"),
		Words:     t.Words(s),
	}
}

func (t *Text) split(b Block) []Span {
	if b.Kind == Code || b.Kind == Row {
		return []Span{b.Span}
	}

	var all []Span
	start := b.Start

	for at := b.Start; at < b.End; at++ {
		if t.Plain[at] == Bullet {
			all = append(all, t.Trim(Span{start, at}))
			start = at + 1
			continue
		}
		if !t.endsSentence(at, b.End) {
			continue
		}
		end := at + 1
		for end < b.End && strings.IndexByte(closings, t.Plain[end]) >= 0 {
			end++
		}
		all = append(all, t.Trim(Span{start, end}))
		start = end
		at = end - 1
	}

	all = append(all, t.Trim(Span{start, b.End}))
	return slices.DeleteFunc(all, func(s Span) bool { return s.Len() == 0 })
}

// closings may follow the mark that ends a sentence.
const closings = `"')*_.!?`

// endsSentence reports whether the character at a place ends a sentence.
func (t *Text) endsSentence(at, end int) bool {
	mark := t.Plain[at]
	if mark != '.' && mark != '?' && mark != '!' {
		return false
	}

	rest := strings.TrimLeft(t.Plain[at+1:end], closings)
	if rest == "" {
		return true
	}
	if !isSpace(rest[0]) {
		return false
	}
	if mark != '.' {
		return true
	}

	next := strings.TrimLeft(rest, " \n")
	if next == "" {
		return true
	}
	return !t.isAbbreviation(at, next[0])
}

var (
	// titles stand before a name; they never end a sentence.
	titles = strings.Fields("mr mrs ms dr prof st vs cf e.g i.e eg ie approx fig sec art vol")

	// endings may end a sentence, when a capital follows.
	endings = strings.Fields("etc inc ltd co corp llc jr sr a.m p.m u.s u.k al resp")
)

// isAbbreviation reports whether a full stop belongs to an abbreviation or to the number of an
// item. next is the first character after the white space.
func (t *Text) isAbbreviation(at int, next byte) bool {
	word := t.wordBefore(at)
	switch {
	case slices.Contains(titles, word):
		return true
	case word == "no" || word == "nos":
		return isDigit(next)
	case slices.Contains(endings, word):
		return !isUpper(next)
	}

	initial := len(word) == 1 && isUpper(t.Plain[at-1])
	return initial && isUpper(next) && word != "i"
}

// wordBefore returns the word before a full stop in lower case.
func (t *Text) wordBefore(at int) string {
	start := at
	for start > 0 && !isSpace(t.Plain[start-1]) && at-start < 12 {
		start--
	}
	return strings.TrimLeft(t.Lower[start:at], `("'[*_`)
}
