package conflict

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/words"
)

//go:embed rarity.txt
var rarityFile string

// Weights say how much a form tells about what an instruction is about: eight times the bits of the share
// of instructions that do not name it.
const (
	weightOfUnknown = 114
	weightOfBroad   = 4
)

// rarities returns the weights of the forms that are not rare. The train command writes them.
var rarities = sync.OnceValue(func() map[string]int {
	table := map[string]int{}
	for line := range strings.Lines(rarityFile) {
		form, weight, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(weight); err == nil {
			table[form] = n
		}
	}
	return table
})

// weightOf returns the weight of a form.
func weightOf(form string) int {
	if words.Broad(form) {
		return weightOfBroad
	}
	if weight, known := rarities()[form]; known {
		return weight
	}
	return weightOfUnknown
}

// bag is a set of forms with the forms that are as good as one of them: special cases and what they are
// cases of.
type bag struct {
	forms  []string
	like   map[string]bool
	weight int
}

func newBag(forms []string) bag {
	b := bag{forms: forms, like: map[string]bool{}}
	for _, form := range forms {
		b.weight += weightOf(form)
		b.like[form] = true
		for _, narrower := range kinds()[form] {
			b.like[narrower] = true
		}
		for _, wider := range widerThan()[form] {
			b.like[wider] = true
		}
	}
	return b
}

// in returns the forms of a bag that another one names, too.
func (b bag) in(other bag) []string {
	var shared []string
	for _, form := range b.forms {
		if other.like[form] {
			shared = append(shared, form)
		}
	}
	return shared
}

// widerThan returns for each form those of which it is a special case.
var widerThan = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for wider, list := range kinds() {
		for _, form := range list {
			table[form] = append(table[form], wider)
		}
	}
	return table
})

func weigh(forms []string) int {
	sum := 0
	for _, form := range forms {
		sum += weightOf(form)
	}
	return sum
}

// percentOf returns a part in hundredths of a whole.
func percentOf(part, whole int) int { return 100 * part / max(whole, 1) }
