package conflict

import "slices"

// ranking holds what a saying has in common with each other one, as numbers that rise.
type ranking []int

// above returns how many of the numbers are greater than one.
func (r ranking) above(n int) int {
	notMore, _ := slices.BinarySearch(r, n+1)
	return len(r) - notMore
}

// bestBut returns the greatest of the numbers when one is left out; 0 without others.
func (r ranking) bestBut(n int) int {
	last := len(r) - 1
	if last >= 0 && r[last] == n {
		last--
	}
	if last < 0 {
		return 0
	}
	return r[last]
}
