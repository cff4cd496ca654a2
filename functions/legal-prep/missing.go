package legalprep

import (
	"fmt"
	"regexp"
	"slices"

	"governance.internal/functions/legal-prep/clauses"
	"governance.internal/functions/legal-prep/risks"
	"governance.internal/functions/legal-prep/text"
)

// Missing is something that documents of a type usually say, and this one does not seem to.
type Missing struct {
	Clause   string `json:"clause"`
	Why      string `json:"why"`
	Question string `json:"question"`
}

// expected is an item of a checklist: words that show it.
type expected struct {
	clause string
	shown  string // a pattern, compiled when it is asked for
}

var checklists = map[string][]expected{
	"nda": {
		{"definition of confidential information", `"?confidential information"? (?:means|includes|is)|\bmeans\b`},
		{"exclusions", `public(?:ly)? (?:known|available|domain)|already known|independently developed`},
		{"compelled disclosure", `required by law|court order|subpoena|compelled`},
		{"term", `\b(?:years?|months?|term|expire)`},
		{"return or destruction", `return|destroy`},
		{"governing law", `laws? of|governing law`},
	},
	"services": {
		{"scope", `services|scope|statement of work`},
		{"fees and due date", `\bpay|invoice|fee`},
		{"acceptance", `accept(?:ance|ed)`},
		{"ownership of results", `own|intellectual property|copyright`},
		{"confidentiality", `confidential|secret`},
		{"limit of liability", `liab`},
		{"termination", `terminat|cancel`},
		{"governing law", `laws? of|governing law`},
	},
	"employment": {
		{"duties", `dut(?:y|ies)|responsib|position|job`},
		{"pay", `salary|wage|pay|compensation`},
		{"hours", `hours|full[- ]time|part[- ]time`},
		{"holidays", `vacation|holiday|leave`},
		{"notice of termination", `notice|terminat`},
		{"governing law", `laws? of|governing law`},
	},
	"lease": {
		{"premises", `premises|apartment|flat|house|property|unit`},
		{"rent", `\brent\b`},
		{"deposit", `deposit`},
		{"repairs", `repair|maint(?:ain|enance)`},
		{"entry", `\benter|\bentry|\baccess`},
		{"end and renewal", `terminat|renew|expire|end of`},
	},
	"loan": {
		{"principal", `principal|amount|\$`},
		{"interest", `interest`},
		{"repayment", `repay|instal?lment|maturity`},
		{"early repayment", `prepay|early`},
		{"default", `default`},
		{"governing law", `laws? of|governing law`},
	},
	"terms_of_service": {
		{"how changes are announced", `notif|notice|email|post`},
		{"liability", `liab`},
		{"closing an account", `close|terminat|cancel|delete`},
		{"disputes", `dispute|court|arbitrat`},
	},
}

// likeOf names the type whose checklist another type uses.
var likeOf = map[string]string{"saas": "services", "contractor": "services"}

// shortest is how long a text is that can miss something, in code points; less is an excerpt.
const shortest = 1500

func missingIn(t *text.Text, a *Answer) []Missing {
	missing := []Missing{}
	if t.Points() < shortest {
		return missing
	}

	name := a.DocumentType.Value
	if like, ok := likeOf[name]; ok {
		name = like
	}

	for _, e := range checklists[name] {
		if regexp.MustCompile(e.shown).MatchString(t.Lower) {
			continue
		}
		missing = append(missing, Missing{
			Clause:   e.clause,
			Why:      fmt.Sprintf("Documents of this type usually say something about it (%s).", a.DocumentType.Value),
			Question: fmt.Sprintf("Is the %s settled elsewhere, or should it stand here?", e.clause),
		})
	}
	return missing
}

// ownClauses are categories beside the 41, each shown by codes.
var ownClauses = []struct {
	category string
	codes    []string
}{
	{"Confidentiality", []string{"confidentiality"}},
	{"Indemnification", []string{"indemnity_mutual", "indemnity_one_way"}},
	{"Force Majeure", []string{"force_majeure"}},
	{"Dispute Resolution", []string{"arbitration", "jury_waiver", "class_action_waiver", "venue_foreign"}},
	{"Severability", []string{"severability"}},
	{"Entire Agreement", []string{"entire_agreement"}},
	{"Data Protection", []string{"data_protection"}},
	{"Payment Terms", []string{"payment_terms"}},
}

// addOwnClauses adds the categories that rules decide. What no rule finds is unsure: how often
// that is right was not measured.
func (a *Answer) addOwnClauses() {
	for _, own := range ownClauses {
		c := clauses.Clause{Category: own.category, State: clauses.Unsure, Score: 0.25}
		at := slices.IndexFunc(a.Findings, func(f risks.Finding) bool { return slices.Contains(own.codes, f.Code) })
		if at >= 0 {
			c.State, c.Score = clauses.Present, 0.9
			c.Quote = a.Findings[at].Quote
		}
		a.Clauses = append(a.Clauses, c)
	}
}
