package clauses

import (
	"math/bits"
	"slices"

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
		switch b := s[at]; {
		case isLetter(b):
			end := at
			for end < len(s) && (isLetter(s[end]) || s[end] == '\'') {
				end++
			}
			words = append(words, hashOf(stem(s[at:end])))
			at = end
		case isDigit(b):
			for at < len(s) && (isDigit(s[at]) || s[at] == '.' || s[at] == ',') {
				at++
			}
			words = append(words, hashOf("#"))
		case b == '$' || b == '%' || b == '"':
			words = append(words, hashOf(s[at:at+1]))
			at++
		default:
			at++
		}
	}
	return words
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

// stem cuts the commonest endings.
func stem(word string) string {
	if n := len(word); n > 2 && word[n-2:] == "'s" {
		word = word[:n-2]
	}
	n := len(word)
	switch {
	case n > 6 && word[n-3:] == "ing":
		return word[:n-3]
	case n > 5 && word[n-2:] == "ed":
		return word[:n-2]
	case n > 5 && word[n-2:] == "es":
		return word[:n-2]
	case n > 3 && word[n-1] == 's' && word[n-2] != 's':
		return word[:n-1]
	}
	return word
}
