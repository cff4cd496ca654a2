package extract

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/legal-prep/text"
)

// labelledCase is a text with what must be found; a field that is missing is not judged.
type labelledCase struct {
	Text      string
	Parties   []string
	Dates     []string
	Money     []string
	Notices   []string
	Deadlines []string
	Law       *string
	Terms     []string
}

func TestLabelledCases(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}

	var cases []labelledCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}

	for _, c := range cases {
		doc := text.New(c.Text)
		compare(t, c.Text, "parties", partyNames(Parties(doc)), c.Parties)
		compare(t, c.Text, "dates", dateNames(Dates(doc)), c.Dates)
		compare(t, c.Text, "money", sumNames(Sums(doc)), c.Money)
		compare(t, c.Text, "notices", periodNames(NoticePeriods(doc)), c.Notices)
		compare(t, c.Text, "deadlines", periodNames(Deadlines(doc)), c.Deadlines)
		compare(t, c.Text, "terms", termNames(DefinedTerms(doc)), c.Terms)
		if c.Law != nil {
			law := Law(doc)
			got := ""
			if law != nil {
				got = law.Jurisdiction
			}
			compare(t, c.Text, "law", []string{got}, []string{*c.Law})
		}
	}
}

func compare(t *testing.T, source, field string, got, want []string) {
	t.Helper()
	if want != nil && !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s\n%s: %q, want %q", source, field, got, want)
	}
}

func partyNames(all []Party) []string {
	var names []string
	for _, p := range all {
		names = append(names, strings.Join(append([]string{p.Name}, p.Aliases...), "/"))
	}
	return names
}

func dateNames(all []Date) []string {
	var names []string
	for _, d := range all {
		if d.ISO != nil {
			names = append(names, *d.ISO)
		} else {
			names = append(names, "?"+strings.Join(d.Ambiguous, "|"))
		}
	}
	return names
}

func sumNames(all []Money) []string {
	var names []string
	for _, m := range all {
		switch {
		case m.MinorUnits != nil:
			names = append(names, fmt.Sprint(m.Currency, " ", *m.MinorUnits))
		default:
			names = append(names, fmt.Sprint(m.Currency, " ! ", strings.Trim(fmt.Sprint(m.Conflict), "[]")))
		}
	}
	return names
}

func periodNames(all []Period) []string {
	var names []string
	for _, p := range all {
		name := strings.TrimSpace("! " + strings.Trim(fmt.Sprint(p.Conflict), "[]"))
		if p.Offset != nil {
			name = fmt.Sprint(*p.Offset)
		}
		name += " " + p.Unit
		if p.BusinessDays {
			name += " business"
		}
		names = append(names, name)
	}
	return names
}

func termNames(all []DefinedTerm) []string {
	var names []string
	for _, d := range all {
		names = append(names, d.Term)
	}
	return names
}
