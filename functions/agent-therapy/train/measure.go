package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/conflict"
)

// folds is how many parts the texts are cut into; each part is judged by trees that saw the others.
const folds = 3

// tally counts what is reported in one set of texts.
type tally struct {
	conflicts, found, near, other, lines int

	known map[[2]int]bool // conflicts that are counted
}

// measure prints how trees judge texts that they did not see.
func measure(texts []text, all []example) {
	scores := outOfFold(texts, all)
	for _, limit := range []int{-800, -400, 0, 400} {
		fmt.Printf("from %d on:\n", limit)
		report(texts, all, scores, limit)
	}
}

// outOfFold returns the score of each example by trees that saw neither its text nor the texts that are held
// back.
func outOfFold(texts []text, all []example) []int {
	scores := make([]int, len(all))
	for fold := range folds {
		var others []example
		for _, e := range toLearn(texts, all) {
			if e.text%folds != fold {
				others = append(others, e)
			}
		}

		grown := grow(others)
		for i, e := range all {
			if e.text%folds == fold {
				scores[i] = grown.Score(e.Likeness[:])
			}
		}
	}
	return scores
}

// report prints the figures of each set of texts, if pairs are reported from a score on.
func report(texts []text, all []example, scores []int, limit int) {
	sets := map[string]*tally{}
	for _, t := range texts {
		if sets[t.set] == nil {
			sets[t.set] = &tally{known: map[[2]int]bool{}}
		}
		sets[t.set].conflicts += len(t.conflicts)
		sets[t.set].lines += strings.Count(t.body, "\n")
	}

	for i, e := range all {
		if scores[i]+conflict.TrustIn(e.Likeness) >= limit {
			sets[texts[e.text].set].count(e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		sets[name].print(name)
	}
}

func (s *tally) count(e example) {
	key := [2]int{e.text, e.which}
	switch {
	case e.isConflict() && s.known[key]:
	case e.isConflict():
		s.known[key] = true
		s.found++
	case e.near:
		s.near++
	default:
		s.other++
	}
}

func (s *tally) print(name string) {
	alerts := s.found + s.near + s.other
	recall := share(s.found, s.conflicts)
	precision := share(s.found, alerts)
	fmt.Printf("  %-9s recall %.3f of %d, precision %.3f, %d near misses, ", name, recall, s.conflicts, precision, s.near)
	fmt.Printf("%.2f others in 1,000 lines\n", 1000*share(s.other, s.lines))
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }
