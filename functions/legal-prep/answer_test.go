package legalprep

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const sample = `SERVICES AGREEMENT

This Agreement is made on March 4, 2025 between Alder Mills LLC (“Alder”) and Jane Roe (the “Consultant”).

1. Services. The Consultant shall advise Alder on looms. 2. Fee. Alder shall pay $1,250.50 within thirty (60) days after receipt of an invoice.

3. End. Alder may terminate this Agreement at any time for any reason. 4. Law. This Agreement is governed by the laws of the State of Oregon, as Section 9 says.`

// checkQuotes walks an answer and compares each quote with its place.
func checkQuotes(t *testing.T, source string, value any) {
	t.Helper()
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			checkQuotes(t, source, each)
		}
	case map[string]any:
		if quote, ok := v["quote"].(string); ok {
			start, end := int(v["start"].(float64)), int(v["end"].(float64))
			if got := string([]rune(source)[start:end]); got != quote {
				t.Errorf("text[%d:%d] is %q, the quote %q", start, end, got, quote)
			}
		}
		for _, each := range v {
			checkQuotes(t, source, each)
		}
	}
}

func answerOf(t *testing.T, mode, source string) []byte {
	t.Helper()
	a, err := Prepare(mode, source)
	if err != nil {
		t.Fatal(err)
	}

	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestQuotesAreVerbatim(t *testing.T) {
	for _, mode := range Modes {
		var answer map[string]any
		if err := json.Unmarshal(answerOf(t, mode, sample), &answer); err != nil {
			t.Fatal(err)
		}
		checkQuotes(t, sample, answer)
	}
}

func TestAnswersAreTheSameBytes(t *testing.T) {
	want := answerOf(t, DocReview, sample)
	for range 100 {
		if got := answerOf(t, DocReview, sample); !bytes.Equal(got, want) {
			t.Fatal("two answers to one text differ")
		}
	}

	if !bytes.HasSuffix(want, []byte(`"disclaimer":"`+Disclaimer+`"}`)) {
		t.Error("the disclaimer is not the last member")
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ mode, text, field string }{
		{"advise", "A text.", "mode"},
		{"", "A text.", "mode"},
		{DocReview, " \n", "text"},
		{DocReview, "\xff", "text"},
		{DocReview, strings.Repeat("é", MaxPoints+1), "text"},
	}

	for _, test := range tests {
		_, err := Prepare(test.mode, test.text)
		refused, ok := err.(*InputError)
		if !ok || refused.Field != test.field {
			t.Errorf("%q: %v", test.mode, err)
		}
	}

	if _, err := Prepare(DocReview, strings.Repeat("é", MaxPoints)); err != nil {
		t.Error(err)
	}
}

func TestFindingsOfASample(t *testing.T) {
	a, err := Prepare(DocReview, sample)
	if err != nil {
		t.Fatal(err)
	}

	codes := map[string]bool{}

	for _, f := range a.Findings {
		codes[f.Code] = true
	}

	for _, code := range []string{"words_figures_mismatch", "termination_convenience_one_sided", "governing_law", "broken_reference"} {
		if !codes[code] {
			t.Errorf("%s was not found", code)
		}
	}

	if a.DocumentType.Value != "services" {
		t.Errorf("type %v", a.DocumentType)
	}

	if len(a.KeyTerms.Parties) != 2 || a.KeyTerms.GoverningLaw == nil {
		t.Errorf("key terms %+v", a.KeyTerms)
	}
}

// BenchmarkPrepare is for a text of the greatest length; the goal is 150 ms.
func BenchmarkPrepare(b *testing.B) {
	long := strings.Repeat(sample+"\n\n", 1+MaxPoints/len(sample))
	long = string([]rune(long)[:MaxPoints])

	for b.Loop() {
		if _, err := Prepare(DocReview, long); err != nil {
			b.Fatal(err)
		}
	}
}
