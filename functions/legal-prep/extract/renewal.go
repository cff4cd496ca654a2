package extract

import (
	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

var (
	renewing   = lazy.Pattern(`\b(?:renew|extend|extension|successive|additional (?:term|period|year)|roll over)`)
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
		if stopsRenewal && beforeAnchor().MatchString(after) {
			return &p
		}
	}
	return nil
}

// RenewalTerm returns the length of a renewed term, nil where there is none.
func RenewalTerm(t *text.Text) *Period {
	for _, p := range Periods(t) {
		before, after := around(t, p.span, 120, 60)
		before, after = lastSentence(before), firstSentence(after)
		if renewedFor().MatchString(before) && !beforeAnchor().MatchString(after) {
			return &p
		}
	}
	return nil
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
