package main

import (
	"cmp"
	"fmt"
	"slices"

	"governance.internal/functions/legal-prep/clauses"
)

// judged is a passage with its best score for one category.
type judged struct {
	score int
	shows bool
	fold  int
}

func judge(passages []passage, scores []int, category int) []judged {
	all := make([]judged, len(passages))
	for i, p := range passages {
		best := clauses.Never
		for _, e := range p.examples {
			best = max(best, scores[e])
		}
		all[i] = judged{best, p.shows.has(category), p.fold}
	}
	return all
}

// tally counts answers.
type tally struct {
	hits, misses, alarms, rejects int
}

func (t *tally) count(present, shows bool) {
	switch {
	case present && shows:
		t.hits++
	case shows:
		t.misses++
	case present:
		t.alarms++
	default:
		t.rejects++
	}
}

func (t tally) plus(o tally) tally {
	t.hits += o.hits
	t.misses += o.misses
	t.alarms += o.alarms
	t.rejects += o.rejects
	return t
}

func (t tally) f1() float64 { return ratio(2*t.hits, 2*t.hits+t.misses+t.alarms) }

func (t tally) balanced() float64 {
	recall := ratio(t.hits, t.hits+t.misses)
	specificity := ratio(t.rejects, t.rejects+t.alarms)

	return (recall + specificity) / 2
}

func (t tally) positives() int { return t.hits + t.misses }

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

// best returns the limit with the highest value of a measure.
func best(all []judged, measure func(tally) float64) int {
	all = byScore(all)
	var t tally

	for _, j := range all {
		t.count(false, j.shows)
	}

	limit, top := all[0].score+1, measure(t)
	for i, j := range all {
		if j.shows {
			t.hits++
			t.misses--
		} else {
			t.alarms++
			t.rejects--
		}
		tie := i+1 < len(all) && all[i+1].score == j.score
		if value := measure(t); !tie && value > top {
			top = value
			limit = j.score
			if i+1 < len(all) {
				limit = (j.score + all[i+1].score) / 2 // between the two
			}
		}
	}
	return limit
}

func byScore(all []judged) []judged {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b judged) int { return cmp.Compare(b.score, a.score) })

	return all
}

// contracts is the size of the corpus.
const contracts = 406

// Under a limit for "not found" at least the share safely of passages must be without the
// clause, and of the passages with it no more than the share mostMissed may lie under it. A
// category that fewer than fewShown passages show is never said to be not found. Doubt is added
// to the passages with it: what was seen seldom is not sure.
const (
	safely     = 0.97
	mostMissed = 0.10
	fewShown   = 9
	doubt      = 2
)

// absent returns the highest limit up to another under which "not found" is safe.
func absent(all []judged, upTo int) int {
	all = byScore(all)
	slices.Reverse(all)
	shown := 0

	for _, j := range all {
		if j.shows {
			shown++
		}
	}

	if shown < fewShown {
		return clauses.Never
	}

	limit, missed := clauses.Never, 0
	for i, j := range all {
		if j.score >= upTo {
			return limit
		}
		if j.shows {
			missed++
		}
		safe := ratio(missed+doubt, i+1) <= 1-safely && ratio(missed, shown) <= mostMissed
		if safe {
			limit = j.score + 1
		}
	}
	return limit
}

// kind is a kind of passage with the measure its limits are chosen by.
type kind struct {
	name     string
	passages []passage
	scores   [][]int
	measure  func(tally) float64
}

// report prints the figures and returns the limits that all folds together give.
func report(c *corpus, f figures) [][3]clauses.Limits {
	limits := make([][3]clauses.Limits, len(clauses.Categories))
	list := []kind{
		{"clauses", c.snippets, f.clauses, tally.balanced},
		{"windows of 20,000", c.windows, f.sentences, tally.f1},
		{"whole contracts", c.contracts, f.sentences, tally.f1},
	}

	for at, s := range list {
		var sum summary
		for category, name := range clauses.Categories {
			all := judge(s.passages, s.scores[category], category)
			present := best(all, s.measure)
			low := absent(all, present)
			if !sum.add(name, all, s.measure) {
				low = clauses.Never
			}
			limits[category][at] = clauses.Limits{Present: present, Absent: low}
		}
		sum.print(s.name)
	}
	return limits
}

// summary adds up categories.
type summary struct {
	all      tally
	denied   tally // what was said to be not found
	f1       []float64
	usual    []float64 // of categories that 9 of 103 contracts show
	balanced []float64
	lines    []string
}

// leastReliable is the share of "not found" that must be right in folds that did not choose the
// limit; a category with less never says it.
const leastReliable = 0.95

// add judges each fold by limits from the others, and reports whether "not found" is reliable.
func (s *summary) add(name string, all []judged, measure func(tally) float64) bool {
	var t, denied tally
	for fold := range folds {
		var others, own []judged
		for _, j := range all {
			if j.fold == fold {
				own = append(own, j)
			} else {
				others = append(others, j)
			}
		}
		limit := best(others, measure)
		low := absent(others, limit)
		for _, j := range own {
			t.count(j.score >= limit, j.shows)
			if j.score < low {
				denied.count(false, j.shows)
			}
		}
	}

	times := denied.rejects + denied.misses
	right := ratio(denied.rejects, times)
	reliable := right >= leastReliable
	if !reliable {
		denied, times = tally{}, 0
	}

	s.all = s.all.plus(t)
	s.denied = s.denied.plus(denied)
	if t.positives() >= fewShown {
		s.f1 = append(s.f1, t.f1())
	}

	if t.positives()*103 >= fewShown*contracts {
		s.usual = append(s.usual, t.f1())
	}

	if name != "Document Name" && name != "Parties" && name != "Agreement Date" {
		s.balanced = append(s.balanced, t.balanced())
	}

	line := fmt.Sprintf("  %-36s n %5d  F1 %.3f  balanced accuracy %.3f  not found %5d times, right %.3f",
		name, t.positives(), t.f1(), t.balanced(), times, right)
	s.lines = append(s.lines, line)
	return reliable
}

func (s *summary) print(name string) {
	fmt.Printf("%s\n", name)
	for _, line := range s.lines {
		fmt.Println(line)
	}

	fmt.Printf("  micro F1 %.3f, macro F1 %.3f (%d categories with %d and more), mean balanced accuracy %.3f (%d)\n",
		s.all.f1(), mean(s.f1), len(s.f1), fewShown, mean(s.balanced), len(s.balanced))
	fmt.Printf("  macro F1 %.3f over the %d categories that 9 of 103 show\n", mean(s.usual), len(s.usual))
	denied := s.denied.rejects + s.denied.misses
	fmt.Printf("  not found: right %.4f of %d\n\n", ratio(s.denied.rejects, denied), denied)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
