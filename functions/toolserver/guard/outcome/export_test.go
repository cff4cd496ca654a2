package outcome

import (
	"testing"
	"time"
)

// Impatient makes writers wait for a short time only.
func Impatient(t testing.TB) {
	before := patience
	patience = 50 * time.Millisecond
	t.Cleanup(func() { patience = before })
}

// Hold takes the lock of the writers, and returns what gives it back.
func Hold(t testing.TB, j Journal) (release func()) {
	t.Helper()
	unlock, err := j.lock()
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}
