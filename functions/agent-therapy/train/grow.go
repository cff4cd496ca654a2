package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"governance.internal/functions/agent-therapy/conflict"
	"governance.internal/functions/agent-therapy/forest"
)

// Settings of the growth.
const (
	treesGrown = 240
	deepest    = 6
	leastRows  = 15   // of a leaf
	rate       = 0.06 // of what a leaf would say, that it says
	calm       = 2.0  // keeps leaves with few rows small
	traitShare = 0.5  // of the traits, that a tree may ask about
	rowShare   = 0.6  // of the rows, that a tree sees
	mostCuts   = 160  // limits that are tried for a trait
)

// grower grows trees one after the other, each against the errors of those before.
type grower struct {
	rows    []example
	columns [conflict.Traits][]uint8 // number of the cut under which each row stands
	cuts    [conflict.Traits][]int
	scores  []float64
	slopes  []float64 // first derivative of the loss
	bends   []float64 // second one
	chance  *rand.Rand
}

// grow returns the trees that tell the conflicts among some examples.
func grow(rows []example) *forest.Forest {
	g := &grower{
		rows:   rows,
		scores: make([]float64, len(rows)),
		slopes: make([]float64, len(rows)),
		bends:  make([]float64, len(rows)),
		chance: rand.New(rand.NewPCG(1, 2)),
	}
	for t := range g.columns {
		g.cut(t)
	}

	share := float64(conflictsAmong(rows)) / float64(len(rows))
	f := &forest.Forest{Base: int(1000 * math.Log(share/(1-share)))}
	for i := range g.scores {
		g.scores[i] = float64(f.Base) / 1000
	}
	for range treesGrown {
		f.Trees = append(f.Trees, g.tree())
	}
	return f
}

// cut chooses the limits of a trait and sorts the rows in. Conflicts are few, so that half of the limits are
// chosen among their values.
func (g *grower) cut(t int) {
	var all, ofConflicts []int
	for i := range g.rows {
		value := g.rows[i].Likeness[t]
		all = append(all, value)
		if g.rows[i].isConflict() {
			ofConflicts = append(ofConflicts, value)
		}
	}

	cuts := append(spread(all, mostCuts/2), spread(ofConflicts, mostCuts/2)...)
	slices.Sort(cuts)
	g.cuts[t] = slices.Compact(cuts)

	g.columns[t] = make([]uint8, len(all))
	for i, value := range all {
		at, _ := slices.BinarySearch(g.cuts[t], value)
		g.columns[t][i] = uint8(at)
	}
}

// spread returns at most n of some values, so that about as many lie between each two.
func spread(values []int, n int) []int {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	if len(distinct) <= n {
		return distinct
	}

	var chosen []int
	for k := range n {
		chosen = append(chosen, sorted[(k+1)*len(sorted)/(n+1)])
	}
	return slices.Compact(chosen)
}

// tree grows one tree and adds its votes to the scores.
func (g *grower) tree() forest.Tree {
	var rows []int
	for i := range g.rows {
		p := 1 / (1 + math.Exp(-g.scores[i]))
		y := 0.0
		if g.rows[i].isConflict() {
			y = 1
		}
		g.slopes[i] = p - y
		g.bends[i] = p * (1 - p)
		if g.chance.Float64() < rowShare {
			rows = append(rows, i)
		}
	}

	var traits []int
	for t := range g.columns {
		if g.chance.Float64() < traitShare {
			traits = append(traits, t)
		}
	}

	var tree forest.Tree
	g.node(&tree, rows, traits, 0)
	for i := range g.rows {
		g.scores[i] += float64(voteOf(tree, g.rows[i].Likeness[:])) / 1000
	}
	return tree
}

func voteOf(tree forest.Tree, values []int) int {
	f := forest.Forest{Trees: []forest.Tree{tree}}
	return f.Score(values)
}

// node adds a node for some rows, and those under it.
func (g *grower) node(tree *forest.Tree, rows, traits []int, depth int) int {
	at := len(*tree)
	slope, bend := g.sums(rows)
	*tree = append(*tree, forest.Node{
		Trait: forest.Leaf,
		Vote:  int(math.Round(-1000 * rate * slope / (bend + calm))),
	})
	if depth == deepest {
		return at
	}

	best := g.bestSplit(rows, traits, slope, bend)
	if best.gain <= 0 {
		return at
	}
	var left, right []int
	for _, i := range rows {
		if int(g.columns[best.trait][i]) <= best.cut {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}

	l := g.node(tree, left, traits, depth+1)
	r := g.node(tree, right, traits, depth+1)
	(*tree)[at] = forest.Node{
		Trait: best.trait,
		Limit: g.cuts[best.trait][best.cut],
		Left:  l,
		Right: r,
	}
	return at
}

func (g *grower) sums(rows []int) (slope, bend float64) {
	for _, i := range rows {
		slope += g.slopes[i]
		bend += g.bends[i]
	}
	return slope, bend
}

// split is a question that parts rows.
type split struct {
	trait, cut int
	gain       float64
}

func (g *grower) bestSplit(rows, traits []int, slope, bend float64) split {
	best := split{}
	for _, t := range traits {
		s := g.splitBy(t, rows, slope, bend)
		if s.gain > best.gain {
			best = s
		}
	}
	return best
}

// heap collects the rows of one cut.
type heap struct {
	slope, bend float64
	rows        int
}

// splitBy returns the best limit of a trait.
func (g *grower) splitBy(t int, rows []int, slope, bend float64) split {
	var heaps [mostCuts + 2]heap
	column := g.columns[t]
	for _, i := range rows {
		h := &heaps[column[i]]
		h.slope += g.slopes[i]
		h.bend += g.bends[i]
		h.rows++
	}

	best := split{trait: t}
	whole := worth(slope, bend)
	var under heap
	for cut := range g.cuts[t] {
		under.slope += heaps[cut].slope
		under.bend += heaps[cut].bend
		under.rows += heaps[cut].rows
		if under.rows < leastRows || len(rows)-under.rows < leastRows {
			continue
		}
		gain := worth(under.slope, under.bend) + worth(slope-under.slope, bend-under.bend) - whole
		if gain > best.gain {
			best.gain, best.cut = gain, cut
		}
	}
	return best
}

// worth is what rows with these sums gain by a leaf of their own.
func worth(slope, bend float64) float64 { return slope * slope / (bend + calm) }
