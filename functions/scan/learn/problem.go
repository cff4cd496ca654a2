package main

import (
	"maps"
	"slices"

	"governance.internal/shared/scan"
)

// problem is solved by descent, one weight after the other in a fixed order: small errors, by
// small weights.
type problem struct {
	cost      float64
	predict   func(sum float64) float64
	curvature float64 // the steepest slope of predict

	columns []column
	want    []float64
	sums    []float64 // of each example, with the weights so far
}

// column is a feature with the examples that have it.
type column struct {
	feature  string
	strength float64
	examples []int
	weight   float64
}

func newProblem(examples []example, cost float64) *problem {
	p := &problem{
		cost: cost,
		sums: make([]float64, len(examples)),
	}

	having := map[string][]int{}
	for i, e := range examples {
		p.want = append(p.want, e.want)
		for _, f := range e.features {
			having[f] = append(having[f], i)
		}
	}

	for _, f := range slices.Sorted(maps.Keys(having)) {
		if len(having[f]) < leastCount {
			continue
		}
		p.columns = append(p.columns, column{
			feature:  f,
			strength: strengthOf(f),
			examples: having[f],
		})
	}
	return p
}

func (p *problem) solve() {
	for range sweeps {
		for i := range p.columns {
			p.step(&p.columns[i])
		}
	}
}

// step moves one weight to where the error falls most.
func (p *problem) step(c *column) {
	slope := 0.0
	for _, e := range c.examples {
		slope += p.predict(p.sums[e]) - p.want[e]
	}

	gradient := p.cost * c.strength * slope
	steepness := p.cost * c.strength * c.strength * p.curvature * float64(len(c.examples))
	if c.feature != scan.Bias {
		gradient += c.weight
		steepness++
	}

	move := -gradient / steepness
	c.weight += move
	for _, e := range c.examples {
		p.sums[e] += move * c.strength
	}
}

// named returns the weights that a feature counts with.
func (p *problem) named() map[string]float64 {
	weights := map[string]float64{}
	for _, c := range p.columns {
		weights[c.feature] = c.weight * c.strength
	}
	return weights
}
