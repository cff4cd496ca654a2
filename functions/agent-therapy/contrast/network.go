// Package contrast tells whether two sentences about the same matter disagree.
//
// A small neural network compares each word of one sentence with the word of the other one that is closest to it.
// The program in train/vectors makes it. All numbers are whole, in parts of One, so that the answer is the same on
// every machine.
package contrast

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// One is the number that stands for 1.
const One = 1024

// Sizes of the network.
const (
	dimensions = 64  // of the vector of a word
	width      = 128 // findings about a word
	summary    = 4 * width
	hidden     = 64
)

// Network holds what was learned.
type Network struct {
	rows  map[string]int // of words
	words matrix         // a vector for each word, and behind them one for all unknown words

	own   mixer // of a word itself
	other mixer // of the closest word of the other sentence

	bias, same, close []int32 // of a finding: always, for the same word, and by how close the two words are

	hidden     matrix
	hiddenBias []int32
	out        []int32
	outBias    int
}

// mixer makes findings from a word and its two neighbours.
type mixer struct {
	matrix

	before, itself, after []int32 // how much each counts
}

// matrix is a table of numbers, row by row.
type matrix struct {
	columns int
	numbers []int32
}

func (m matrix) row(i int) []int32 {
	start := i * m.columns
	return m.numbers[start : start+m.columns]
}

func (m matrix) count() int { return len(m.numbers) / m.columns }

// times returns the product of each row with a vector.
func (m matrix) times(vector []int32) []int32 {
	products := make([]int32, m.count())
	for i := range products {
		product := dot(m.row(i), vector) / One
		products[i] = int32(product)
	}
	return products
}

func dot(a, b []int32) int {
	sum := 0
	b = b[:len(a)]
	for i, n := range a {
		sum += int(n) * int(b[i])
	}
	return sum
}

//go:embed network.bin
var networkFile string

// Embedded returns the network in the program.
var Embedded = sync.OnceValue(func() *Network {
	n, err := Read(networkFile)
	if err != nil {
		panic(err) // of a file in the program
	}
	return n
})

// Read reads a network: its words in a line each, an empty line, and its numbers as pairs of bytes, the lower one
// first.
func Read(file string) (*Network, error) {
	list, numbers, ok := strings.Cut(file, "\n\n")
	words := strings.Split(list, "\n")
	want := 2 * numbersOf(len(words))
	if !ok || len(numbers) != want {
		return nil, fmt.Errorf("a network of %d words has %d bytes of numbers, not %d", len(words), len(numbers), want)
	}

	n := &Network{rows: make(map[string]int, len(words))}
	for row, word := range words {
		n.rows[word] = row
	}

	r := &reader{rest: numbers}
	n.words = r.matrix(len(words)+1, dimensions)
	n.own = r.mixer()
	n.other = r.mixer()
	n.bias = r.take(width)
	n.same = r.take(width)
	n.close = r.take(width)
	n.hidden = r.matrix(hidden, summary)
	n.hiddenBias = r.take(hidden)
	n.out = r.take(hidden)
	n.outBias = int(r.take(1)[0])
	return n, nil
}

// numbersOf returns how many numbers a network of some words has.
func numbersOf(words int) int {
	vectors := (words + 1) * dimensions
	mixer := width*dimensions + 3*width
	findings := 2*mixer + 3*width
	judge := hidden*summary + 2*hidden + 1
	return vectors + findings + judge
}

// reader takes numbers from a file.
type reader struct{ rest string }

func (r *reader) take(count int) []int32 {
	numbers := make([]int32, count)
	for i := range numbers {
		bytes := []byte(r.rest[2*i : 2*i+2])
		number := binary.LittleEndian.Uint16(bytes)
		numbers[i] = int32(int16(number))
	}
	r.rest = r.rest[2*count:]
	return numbers
}

func (r *reader) matrix(rows, columns int) matrix {
	return matrix{columns: columns, numbers: r.take(rows * columns)}
}

func (r *reader) mixer() mixer {
	return mixer{
		matrix: r.matrix(width, dimensions),
		before: r.take(width),
		itself: r.take(width),
		after:  r.take(width),
	}
}

// Disagreement returns how likely two sentences disagree, in thousandths of log odds. It is the same both ways.
func (n *Network) Disagreement(a, b *Sentence) int {
	near := closenessOf(a, b)
	first := n.findings(a, b, near)
	second := n.findings(b, a, near.turned())
	all := summaryOf(first, second)

	values := n.hidden.times(all)
	for i, bias := range n.hiddenBias {
		values[i] = max(0, values[i]+bias)
	}
	odds := dot(n.out, values)/One + n.outBias
	return odds * 1000 / One
}

// findings are what stands out when the words of a sentence are compared with those of another one.
type findings struct{ sum, most []int32 }

// sumShare is by how much the sum of the findings of all words is divided.
const sumShare = 8

func (n *Network) findings(s, other *Sentence, near closeness) findings {
	f := findings{
		sum:  make([]int32, width),
		most: make([]int32, width),
	}

	for i, word := range s.words {
		at, how := near.closest(i)
		match := other.words[at]
		isSame := word.text == match.text

		for k, bias := range n.bias {
			value := word.own[k] + match.other[k] + bias
			value += how * n.close[k] / One
			if isSame {
				value += n.same[k]
			}
			f.add(k, value)
		}
	}

	for k := range f.sum {
		f.sum[k] /= sumShare
	}
	return f
}

// add enters a finding about a word, unless it is below zero.
func (f findings) add(k int, value int32) {
	if value <= 0 {
		return
	}
	f.sum[k] += value
	f.most[k] = max(f.most[k], value)
}

// summaryOf joins the findings of both sides, so that their order does not matter.
func summaryOf(a, b findings) []int32 {
	sums := make([]int32, width)
	distances := make([]int32, width)
	greater := make([]int32, width)
	smaller := make([]int32, width)

	for k := range width {
		one, other := a.sum[k], b.sum[k]
		sums[k] = one + other
		distances[k] = max(one-other, other-one)
	}
	for k := range width {
		one, other := a.most[k], b.most[k]
		greater[k] = max(one, other)
		smaller[k] = min(one, other)
	}
	return slices.Concat(sums, distances, greater, smaller)
}

// closeness tells how close each word of a sentence is to each one of another.
type closeness [][]int32

// Bounds of how close two words are.
const (
	sameBonus  = 3 * One // for the same word
	closeShare = 4       // by how much closeness is divided
)

func closenessOf(a, b *Sentence) closeness {
	near := make(closeness, len(a.words))
	for i, word := range a.words {
		for _, other := range b.words {
			product := dot(word.vector, other.vector) / One
			how := int32(product)
			if word.text == other.text {
				how += sameBonus
			}
			near[i] = append(near[i], how)
		}
	}
	return near
}

// closest returns the first of the closest words of the other sentence, and how close it is, from -One to One.
func (c closeness) closest(i int) (at int, how int32) {
	most := slices.Max(c[i])
	at = slices.Index(c[i], most)
	how = most / closeShare
	return at, max(-One, min(how, One))
}

func (c closeness) turned() closeness {
	turned := make(closeness, len(c[0]))
	for _, row := range c {
		for j, how := range row {
			turned[j] = append(turned[j], how)
		}
	}
	return turned
}
