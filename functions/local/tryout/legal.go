package tryout

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	legalprep "governance.internal/functions/legal-prep"
	"governance.internal/functions/legal-prep/risks"
)

var legal = engine{
	name:   "legal-prep",
	title:  "Legal preparation",
	about:  "Reviews, explains or questions a legal text, or drafts one. Assistance, not advice.",
	price:  "0.25 USD",
	most:   256 << 10,
	answer: prepareLegal,
}

// legalPage is an answer with the text, cut where a finding begins or ends.
type legalPage struct {
	*legalprep.Answer
	Numbered []numbered
	Pieces   []piece
}

// numbered is a finding with its number on the page.
type numbered struct {
	Number int
	risks.Finding
}

// piece is a part of the text. Its number is that of the finding that quotes it, 0 without one.
type piece struct {
	Text     string
	Number   int
	Severity string
}

func prepareLegal(r *http.Request) (any, error) {
	text, err := textOf(r)
	if err != nil {
		return nil, err
	}

	answer, err := legalprep.Prepare(cmp.Or(r.FormValue("mode"), legalprep.DocReview), text)
	var input *legalprep.InputError
	if errors.As(err, &input) {
		return nil, &refusal{"The " + input.Field + " " + input.Detail + "."}
	}
	if err != nil {
		return nil, err
	}

	slices.SortStableFunc(answer.Findings, func(a, b risks.Finding) int { return cmp.Compare(a.Start, b.Start) })
	shown := legalPage{
		Answer: answer,
		Pieces: piecesOf([]rune(text), answer.Findings),
	}
	for i, f := range answer.Findings {
		shown.Numbered = append(shown.Numbered, numbered{i + 1, f})
	}
	return shown, nil
}

// piecesOf cuts a text at its findings, which are sorted by their place. Where findings overlap
// the first one is marked.
func piecesOf(text []rune, findings []risks.Finding) []piece {
	var pieces []piece
	end := 0
	for i, f := range findings {
		if f.Start < end || f.Start == f.End {
			continue
		}
		pieces = append(pieces,
			piece{Text: string(text[end:f.Start])},
			piece{Text: string(text[f.Start:f.End]), Number: i + 1, Severity: f.Severity},
		)
		end = f.End
	}
	return append(pieces, piece{Text: string(text[end:])})
}
