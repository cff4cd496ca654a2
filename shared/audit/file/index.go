package file

import "hash/maphash"

// index finds the offset of the line that has an id. It keeps a 64-bit hash per
// id, not the id, so a million entries take about 40 MB; the line read at the
// offset decides whether it has the id.
type index struct {
	seed maphash.Seed
	at   map[uint64]int64
	more map[uint64][]int64 // offsets of further ids with the same hash
}

func newIndex(size int) *index {
	return &index{
		seed: maphash.MakeSeed(),
		at:   make(map[uint64]int64, size),
		more: map[uint64][]int64{},
	}
}

func (x *index) key(id []byte) uint64 {
	return maphash.Bytes(x.seed, id)
}

// add records that the line at offset has the id with the key.
func (x *index) add(key uint64, offset int64) {
	if _, taken := x.at[key]; taken {
		x.more[key] = append(x.more[key], offset)
		return
	}
	x.at[key] = offset
}

// dropLast takes back the last add of the key.
func (x *index) dropLast(key uint64) {
	if list := x.more[key]; len(list) > 1 {
		x.more[key] = list[:len(list)-1]
	} else if len(list) == 1 {
		delete(x.more, key)
	} else {
		delete(x.at, key)
	}
}

// candidates returns the offsets of lines that may have the id with the key,
// normally none or one.
func (x *index) candidates(key uint64) []int64 {
	offset, ok := x.at[key]
	if !ok {
		return nil
	}
	return append([]int64{offset}, x.more[key]...)
}
