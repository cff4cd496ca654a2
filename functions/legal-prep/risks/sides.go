package risks

import (
	"regexp"
	"slices"

	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

var (
	mutual       = regexp.MustCompile(bothSides + `|\b(?:each|one) (?:other|another)\b|\bthe other\b[^.]{0,20}\bparty\b|\bneither\b|\bno party\b|\ba party\b|\beveryone\b`)
	indemnifier  = lazy.Pattern(`\b(?:the )?([a-z]+)\b[ ,]{1,2}(?:(?:shall|will|must|agrees? to|also|fully|promptly|hereby) )*(?:to )?(?:indemnif|hold|defend|reimburse|compensate)`)
	limitsOfTime = lazy.Pattern(`\b(?:months?|years?|days?|weeks?)\b`)
	limitsOfArea = lazy.Pattern(`\b(?:miles?|kilomet(?:er|re)s?|radius|county|city|state of|territory|within|in (?:the )?[a-z]+(?:land|shire)?)\b`)
	whileBound   = lazy.Pattern(`\bduring (?:the )?(?:term|employment|engagement)\b|\bwhile (?:employed|engaged|this)\b`)
	onlyOne      = lazy.Pattern(`\b(?:but|while|whereas|and|;) the \w+ (?:never|may not|cannot|shall not|must not|has no(?: such)? right|does not|is not|may only)\b|\bonly (?:the )?(\w+) (?:may|can|has|is entitled|shall have)\b|\bthe \w+ (?:may|can) (?:freely )?(?:assign|transfer|set[- ]?off|withhold|audit|subcontract|choose|decide)\b[^.]{0,80}\b(?:but )?the \w+ (?:may|shall|can) ?not\b|\b(?:may|can) (?:freely )?(?:assign|transfer)\b[^.]{0,60}\bwithout\b[^.]{0,20}\bconsent\b|\b(?:sole(?:ly)? (?:judge|interpret)|(?:decision|interpretation) (?:of the \w+ )?is final)\b|\battorneys?'? fees\b[^.]{0,60}\bonly\b`)
	excusedOne   = lazy.Pattern(`\b(?:the )?(landlord|lender|company|provider|supplier|seller|contractor|client|customer|tenant|buyer|we|us|bank|owner|borrower|licensor|vendor|manufacturer|distributor|operator|carrier|employer|publisher|platform|host|organizer|school|gym|airline|carrier|hotel|venue|studio|agency|store|dealer|developer)\b[^.]{0,60}\b(?:not (?:be )?(?:liable|responsible|in (?:breach|default))|excused|no liability|need not|relieved|may suspend|may delay)`)
)

// weighSides decides what depends on whom a duty or a right belongs to.
func (d *document) weighSides() {
	d.weighIndemnities()
	d.weighForceMajeure()
	d.weighTermination()
	d.weighNonCompetes()
	d.findOneSided()
}

func (d *document) sentencesOf(code string) []text.Span {
	var all []text.Span
	for _, f := range d.found {
		if f.code == code {
			all = append(all, f.at)
		}
	}
	return all
}

// weighIndemnities replaces each indemnity by a mutual one, or a one-way one where the document
// has no indemnity from another side.
func (d *document) weighIndemnities() {
	spans := d.sentencesOf("indemnity")
	d.drop("indemnity")

	var givers []string
	for _, s := range spans {
		for _, m := range indemnifier().FindAllStringSubmatch(d.LowerOf(s), -1) {
			if !slices.Contains(givers, m[1]) && !slices.Contains(verbs, m[1]) {
				givers = append(givers, m[1])
			}
		}
	}

	for _, s := range spans {
		if len(givers) > 1 || mutual.MatchString(d.LowerOf(s)) {
			d.add("indemnity_mutual", s)
		} else {
			d.add("indemnity_one_way", s)
		}
	}
}

// verbs are what may stand before "hold harmless" and is no side.
var verbs = []string{"indemnify", "defend", "and", "or", "to", "will", "shall", "must", "hold", "release", "protect", "agree", "agrees", "not"}

// weighForceMajeure finds the clauses that excuse one side only.
func (d *document) weighForceMajeure() {
	for _, s := range d.sentencesOf("force_majeure") {
		sentence := d.LowerOf(s)
		if excusedOne().MatchString(sentence) && !mutual.MatchString(sentence) {
			d.add("force_majeure_one_sided", s)
		}
	}
}

var ends = lazy.Pattern(`\b(?:the )?([a-z]+) (?:may|can|is entitled to|has the right to|shall be entitled to) (?:also )?(?:terminate|cancel|end)\b[^.]{0,100}\b` + anyReason)

// weighTermination drops a one-sided right to end where the other side has one, too.
func (d *document) weighTermination() {
	var sides []string
	for _, s := range d.sentencesOf("termination_convenience_one_sided") {
		for _, m := range ends().FindAllStringSubmatch(d.LowerOf(s), -1) {
			if !slices.Contains(sides, m[1]) {
				sides = append(sides, m[1])
			}
		}
	}

	if len(sides) > 1 {
		d.drop("termination_convenience_one_sided")
	}
}

var everywhere = lazy.Pattern(`\b(?:thereafter|afterwards|anywhere|worldwide|forever|in any place|at any time after)\b`)

// weighNonCompetes finds the ones without a time or without an area.
func (d *document) weighNonCompetes() {
	for _, s := range d.sentencesOf("non_compete") {
		sentence := d.LowerOf(s)
		if everywhere().MatchString(sentence) && !limitsOfTime().MatchString(sentence) {
			d.add("non_compete_no_limits", s)
			continue
		}

		timed := limitsOfTime().MatchString(sentence) || whileBound().MatchString(sentence)
		placed := limitsOfArea().MatchString(sentence) || whileBound().MatchString(sentence)
		if !timed || !placed {
			d.add("non_compete_no_limits", s)
		}
	}
}

// oneSidedCodes are rights of one side that have a code of their own.
var oneSidedCodes = []string{
	"termination_convenience_one_sided", "unilateral_change_of_terms", "unilateral_price_change",
	"self_help_remedy", "entry_without_notice", "indemnity_one_way", "force_majeure_one_sided",
}

func (d *document) findOneSided() {
	for _, s := range d.sentences {
		if !onlyOne().MatchString(d.LowerOf(s)) || mutual.MatchString(d.LowerOf(s)) {
			continue
		}
		named := slices.ContainsFunc(d.found, func(f found) bool {
			return f.at == s && slices.Contains(oneSidedCodes, f.code)
		})
		if !named {
			d.add("one_sided_other", s)
		}
	}
}
