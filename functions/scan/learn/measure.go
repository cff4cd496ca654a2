package main

import (
	"fmt"
	"math"

	"governance.internal/shared/scan"
)

// folds is how many parts the descriptions fall into.
const folds = 6

// tally counts the answers of models that did not see the descriptions they judge.
type tally struct {
	right, wrong, missed int // sentences said to speak of a dimension
	levels, near         int // of the sentences that speak of one
}

// measure judges each description by a model of the other parts.
func measure(descriptions [][]sentence) tally {
	var t tally
	for fold := range folds {
		var others, own [][]sentence
		for i, d := range descriptions {
			if i%folds == fold {
				own = append(own, d)
			} else {
				others = append(others, d)
			}
		}
		m := learn(others)
		for _, d := range own {
			t.add(m, d)
		}
	}
	return t
}

// add counts the answers of a model for one description.
func (t *tally) add(m *model, description []sentence) {
	for _, s := range description {
		for dimension := range dimensions {
			want, speaks := s.levels[dimension]
			said := m.sum(s.seen.Topics, dimension) > 0
			t.count(said, speaks)
			if speaks {
				level := m.sum(s.seen.Levels[dimension], len(dimensions))
				t.compare(float64(level)/scan.Scale, want)
			}
		}
	}
}

func (t *tally) count(said, speaks bool) {
	switch {
	case said && speaks:
		t.right++
	case said:
		t.wrong++
	case speaks:
		t.missed++
	}
}

func (t *tally) compare(got float64, want int) {
	t.levels++
	distance := math.Abs(math.Round(got) - float64(want))
	if distance <= 1 {
		t.near++
	}
}

func (t tally) print() {
	fmt.Printf("out of fold: of %d sentences with a topic %.3f are found, of those said %.3f are right; %.3f of the levels are within one\n",
		t.right+t.missed,
		share(t.right, t.right+t.missed),
		share(t.right, t.right+t.wrong),
		share(t.near, t.levels))
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }
