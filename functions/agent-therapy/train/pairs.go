package main

import (
	"encoding/json"
	"os"
	"slices"

	"governance.internal/functions/agent-therapy/conflict"
)

// judged are the pairs of sentences of a text that the trees judge.
type judged struct {
	Held  bool   `json:"held"`
	Pairs []pair `json:"pairs"`
}

// pair is a pair of sentences with what the labels say of it and what trees say that did not see its text.
type pair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Kind  string `json:"kind"` // conflict, near or other
	Score int    `json:"score"`
}

// writePairs writes the pairs of each text as a line of JSON, from which the network of package contrast is made.
func writePairs(name string, texts []text, all []example) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()

	scores := outOfFold(texts, all)
	byText := make([]judged, len(texts))
	for i, t := range texts {
		byText[i] = judged{Held: slices.Contains(held, t.set), Pairs: []pair{}}
	}
	for i, e := range all {
		of := &byText[e.text]
		of.Pairs = append(of.Pairs, pair{
			A:     e.A.Text,
			B:     e.B.Text,
			Kind:  e.kind(),
			Score: scores[i] + conflict.TrustIn(e.Likeness),
		})
	}

	lines := json.NewEncoder(file)
	for _, one := range byText {
		if err := lines.Encode(one); err != nil {
			return err
		}
	}
	return file.Close()
}

// kind says what the labels say of an example.
func (e *example) kind() string {
	switch {
	case e.isConflict():
		return "conflict"
	case e.near:
		return "near"
	}
	return "other"
}
