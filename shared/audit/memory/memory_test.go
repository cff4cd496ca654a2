package memory_test

import (
	"errors"
	"testing"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/memory"
)

func TestContract(t *testing.T) {
	audittest.Run(t, func(t *testing.T) audit.Store {
		s, err := memory.New("test", memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestNotes(t *testing.T) {
	s, err := memory.New("test", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	audittest.RunNotes(t, s, s)
}

func TestChainNameIsChecked(t *testing.T) {
	for _, name := range []string{"", ".hidden", "a/b", "Upper", "ü"} {
		if _, err := memory.New(name, memory.Options{}); !errors.Is(err, audit.ErrProfile) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}
