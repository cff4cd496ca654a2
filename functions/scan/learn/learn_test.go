package main

import (
	"bytes"
	"testing"
)

const sample = `# a comment

@ one
Each run has its own key. || at2 ac0
We sell flowers. || -

@ two
Each run has its own key, and the proxy refuses others. || at3
`

func TestLabelsAreRead(t *testing.T) {
	all, err := parseLabels(sample)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || len(all[0]) != 2 || len(all[0][1].levels) != 0 {
		t.Fatalf("%+v", all)
	}

	first := all[0][0].levels
	if len(first) != 2 || first[0] != 2 || first[1] != 0 {
		t.Errorf("%v", first)
	}
}

func TestWhatIsNoLabelIsAnError(t *testing.T) {
	for _, label := range []string{"xx2", "at5", "at", "at22"} {
		if _, err := parseLabels("@ one\nA sentence. || " + label); err == nil {
			t.Errorf("%q is taken for a label", label)
		}
	}
}

func TestTheSameLabelsGiveTheSameBytes(t *testing.T) {
	all, err := parseLabels(sample)
	if err != nil {
		t.Fatal(err)
	}

	first, second := learn(all).encode(), learn(all).encode()
	if len(first) == 0 || !bytes.Equal(first, second) {
		t.Errorf("%d bytes and %d", len(first), len(second))
	}
}
