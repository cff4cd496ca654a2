package conflict

import (
	"cmp"
	"slices"

	"governance.internal/functions/agent-therapy/meaning"
)

// Bounds of what is compared by meaning.
const (
	window     = 400  // later sentences that one is compared with
	mostAlike  = 5    // of them that become partners
	leastAlike = 200  // of a partner
	same       = 1000 // how alike a sentence is to itself
)

// neighbour is a later saying and how alike it is, in thousandths.
type neighbour struct{ at, alike int }

// neighbours tells how alike sayings are in what they are about.
type neighbours struct {
	table   *meaning.Table
	nearest [][]neighbour // of each saying, the most alike first
	above   [same + 1]int // how many pairs are more alike
}

// neighboursOf compares each saying with those behind it.
func neighboursOf(all []*saying, table *meaning.Table) *neighbours {
	n := &neighbours{table: table, nearest: make([][]neighbour, len(all))}
	var pairs [same + 1]int
	for i, s := range all {
		var near []neighbour
		for j := i + 1; j < min(i+1+window, len(all)); j++ {
			other := all[j]
			alike := alikeness(s, other)
			pairs[alike]++
			s.alikes = append(s.alikes, alike)
			other.alikes = append(other.alikes, alike)
			if alike >= leastAlike {
				near = append(near, neighbour{j, alike})
			}
		}
		n.nearest[i] = nearestOf(near)
	}

	for _, s := range all {
		slices.Sort(s.alikes)
	}
	for alike := same - 1; alike >= 0; alike-- {
		n.above[alike] = n.above[alike+1] + pairs[alike+1]
	}
	return n
}

// alikeness returns how alike two sayings are, from 0 to same.
func alikeness(a, b *saying) int {
	cosine := a.meaning.Alike(&b.meaning)
	return min(max(cosine, 0), same)
}

func nearestOf(near []neighbour) []neighbour {
	slices.SortFunc(near, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.alike, a.alike), cmp.Compare(a.at, b.at))
	})
	return slices.Clone(near[:min(len(near), mostAlike)])
}

// addTo adds the most alike sayings to the partners of each one.
func (n *neighbours) addTo(partners [][]int) {
	for i, near := range n.nearest {
		for _, one := range near {
			partners[i] = appendOnce(partners[i], one.at)
		}
	}
}
