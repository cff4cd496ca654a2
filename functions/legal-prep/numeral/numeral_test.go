package numeral

import "testing"

func TestParse(t *testing.T) {
	tests := map[string]int64{
		"thirty":                           30,
		"twenty-one":                       21,
		"one hundred and twenty":           120,
		"twelve hundred":                   1200,
		"one million two hundred thousand": 1_200_000,
		"Five Thousand":                    5000,
	}

	for words, want := range tests {
		got, ok := Parse(words)
		if !ok || got != want {
			t.Errorf("%s: %d, want %d", words, got, want)
		}
	}

	if _, ok := Parse("some days"); ok {
		t.Error("some days is no number")
	}
}
