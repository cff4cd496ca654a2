package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/conflict"
	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/meaning"
)

// example is a pair of sentences.
type example struct {
	text  int // index
	which int // index of the conflict in the text; -1 for none
	near  bool
	conflict.Comparison
}

func (e *example) isConflict() bool { return e.which >= 0 }

func directivesOf(body string) (*document.Document, []*directive.Directive) {
	d := document.Read(document.NewSource("AGENTS.md", body), document.Rules)
	return d, directive.Read(d)
}

// tables are two tables of what words mean: one for the texts with even indices, made from the labels of the
// others, and one for those with odd indices.
type tables [2]*meaning.Table

// readTables reads the tables of a folder. The one named odd was made from texts with odd indices.
func readTables(folder string) (tables, error) {
	if folder == "" {
		return tables{meaning.Embedded(), meaning.Embedded()}, nil
	}

	var all tables
	for i, name := range []string{"odd.vec", "even.vec"} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return all, err
		}
		all[i], err = meaning.Read(string(raw))
		if err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

func examplesOf(texts []text, tables tables) []example {
	var all []example
	for i, t := range texts {
		d, directives := directivesOf(t.body)
		for _, c := range conflict.Compare(directives, tables[i%2]) {
			a, b := lineOf(d.Text, c.A), lineOf(d.Text, c.B)
			all = append(all, example{
				text:       i,
				which:      labelled(t.conflicts, a, b),
				near:       labelled(t.near, a, b) >= 0,
				Comparison: c,
			})
		}
	}
	return all
}

// toLearn returns the examples of the texts that are not held back.
func toLearn(texts []text, all []example) []example {
	var some []example
	for _, e := range all {
		set := texts[e.text].set
		if !slices.Contains(held, set) {
			some = append(some, e)
		}
	}
	return some
}

// lineOf returns the lines on which a statement stands.
func lineOf(text string, s *document.Statement) string {
	start := strings.LastIndexByte(text[:s.Start], '\n') + 1
	end := strings.IndexByte(text[s.End:], '\n')
	if end < 0 {
		return text[start:]
	}
	return text[start : s.End+end]
}

// labelled returns the index of the pair of quotes that two lines hold; -1 for none.
func labelled(pairs [][2]string, a, b string) int {
	for i, p := range pairs {
		if hold(p, a, b) || hold(p, b, a) {
			return i
		}
	}
	return -1
}

// hold reports whether two lines hold the two quotes of a pair.
func hold(pair [2]string, a, b string) bool {
	if !strings.Contains(a, pair[0]) {
		return false
	}
	return strings.Contains(b, pair[1])
}

func conflictsAmong(all []example) int {
	n := 0
	for i := range all {
		if all[i].isConflict() {
			n++
		}
	}
	return n
}

// leastNamed is how many sentences name a form that is not rare.
const leastNamed = 3

// writeRarity writes the weight of each form that is not rare: eight times the bits of the share of
// sentences that do not name it.
func writeRarity(file string, texts []text) error {
	sentences, naming := 0, map[string]int{}
	for _, t := range texts {
		if slices.Contains(held, t.set) {
			continue
		}
		_, directives := directivesOf(t.body)
		for _, forms := range conflict.Forms(directives) {
			sentences++
			for _, form := range forms {
				naming[form]++
			}
		}
	}

	var lines []string
	for form, n := range naming {
		if n < leastNamed || strings.ContainsAny(form, " /") {
			continue
		}
		weight := 8 * math.Log2(float64(sentences)/float64(n+1))
		lines = append(lines, fmt.Sprintf("%s %d\n", form, int(weight)))
	}
	slices.Sort(lines)
	fmt.Printf("%d sentences, %d forms\n", sentences, len(lines))
	return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644)
}
