package text

import (
	"slices"
	"strings"

	"governance.internal/functions/legal-prep/lazy"
)

// item is how a line starts that is a paragraph of its own: "2.", "2.1", "(a)", "ARTICLE IV", "•".
var item = lazy.Pattern(`^(?:#{1,6} |\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+["A-Z(\[]|\([a-z0-9]{1,4}\)\s|(?i:article|section|clause|schedule|exhibit|annex)\s+[\dIVXA-Z]+\b|[•▪*-]\s|[A-Z]\.\s)`)

func startsItem(line string) bool {
	return item().MatchString(line[:min(len(line), 40)])
}

// longSentence is where a sentence is split at a semicolon, in bytes.
const longSentence = 700

// Sentences returns the sentences in order. A heading stands with the sentence after it.
func (t *Text) Sentences() []Span {
	var sentences []Span
	for _, paragraph := range t.Paragraphs() {
		for _, s := range t.sentencesOf(paragraph) {
			sentences = append(sentences, t.splitLong(s)...)
		}
	}
	return t.joinHeadings(sentences)
}

// Paragraphs returns the paragraphs in order.
func (t *Text) Paragraphs() []Span {
	var all []Span
	start := 0

	for start < len(t.Plain) {
		end := len(t.Plain)
		if at := strings.IndexByte(t.Plain[start:], '\n'); at >= 0 {
			end = start + at
		}
		if s := t.Trim(Span{start, end}); s.Len() > 0 {
			all = append(all, s)
		}
		start = end + 1
	}
	return all
}

func (t *Text) sentencesOf(p Span) []Span {
	var all []Span
	start := p.Start

	for at := p.Start; at < p.End; at++ {
		if !t.endsSentence(at, p.End) {
			continue
		}
		end := at + 1
		for end < p.End && strings.IndexByte(`")'`, t.Plain[end]) >= 0 {
			end++
		}
		all = append(all, t.Trim(Span{start, end}))
		start = end
		at = end - 1
	}

	if rest := t.Trim(Span{start, p.End}); rest.Len() > 0 {
		all = append(all, rest)
	}
	return all
}

// endsSentence reports whether the character at a place ends a sentence: a full stop, a question
// or exclamation mark before white space and a capital, but not the point of an abbreviation.
func (t *Text) endsSentence(at, end int) bool {
	mark := t.Plain[at]
	if !isSentenceMark(mark) {
		return false
	}

	rest := strings.TrimLeft(t.Plain[at+1:end], closings)
	if rest == "" {
		return true
	}
	if len(rest) < 2 || rest[0] != ' ' || !opensSentence(rest[1]) {
		return false
	}
	return mark != '.' || !isAbbreviation(t.wordBefore(at))
}

// closings may follow the mark that ends a sentence.
const closings = `")'`

func isSentenceMark(b byte) bool { return b == '.' || b == '?' || b == '!' }

func opensSentence(b byte) bool {
	capital := 'A' <= b && b <= 'Z'
	digit := '0' <= b && b <= '9'

	return capital || digit || b >= 0x80 || strings.IndexByte(`"('[$*`, b) >= 0
}

func (t *Text) wordBefore(at int) string {
	start := at
	for start > 0 && !isPlainSpace(t.Plain[start-1]) && at-start < 16 {
		start--
	}
	return t.Plain[start:at]
}

var abbreviations = strings.Fields("mr mrs ms dr prof st no nos inc ltd co corp llc jr sr vs art sec cf e.g i.e etc u.s u.k a.m p.m approx para")

// isAbbreviation reports whether a point after a word does not end a sentence: after "Inc", "No",
// an initial, or the number of a section.
func isAbbreviation(word string) bool {
	word = strings.TrimLeft(word, `("'`)
	if len(word) == 1 {
		return true
	}

	if strings.Trim(word, "0123456789.") == "" && len(word) <= 6 {
		return true
	}
	return slices.Contains(abbreviations, strings.ToLower(word))
}

// splitLong splits a long sentence after semicolons.
func (t *Text) splitLong(s Span) []Span {
	var parts []Span
	for s.Len() > longSentence {
		at := strings.IndexByte(t.Plain[s.Start+longSentence/3:s.End], ';')
		if at < 0 {
			break
		}
		cut := s.Start + longSentence/3 + at + 1
		parts = append(parts, t.Trim(Span{s.Start, cut}))
		s = t.Trim(Span{cut, s.End})
	}

	if s.Len() > 0 {
		parts = append(parts, s)
	}
	return parts
}

// joinHeadings joins a heading and the sentence after it.
func (t *Text) joinHeadings(sentences []Span) []Span {
	var joined []Span
	for i := 0; i < len(sentences); i++ {
		s := sentences[i]
		for t.isHeading(s) && i+1 < len(sentences) {
			i++
			s.End = sentences[i].End
			if s.Len() > 120 || !t.isHeading(sentences[i]) {
				break
			}
		}
		joined = append(joined, s)
	}
	return joined
}

var verb = lazy.Pattern(`\b(?:shall|will|may|must|is|are|has|have|means|agrees?|do|does|not|pays?)\b`)

// isHeading reports whether a sentence is a heading: few words and no verb.
func (t *Text) isHeading(s Span) bool {
	if s.Len() > 70 || strings.HasSuffix(t.Of(s), ";") {
		return false
	}

	words := strings.Count(t.Of(s), " ") + 1

	return words <= 7 && !verb().MatchString(t.LowerOf(s))
}
