package sealed

// Small makes the segments of a store smaller.
func Small(s *Store, maxEntries uint64, maxBytes int) *Store {
	s.maxEntries, s.maxBytes = maxEntries, maxBytes
	return s
}

// Cut is what Blocks makes of the lines of a segment.
var Cut = cut
