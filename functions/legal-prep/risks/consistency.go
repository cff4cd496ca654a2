package risks

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/legal-prep/extract"
	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/numeral"
	"governance.internal/functions/legal-prep/text"
)

// findMismatches finds sums and periods whose words and figures differ.
func (d *document) findMismatches() {
	for _, m := range extract.Sums(d.Text) {
		if len(m.Conflict) > 0 {
			d.addQuote("words_figures_mismatch", m.Quote)
		}
	}

	for _, p := range extract.Periods(d.Text) {
		if len(p.Conflict) > 0 {
			d.addQuote("words_figures_mismatch", p.Quote)
		}
	}
}

// counted is a number in words with figures in brackets after it.
var counted = lazy.Pattern(`(` + numeral.Pattern + `)(?: percent| per cent)? ?\((\d{1,3}(?:,\d{3})*|\d+) ?%?\)`)

// findMiscounts finds numbers of things, and rates, whose words and figures differ.
func (d *document) findMiscounts() {
	for _, s := range d.sentences {
		for _, m := range counted().FindAllStringSubmatch(d.LowerOf(s), -1) {
			words, ok := numeral.Parse(m[1])
			figures := strings.ReplaceAll(m[2], ",", "")
			if ok && strconv.FormatInt(words, 10) != figures {
				d.add("words_figures_mismatch", s)
			}
		}
	}
}

// addQuote adds a finding in the sentence that holds a quote.
func (d *document) addQuote(code string, q text.Quote) {
	for _, s := range d.sentences {
		whole := d.Quote(s)
		if whole.Start <= q.Start && q.Start < whole.End {
			d.add(code, s)
			return
		}
	}
}

// statement is what a sentence says about a subject that has one value in a document.
var statements = []*regexp.Regexp{
	regexp.MustCompile(`\b(rent|fee|salary|invoices?|payment)s? (?:is|are|shall be|will be) (?:due|payable)[^.]{0,30}?\b(first|second|third|fifth|tenth|fifteenth|twentieth|last|\d+(?:st|nd|rd|th)|\w+(?: \(\d+\))? days)\b`),
	regexp.MustCompile(`\b(?:by|on|upon|giving|with|is|of|requires)\b (?:at least |not less than )?(\w+)(?: \(\d+\))? (?:days|months|weeks)'? (?:prior )?(?:written )?(notice)\b`),
	regexp.MustCompile(`\b(notice) period (?:is|of)(?: at least)? (\w+)`),
	regexp.MustCompile(`\b(deposit|rent|price|salary|purchase price|monthly rent|interest rate)\b (?:is|shall be|will be|of) ([$€£]?[\d,.]*\d%?)`),
	regexp.MustCompile(`\b(term|initial term)\b[^.]{0,30}\b(?:is|shall be|of|for)(?: a period of)? (\w+)(?: \(\d+\))? (?:years?|months?)\b`),
	regexp.MustCompile(`\b(?:governed by|in accordance with)\b[^.]{0,30}\b(law)s? of (?:the )?(?:state of )?(\w+)`),
}

// findContradictions finds sentences that give one thing two values.
func (d *document) findContradictions() {
	said := map[string]string{}
	for _, s := range d.sentences {
		for _, pattern := range statements {
			m := pattern.FindStringSubmatch(d.LowerOf(s))
			if m == nil {
				continue
			}
			subject, value := m[1], m[2]
			if value == "notice" {
				subject, value = value, subject
			}
			before, known := said[subject]
			if known && before != value {
				d.add("contradiction", s)
			}
			said[subject] = value
		}
	}
}

