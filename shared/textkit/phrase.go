package textkit

import (
	"slices"
	"strings"
)

// Phrases is a set of phrases that words are matched with. A phrase is one word or more.
type Phrases struct {
	byFirst map[string][][]string // first word -> the words of each phrase, the longest first
	key     func(Word) string
}

// NewPhrases makes a set from phrases that are separated by commas or line breaks. Other forms of
// their words match as well.
func NewPhrases(list string) *Phrases {
	return newPhrases(list, func(w Word) string { return w.Stem })
}

// NewExactPhrases makes a set that matches words only as they are written, in any case.
func NewExactPhrases(list string) *Phrases {
	return newPhrases(list, func(w Word) string { return w.Lower })
}

func newPhrases(list string, key func(Word) string) *Phrases {
	p := &Phrases{
		byFirst: map[string][][]string{},
		key:     key,
	}
	for line := range strings.Lines(list) {
		for phrase := range strings.SplitSeq(line, ",") {
			p.add(phrase)
		}
	}
	return p
}

func (p *Phrases) add(phrase string) {
	text := New(phrase)
	var keys []string
	for _, w := range text.Words(text.All()) {
		keys = append(keys, p.key(w))
	}
	if len(keys) == 0 {
		return
	}

	same := p.byFirst[keys[0]]
	at := len(same)
	for at > 0 && len(same[at-1]) < len(keys) {
		at--
	}
	p.byFirst[keys[0]] = slices.Insert(same, at, keys)
}

// StemsOf returns the stems of the words of a phrase.
func StemsOf(phrase string) []string {
	text := New(phrase)
	var stems []string
	for _, w := range text.Words(text.All()) {
		stems = append(stems, w.Stem)
	}
	return stems
}

// At returns how many words the longest phrase has that starts at a place; 0 is none.
func (p *Phrases) At(words []Word, at int) int {
	if at < 0 || at >= len(words) {
		return 0
	}

	for _, keys := range p.byFirst[p.key(words[at])] {
		if p.startsWith(words[at:], keys) {
			return len(keys)
		}
	}
	return 0
}

// Find returns the first place of a phrase in words, or -1.
func (p *Phrases) Find(words []Word) int {
	for i := range words {
		if p.At(words, i) > 0 {
			return i
		}
	}
	return -1
}

// In reports whether a phrase stands in words.
func (p *Phrases) In(words []Word) bool { return p.Find(words) >= 0 }

func (p *Phrases) startsWith(words []Word, keys []string) bool {
	if len(words) < len(keys) {
		return false
	}

	for i, key := range keys {
		if p.key(words[i]) != key {
			return false
		}
	}
	return true
}
