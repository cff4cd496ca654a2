package conflict

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/contrast"
	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/forest"
	"governance.internal/functions/agent-therapy/meaning"
)

//go:embed forest.txt
var forestFile string

// trees judge how likely a pair of sentences is a conflict. The train command grows them.
var trees = sync.OnceValue(func() *forest.Forest {
	f, err := forest.Read(forestFile, int(Traits))
	if err != nil {
		panic(err) // of a file in the program
	}
	return f
})

// Bounds in thousandths of log odds.
const (
	least = -600 // score from which on a pair is reported
	trust = 1600 // what is added to the score where a rule found the pair
)

// Comparison is a pair of sentences that have something in common, for those who grow the trees.
type Comparison struct {
	A, B     *document.Statement
	Likeness Likeness
}

// Compare returns the pairs of sentences that the trees would judge, by a table of what words mean.
func Compare(directives []*directive.Directive, table *meaning.Table) []Comparison {
	f := &finder{found: map[[2]int]Conflict{}, table: table}
	f.take(directives)
	f.followRules()

	var all []Comparison
	f.eachPair(func(a, b *saying, l Likeness) {
		all = append(all, Comparison{a.statement, b.statement, l})
	})
	return all
}

// judge lets the trees and the network decide about what the rules found and what else speaks of the same.
func (f *finder) judge() {
	reader := contrast.NewReader(contrast.Embedded())
	f.eachPair(func(a, b *saying, l Likeness) {
		above := trees().Score(l[:]) + TrustIn(l) - least
		if max(above, -above) <= mostOpinion {
			above += opinion(reader, a, b, TrustIn(l))
		}

		isReported := above >= 0
		key := f.keyOf(a, b)
		_, isFound := f.found[key]
		switch {
		case isFound && !isReported:
			delete(f.found, key)
		case !isFound && isReported:
			f.reportLikely(a, b, l)
		}
	})
}

// TrustIn returns what is added to the score of the trees because a rule found a pair.
func TrustIn(l Likeness) int {
	if slices.Max(l[foundOpposite:]) > 0 {
		return trust
	}
	return 0
}

func (f *finder) keyOf(a, b *saying) [2]int {
	return f.key(a.parts[0].candidate, b.parts[0].candidate)
}

// eachPair calls visit with each pair of sayings that share something rare, or that a rule found.
func (f *finder) eachPair(visit func(a, b *saying, l Likeness)) {
	all := f.sayings()
	spread := spreadOf(all)
	neighbours := neighboursOf(all, f.table)
	for i, partners := range f.partners(all, spread, neighbours) {
		for _, j := range partners {
			a, b := all[i], all[j]
			l := likenessOf(a, b, spread, neighbours)
			if c, isFound := f.found[f.keyOf(a, b)]; isFound {
				l.set(foundOpposite+trait(slices.Index(ruleCodes, c.Code)), true)
			}
			visit(a, b, l)
		}
	}
}

// partners returns for each saying the later ones that it is compared with, in their order.
func (f *finder) partners(all []*saying, spread *spread, neighbours *neighbours) [][]int {
	partners := make([][]int, len(all))
	weights := make([]int, len(all))
	for i, s := range all {
		touched := spread.shareOut(s, i, weights)
		partners[i] = heaviest(i, touched, weights)
		for _, j := range touched {
			s.weights = append(s.weights, weights[j])
			weights[j] = 0
		}
		slices.Sort(s.weights)
	}

	neighbours.addTo(partners)
	f.addFound(partners, all)
	for _, list := range partners {
		slices.Sort(list)
	}
	return partners
}

// addFound adds the pairs that the rules found.
func (f *finder) addFound(partners [][]int, all []*saying) {
	index := map[int]int{} // of the saying, by its first directive
	for i, s := range all {
		first := f.first(s.parts[0].candidate)
		index[first] = i
	}

	for key := range f.found {
		i := min(index[key[0]], index[key[1]])
		j := max(index[key[0]], index[key[1]])
		partners[i] = appendOnce(partners[i], j)
	}
}

// heaviest returns the later ones of the sayings at some indices that share most with the one at i.
func heaviest(i int, touched, weights []int) []int {
	var list []int
	for _, j := range touched {
		if j > i && weights[j] >= leastShared {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
	})
	return list[:min(len(list), mostPartners)]
}

// reportLikely enters a pair that the trees hold for a conflict.
func (f *finder) reportLikely(a, b *saying, l Likeness) {
	code, difference := differenceOf(l)
	why := fmt.Sprintf("Both instructions are about %s, and %s.", subjectOfBoth(a, b), difference)
	f.report(nearestPart(a, b), nearestPart(b, a), code, why, "")
}

// subjectOfBoth says what two sayings are about, in words of the first one.
func subjectOfBoth(a, b *saying) string {
	names := a.namesOf(a.bag.in(b.bag))
	if len(names) == 0 {
		return "the same matter"
	}
	return strings.Join(names, ", ")
}

// differenceOf says what sets two sayings against each other.
func differenceOf(l Likeness) (code, difference string) {
	switch {
	case l[orderTurned] > 0:
		return "order", "they set opposite orders"
	case l[numbersDiffer] > 0 || l[unitsDiffer] > 0:
		return "number", "they set different values"
	case l[asksAndGoes] > 0:
		return "approval", "one wants agreement first and the other does not"
	case l[signsDiffer] > 0 || l[signsApart] > 0:
		return "opposite", "one forbids or leaves out what the other asks for or allows"
	}
	return "choice", "they want different things"
}

// mostNames is how many words of what two sayings share are named.
const mostNames = 3

// namesOf returns the words of a saying that have some forms.
func (s *saying) namesOf(forms []string) []string {
	var names []string
	for _, t := range s.tokens {
		if slices.Contains(forms, t.Form) && len(names) < mostNames {
			names = appendOnce(names, t.Text)
		}
	}
	return names
}

// nearestPart returns the directive of a saying that shares most with another one.
func nearestPart(s, other *saying) *candidate {
	best, most := s.parts[0].candidate, -1
	for _, p := range s.parts {
		for _, q := range other.parts {
			if weight := weigh(p.bag.in(q.bag)); weight > most {
				best, most = p.candidate, weight
			}
		}
	}
	return best
}

// Statements returns the sentences that are compared.
func Statements(directives []*directive.Directive) []*document.Statement {
	var all []*document.Statement
	for _, s := range sayingsOf(directives) {
		all = append(all, s.statement)
	}
	return all
}

// Forms returns the normal forms of the words of each sentence that is compared.
func Forms(directives []*directive.Directive) [][]string {
	var all [][]string
	for _, s := range sayingsOf(directives) {
		all = append(all, s.bag.forms)
	}
	return all
}

func sayingsOf(directives []*directive.Directive) []*saying {
	f := &finder{table: meaning.Embedded()}
	f.take(directives)
	return f.sayings()
}
