package extract

import (
	"strconv"
	"strings"

	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/numeral"
	"governance.internal/functions/legal-prep/text"
)

// Money is a sum. Conflict has both values where words and figures differ.
type Money struct {
	Currency   string  `json:"currency"`
	MinorUnits *int64  `json:"minor_units"`
	Conflict   []int64 `json:"conflict"`
	text.Quote
}

var currencies = map[string]string{
	"$": "USD", "us$": "USD", "u.s. $": "USD", "c$": "CAD", "ca$": "CAD", "a$": "AUD", "au$": "AUD", "hk$": "HKD", "s$": "SGD", "nz$": "NZD",
	"€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "chf": "CHF",
	"dollar": "USD", "u.s. dollar": "USD", "us dollar": "USD", "canadian dollar": "CAD", "australian dollar": "AUD", "euro": "EUR", "pound": "GBP", "pounds sterling": "GBP", "pound sterling": "GBP",
	"yen": "JPY", "swiss franc": "CHF", "rupee": "INR", "kuwaiti dinar": "KWD", "united states dollar": "USD",
	"usd": "USD", "eur": "EUR", "gbp": "GBP", "jpy": "JPY", "cad": "CAD", "aud": "AUD", "inr": "INR", "cny": "CNY", "rmb": "CNY", "hkd": "HKD", "sgd": "SGD",
	"nzd": "NZD", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "kwd": "KWD", "bhd": "BHD", "omr": "OMR", "jod": "JOD", "tnd": "TND", "krw": "KRW", "brl": "BRL", "mxn": "MXN", "zar": "ZAR", "aed": "AED",
}

// minorDigits are the decimals of the currencies that have not two.
var minorDigits = map[string]int{"JPY": 0, "KRW": 0, "VND": 0, "KWD": 3, "BHD": 3, "OMR": 3, "JOD": 3, "TND": 3}

const (
	signs   = `u\.s\. \$|(?:us|ca|au|hk|nz|c|a|s)?\$|€|£|¥|₹`
	codes   = `usd|eur|gbp|jpy|chf|cad|aud|inr|cny|rmb|hkd|sgd|nzd|sek|nok|dkk|pln|kwd|bhd|omr|jod|tnd|krw|brl|mxn|zar|aed`
	names   = `(?:u\.s\. |us |united states |canadian |australian )?dollar|euro|pounds? sterling|pound|yen|swiss franc|rupee|kuwaiti dinar`
	figures = `\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,3})?`
	scale   = `(?: ?(thousand|million|billion|k|m|bn)\b)?`
)

var (
	signedSum  = lazy.Pattern(`(` + signs + `|\b(?:` + codes + `)) ?\$?(` + figures + `)` + scale)
	namedSum   = lazy.Pattern(`\b(` + figures + `)` + scale + ` ?(€|£|¥|₹|(?:` + codes + `)\b|(?:` + names + `)s?\b)`)
	spelledSum = lazy.Pattern(`(` + numeral.Pattern + `) (?:and (\d{1,2}|no)/100 )?(` + names + `)s?\b(?:,? ?\((?:` + signs + `|\b(?:` + codes + `))? ?(` + figures + `)` + scale + `[^)]{0,12}\))?`)
)

// Sums returns the sums of money of a text in order.
func Sums(t *text.Text) []Money {
	found := []Money{}
	for _, m := range spelledSum().FindAllStringSubmatchIndex(t.Lower, -1) {
		g := groupsOf(t.Lower, m)
		found = append(found, spelled(g, t.Quote(group(m, 0, 0))))
	}

	for _, m := range signedSum().FindAllStringSubmatchIndex(t.Lower, -1) {
		g := groupsOf(t.Lower, m)
		found = append(found, inFigures(g[1], g[2], g[3], t.Quote(group(m, 0, 0))))
	}

	for _, m := range namedSum().FindAllStringSubmatchIndex(t.Lower, -1) {
		g := groupsOf(t.Lower, m)
		found = append(found, inFigures(g[3], g[1], g[2], t.Quote(group(m, 0, 0))))
	}
	return dropOverlaps(found, func(m Money) text.Quote { return m.Quote })
}

func currencyOf(written string) string {
	if c, known := currencies[written]; known {
		return c
	}
	return currencies[strings.TrimSuffix(written, "s")]
}

func inFigures(currency, figures, scale string, quote text.Quote) Money {
	m := Money{Currency: currencyOf(currency), Conflict: []int64{}, Quote: quote}
	if units, ok := minorUnits(figures, scale, m.Currency); ok {
		m.MinorUnits = &units
	}
	return m
}

// spelled reads a sum in words, and the figures after it.
func spelled(g []string, quote text.Quote) Money {
	m := Money{Currency: currencyOf(g[3]), Conflict: []int64{}, Quote: quote}
	words, ok := numeral.Parse(g[1])
	if !ok {
		return m
	}

	units := words*power(minorDigitsOf(m.Currency)) + int64(number(g[2]))
	inFigures, written := minorUnits(g[4], g[5], m.Currency)
	if written && inFigures != units {
		m.Conflict = []int64{units, inFigures}
		return m
	}

	m.MinorUnits = &units

	return m
}

func minorDigitsOf(currency string) int {
	if n, known := minorDigits[currency]; known {
		return n
	}
	return 2
}

func power(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// minorUnits reads figures with separators; ok is false where they are no sum of the currency.
func minorUnits(figures, scale, currency string) (units int64, ok bool) {
	if figures == "" {
		return 0, false
	}

	digits := minorDigitsOf(currency)
	whole, part := splitFigures(figures, digits)

	exponent := digits + zeros[scale]
	if len(part) > exponent || len(whole)+exponent > 17 {
		return 0, false
	}

	part += strings.Repeat("0", exponent-len(part))
	units, err := strconv.ParseInt(whole+part, 10, 64)

	return units, err == nil
}

// zeros are what the words for large numbers stand for.
var zeros = map[string]int{"thousand": 3, "k": 3, "million": 6, "m": 6, "billion": 9, "bn": 9}

// splitFigures returns the digits before and after the decimal mark: the last separator, unless
// three digits follow it and the currency has not three decimals.
func splitFigures(figures string, digits int) (whole, part string) {
	at := strings.LastIndexAny(figures, ".,")
	if at < 0 {
		return onlyDigits(figures), ""
	}

	part = figures[at+1:]
	mark := figures[at : at+1]
	grouping := digits != 3 || mark == "," || strings.Count(figures, mark) > 1
	if len(part) == 3 && grouping {
		return onlyDigits(figures), ""
	}
	return onlyDigits(figures[:at]), part
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
