package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"governance.internal/shared/scan"
)

// model holds the weights of each feature as the scan reads them: for each dimension, and for
// the level.
type model struct {
	features []string // sorted
	weights  map[string][]int
}

// join rounds the weights of all columns and drops the features that say nothing.
func join(columns []map[string]float64) *model {
	weights := map[string][]int{}
	for at, column := range columns {
		for feature, exact := range column {
			weight := rounded(exact)
			if weight == 0 {
				continue
			}
			if weights[feature] == nil {
				weights[feature] = make([]int, len(columns))
			}
			weights[feature][at] = weight
		}
	}

	return &model{
		features: slices.Sorted(maps.Keys(weights)),
		weights:  weights,
	}
}

// rounded returns a weight in steps of the scale; a small one is 0.
func rounded(exact float64) int {
	weight := int(math.Round(exact * scan.Scale))
	if -leastWeight < weight && weight < leastWeight {
		return 0
	}
	return weight
}

// encode writes a line for each feature.
func (m *model) encode() []byte {
	var text bytes.Buffer
	for _, feature := range m.features {
		text.WriteString(feature)
		for _, weight := range m.weights[feature] {
			fmt.Fprintf(&text, " %d", weight)
		}
		text.WriteByte('\n')
	}
	return text.Bytes()
}

// sum adds up the weights of features in one column, as the scan does.
func (m *model) sum(features []string, column int) int {
	total := 0
	for _, feature := range features {
		weights, known := m.weights[feature]
		if known {
			total += weights[column]
		}
	}
	return total
}
