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
	shown  *regexp.Regexp
}

func expect(clause, shown string) expected { return expected{clause, regexp.MustCompile(shown)} }

var checklists = map[string][]expected{
	"nda": {
		expect("definition of confidential information", `"?confidential information"? (?:means|includes|is)|\bmeans\b`),
		expect("exclusions", `public(?:ly)? (?:known|available|domain)|already known|independently developed`),
		expect("compelled disclosure", `required by law|court order|subpoena|compelled`),
		expect("term", `\b(?:years?|months?|term|expire)`),
		expect("return or destruction", `return|destroy`),
		expect("governing law", `laws? of|governing law`),
	},
	"services": {
		expect("scope", `services|scope|statement of work`),
		expect("fees and due date", `\bpay|invoice|fee`),
		expect("acceptance", `accept(?:ance|ed)`),
		expect("ownership of results", `own|intellectual property|copyright`),
		expect("confidentiality", `confidential|secret`),
		expect("limit of liability", `liab`),
		expect("termination", `terminat|cancel`),
		expect("governing law", `laws? of|governing law`),
	},
	"employment": {
		expect("duties", `dut(?:y|ies)|responsib|position|job`),
		expect("pay", `salary|wage|pay|compensation`),
		expect("hours", `hours|full[- ]time|part[- ]time`),
		expect("holidays", `vacation|holiday|leave`),
		expect("notice of termination", `notice|terminat`),
		expect("governing law", `laws? of|governing law`),
	},
	"lease": {
		expect("premises", `premises|apartment|flat|house|property|unit`),
		expect("rent", `\brent\b`),
		expect("deposit", `deposit`),
		expect("repairs", `repair|maint(?:ain|enance)`),
		expect("entry", `\benter|\bentry|\baccess`),
		expect("end and renewal", `terminat|renew|expire|end of`),
	},
	"loan": {
		expect("principal", `principal|amount|\$`),
		expect("interest", `interest`),
		expect("repayment", `repay|instal?lment|maturity`),
		expect("early repayment", `prepay|early`),
		expect("default", `default`),
		expect("governing law", `laws? of|governing law`),
	},
	"terms_of_service": {
		expect("how changes are announced", `notif|notice|email|post`),
		expect("liability", `liab`),
		expect("closing an account", `close|terminat|cancel|delete`),
		expect("disputes", `dispute|court|arbitrat`),
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
		if e.shown.MatchString(t.Lower) {
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
