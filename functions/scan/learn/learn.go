package main

import (
	"math"
	"slices"
	"sync"

	"governance.internal/shared/scan"
)

// Settings of the learner.
const (
	leastCount  = 2   // sentences with a feature
	sweeps      = 60  // over all features
	topicCost   = 1.0 // of an error in a topic, against the size of the weights
	levelCost   = 0.1 // of an error in a level
	sureEnough  = 0.4 // the probability from which a sentence speaks of a dimension
	leastWeight = 2   // smaller weights are dropped, in steps of the scale
)

// strengths say how much a kind of feature counts, by the first letter of its name.
var strengths = map[byte]float64{
	'u': 1,
	'b': 1,
	'k': 1,
	'p': 0.7,
	'm': 1,
	'c': 3,
	'h': 2,
	'n': 2,
	'd': 2,
	'f': 2,
	'v': 0.2,
	'w': 0.5,
	'=': 1, // the bias
	't': 1,
	'l': 1,
}

// strengthOf returns how much a feature counts.
func strengthOf(feature string) float64 { return strengths[feature[0]] }

// example is what one sentence teaches.
type example struct {
	features []string // each once
	want     float64
}

// learn learns a model from descriptions: one problem for each dimension, and one for the level.
func learn(descriptions [][]sentence) *model {
	sentences := slices.Concat(descriptions...)
	columns := make([]map[string]float64, len(dimensions)+1)

	var wait sync.WaitGroup
	for i := range dimensions {
		wait.Go(func() {
			columns[i] = learnTopic(sentences, i)
		})
	}
	wait.Go(func() {
		columns[len(dimensions)] = learnLevel(sentences)
	})
	wait.Wait()

	return join(columns)
}

// learnTopic learns which sentences speak of a dimension.
func learnTopic(sentences []sentence, dimension int) map[string]float64 {
	var examples []example
	for _, s := range sentences {
		e := example{features: s.seen.Topics}
		if _, speaks := s.levels[dimension]; speaks {
			e.want = 1
		}
		examples = append(examples, e)
	}

	p := newProblem(examples, topicCost)
	p.predict = logistic
	p.curvature = 0.25
	p.solve()

	weights := p.named()
	weights[scan.Bias] -= math.Log(sureEnough / (1 - sureEnough))
	return weights
}

// logistic turns a sum of weights into a probability.
func logistic(sum float64) float64 { return 1 / (1 + math.Exp(-sum)) }

// learnLevel learns the level of the sentences that speak of a dimension.
func learnLevel(sentences []sentence) map[string]float64 {
	var examples []example
	for _, s := range sentences {
		for dimension := range dimensions {
			level, speaks := s.levels[dimension]
			if !speaks {
				continue
			}
			examples = append(examples, example{
				features: s.seen.Levels[dimension],
				want:     float64(level),
			})
		}
	}

	p := newProblem(examples, levelCost)
	p.predict = func(sum float64) float64 { return sum }
	p.curvature = 1
	p.solve()
	return p.named()
}
