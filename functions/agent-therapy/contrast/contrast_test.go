package contrast

import (
	"strings"
	"testing"
)

// disagreement reads two sentences by a new reader.
func disagreement(a, b string) int {
	r := NewReader(Embedded())
	return Embedded().Disagreement(r.Read(a), r.Read(b))
}

func TestAnswersThatDifferDisagreeMore(t *testing.T) {
	for _, c := range []struct{ text, against, with string }{
		{"Keep backups for 30 days.", "Hold each backup for seven years.", "A backup is deleted after thirty days."},
		{"Tests live next to the code.", "Put all tests into the tests folder.", "A test sits beside the file that it tests."},
		{"Release on Tuesday.", "Releases go out on Fridays.", "Releases are tagged."},
		{"Answer in English.", "Reply in French.", "Keep functions short."},
	} {
		against, with := disagreement(c.text, c.against), disagreement(c.text, c.with)
		if against <= with {
			t.Errorf("%q: %d against %q, %d against %q", c.text, against, c.against, with, c.with)
		}
	}
}

func TestDisagreementIsTheSameBothWays(t *testing.T) {
	a, b := "Use tabs for indentation, never spaces.", "Indent with four spaces"
	if disagreement(a, b) != disagreement(b, a) {
		t.Error(disagreement(a, b), disagreement(b, a))
	}
}

func TestAReaderThatKnowsTheWordsAnswersTheSame(t *testing.T) {
	r := NewReader(Embedded())
	a, b := "Never deploy on a Friday.", "Deploy on Friday evening."
	r.Read(b)
	r.Read("Friday is never the day on which we deploy.")
	if got, want := Embedded().Disagreement(r.Read(a), r.Read(b)), disagreement(a, b); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestNumbersAreComparedAsTheyAreWritten(t *testing.T) {
	if disagreement("Retry 3 times.", "Retry 9 times.") == disagreement("Retry 3 times.", "Retry 3 times.") {
		t.Error("another number changes nothing")
	}
}

func TestADamagedNetworkIsRefused(t *testing.T) {
	numbers := strings.Repeat("\x01\x00", numbersOf(2))
	if _, err := Read("a\nb\n\n" + numbers); err != nil {
		t.Error(err)
	}
	for _, file := range []string{"", "a", "a\n\n", "a\n\n" + numbers, "a\nb\n\n" + numbers[1:], "a\nb\nc\n\n" + numbers} {
		if _, err := Read(file); err == nil {
			t.Errorf("a file of %d bytes is read", len(file))
		}
	}
}

func FuzzDisagreement(f *testing.F) {
	f.Add("Use tabs.", "Don't use 2 spaces.")
	f.Add("", "你好 ---")
	f.Fuzz(func(t *testing.T, a, b string) {
		if ab, ba := disagreement(a, b), disagreement(b, a); ab != ba {
			t.Errorf("%q and %q: %d one way, %d the other", a, b, ab, ba)
		}
	})
}

func BenchmarkDisagreement(b *testing.B) {
	r := NewReader(Embedded())
	x := r.Read("Every change to the schema of the database is discussed with the data team before it is written.")
	y := r.Read("Add the columns that you need as you go, and tell the people who maintain the tables afterwards.")
	for b.Loop() {
		Embedded().Disagreement(x, y)
	}
}
