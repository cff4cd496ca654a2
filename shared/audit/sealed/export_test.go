package sealed

// Small makes the segments of a store smaller.
func Small(s *Store, mostEntries uint64, mostBytes int) *Store {
	s.mostEntries, s.mostBytes = mostEntries, mostBytes
	return s
}

// Cut is what Blocks makes of the lines of a segment.
var Cut = cut
