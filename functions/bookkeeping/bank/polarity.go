package bank

import (
	"slices"
	"strings"
)

// What rows say about the meaning of a minus, apart from the minus itself.
var (
	paidCard = []string{
		"payment thank you", "payment - thank you", "payment, thank you", "payment received", "autopay payment",
		"automatic payment", "online payment thank", "thank you for your payment", "payment-thank you", "pymt thank you",
		"mobile payment - thank you", "directpay full balance",
	}
	spends = []string{
		"fuel", " oil", "coffee", "restaurant", "hotel", "uber", "adobe", "staples", " fee", "interest charge", "subscription",
		"insurance", "payroll", "parking", "grocery", "amazon", "fedex", "usps", "office depot", "starbucks", "shell",
		"electric", "airlines", "walmart", "google", "microsoft", "tankstelle", "miete", "loyer", "supplies",
	}
	comesBack = []string{"refund", "return", "reversal", "credit", "erstattung", "rembours", "rimborso", "devolucion"}
	earns     = []string{
		"payout", "payment from", "salary", "credit interest", "interest earned", "transfer from", "mobile deposit",
		"received from", "zelle from", "stripe transfer", "deposit",
	}
)

// polarity counts rows by what they say and how they are signed.
type polarity struct {
	cardNegative, cardPositive   int
	spendNegative, spendPositive int
	earnNegative, earnPositive   int
	firstContradiction           int
}

// checkPolarity looks for a file in which a minus means money in. Cards are turned round where their own
// payments say so; other contradictions are a question.
func (r *csvReader) checkPolarity() error {
	if r.layout.format != nil || r.settings.Sign == SignAsWritten {
		return r.checkKnownFormat()
	}
	if r.settings.Sign == SignChargesPositive {
		r.setAll(true)
		return nil
	}

	p := r.polarity()
	isCard := p.cardNegative > 0 && p.cardPositive == 0
	spendsArePositive := p.spendPositive > p.spendNegative || 2*r.negatives() < len(r.drafts)
	if isCard && spendsArePositive {
		r.Card = true
		r.setAll(true)
		return nil
	}

	contradicting := p.spendPositive + p.earnNegative
	agreeing := p.spendNegative + p.earnPositive + p.cardPositive
	if contradicting >= 3 && agreeing == 0 && !r.balanceAgrees() {
		return r.refuse(p.firstContradiction,
			"Does a minus mean money out? Set the option sign to as_written if it does, to charges_positive if not",
			"spending is written as a positive amount")
	}

	r.Card = p.cardPositive > 0
	return nil
}

// checkKnownFormat applies the sign of a format with amounts of both signs.
func (r *csvReader) checkKnownFormat() error {
	format := r.layout.format
	if format != nil && format.Flipped {
		r.setAll(true)
	}
	return nil
}

func (r *csvReader) negatives() int {
	count := 0
	for _, d := range r.drafts {
		if d.negative {
			count++
		}
	}
	return count
}

func (r *csvReader) polarity() polarity {
	p := polarity{}
	for _, d := range r.drafts {
		text := " " + strings.ToLower(r.describe(d.record)) + " "

		switch {
		case hasAny(text, paidCard):
			count(d.negative, &p.cardNegative, &p.cardPositive)
		case hasAny(text, earns):
			count(d.negative, &p.earnNegative, &p.earnPositive)
		case hasAny(text, comesBack): // its sign says nothing
		case hasAny(text, spends):
			count(d.negative, &p.spendNegative, &p.spendPositive)
			if !d.negative && p.firstContradiction == 0 {
				p.firstContradiction = d.record.Line
			}
		}
	}
	return p
}

func count(negative bool, negatives, positives *int) {
	if negative {
		*negatives++
		return
	}
	*positives++
}

func hasAny(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

// balanceAgrees reports whether the balances move as the signs say.
func (r *csvReader) balanceAgrees() bool {
	balances, ok := r.balances()
	if !ok || len(balances) < 3 {
		return false
	}

	code, _, _ := r.fileCurrency()
	rising, falling := 0, 0
	for i := 1; i < len(balances); i++ {
		if balances[i]-balances[i-1] == r.signed(i, code) {
			rising++
		}
		if balances[i-1]-balances[i] == r.signed(i-1, code) {
			falling++
		}
	}

	most := (len(balances) - 1) * 8 / 10
	return rising > most || falling > most
}

func (r *csvReader) signed(at int, code string) int64 {
	d := r.drafts[at]
	minor, err := r.minor(d.amount, code)
	if err != nil {
		return 0
	}
	if minor < 0 {
		minor = -minor
	}
	if d.negative {
		return -minor
	}
	return minor
}
