package main

import (
	"encoding/json"
	"fmt"

	legalprep "governance.internal/functions/legal-prep"
)

// checkQuotes reviews each contract, as far as a request may be long, and compares every quote
// of the answers with the text at its place. A quote that differs is an error.
func checkQuotes(rows []row) error {
	checked := 0
	for _, r := range rows {
		points := []rune(r.Text)
		window := points[:min(len(points), legalprep.MaxPoints)]

		answer, err := legalprep.Prepare(legalprep.DocReview, string(window))
		if err != nil {
			return fmt.Errorf("%s: %w", r.File, err)
		}

		quotes, err := quotesOf(answer)
		if err != nil {
			return err
		}
		for _, q := range quotes {
			if string(window[q.start:q.end]) != q.text {
				return fmt.Errorf("%s: the quote %q does not stand at %d", r.File, q.text, q.start)
			}
		}
		checked += len(quotes)
	}

	fmt.Printf("quotes: %d of %d contracts, all verbatim\n\n", checked, len(rows))
	return nil
}

// quote is a passage of an answer with its place, in code points.
type quote struct {
	text       string
	start, end int
}

// quotesOf finds the quotes in every part of an answer.
func quotesOf(answer *legalprep.Answer) ([]quote, error) {
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}

	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	return quotesIn(value, nil), nil
}

func quotesIn(value any, found []quote) []quote {
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			found = quotesIn(each, found)
		}
	case map[string]any:
		if text, ok := v["quote"].(string); ok {
			start, end := v["start"].(float64), v["end"].(float64)
			found = append(found, quote{text, int(start), int(end)})
		}
		for _, each := range v {
			found = quotesIn(each, found)
		}
	}
	return found
}
