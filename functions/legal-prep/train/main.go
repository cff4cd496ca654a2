// The train command learns the clause models of legal-prep from CUAD, and measures them.
//
//	go run ./functions/legal-prep/train -corpus train.jsonl.gz -out functions/legal-prep/clauses/model.bin
//
// All figures are out of fold: each contract is judged by a model that saw no contract of the
// same filer, and by limits that were chosen without it. The same corpus gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"governance.internal/functions/legal-prep/clauses"
)

func main() {
	path := flag.String("corpus", "", "`file` of the corpus, JSON lines, gzipped")
	out := flag.String("out", "", "`file` for the model; without it the figures are printed only")
	flag.Parse()

	if *path == "" {
		fmt.Println("not measured: no corpus was given (make eval-legal CORPUS=train.jsonl.gz)")
		return
	}

	if err := run(*path, *out); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(path, out string) error {
	start := time.Now()
	rows, err := readRows(path)
	if err != nil {
		return err
	}

	if err := checkQuotes(rows); err != nil {
		return err
	}
	reportValues(rows)
	c := load(rows)
	note(start, "%d contracts, %d examples, %d features", len(c.contracts), len(c.examples), len(c.words))

	all, snippets := c.everything(), c.clausesAlone()
	scores := figures{
		sentences: outOfFold(c, all, sentenceSettings),
		clauses:   outOfFold(c, snippets, clauseSettings),
	}

	note(start, "five folds learned")
	limits := report(c, scores)
	if out == "" {
		return nil
	}

	m := join(c,
		learnAll(c, all, sentenceSettings),
		learnAll(c, snippets, clauseSettings),
	)

	m.Limits = limits
	encoded := m.Encode(c.words)
	note(start, "model of %d bytes", len(encoded))

	return os.WriteFile(out, encoded, 0o644)
}

func note(start time.Time, format string, args ...any) {
	took := time.Since(start).Round(time.Second)
	fmt.Fprintf(os.Stderr, "%5s  %s\n", took, fmt.Sprintf(format, args...))
}

// each runs work for every number below n on all processors.
func each(n int, work func(int)) {
	var wait sync.WaitGroup
	numbers := make(chan int)

	for range runtime.NumCPU() {
		wait.Go(func() {
			for i := range numbers {
				work(i)
			}
		})
	}

	for i := range n {
		numbers <- i
	}

	close(numbers)
	wait.Wait()
}

// figures are the scores of each example for each category, out of fold.
type figures struct {
	sentences, clauses [][]int
}

// outOfFold returns the score of each example for each category by a model that did not see
// the part of the corpus it is in.
func outOfFold(c *corpus, among []int, s settings) [][]int {
	scores := make([][]int, len(clauses.Categories))
	for i := range scores {
		scores[i] = make([]int, len(c.examples))
	}

	each(folds*len(scores), func(job int) {
		fold, category := job%folds, job/folds
		var train, test []int
		for _, i := range among {
			if c.fold[i] == fold {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		l := learn(c, category, train, s)
		weights, bias := l.quantised(), l.quantisedBias()
		for _, i := range test {
			scores[category][i] = score(&c.examples[i], bias, weights)
		}
	})

	return scores
}

// learned is one model: a bias and weights for each category.
type learned struct {
	bias    []int
	weights [][]int16
}

// learnAll learns from all folds.
func learnAll(c *corpus, among []int, s settings) learned {
	n := len(clauses.Categories)
	m := learned{make([]int, n), make([][]int16, n)}
	each(n, func(category int) {
		l := learn(c, category, among, s)
		m.weights[category] = l.quantised()
		m.bias[category] = l.quantisedBias()
	})

	return m
}

// join puts two models into one: the categories of the second come after those of the first.
func join(c *corpus, sentences, alone learned) *clauses.Model {
	m := &clauses.Model{
		Bias:    append(sentences.bias, alone.bias...),
		Weights: map[clauses.Feature][]clauses.Weight{},
	}

	weights := append(sentences.weights, alone.weights...)

	var used []clauses.Feature
	for f, word := range c.words {
		for category := range weights {
			if value := weights[category][f]; value != 0 {
				w := clauses.Weight{Category: uint8(category), Value: value}
				m.Weights[word] = append(m.Weights[word], w)
			}
		}
		if len(m.Weights[word]) > 0 {
			used = append(used, word)
		}
	}

	c.words = used

	return m
}
