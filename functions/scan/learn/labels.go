package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"governance.internal/shared/scan"
)

// dimensions are the short names of the labels, in the order of the scan.
var dimensions = []string{"at", "ac", "pf", "pg", "sh", "ha", "eg", "hd", "mg"}

// sentence is a labelled sentence of a description.
type sentence struct {
	text   string
	levels map[int]int // by dimension
	seen   scan.Observation
}

// readLabels reads the descriptions of all files of a folder, in the order of their names.
func readLabels(folder string) ([][]sentence, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}

	var all [][]sentence
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		descriptions, err := parseLabels(string(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, descriptions...)
	}
	return all, nil
}

// parseLabels reads descriptions, each behind a line "@ name".
func parseLabels(text string) ([][]sentence, error) {
	var all [][]sentence
	for block := range strings.SplitSeq("\n"+text, "\n@ ") {
		description, err := parseDescription(block)
		if err != nil {
			return nil, err
		}
		if len(description) > 0 {
			all = append(all, description)
		}
	}
	return all, nil
}

func parseDescription(block string) ([]sentence, error) {
	var all []sentence
	var texts []string
	for line := range strings.Lines(block) {
		text, labels, ok := strings.Cut(strings.TrimSpace(line), " || ")
		if !ok {
			continue
		}
		levels, err := parseLevels(labels)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		all = append(all, sentence{text: text, levels: levels})
		texts = append(texts, text)
	}

	for i, seen := range scan.Observe(texts) {
		all[i].seen = seen
	}
	return all, nil
}

// parseLevels reads "ac2 at3", or "-" for a sentence that speaks of no dimension.
func parseLevels(labels string) (map[int]int, error) {
	levels := map[int]int{}
	if labels == "-" {
		return levels, nil
	}

	for label := range strings.FieldsSeq(labels) {
		dimension, level, err := parseLevel(label)
		if err != nil {
			return nil, err
		}
		levels[dimension] = level
	}
	return levels, nil
}

func parseLevel(label string) (dimension, level int, err error) {
	for i, name := range dimensions {
		digit, ok := strings.CutPrefix(label, name)
		if !ok {
			continue
		}
		if len(digit) != 1 || digit < "0" || digit > "4" {
			break
		}
		return i, int(digit[0] - '0'), nil
	}
	return 0, 0, fmt.Errorf("%q is no label", label)
}
