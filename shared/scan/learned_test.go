package scan

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostLearned is how large the model may be, in bytes.
const mostLearned = 400_000

func TestTheModelIsSortedAndWhole(t *testing.T) {
	if len(learnedText) > mostLearned || !utf8.ValidString(learnedText) {
		t.Errorf("the model has %d bytes, or is no UTF-8", len(learnedText))
	}

	var features []string
	for line := range strings.Lines(learnedText) {
		fields := strings.Fields(line)
		features = append(features, fields[0])
		if len(fields) != 1+width() {
			t.Fatalf("%q has %d fields", fields[0], len(fields))
		}
		for _, field := range fields[1:] {
			if _, err := strconv.Atoi(field); err != nil {
				t.Errorf("%q: %v", fields[0], err)
			}
		}
	}

	if !slices.IsSorted(features) || len(slices.Compact(features)) != len(learned().row) {
		t.Error("the features are not sorted, or stand twice")
	}
}

func TestTheModelReadsWhatTheFramesDoNotKnow(t *testing.T) {
	text := "Before a bouquet over eighty euros goes out, my sister has to give it the nod."
	approval := scored(t, text).Dimensions[5]
	if approval.Level < Named || len(approval.Evidence) != 1 {
		t.Errorf("%+v", approval)
	}
}

func TestAQuestionTeachesNothing(t *testing.T) {
	r := scored(t, "Does my sister give the nod before each bouquet goes out? Never.")
	if r.Score != 0 {
		t.Errorf("score %d, %v", r.Score, levels(r))
	}
}

// What the model computes is written here by hand.
func TestAModelAddsUpItsWeights(t *testing.T) {
	none := strings.Repeat(" 0", len(topics)-1)
	m := readModel("= -50" + none + " 100\nu_log 70" + none + " 120\n")

	line := []string{"=", "u_log", "u_unknown"}
	if !m.speaksOf(line, 0) || m.speaksOf(line, 1) || m.level(line) != 220 {
		t.Errorf("speaks %v and %v, level %d", m.speaksOf(line, 0), m.speaksOf(line, 1), m.level(line))
	}
	if m.speaksOf(line[:1], 0) {
		t.Error("a line without words speaks of a dimension")
	}
}

func TestWordsOfAKindMeanSomethingSimilar(t *testing.T) {
	for _, words := range [][2]string{{"boss", "supervisor"}, {"forgot", "forgotten"}, {"logger", "logfile"}} {
		a, b := kinds()[words[0]], kinds()[words[1]]
		if a == "" || a != b {
			t.Errorf("%q is of kind %q and %q of kind %q", words[0], a, words[1], b)
		}
	}
	if kinds()["boss"] == kinds()["firewall"] {
		t.Error("a boss and a firewall are of one kind")
	}
}
