package forest

import (
	"bytes"
	"testing"
)

// sample asks about two numbers.
func sample() *Forest {
	return &Forest{
		Base: -1000,
		Trees: []Tree{{
			{Trait: 0, Limit: 3, Left: 1, Right: 2},
			{Trait: Leaf, Vote: 500},
			{Trait: 1, Limit: 0, Left: 3, Right: 4},
			{Trait: Leaf, Vote: -20},
			{Trait: Leaf, Vote: 2000},
		}},
	}
}

func TestScoreAddsTheVotes(t *testing.T) {
	for _, c := range []struct {
		values [2]int
		want   int
	}{
		{[2]int{3, 9}, -500},
		{[2]int{4, 0}, -1020},
		{[2]int{4, 1}, 1000},
	} {
		if got := sample().Score(c.values[:]); got != c.want {
			t.Errorf("%v: %d, want %d", c.values, got, c.want)
		}
	}
}

func TestReadReturnsWhatWasWritten(t *testing.T) {
	var text bytes.Buffer
	if err := sample().Write(&text); err != nil {
		t.Fatal(err)
	}
	read, err := Read(text.String(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Score([]int{4, 1}); got != 1000 {
		t.Errorf("the copy scores %d, want 1000", got)
	}
}

func TestReadRefusesDamage(t *testing.T) {
	for name, text := range map[string]string{
		"empty":               "",
		"no number":           "base\n",
		"cut short":           "0\n3\n0 1 1 2\n= 5\n",
		"unknown trait":       "0\n3\n7 1 1 2\n= 5\n= 6\n",
		"goes back":           "0\n3\n0 1 0 2\n= 5\n= 6\n",
		"goes out of it":      "0\n3\n0 1 1 9\n= 5\n= 6\n",
		"size below one":      "0\n0\n",
		"too many":            "0\n900\n= 5\n",
		"a vote is no number": "0\n1\n= x\n",
	} {
		if _, err := Read(text, 2); err == nil {
			t.Errorf("%s: %q is read", name, text)
		}
	}
}
