package extract

import (
	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

var (
	renewing   = lazy.Pattern(`\b(?:renew|extend|extension|successive|additional (?:term|period|year)|roll over|non-?renewal|end of (?:the|its) (?:\w+ )?term|expiration of (?:the|its) (?:\w+ )?term|until terminated)`)
	noticed    = lazy.Pattern(`\b(?:notice|notif|unless|cancel|terminat)`)
	renewedFor = lazy.Pattern(`(?:renew|extend|extension|successive|additional|further|renewal)[^.;]{0,80}$`)
)

// RenewalNotice returns the period before the end of a term in which a notice stops a renewal,
// nil where there is none.
func RenewalNotice(t *text.Text) *Period {
	for _, p := range Periods(t) {
		before, after := around(t, p.span, 300, 120)
		before, after = lastSentence(before), firstSentence(after)
		whole := before + after
		stopsRenewal := renewing().MatchString(whole) && noticed().MatchString(whole)
		isNotice := beforeAnchor().MatchString(after) || ofNotice().MatchString(after)
		if stopsRenewal && isNotice && !lengthOfTerm().MatchString(before) {
			return &p
		}
	}
	return nil
}

var (
	ofNotice = lazy.Pattern(`^'? ?(?:of )?(?:prior |advance |previous |advanced )?(?:written )?(?:prior )?(?:notice|notification)\b`)
	leads    = lazy.Pattern(`(?:within|at least|upon|not less than|no less than|not later than|no later than|by|after)(?: the| a| an)? ?$`)
	counted  = lazy.Pattern(`^(?:,? ?\(?(?:terms?|periods?|renewals?|extensions?|each|intervals?|increments?))\b`)
	prolongs = lazy.Pattern(`(?:successive|additional|further|subsequent|consecutive|renewal)[^.;]{0,50}$|(?:renewed|extended|renews?|extends?)(?: automatically)? for[^.;]{0,30}$`)
	yearly   = lazy.Pattern(`(?:renew|extend|extension|continu)[^.;]{0,100}\b(?:annual periods?|year[- ]to[- ]year|annual basis|yearly basis|annually|yearly)\b`)
)

// RenewalTerm returns the length of a renewed term, nil where there is none.
func RenewalTerm(t *text.Text) *Period {
	var possible *Period
	for _, p := range Periods(t) {
		before, after := around(t, p.span, 120, 60)
		before, after = lastSentence(before), firstSentence(after)
		if p.isShort() || isLead(before, after) {
			continue
		}

		if prolongs().MatchString(before) && counted().MatchString(after) {
			return &p
		}
		if possible == nil && renewedFor().MatchString(before) {
			possible = &p
		}
	}

	if possible != nil {
		return possible
	}
	return yearlyRenewal(t)
}

func (p Period) isShort() bool { return p.Unit == "hour" || p.Unit == "day" }

// isLead reports whether a period between two texts says how long before something a notice is
// given.
func isLead(before, after string) bool {
	return beforeAnchor().MatchString(after) ||
		ofNotice().MatchString(after) ||
		leads().MatchString(before)
}

// yearlyRenewal returns a year where a term is renewed from year to year.
func yearlyRenewal(t *text.Text) *Period {
	at := yearly().FindStringIndex(t.Lower)
	if at == nil {
		return nil
	}

	year := 1
	span := text.Span{Start: at[0], End: at[1]}
	return &Period{
		Offset:   &year,
		Unit:     "year",
		Range:    []int{},
		Conflict: []int{},
		Quote:    t.Quote(span),
		span:     span,
	}
}

// AgreementDate returns the day on which an agreement was made: the first full date of its
// opening, nil where there is none.
func AgreementDate(t *text.Text) *Date {
	dates := Dates(t)
	for i, d := range dates {
		if d.Start > opening {
			break
		}
		if d.Precision == "day" && (d.Role == "agreement" || d.Role == "effective") {
			return &dates[i]
		}
	}
	return nil
}
