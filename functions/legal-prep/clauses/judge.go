package clauses

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"sync"

	"governance.internal/functions/legal-prep/text"
)

//go:embed model.bin
var embedded []byte

// ModelSHA256 identifies the embedded model: its SHA-256 in hexadecimal.
var ModelSHA256 = sync.OnceValue(func() string {
	sum := sha256.Sum256(embedded)
	return hex.EncodeToString(sum[:])
})

// learned is the embedded model, decoded when it is first needed.
var learned = sync.OnceValue(func() *Model {
	m, err := Decode(embedded)
	if err != nil {
		panic(err) // a test decodes it
	}
	return m
})

// The states of a clause.
const (
	Present  = "present"
	Unsure   = "unsure"
	NotFound = "not_found"
)

// Clause says whether a text shows a category, and which sentence shows it best. The score is
// 0.5 and more where the clause is present.
type Clause struct {
	Category string  `json:"category"`
	State    string  `json:"state"`
	Score    float64 `json:"score"`
	text.Quote
}

// fewPoints is up to where a text is one clause, in code points.
const fewPoints = 1500

// mostPoints is up to where a text is a window and no whole contract.
const mostPoints = 20_000

// Judge returns all categories in their order.
func Judge(t *text.Text) []Clause {
	m := learned()
	size, units, from := Window, []Unit(nil), 0

	switch {
	case t.Points() <= fewPoints:
		size, units, from = Snippet, []Unit{Alone(t)}, len(Categories)
	case t.Points() > mostPoints:
		size, units = Whole, Units(t)
	default:
		units = Units(t)
	}

	best := make([]int, len(Categories))
	place := make([]text.Span, len(Categories))

	for i, u := range units {
		scores := m.Score(u)[from : from+len(Categories)]
		for c, score := range scores {
			if i == 0 || score > best[c] {
				best[c] = score
				place[c] = u.Span
			}
		}
	}

	judged := make([]Clause, len(Categories))
	for c, name := range Categories {
		judged[c] = m.Limits[c][size].judge(name, best[c])
		if judged[c].State != NotFound {
			judged[c].Quote = t.Quote(place[c])
		}
	}
	return judged
}

func (l Limits) judge(name string, score int) Clause {
	c := Clause{Category: name, State: Unsure, Score: share(score - l.Present)}
	switch {
	case score >= l.Present:
		c.State = Present
	case score < l.Absent:
		c.State = NotFound
	}
	return c
}

// share turns a distance from a limit into a number between 0 and 1, in whole numbers up to the
// last step, so that every machine writes the same digits.
func share(distance int) float64 {
	size := max(distance, -distance)
	thousandths := 500 + 500*distance/(1500+size)

	return float64(thousandths) / 1000
}
