// Package extract finds parties, dates, sums, periods, the governing law and defined terms.
//
// What can be read in two ways is never decided: the readings are listed and the value is null.
package extract

import (
	"regexp"
	"slices"

	"governance.internal/functions/legal-prep/text"
)

// Terms are the key terms of a document.
type Terms struct {
	Parties       []Party       `json:"parties"`
	Dates         []Date        `json:"dates"`
	Money         []Money       `json:"money"`
	NoticePeriods []Period      `json:"notice_periods"`
	GoverningLaw  *GoverningLaw `json:"governing_law"`
}

// Party is somebody who agrees, with the names the document gives it.
type Party struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
}

// All returns the key terms of a text.
func All(t *text.Text) Terms {
	return Terms{
		Parties:       Parties(t),
		Dates:         Dates(t),
		Money:         Sums(t),
		NoticePeriods: NoticePeriods(t),
		GoverningLaw:  Law(t),
	}
}

// group returns the span of a group of a match, empty where it did not match.
func group(match []int, n, offset int) text.Span {
	if match[2*n] < 0 {
		return text.Span{}
	}
	return text.Span{Start: offset + match[2*n], End: offset + match[2*n+1]}
}

// around returns the text in lower case before and after a span, up to so many bytes.
func around(t *text.Text, s text.Span, before, after int) (string, string) {
	start := max(0, s.Start-before)
	end := min(len(t.Lower), s.End+after)

	return t.Lower[start:s.Start], t.Lower[s.End:end]
}

// dropOverlaps keeps the first of spans that overlap, in order of their start.
func dropOverlaps[T any](found []T, spanOf func(T) text.Quote) []T {
	slices.SortStableFunc(found, func(a, b T) int { return spanOf(a).Start - spanOf(b).Start })
	kept := found[:0]
	end := -1

	for _, f := range found {
		if spanOf(f).Start < end {
			continue
		}
		kept = append(kept, f)
		end = spanOf(f).End
	}
	return kept
}

func compile(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
