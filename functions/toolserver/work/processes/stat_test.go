//go:build linux

package processes

import "testing"

// The name in a line of the process table is the program's choice: it may look like the
// rest of the line.
func FuzzParseStat(f *testing.F) {
	const rest = " S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 2 3"
	f.Add("sh")
	f.Add(") R 9 9 9 9 (")
	f.Add("a) S 2 3 4")
	f.Add("")
	f.Fuzz(func(t *testing.T, name string) {
		p, err := parseStat(42, "42 ("+name+")"+rest)
		if err != nil || p != (process{pid: 42, parent: 1, pgrp: 7, session: 7, state: 'S', threads: 1, begun: 12345}) {
			t.Errorf("%q: %+v (%v)", name, p, err)
		}
		_, _ = parseStat(1, name) // anything but a panic
	})
}
