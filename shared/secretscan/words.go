package secretscan

import "strings"

// wordIndex finds the words that begin at an offset of a text, by their first two bytes.
type wordIndex struct {
	pairs [1 << 16 / 64]uint64 // whether any word begins with the pair
	lists map[uint16][]indexed
}

// indexed is a word with the number of its owner.
type indexed struct {
	text  string
	owner int
}

func newWordIndex() *wordIndex { return &wordIndex{lists: map[uint16][]indexed{}} }

func pairAt(s string, i int) uint16 {
	return uint16(s[i])<<8 | uint16(s[i+1])
}

// add adds a word of at least two bytes.
func (x *wordIndex) add(text string, owner int) {
	pair := pairAt(text, 0)
	x.pairs[pair>>6] |= 1 << (pair & 63)
	x.lists[pair] = append(x.lists[pair], indexed{text, owner})
}

// begins reports whether a word can begin at index i, which may not be the last of s.
func (x *wordIndex) begins(s string, i int) bool {
	pair := pairAt(s, i)
	return x.pairs[pair>>6]&(1<<(pair&63)) != 0
}

// words returns the words with the same first two bytes as the text at i.
func (x *wordIndex) words(s string, i int) []indexed {
	return x.lists[pairAt(s, i)]
}

// in reports whether s contains any of the words.
func (x *wordIndex) in(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if !x.begins(s, i) {
			continue
		}
		for _, w := range x.words(s, i) {
			if strings.HasPrefix(s[i:], w.text) {
				return true
			}
		}
	}
	return false
}
