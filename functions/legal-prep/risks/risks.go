// Package risks finds what a text makes a reader agree to, by its effect and not by keywords.
//
// A rule looks at one sentence; what needs the whole document has a file of its own.
package risks

import (
	"slices"
	"sync"

	"governance.internal/functions/legal-prep/text"
)

// Finding is something that a reader should know, with the words that say so.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	text.Quote
	Why      string `json:"why"`
	Question string `json:"question"`
}

// The severities.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
	Info   = "info"
)

// rule finds a code in a sentence: one of the patterns matches, and none of the others.
type rule struct {
	code   string
	when   []string
	unless []string
}

// compiled is a rule that can be asked.
type compiled struct {
	code         string
	when, unless []pattern
}

var sentenceRules = sync.OnceValue(func() []compiled {
	var all []compiled
	for _, r := range slices.Concat(disputeRules, moneyRules, endingRules, liabilityRules, workRules, housingAndLoanRules, generalRules, plainRules) {
		all = append(all, compiled{r.code, compileAll(r.when), compileAll(r.unless)})
	}
	return all
})

func compileAll(expressions []string) []pattern {
	var all []pattern
	for _, e := range expressions {
		all = append(all, compile(e))
	}
	return all
}

// matching marks the sentences that a rule finds.
func (r compiled) matching(f *prefilter, sentences []string) []bool {
	marks := make([]bool, len(sentences))
	for _, p := range r.when {
		for i, possible := range f.candidates(p) {
			if possible && !marks[i] && p.MatchString(sentences[i]) {
				marks[i] = !r.excludes(sentences[i])
			}
		}
	}
	return marks
}

func (r compiled) excludes(sentence string) bool {
	return slices.ContainsFunc(r.unless, func(p pattern) bool { return p.MatchString(sentence) })
}

// document is a text with its sentences and what was found so far.
type document struct {
	*text.Text
	sentences []text.Span
	found     []found
}

// found is a code at a place.
type found struct {
	code string
	at   text.Span
}

// add adds a finding, each only once.
func (d *document) add(code string, at text.Span) {
	if f := (found{code, at}); !slices.Contains(d.found, f) {
		d.found = append(d.found, f)
	}
}

// drop takes a code back.
func (d *document) drop(code string) {
	d.found = slices.DeleteFunc(d.found, func(f found) bool { return f.code == code })
}

// mostOfACode is how often the same code is listed.
const mostOfACode = 5

// Find returns the findings of a text in the order of their places.
func Find(t *text.Text) []Finding {
	d := &document{Text: t, sentences: t.Sentences()}
	d.applyRules()
	d.weighSides()
	d.findMismatches()
	d.findMiscounts()
	d.findContradictions()
	d.findLooseEnds()

	return d.findings()
}

// applyRules adds what the rules find in single sentences.
func (d *document) applyRules() {
	var sentences []string
	for _, s := range d.sentences {
		sentences = append(sentences, withoutPoints(d.Of(s), d.LowerOf(s)))
	}

	filter := newPrefilter(d.Text, d.sentences)
	for _, r := range sentenceRules() {
		for i, found := range r.matching(filter, sentences) {
			if found {
				d.add(r.code, d.sentences[i])
			}
		}
	}
}

// withoutPoints replaces the points inside of numbers and names: patterns take a point for the
// end of a thought.
func withoutPoints(written, lower string) string {
	plain := []byte(lower)
	for i := range len(plain) - 1 {
		if plain[i] == '.' && thoughtGoesOn(written[i+1:]) {
			plain[i] = ','
		}
	}
	return string(plain)
}

// thoughtGoesOn reports whether what follows a point, which is not empty, belongs to what stands
// before it: no space follows, or a word in lower case.
func thoughtGoesOn(rest string) bool {
	if rest[0] == '"' {
		return false
	}
	if rest[0] != ' ' {
		return true
	}
	return len(rest) > 1 && 'a' <= rest[1] && rest[1] <= 'z'
}

func (d *document) findings() []Finding {
	slices.SortStableFunc(d.found, func(a, b found) int { return a.at.Start - b.at.Start })
	findings := []Finding{}
	count := map[string]int{}

	for _, f := range d.found {
		a := abouts[f.code]
		quote := d.Quote(f.at)
		if count[f.code] == mostOfACode || quote.Quote == "" {
			continue
		}
		count[f.code]++
		findings = append(findings, Finding{
			Code:     f.code,
			Severity: a.severity,
			Title:    a.title,
			Quote:    quote,
			Why:      a.why,
			Question: a.question,
		})
	}
	return findings
}
