package tryout

import (
	"net/http"
	"slices"

	"governance.internal/shared/scan"
	"governance.internal/shared/textkit"
)

var governance = engine{
	name:   "scan",
	title:  "Governance scan",
	about:  "Scores a description of an agent system in nine dimensions, with the evidence marked in the text.",
	most:   256 << 10,
	answer: scanDescription,
}

// scanPage is a result with the text, cut where evidence begins or ends.
type scanPage struct {
	*scan.Result
	Gaps   []gap
	Pieces []piece
}

// gap is a gap with its fix.
type gap struct {
	scan.Gap
	Action string
}

func scanDescription(r *http.Request) (any, error) {
	text, err := textOf(r)
	if err != nil {
		return nil, err
	}
	result, err := scan.Describe(text)
	if err != nil {
		return nil, &refusal{err.Error() + "."}
	}

	shown := scanPage{
		Result: result,
		Pieces: evidencePieces([]rune(text), result.Dimensions),
	}
	for i, g := range result.Gaps {
		shown.Gaps = append(shown.Gaps, gap{g, result.Fixes[i].Action})
	}
	return shown, nil
}

// evidencePieces cuts a text at the evidence of its dimensions.
func evidencePieces(text []rune, dimensions []scan.Dimension) []piece {
	var quotes []textkit.Quote
	number := map[textkit.Quote]int{}
	for i, d := range dimensions {
		for _, q := range d.Evidence {
			if number[q] == 0 {
				number[q] = i + 1
				quotes = append(quotes, q)
			}
		}
	}
	slices.SortFunc(quotes, func(a, b textkit.Quote) int { return a.Start - b.Start })

	var pieces []piece
	end := 0
	for _, q := range quotes {
		if q.Start < end {
			continue
		}
		pieces = append(pieces,
			piece{Text: string(text[end:q.Start])},
			piece{Text: q.Quote, Number: number[q], Severity: severityOf(dimensions[number[q]-1].Level)},
		)
		end = q.End
	}
	return append(pieces, piece{Text: string(text[end:])})
}

// severityOf is the colour of a level.
func severityOf(level int) string {
	switch level {
	case scan.Absent:
		return "high"
	case scan.Named:
		return "medium"
	case scan.Stated:
		return "info"
	}
	return "low"
}
