package contrast

import "governance.internal/functions/agent-therapy/meaning"

// Sentence is a sentence as the network reads it.
type Sentence struct{ words []word }

// word is a word of a sentence.
type word struct {
	text   string
	vector []int32

	own   []int32 // what it adds to findings about itself
	other []int32 // what it adds to findings about a word that it is compared with
}

// mostWords is how many words of a sentence are read.
const mostWords = 40

// Reader reads sentences, and keeps what it knows of their words.
type Reader struct {
	network *Network
	known   map[string]word // without neighbours
}

// NewReader returns a reader for a network.
func NewReader(n *Network) *Reader {
	return &Reader{network: n, known: map[string]word{}}
}

// Read reads a sentence.
func (r *Reader) Read(text string) *Sentence {
	words := meaning.Words(text)
	if len(words) == 0 {
		words = []string{""}
	}

	nothing := word{}
	around := []word{nothing}
	for _, text := range words[:min(len(words), mostWords)] {
		around = append(around, r.word(text))
	}
	around = append(around, nothing)

	s := &Sentence{}
	n := r.network
	for i := 1; i+1 < len(around); i++ {
		before, w, after := around[i-1], around[i], around[i+1]
		w.own = n.own.mix(before.own, w.own, after.own)
		w.other = n.other.mix(before.other, w.other, after.other)
		s.words = append(s.words, w)
	}
	return s
}

// word returns a word without its neighbours.
func (r *Reader) word(text string) word {
	w, isKnown := r.known[text]
	if isKnown {
		return w
	}

	n := r.network
	row, isKnown := n.rows[meaning.Kind(text)]
	if !isKnown {
		row = len(n.rows)
	}
	w = word{text: text, vector: n.words.row(row)}
	w.own = n.own.times(w.vector)
	w.other = n.other.times(w.vector)
	r.known[text] = w
	return w
}

// mix adds up what a word and its neighbours say. A neighbour that is not there says nothing.
func (m mixer) mix(before, itself, after []int32) []int32 {
	mixed := make([]int32, len(itself))
	add(mixed, before, m.before)
	add(mixed, itself, m.itself)
	add(mixed, after, m.after)
	return mixed
}

func add(sums, numbers, weights []int32) {
	for i, n := range numbers {
		product := int(n) * int(weights[i])
		sums[i] += int32(product / One)
	}
}
