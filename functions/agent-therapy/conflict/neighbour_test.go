package conflict

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/meaning"
)

// sayingsIn returns the sayings of a document with these items.
func sayingsIn(items ...string) []*saying {
	text := "# Rules\n\n- " + strings.Join(items, "\n- ") + "\n"
	return sayingsOf(directive.Read(read("AGENTS.md", text)))
}

func TestSayingsThatShareNoWordArePartners(t *testing.T) {
	all := sayingsIn(
		"Reply in French.",
		"Name the module in each commit message.",
		"Guests are offered tea.",
		"Write your answers in English.",
	)
	n := neighboursOf(all, meaning.Embedded())
	if len(n.nearest[0]) == 0 || n.nearest[0][0].at != 3 {
		t.Errorf("the nearest of the first: %+v", n.nearest[0])
	}

	partners := [][]int{{3}, nil, nil, nil}
	n.addTo(partners)
	if !slices.Equal(partners[0][:1], []int{3}) || slices.Contains(partners[0][1:], 3) {
		t.Errorf("partners %v", partners)
	}
}

func TestRanksCountWhatIsMoreAlike(t *testing.T) {
	r := ranking{10, 20, 20, 30}
	for n, want := range map[int]int{9: 4, 10: 3, 20: 1, 30: 0} {
		if got := r.above(n); got != want {
			t.Errorf("%d above %d, want %d", got, n, want)
		}
	}
	if r.bestBut(30) != 20 || r.bestBut(10) != 30 || (ranking{}).bestBut(5) != 0 || (ranking{5}).bestBut(5) != 0 {
		t.Error(r.bestBut(30), r.bestBut(10))
	}
}

func TestSayingsFarFromEachOtherAreNotCompared(t *testing.T) {
	var items []string
	for i := range window + 5 {
		items = append(items, fmt.Sprintf("Feed the fish in tank%d.", i))
	}
	all := sayingsIn(items...)
	n := neighboursOf(all, meaning.Embedded())
	if first := len(all[0].alikes); first != window {
		t.Errorf("the first is compared with %d of %d others", first, len(all)-1)
	}
	for i, near := range n.nearest {
		if len(near) > mostAlike {
			t.Fatalf("%d neighbours of sentence %d", len(near), i)
		}
	}
}
