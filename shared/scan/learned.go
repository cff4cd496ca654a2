package scan

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"governance.internal/shared/textkit"
)

//go:embed learned.txt
var learnedText string

// Scale is the size of the weights in learned.txt: a weight of 100 counts as one.
const Scale = 100

// Bias is the feature that every line has.
const Bias = "="

// model holds what was learned of each feature: a weight for each dimension, whether a line
// speaks of it, and one for the level.
type model struct {
	row     map[string]int
	weights []int32 // row by row
}

// width is how many weights a feature has.
func width() int { return len(topics) + 1 }

var learned = sync.OnceValue(func() *model { return readModel(learnedText) })

// readModel reads lines such as "u_sign 12 0 -3 0 0 0 0 0 0 40".
func readModel(text string) *model {
	lines := strings.Count(text, "\n")
	m := &model{
		row:     make(map[string]int, lines),
		weights: make([]int32, 0, lines*width()),
	}

	for line := range strings.Lines(text) {
		feature, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		m.row[feature] = len(m.row)
		for number := range strings.SplitSeq(rest, " ") {
			weight, _ := strconv.Atoi(number) // a test reads every line
			m.weights = append(m.weights, int32(weight))
		}
	}
	return m
}

// sum adds up the weights of features in one column.
func (m *model) sum(features []string, column int) int {
	total := 0
	for _, f := range features {
		row, known := m.row[f]
		if known {
			total += int(m.weights[row*width()+column])
		}
	}
	return total
}

// speaksOf reports whether a line speaks of a dimension.
func (m *model) speaksOf(features []string, topic int) bool {
	return m.sum(features, topic) > 0
}

// level returns the level that follows from a line, in hundredths.
func (m *model) level(features []string) int {
	level := m.sum(features, len(topics))
	return max(0, min(level, Checked*Scale))
}

// Observation is what the learner sees of a sentence.
type Observation struct {
	Topics []string   // decide which dimensions it speaks of
	Levels [][]string // decide the level, for each dimension
}

// Observe returns what the learner sees of sentences that follow each other. Each of them is
// read by itself.
func Observe(sentences []string) []Observation {
	var all []Observation
	var before *line
	for _, sentence := range sentences {
		var seen Observation
		for _, lines := range paragraphs(textkit.New(sentence)) {
			for _, l := range lines {
				seen.add(observe(l, before))
				before = l
			}
		}
		all = append(all, seen)
	}
	return all
}

// add joins what is seen of two lines.
func (o *Observation) add(other Observation) {
	o.Topics = unique(slices.Concat(o.Topics, other.Topics))
	if o.Levels == nil {
		o.Levels = make([][]string, len(topics))
	}
	for i := range topics {
		o.Levels[i] = unique(slices.Concat(o.Levels[i], other.Levels[i]))
	}
}

// observe returns the features of a line. The line before belongs to the same paragraph, or is
// nil.
func observe(l, before *line) Observation {
	claims := l.claims()
	words := l.wordFeatures()

	seen := Observation{Topics: slices.Concat(words, l.prefixes())}
	seen.Topics = append(seen.Topics, claimFeatures(claims)...)
	if before != nil {
		seen.Topics = append(seen.Topics, before.echoes()...)
	}
	seen.Topics = unique(seen.Topics)

	for i := range topics {
		own := levelFeatures(&topics[i], claims)
		seen.Levels = append(seen.Levels, unique(slices.Concat(words, own)))
	}
	return seen
}

func unique(features []string) []string {
	slices.Sort(features)
	return slices.Compact(features)
}

// wordFeatures returns the stems of a line, their kinds, the pairs of stems, and the classes of the lexicon.
func (l *line) wordFeatures() []string {
	all := []string{Bias}
	for i, w := range l.Words {
		all = append(all, "u_"+w.Stem)
		if kind, isKnown := kinds()[w.Lower]; isKnown {
			all = append(all, "k_"+kind)
		}
		if i > 0 {
			all = append(all, "b_"+l.Words[i-1].Stem+"_"+w.Stem)
		}
	}

	for class, marks := range l.marks {
		if len(marks) > 0 {
			all = append(all, "m_"+class)
		}
	}
	return all
}

// prefixLength is how many bytes of a long word say what it is about.
const prefixLength = 5

// prefixes returns the beginnings of the long words.
func (l *line) prefixes() []string {
	var all []string
	for _, w := range l.Words {
		if len(w.Lower) > prefixLength+1 {
			all = append(all, "p_"+w.Lower[:prefixLength])
		}
	}
	return all
}

// claimFeatures returns what the frames say of a line.
func claimFeatures(claims []claim) []string {
	var all []string
	for _, c := range claims {
		name := c.topic.name
		all = append(all, "c_"+name)
		if c.hinted {
			all = append(all, "h_"+name)
		}
		if c.named {
			all = append(all, "n_"+name)
		}
		if c.verdict == absent {
			all = append(all, "d_"+name)
		}
		if c.firm {
			all = append(all, "f_"+name)
		}
	}
	return all
}

// echoes returns what a line says about the one behind it.
func (l *line) echoes() []string {
	var all []string
	for _, w := range l.Words {
		all = append(all, "v_"+w.Stem)
	}
	for _, c := range l.claims() {
		all = append(all, "w_"+c.topic.name)
	}
	return all
}

// levelFeatures returns what the frames say of one dimension.
func levelFeatures(t *topic, claims []claim) []string {
	all := []string{"t_" + t.name}
	for _, c := range claims {
		if c.topic != t {
			continue
		}
		all = append(all, "l_"+strconv.Itoa(c.level()))
		if c.verdict == absent {
			all = append(all, "l_absent")
		}
		if c.hinted {
			all = append(all, "l_hinted")
		}
	}
	return all
}
