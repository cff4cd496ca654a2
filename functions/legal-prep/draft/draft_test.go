package draft

import (
	"regexp"
	"strings"
	"testing"

	"governance.internal/functions/legal-prep/extract"
	"governance.internal/functions/legal-prep/text"
)

var digits = regexp.MustCompile(`\d+`)

func TestSlotsAreFilledFromTheText(t *testing.T) {
	tests := map[string]string{
		"Tom Park owes me $450 for repairs to my car.":                                     "To Tom Park\n|You owe [____ party 1 ____] $450 for repairs to my car.",
		"NDA between Alder Mills LLC and Jane Roe to discuss a new loom, for three years.": "Between Alder Mills LLC and Jane Roe|work on: a new loom|until three years",
		"A loan of $2,000 from Susan Wu to Kevin Hale at 5% per year.":                     "Kevin Hale (the borrower) received $2,000 from Susan Wu|interest is 5% per year",
	}
	for prompt, parts := range tests {
		doc := text.New(prompt)
		d := From(doc, extract.All(doc), "The end.")
		for part := range strings.SplitSeq(parts, "|") {
			if !strings.Contains(d.Markdown, part) {
				t.Errorf("%s: no %q in %s", prompt, part, d.Markdown)
			}
		}
	}
}

func TestDraftsInventNothing(t *testing.T) {
	prompts := map[string]string{
		"Draft a mutual NDA between Alder Mills LLC and Jane Roe, starting March 4, 2025, law of Oregon applies.": "nda_mutual",
		"Tom Park owes me $450 for repairs.":              "demand",
		"I want to end my lease with 60 days' notice.":    "termination",
		"They must stop using our logo.":                  "cease",
		"A promissory note for a loan of 2,000 euros.":    "loan_note",
		"An agreement with a freelance designer.":         "contractor",
		"An engagement letter for a consultant.":          "consulting_letter",
		"Somebody cleans our office for $200 each month.": "services",
		"A one-way NDA for a job candidate, two years.":   "nda_one_way",
	}

	for prompt, want := range prompts {
		doc := text.New(prompt)
		d := From(doc, extract.All(doc), "The end.")
		if d.Source != "own template: "+want {
			t.Errorf("%s: %s, want %s", prompt, d.Source, want)
		}
		raw, err := templates.ReadFile("templates/" + want + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range digits.FindAllString(d.Markdown, -1) {
			if !strings.Contains(prompt, n) && !strings.Contains(string(raw), n) {
				t.Errorf("%s: %s is invented", prompt, n)
			}
		}
		for _, b := range d.Blanks {
			if !strings.Contains(d.Markdown, "[____ "+b+" ____]") {
				t.Errorf("%s: the blank %q is not visible", prompt, b)
			}
		}
		if strings.Contains(d.Markdown, "{{") || !strings.HasSuffix(d.Markdown, "The end.\n") {
			t.Errorf("%s: %s", prompt, d.Markdown)
		}
	}
}
