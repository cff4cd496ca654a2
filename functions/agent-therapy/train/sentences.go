package main

import (
	"encoding/json"
	"os"
	"slices"

	"governance.internal/functions/agent-therapy/conflict"
)

// sentences are the sentences of a text that are compared, with pairs of their indices.
type sentences struct {
	Held      bool     `json:"held"`
	Planted   bool     `json:"planted"` // into a text that has nothing to do with the pair
	Sentences []string `json:"sentences"`
	Conflicts [][2]int `json:"conflicts"`
	Near      [][2]int `json:"near"`
}

// writeSentences writes the sentences of each text as a line of JSON, from which the vectors of words are made.
func writeSentences(name string, texts []text) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()

	lines := json.NewEncoder(file)
	for _, t := range texts {
		if err := lines.Encode(sentencesOf(t)); err != nil {
			return err
		}
	}
	return file.Close()
}

func sentencesOf(t text) sentences {
	s := sentences{
		Held:      slices.Contains(held, t.set),
		Planted:   t.planted,
		Sentences: []string{},
		Conflicts: [][2]int{},
		Near:      [][2]int{},
	}

	d, directives := directivesOf(t.body)
	var lines []string
	for _, statement := range conflict.Statements(directives) {
		s.Sentences = append(s.Sentences, statement.Text)
		lines = append(lines, lineOf(d.Text, statement))
	}
	for i, a := range lines {
		for j := i + 1; j < len(lines); j++ {
			pair := [2]int{i, j}
			if labelled(t.conflicts, a, lines[j]) >= 0 {
				s.Conflicts = append(s.Conflicts, pair)
			}
			if labelled(t.near, a, lines[j]) >= 0 {
				s.Near = append(s.Near, pair)
			}
		}
	}
	return s
}