var (
	placeholder = lazy.Pattern(`_{3,}|\[(?:●|•|\*+|\s*|\.{2,}|_+|x+|X+)\]|\[(?:insert|enter|name|date|amount|address|fill|company|client|party|city|state|number|tbd|your|the|title|specify|describe|to be)[^\]]{0,60}\]|\b(?:TBD|TBC|XXX+)\b|\[[A-Z][A-Z /_'-]{2,40}\]|<[A-Za-z][A-Za-z _]{2,30}>|\bto be (?:determined|agreed|confirmed)\b|\.{6,}|\{\{[^}]*\}\}`)
	reference   = lazy.Pattern(`\b(?i:section|clause|paragraph|article)s? (\d{1,3}(?:\.\d{1,3})*)`)
	numbered    = lazy.Pattern(`(?m)(?:^|\n|  |\. |\A)\s*(?i:(?:section|article|clause|paragraph) )?(\d{1,3}(?:\.\d{1,3})*)[.):]?\s+["A-Z(\[]`)
	elsewhere   = lazy.Pattern(`^[^.;]{0,12}\b(?i:of (?:the|that|title|such)|act|code|u\.s\.c|thereof)\b`)
)

// findLooseEnds finds placeholders, references to sections that do not exist, and terms that
// are used and not defined.
func (d *document) findLooseEnds() {
	for _, s := range d.sentences {
		if placeholder().MatchString(d.placeholdersOf(s)) {
			d.add("placeholder", s)
		}
	}

	d.findBrokenReferences()
	d.findUndefinedTerms()
}

func (d *document) placeholdersOf(s text.Span) string {
	return strings.ReplaceAll(d.Of(s), "[sic]", "")
}

func (d *document) findBrokenReferences() {
	known := map[string]bool{}
	for _, m := range numbered().FindAllStringSubmatch(d.Plain, -1) {
		known[m[1]] = true
		whole, _, _ := strings.Cut(m[1], ".")
		known[whole] = true
	}

	if len(known) < 2 {
		return
	}

	for _, s := range d.sentences {
		for _, m := range reference().FindAllStringSubmatchIndex(d.Of(s), -1) {
			number := d.Of(s)[m[2]:m[3]]
			rest := d.Of(s)[m[1]:]
			if m[0] == 0 || known[number] || elsewhere().MatchString(rest) {
				continue
			}
			d.add("broken_reference", s)
			break
		}
	}
}

var capitalised = lazy.Pattern(`\b(?:the|each|any|all|such|an|a|to|of) ((?:[A-Z][a-z]+)(?: [A-Z][a-z]+){1,3})\b`)

// findUndefinedTerms finds terms of two and more capitalised words that a document with
// definitions uses and does not define.
func (d *document) findUndefinedTerms() {
	defined := extract.DefinedTerms(d.Text)
	if len(defined) == 0 {
		return
	}

	var names []string

	for _, t := range defined {
		names = append(names, strings.ToLower(t.Term))
	}

	for _, p := range extract.Parties(d.Text) {
		names = append(names, strings.ToLower(p.Name))
	}

	reported := map[string]bool{}
	for _, s := range d.sentences {
		for _, m := range capitalised().FindAllStringSubmatch(d.Of(s), -1) {
			term := strings.ToLower(m[1])
			if reported[term] || isName(term, m[1]) || isDefined(term, names) {
				continue
			}
			reported[term] = true
			d.add("undefined_term", s)
		}
	}
}

func isDefined(term string, names []string) bool {
	singular := strings.TrimSuffix(term, "s")
	return slices.ContainsFunc(names, func(n string) bool {
		if strings.Contains(n, singular) {
			return true
		}
		return strings.Contains(term, strings.TrimSuffix(n, "s"))
	})
}

var properNames = lazy.Pattern(`(?:state|court|county|city|act|code|united|states|republic|commonwealth|rules|association|law|laws|january|february|march|april|may|june|july|august|september|october|november|december|street|road|avenue|university|bank|inc|llc|ltd|corp|company|exhibit|schedule|annex|appendix|new|north|south|west|great|hong|section|article|agreement|arbitration|institute|board|department|office|commission|union|convention|internal|revenue|securities|exchange|international|chamber|commerce|america|kingdom|european|federal|national)\b`)

// isName reports whether capitals write a name and not a term.
func isName(lower, _ string) bool { return properNames().MatchString(lower) }
