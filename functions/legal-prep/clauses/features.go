package clauses

import (
	"math/bits"
	"slices"
	"strings"

	"governance.internal/functions/legal-prep/text"
)

// Feature is the hash of something that a unit of text shows: a word, a run of two or three
// words, a word of the heading above it, its place.
type Feature = uint32

// Unit is a sentence with its features, sorted and without repeats.
type Unit struct {
	Span     text.Span
	Features []Feature
}

// longestRun is how many words in a row are a feature.
const longestRun = 3

// fewSentences are no whole document: the place of a sentence says nothing there.
const fewSentences = 8

// Units returns the sentences of a text with their features.
func Units(t *text.Text) []Unit {
	sentences := t.Sentences()
	units := make([]Unit, len(sentences))
	var before []Feature

	for i, s := range sentences {
		words := wordsOf(t.LowerOf(s))
		features := runs(words)
		features = append(features, before...)
		if len(sentences) >= fewSentences {
			features = append(features, placeFeatures(i, len(sentences))...)
		}
		slices.Sort(features)
		units[i] = Unit{s, slices.Compact(features)}
		before = leadOf(words)
	}
	return units
}

// Alone returns a text that is one clause, or little more, as a single unit.
func Alone(t *text.Text) Unit {
	features := runs(wordsOf(t.Lower))
	slices.Sort(features)

	return Unit{t.Trim(t.All()), slices.Compact(features)}
}

// leadOf returns features of the first words of a sentence: the one after it often belongs to
// the same heading.
func leadOf(words []Feature) []Feature {
	words = words[:min(len(words), 6)]
	lead := make([]Feature, len(words))

	for i, w := range words {
		lead[i] = mix(w, seedLead)
	}
	return lead
}

// Seeds keep kinds of features apart.
const (
	seedWord  = 2166136261
	seedLead  = 0x1f3d5b79
	seedPlace = 0x2e4c6a88
	seedRule  = 0x3d5b7997
)

func placeFeatures(i, n int) []Feature {
	fromStart := mix(uint32(bits.Len(uint(i))), seedPlace)
	fromEnd := mix(uint32(bits.Len(uint(n-i)))+100, seedPlace)

	return []Feature{fromStart, fromEnd}
}

// mix joins two hashes; the order counts.
func mix(a, b uint32) uint32 {
	h := (a ^ bits.RotateLeft32(b, 13)) * 0x9e3779b1
	h ^= h >> 15
	h *= 0x85ebca77

	return h ^ h>>13
}

func runs(words []Feature) []Feature {
	features := make([]Feature, 0, longestRun*len(words))
	for i := range words {
		run := words[i]
		features = append(features, run)
		for n := 1; n < longestRun && i+n < len(words); n++ {
			run = mix(run, words[i+n])
			features = append(features, run)
		}
	}
	return features
}

// wordsOf returns the hashes of the words of a sentence in lower case. A number is one word,
// whichever it is, and so is each of $, % and a quote mark.
func wordsOf(s string) []Feature {
	var words []Feature
	for at := 0; at < len(s); {
		word, size := firstWord(s[at:])
		if word != "" {
			words = append(words, hashOf(word))
		}
		at += size
	}
	return words
}

// firstWord returns the word at the start of s, and how many bytes it takes; other characters
// are no word.
func firstWord(s string) (word string, size int) {
	switch {
	case isLetter(s[0]):
		size = count(s, func(b byte) bool { return isLetter(b) || b == '\'' })
		return stem(s[:size]), size
	case isDigit(s[0]):
		size = count(s, func(b byte) bool { return isDigit(b) || b == '.' || b == ',' })
		return "#", size
	case strings.IndexByte(`$%"`, s[0]) >= 0:
		return s[:1], 1
	}
	return "", 1
}

// count returns how many bytes at the start of s are of a kind.
func count(s string, kind func(byte) bool) int {
	for i := range len(s) {
		if !kind(s[i]) {
			return i
		}
	}
	return len(s)
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || b >= 0x80 }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }

func hashOf(s string) uint32 {
	h := uint32(seedWord)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// ending is the end of a word that is cut where enough of the word remains.
type ending struct {
	text  string
	least int // length of the word
}

var endings = []ending{{"ing", 7}, {"ed", 6}, {"es", 6}, {"s", 4}}

// stem cuts the commonest endings.
func stem(word string) string {
	word = cut(word, ending{"'s", 3})
	for _, e := range endings {
		shorter := cut(word, e)
		if shorter == word {
			continue
		}
		double := e.text == "s" && shorter[len(shorter)-1] == 's'
		if double {
			return word
		}
		return shorter
	}
	return word
}

func cut(word string, e ending) string {
	if len(word) < e.least {
		return word
	}
	return strings.TrimSuffix(word, e.text)
}
