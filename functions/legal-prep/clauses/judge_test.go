package clauses

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"governance.internal/functions/legal-prep/text"
)

func TestTheEmbeddedModelIsReadable(t *testing.T) {
	m, err := Decode(embedded)
	if err != nil {
		t.Fatal(err)
	}

	order := slices.Sorted(maps.Keys(m.Weights))
	if !bytes.Equal(m.Encode(order), embedded) {
		t.Error("encoding the decoded model gives other bytes")
	}

	if len(embedded) > 2<<20 {
		t.Errorf("the model has %d bytes, at most 2 MB", len(embedded))
	}

	for n := range 5 {
		if _, err := Decode(embedded[:len(embedded)-1-n]); err == nil {
			t.Fatalf("a model without its last %d bytes was read", n+1)
		}
	}
}

func TestJudge(t *testing.T) {
	tests := map[string]string{
		"This Agreement shall be governed by the laws of the State of New York.":                                           "Governing Law",
		"Neither party may assign this Agreement without the prior written consent of the other party.":                    "Anti-Assignment",
		"Licensee shall maintain commercial general liability insurance of at least $1,000,000 per occurrence.":            "Insurance",
		"Licensor may audit the books and records of Licensee once a year upon ten days notice to verify royalty payments": "Audit Rights",
	}

	for source, want := range tests {
		for _, c := range Judge(text.New(source)) {
			if c.Category == want && c.State != Present {
				t.Errorf("%s: %s is %s", source, want, c.State)
			}
		}
	}
}
