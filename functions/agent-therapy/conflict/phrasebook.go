package conflict

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/words"
)

// phrase is words that stand for something that has a number, as stems between spaces.
type phrase struct {
	text   string
	number int
}

// phrasebook holds phrases by their first stem.
type phrasebook map[string][]phrase

// add enters the phrases of a list, parted by commas.
func (b phrasebook) add(list string, number int) {
	for words := range strings.SplitSeq(list, ",") {
		text := " " + stemmed(words)
		first, _, _ := strings.Cut(text[1:], " ")
		b[first] = append(b[first], phrase{text, number})
	}
}

// in returns the numbers of which a phrase stands in a text of stems between spaces.
func (b phrasebook) in(stems string) []int {
	var numbers []int
	for stem := range strings.FieldsSeq(stems) {
		for _, p := range b[stem] {
			if !slices.Contains(numbers, p.number) && strings.Contains(stems, p.text) {
				numbers = append(numbers, p.number)
			}
		}
	}
	return numbers
}

// stemmed returns the stems of words, each with a space behind it.
func stemmed(text string) string {
	var stems strings.Builder
	for word := range strings.FieldsSeq(text) {
		stems.WriteString(words.Stem(strings.ReplaceAll(word, "-", "")))
		stems.WriteByte(' ')
	}
	return stems.String()
}

// linesOf returns the lines of a file that are no comments.
func linesOf(file string) []string {
	var lines []string
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

//go:embed contraries.txt
var contrariesFile string

// contrarySides holds the two lists of each line of contraries: 2n and 2n+1.
var contrarySides = sync.OnceValue(func() phrasebook {
	book := phrasebook{}
	for n, line := range linesOf(contrariesFile) {
		left, right, _ := strings.Cut(line, "|")
		book.add(left, 2*n)
		book.add(right, 2*n+1)
	}
	return book
})

// facing counts the sides of one list of which the other list holds the opposite.
func facing(a, b []int) int {
	n := 0
	for _, side := range a {
		if slices.Contains(b, side^1) {
			n++
		}
	}
	return n
}

//go:embed related.txt
var relatedFile string

// relatedMatters holds the groups of words for one matter, numbered from 0.
var relatedMatters = sync.OnceValue(func() phrasebook {
	book := phrasebook{}
	for n, line := range linesOf(relatedFile) {
		book.add(line, n)
	}
	return book
})

// matterOfSide returns the matter of a line of contraries, to which both of its sides belong. These matters
// count down from -1.
func matterOfSide(side int) int { return -1 - side/2 }
