package conflict

// Bounds of what is compared.
const (
	mostSharing  = 40 // sentences that name a form; more common ones bring no pairs together
	mostPartners = 12 // of one sentence, those that share most
	leastShared  = 24 // weight of what a pair shares

	weightOfMatter = 30 // beside the weights of forms
)

// spread says which sentences name a form, and which speak of a matter.
type spread struct {
	sentences int
	naming    map[string][]int // by form; a sentence names also what is like its forms
	speaking  map[int][]int    // by matter
	forms     map[string]int   // how many sentences name just the form
}

func spreadOf(all []*saying) *spread {
	s := &spread{
		sentences: len(all),
		naming:    map[string][]int{},
		speaking:  map[int][]int{},
		forms:     map[string]int{},
	}
	for i, one := range all {
		for _, form := range one.bag.forms {
			s.forms[form]++
		}
		for form := range one.bag.like {
			s.naming[form] = append(s.naming[form], i)
		}
		for _, matter := range one.matters {
			s.speaking[matter] = append(s.speaking[matter], i)
		}
	}
	return s
}

// others returns how many sentences name a form, beside the two that are compared.
func (s *spread) others(form string) int { return max(s.forms[form]-2, 0) }

// isCommon reports whether so many sentences have something in common that it brings no pairs together.
func isCommon(list []int) bool { return len(list) > mostSharing }

// shareOut adds what a saying shares with each other one to the weights, and returns with which it shares
// anything.
func (s *spread) shareOut(one *saying, at int, weights []int) (touched []int) {
	add := func(list []int, weight int) {
		if isCommon(list) {
			return
		}
		for _, j := range list {
			if j == at {
				continue
			}
			if weights[j] == 0 {
				touched = append(touched, j)
			}
			weights[j] += weight
		}
	}

	for _, form := range one.bag.forms {
		add(s.naming[form], weightOf(form))
	}
	for _, matter := range one.matters {
		add(s.speaking[matter], weightOfMatter)
	}
	return touched
}

// weight returns what one saying shares with another.
func (s *spread) weight(one, other *saying) int {
	sum := 0
	for _, form := range one.bag.forms {
		if other.bag.like[form] && !isCommon(s.naming[form]) {
			sum += weightOf(form)
		}
	}
	for _, matter := range one.matters {
		if other.speaksOf(matter) && !isCommon(s.speaking[matter]) {
			sum += weightOfMatter
		}
	}
	return sum
}
