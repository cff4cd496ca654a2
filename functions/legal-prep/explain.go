package legalprep

import (
	"fmt"
	"strings"

	"governance.internal/functions/legal-prep/extract"
	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/risks"
	"governance.internal/functions/legal-prep/text"
)

// Section is a paragraph or numbered section with what it asks.
type Section struct {
	text.Quote
	Asks []Ask `json:"asks"`
}

// Ask is a duty or a right: who, what, and by when.
type Ask struct {
	Who  string `json:"who"`
	Kind string `json:"kind"` // duty, right or ban
	When string `json:"when"`
	text.Quote
}

// Question is something to ask about a finding.
type Question struct {
	Text string `json:"text"`
	Code string `json:"code"`
	text.Quote
}

var (
	duty = lazy.Pattern(`\b((?:[Tt]he |[Ee]ach |[Ee]ither |[Nn]either |[Bb]oth )?[A-Za-z][\w'-]*(?: [A-Z][\w'-]*)?) (?:also |hereby )?(shall not|will not|must not|may not|cannot|shall|must|will|agrees? to|may|is entitled to|undertakes? to|is required to)\b`)
	when = lazy.Pattern(`(?i)\b(?:within|no later than|not later than|at least|by the|on the|before|after|every|each) [^.,;]{0,40}?\b(?:hours?|days?|weeks?|months?|years?|quarter|date|term)\b`)
)

func kindOf(word string) string {
	switch {
	case strings.HasSuffix(word, "not"):
		return "ban"
	case word == "may" || strings.Contains(word, "entitled"):
		return "right"
	}
	return "duty"
}

// sectionsOf returns the paragraphs with the duties and rights in them.
func sectionsOf(t *text.Text) []Section {
	sections := []Section{}
	sentences := t.Sentences()

	for _, p := range t.Paragraphs() {
		s := Section{Quote: t.Quote(p), Asks: []Ask{}}
		for _, sentence := range sentences {
			if p.Start <= sentence.Start && sentence.Start < p.End {
				s.Asks = append(s.Asks, asksOf(t, sentence)...)
			}
		}
		sections = append(sections, s)
	}
	return sections
}

func asksOf(t *text.Text, sentence text.Span) []Ask {
	m := duty().FindStringSubmatch(t.Of(sentence))
	if m == nil {
		return nil
	}

	kind := kindOf(m[2])
	if strings.HasPrefix(strings.ToLower(m[1]), "neither") {
		kind = "ban"
	}
	return []Ask{{
		Who:   m[1],
		Kind:  kind,
		When:  when().FindString(t.Of(sentence)),
		Quote: t.Quote(sentence),
	}}
}

// questionsOf returns a question for each finding that is more than information.
func questionsOf(findings []risks.Finding) []Question {
	questions := []Question{}
	asked := map[string]bool{}

	for _, f := range findings {
		if asked[f.Code] || f.Severity == risks.Info {
			continue
		}
		asked[f.Code] = true
		questions = append(questions, Question{f.Question, f.Code, f.Quote})
	}
	return questions
}

// summaryOf says in a few sentences what was found.
func summaryOf(a *Answer) []string {
	kind := strings.ReplaceAll(a.DocumentType.Value, "_", " ")
	summary := []string{fmt.Sprintf("Type of document: %s.", kind)}
	if names := partyNames(a.KeyTerms.Parties); names != "" {
		summary = append(summary, "Parties: "+names+".")
	}

	if law := a.KeyTerms.GoverningLaw; law != nil {
		summary = append(summary, "Governing law: "+law.Jurisdiction+".")
	}

	for _, f := range a.Findings {
		if f.Severity == risks.High && len(summary) < 12 {
			summary = append(summary, f.Title+": "+f.Why)
		}
	}

	if n := len(a.Missing); n > 0 {
		summary = append(summary, fmt.Sprintf("%d things that such a document usually says were not seen.", n))
	}
	return summary
}

func partyNames(parties []extract.Party) string {
	var names []string
	for _, p := range parties {
		names = append(names, p.Name)
	}
	return strings.Join(names, "; ")
}
