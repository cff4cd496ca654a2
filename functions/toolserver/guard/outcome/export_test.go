package outcome

import "testing"

// Hold takes the lock of the writers, and returns what gives it back.
func Hold(t testing.TB, j Journal) (release func()) {
	t.Helper()
	unlock, err := j.lock()
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}
