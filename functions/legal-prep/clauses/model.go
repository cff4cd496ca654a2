// Package clauses says which of the 41 categories of commercial clauses a text shows.
//
// A sparse linear model, one per category, scores each sentence in whole numbers, so that every
// machine gives the same answer. The folder train makes the model.
package clauses

import (
	"encoding/binary"
	"errors"
	"math"
)

// Scale is how many steps one unit of a weight has.
const Scale = 4096

// Size says how much text a threshold is for: how likely a clause is depends on it.
type Size int

// The sizes of a text: a clause alone, up to what a caller may send, a whole contract.
const (
	Snippet Size = iota
	Window
	Whole
	sizes
)

// Limits decide about the best score of a text.
type Limits struct {
	Present int // this score and more: present
	Absent  int // less than this: not found; Never where that was not measured to be safe
}

// Never is a limit that no score stays under.
const Never = math.MinInt32

// Weight is what a feature adds to the score of a category, in steps of 1/Scale.
type Weight struct {
	Category uint8
	Value    int16
}

// Model is all that is learned.
type Model struct {
	Bias    []int // for each category twice, in steps: a sentence of a document, a clause alone
	Limits  [][sizes]Limits
	Weights map[Feature][]Weight
}

// Score returns the score of a unit for each category, in thousandths.
func (m *Model) Score(u Unit) []int {
	sums := make([]int, len(m.Bias))
	for _, f := range u.Features {
		for _, w := range m.Weights[f] {
			sums[w.Category] += int(w.Value)
		}
	}

	for c := range sums {
		sums[c] = ScoreOf(m.Bias[c], sums[c], len(u.Features))
	}
	return sums
}

// ScoreOf returns a score from the sum of the weights of so many features.
func ScoreOf(bias, sum, features int) int {
	return (bias + sum*lengthUnit/length(features)) * 1000 / Scale
}

// lengthUnit is the length of a vector of usual size; it keeps weights near one.
const lengthUnit = 8 * 256

// length returns 256 times the square root of n, in whole numbers. A square root is exact by
// the rules of floating point, so every machine agrees.
func length(n int) int {
	root := math.Sqrt(float64(n << 16))
	return max(int(root), 1)
}

var errModel = errors.New("clauses: the embedded model is damaged")

// Encode writes a model: numbers of variable length, features in rising order.
func (m *Model) Encode(order []Feature) []byte {
	out := binary.AppendUvarint(nil, uint64(len(m.Bias)))
	for _, bias := range m.Bias {
		out = binary.AppendVarint(out, int64(bias))
	}

	for _, category := range m.Limits {
		for _, l := range category {
			out = binary.AppendVarint(out, int64(l.Present))
			out = binary.AppendVarint(out, int64(l.Absent))
		}
	}

	out = binary.AppendUvarint(out, uint64(len(order)))
	before := Feature(0)

	for _, f := range order {
		out = binary.AppendUvarint(out, uint64(f-before))
		before = f
		out = binary.AppendUvarint(out, uint64(len(m.Weights[f])))
		for _, w := range m.Weights[f] {
			out = append(out, w.Category)
			out = binary.AppendVarint(out, int64(w.Value))
		}
	}
	return out
}

// reader takes numbers off bytes; after an error it gives zeros.
type reader struct {
	rest   []byte
	broken bool
}

func (r *reader) take(n int) {
	if n <= 0 {
		r.broken = true
		r.rest = nil
		return
	}

	r.rest = r.rest[n:]
}

func (r *reader) unsigned() int {
	v, n := binary.Uvarint(r.rest)
	r.take(n)

	return int(v)
}

func (r *reader) signed() int {
	v, n := binary.Varint(r.rest)
	r.take(n)

	return int(v)
}

func (r *reader) octet() uint8 {
	if len(r.rest) == 0 {
		r.broken = true
		return 0
	}

	b := r.rest[0]
	r.rest = r.rest[1:]

	return b
}

// Decode reads what Encode wrote.
func Decode(encoded []byte) (*Model, error) {
	r := &reader{rest: encoded}
	m := &Model{}

	for range min(r.unsigned(), math.MaxUint8) {
		m.Bias = append(m.Bias, r.signed())
	}

	for range len(m.Bias) / 2 {
		var limits [sizes]Limits
		for i := range limits {
			limits[i].Present = r.signed()
			limits[i].Absent = r.signed()
		}
		m.Limits = append(m.Limits, limits)
	}

	features := min(r.unsigned(), len(encoded))
	m.Weights = make(map[Feature][]Weight, features)
	f := Feature(0)

	for range features {
		f += Feature(r.unsigned())
		count := min(r.unsigned(), len(m.Bias))
		weights := make([]Weight, count)
		for i := range weights {
			weights[i] = Weight{r.octet(), int16(r.signed())}
			r.broken = r.broken || int(weights[i].Category) >= len(m.Bias)
		}
		m.Weights[f] = weights
	}

	if r.broken || len(r.rest) > 0 {
		return nil, errModel
	}
	return m, nil
}
