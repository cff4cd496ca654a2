package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"governance.internal/functions/legal-prep/clauses"
)

// settings of the learner: a support vector machine with squared hinge loss, solved in its dual
// one example at a time.
type settings struct {
	cost     float64 // of an example on the wrong side
	positive float64 // times the cost where the example shows the category; 0 weighs both sides equally
	epochs   int
	keep     int // weights of a category, the largest
}

// sentenceSettings are for the model of sentences among all others.
var sentenceSettings = settings{
	cost:     0.3,
	positive: 3,
	epochs:   8,
	keep:     4000,
}

// clauseSettings are for the model of one clause among other clauses.
var clauseSettings = settings{
	cost:   0.5,
	epochs: 15,
	keep:   4000,
}

// mostWeight is the highest weight of an example.
const mostWeight = 60

// unitLength scales vectors as the model does.
const unitLength = 8

// learner learns one category.
type learner struct {
	settings
	corpus   *corpus
	category int
	weights  []float64
	bias     float64
	alphas   []float64
}

func learn(c *corpus, category int, train []int, s settings) *learner {
	l := &learner{
		settings: s,
		corpus:   c,
		category: category,
		weights:  make([]float64, len(c.words)),
		alphas:   make([]float64, len(c.examples)),
	}

	if s.positive == 0 {
		l.positive = balance(c, category, train)
	}

	random := rand.New(rand.NewPCG(uint64(category), 17))
	active := slices.Clone(train)

	for epoch := range s.epochs {
		random.Shuffle(len(active), func(i, j int) { active[i], active[j] = active[j], active[i] })
		kept := active[:0]
		for _, i := range active {
			if l.step(i) || epoch == 0 {
				kept = append(kept, i)
			}
		}
		active = kept
	}
	return l
}

// balance returns how many examples without a category there are for each with it.
func balance(c *corpus, category int, train []int) float64 {
	shown := 0
	for _, i := range train {
		if c.examples[i].shows.has(category) {
			shown++
		}
	}

	ratio := float64(len(train)-shown) / float64(max(shown, 1))

	return min(ratio, mostWeight)
}

// step improves the answer for one example and reports whether the example still matters: one
// that lies far on its own side does not.
func (l *learner) step(i int) bool {
	e := &l.corpus.examples[i]
	rare := l.corpus.rarity
	x := 1 / math.Sqrt(float64(max(e.length, 1)))
	sum := 0.0

	for _, f := range e.features {
		sum += l.weights[f] * rare[f]
	}

	side, cost := -1.0, l.cost
	if e.shows.has(l.category) {
		side, cost = 1, l.cost*l.positive
	}

	slack := 1 / (2 * cost)
	gradient := side*(l.bias+x*sum) - 1 + slack*l.alphas[i]
	if l.alphas[i] == 0 && gradient > 0 {
		return gradient < 0.3
	}

	before := l.alphas[i]
	l.alphas[i] = max(0, before-gradient/(e.square+1+slack))
	move := (l.alphas[i] - before) * side
	if move == 0 {
		return true
	}

	l.bias += move

	for _, f := range e.features {
		l.weights[f] += move * x * rare[f]
	}
	return true
}

// quantised returns the largest weights in steps, and zero for the others.
func (l *learner) quantised() []int16 {
	steps := make([]int16, len(l.weights))
	var order []int

	for f, w := range l.weights {
		step := math.Round(w * l.corpus.rarity[f] / unitLength * clauses.Scale)
		steps[f] = int16(max(math.MinInt16, min(math.MaxInt16, step)))
		if steps[f] != 0 {
			order = append(order, f)
		}
	}

	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(size(steps[b]), size(steps[a])), cmp.Compare(a, b))
	})

	for _, f := range order[min(len(order), l.keep):] {
		steps[f] = 0
	}
	return steps
}

func size(step int16) int { return max(int(step), -int(step)) }

func (l *learner) quantisedBias() int { return int(math.Round(l.bias * clauses.Scale)) }

// score is what the embedded model will compute, in thousandths.
func score(e *example, bias int, weights []int16) int {
	sum := 0
	for _, f := range e.features {
		sum += int(weights[f])
	}
	return clauses.ScoreOf(bias, sum, e.length)
}
