package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"

	"governance.internal/functions/legal-prep/clauses"
	"governance.internal/functions/legal-prep/text"
)

// row is a line of the corpus.
type row struct {
	File    string              `json:"file"`
	Text    string              `json:"text"`
	Labels  map[string][]string `json:"labels"`
	Answers map[string]string   `json:"answers"`
}

// labels holds a bit for each category.
type labels uint64

func (l labels) has(category int) bool    { return l>>category&1 == 1 }
func (l labels) with(category int) labels { return l | 1<<category }
func labelOf(category int, yes bool) labels { // the label alone, or none
	if !yes {
		return 0
	}
	return labels(0).with(category)
}

// example is a unit with what it shows.
type example struct {
	features []int32 // indexes of the vocabulary
	length   int     // features before the vocabulary chose
	square   float64 // of the length of the vector
	shows    labels
}

// passage is what gets one answer for each category: a clause, a window, a contract.
type passage struct {
	examples []int // of the corpus
	shows    labels
	fold     int
}

// corpus is what is learned from and measured on.
type corpus struct {
	examples  []example
	fold      []int // of each example
	snippets  []passage
	windows   []passage
	contracts []passage
	words     []clauses.Feature // the vocabulary
	rarity    []float64         // of each word: the rarer, the more it says
}

// everything returns all examples.
func (c *corpus) everything() []int {
	all := make([]int, len(c.examples))
	for i := range all {
		all[i] = i
	}
	return all
}

// clausesAlone returns the examples that are one labelled clause.
func (c *corpus) clausesAlone() []int {
	var all []int
	for _, s := range c.snippets {
		all = append(all, s.examples...)
	}
	return all
}

// folds is how many parts the filers fall into.
const folds = 5

// windowPoints is what a caller may send, in code points.
const windowPoints = 20_000

func readRows(path string) ([]row, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}

	var rows []row
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, 16<<20)

	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// foldOf puts all contracts of one filer into the same part.
func foldOf(file string) int {
	filer, _, _ := strings.Cut(strings.ToUpper(file), "_")
	filer, _, _ = strings.Cut(filer, " - ")
	filer = strings.Map(func(r rune) rune {
		if r < 'A' || r > 'Z' {
			return -1
		}
		return r
	}, filer)

	hash := fnv.New32a()
	_, _ = hash.Write([]byte(filer[:min(len(filer), 8)])) // never fails

	return int(hash.Sum32() % folds)
}

// loaded is a corpus whose units still have all features.
type loaded struct {
	corpus
	units []clauses.Unit
	from  []int // contract of each unit
}

func load(rows []row) *corpus {
	l := &loaded{}
	for i, r := range rows {
		l.addContract(i, r)
	}

	l.chooseWords()

	return &l.corpus
}

func (l *loaded) addContract(i int, r row) {
	fold := foldOf(r.File)
	fragments := fragmentsOf(r)
	contract := passage{fold: fold}

	for c, name := range clauses.Categories {
		contract.shows |= labelOf(c, len(r.Labels[name]) > 0)
	}

	for _, source := range windowsOf(r.Text) {
		t := text.New(source)
		spans, shows := find(t, fragments)
		w := passage{fold: fold, shows: shows}
		for _, u := range clauses.Units(t) {
			w.examples = append(w.examples, l.add(i, fold, u, labelsOf(u.Span, spans)))
		}
		contract.examples = append(contract.examples, w.examples...)
		l.windows = append(l.windows, w)
	}

	l.contracts = append(l.contracts, contract)

	for _, f := range fragments {
		unit := clauses.Alone(text.New(f.text))
		at := l.add(i, fold, unit, f.shows)
		l.snippets = append(l.snippets, passage{[]int{at}, f.shows, fold})
	}
}

func (l *loaded) add(contract, fold int, u clauses.Unit, shows labels) int {
	l.units = append(l.units, u)
	l.from = append(l.from, contract)
	l.fold = append(l.fold, fold)
	l.examples = append(l.examples, example{length: len(u.Features), shows: shows})

	return len(l.examples) - 1
}

// fragment is a quoted part of a contract with every category that quotes it.
type fragment struct {
	text  string
	shows labels
}

func fragmentsOf(r row) []fragment {
	place := map[string]int{}
	var all []fragment

	for c, name := range clauses.Categories {
		for _, label := range r.Labels[name] {
			for part := range strings.SplitSeq(label, "<omitted>") {
				part = flat(text.New(strings.TrimSpace(part)).Plain)
				if part == "" {
					continue
				}
				at, known := place[part]
				if !known {
					at = len(all)
					place[part] = at
					all = append(all, fragment{text: part})
				}
				all[at].shows = all[at].shows.with(c)
			}
		}
	}
	return all
}

func flat(plain string) string { return strings.ReplaceAll(plain, "\n", " ") }

func windowsOf(source string) []string {
	points := []rune(source)
	var all []string

	for part := range slices.Chunk(points, windowPoints) {
		all = append(all, string(part))
	}
	return all
}

// labelled is a place of a fragment.
type labelled struct {
	text.Span
	shows labels
}

// shortFragment is a name or a date: only its first place counts.
const shortFragment = 25

func find(t *text.Text, fragments []fragment) ([]labelled, labels) {
	plain := flat(t.Plain)
	var spans []labelled
	var shows labels

	for _, f := range fragments {
		for at := 0; ; {
			next := strings.Index(plain[at:], f.text)
			if next < 0 {
				break
			}
			start := at + next
			at = start + len(f.text)
			spans = append(spans, labelled{text.Span{Start: start, End: at}, f.shows})
			shows |= f.shows
			if len(f.text) < shortFragment {
				break
			}
		}
	}
	return spans, shows
}

// labelsOf returns what a sentence shows: what covers a good part of it, or lies mostly in it.
func labelsOf(s text.Span, spans []labelled) labels {
	var shows labels
	for _, l := range spans {
		common := min(s.End, l.End) - max(s.Start, l.Start)
		if common > 0 && (2*common >= l.Len() || 5*common >= 2*s.Len()) {
			shows |= l.shows
		}
	}
	return shows
}

// leastContracts is in how many contracts a feature stands at least.
const leastContracts = 6

// chooseWords makes the vocabulary, in rising order.
func (l *loaded) chooseWords() {
	type count struct{ contracts, last int32 }
	counts := map[clauses.Feature]count{}

	for i, u := range l.units {
		contract := int32(l.from[i]) + 1
		for _, f := range u.Features {
			if n := counts[f]; n.last != contract {
				counts[f] = count{n.contracts + 1, contract}
			}
		}
	}

	for f, n := range counts {
		if n.contracts >= leastContracts {
			l.words = append(l.words, f)
		}
	}

	slices.Sort(l.words)

	for _, f := range l.words {
		share := float64(counts[f].contracts) / float64(len(l.contracts))
		l.rarity = append(l.rarity, (1-math.Log(share))/3)
	}

	index := make(map[clauses.Feature]int32, len(l.words))
	for i, f := range l.words {
		index[f] = int32(i)
	}

	for i, u := range l.units {
		for _, f := range u.Features {
			if at, known := index[f]; known {
				e := &l.examples[i]
				e.features = append(e.features, at)
				e.square += l.rarity[at] * l.rarity[at] / float64(e.length)
			}
		}
	}
}
