// Package meaning tells how alike two sentences are in what they are about.
//
// Each word has a vector of small whole numbers, and the vector of a sentence is the sum of those of its words.
// The program in train/vectors makes them: short vectors that come near the judgement of a language model
// about whole sentences. Sums and products of whole numbers give the same answer on every machine.
package meaning

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"
)

// Dimensions is how many numbers a vector has.
const Dimensions = 128

// length of the vector of a sentence that has any known word.
const length = 4096

// Vector says what a sentence is about. The zero value is of a sentence without a known word.
type Vector [Dimensions]int16

//go:embed words.vec
var wordsFile string

// Embedded returns the table in the program.
var Embedded = sync.OnceValue(func() *Table {
	t, err := Read(wordsFile)
	if err != nil {
		panic(err) // of a file in the program
	}
	return t
})

// Table holds the vectors of words.
type Table struct {
	rows    map[string]int
	numbers string // Dimensions signed bytes of each word
}

// Read reads a table: its words in a line each, an empty line, and their vectors in the same order.
func Read(file string) (*Table, error) {
	list, numbers, ok := strings.Cut(file, "\n\n")
	words := strings.Split(list, "\n")
	if !ok || len(numbers) != len(words)*Dimensions {
		return nil, fmt.Errorf("a table of %d words has %d bytes of vectors, not %d for each", len(words), len(numbers), Dimensions)
	}

	t := &Table{rows: make(map[string]int, len(words)), numbers: numbers}
	for row, word := range words {
		t.rows[word] = row
	}
	return t, nil
}

// Of returns the vector of a sentence.
func (t *Table) Of(text string) Vector {
	var sums [Dimensions]int
	for _, word := range Words(text) {
		row, isKnown := t.rows[Kind(word)]
		if !isKnown {
			continue
		}
		for i := range sums {
			number := int8(t.numbers[row*Dimensions+i])
			sums[i] += int(number)
		}
	}
	return scaled(sums)
}

// scaled returns sums as a vector of the usual length.
func scaled(sums [Dimensions]int) Vector {
	squares := 0
	for _, n := range sums {
		squares += n * n
	}
	if squares == 0 {
		return Vector{}
	}

	var v Vector
	root := math.Sqrt(float64(squares))
	for i, n := range sums {
		v[i] = int16(math.Round(float64(n*length) / root))
	}
	return v
}

// Alike returns how alike two vectors are: the cosine between them in thousandths.
func (v *Vector) Alike(other *Vector) int {
	product := int32(0)
	for i, n := range v {
		product += int32(n) * int32(other[i])
	}
	return int(int64(product) * 1000 / (length * length))
}

// number stands for all numbers: what they count matters, and not how much.
const number = "0"

// Kind returns what a table knows a word by.
func Kind(word string) string {
	if word != "" && isDigit(word[0]) {
		return number
	}
	return word
}

// Words returns the words of a text: runs of letters in lower case, with an apostrophe inside, and runs of digits.
func Words(text string) []string {
	var words []string
	lower := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	for at := 0; at < len(lower); {
		end := endOfWord(lower, at)
		if end == at {
			at++
			continue
		}
		words = append(words, lower[at:end])
		at = end
	}
	return words
}

// endOfWord returns where the word at an index ends: the index itself if there is none.
func endOfWord(text string, at int) int {
	if isDigit(text[at]) {
		return endOf(text, at, isDigit)
	}

	end := endOf(text, at, isLetter)
	hasMore := end > at && end+1 < len(text) && text[end] == '\'' && isLetter(text[end+1])
	if hasMore {
		return endOf(text, end+1, isLetter)
	}
	return end
}

func endOf(text string, at int, belongs func(byte) bool) int {
	for at < len(text) && belongs(text[at]) {
		at++
	}
	return at
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
