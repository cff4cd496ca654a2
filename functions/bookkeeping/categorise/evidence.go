package categorise

import (
	"strings"

	"governance.internal/functions/bookkeeping/chart"
)

// evidence is what a row offers to the judges.
type evidence struct {
	row    Row
	words  []string
	text   string // the words with a space around each
	in     bool
	refund bool       // words say that money came back
	best   [5]*phrase // by level
}

func (c *Clerk) collect(row Row, text string) *evidence {
	e := &evidence{
		row:   row,
		words: strings.Fields(text),
		text:  text,
		in:    row.Minor > 0,
	}
	e.refund = e.hasAny(refundWords)

	for _, text := range [][]string{e.words, expanded(e.words)} {
		for _, p := range loaded().matches(text) {
			if e.fits(p) {
				e.hold(p)
			}
		}
	}
	return e
}

// fits reports whether a phrase speaks of money in the direction of the row.
func (e *evidence) fits(p *phrase) bool {
	if !e.in {
		return p.out
	}
	if p.in || p.level == brands {
		return true
	}

	comesBack := e.refund && p.level < bankTexts
	return comesBack && p.out
}

// hold keeps the phrase that says most.
func (e *evidence) hold(p *phrase) {
	held := e.best[p.level]
	if held == nil || p.weight > held.weight {
		e.best[p.level] = p
	}
}

// refundWords say that money came back.
var refundWords = spaced("refund", "refunded", "return", "returned", "reversal", "reversed", "credit adjustment", "credit voucher",
	"merchandise credit", "adjustment", "erstattung", "ruckerstattung", "rueckerstattung", "storno", "ruckzahlung", "rueckzahlung",
	"remboursement", "avoir", "annulation", "devolucion", "reembolso", "abono por devolucion", "rimborso", "storno addebito",
	"terugbetaling", "retour", "creditnota", "aterbetalning", "retur", "tilbagebetaling", "refusjon", "zwrot", "hyvitys", "palautus",
	"cancelled order", "purchase return", "gutschrift retoure", "retoure", "rebooked", "credit memo")

// spaced puts a space around phrases, for looking up whole words.
func spaced(phrases ...string) []string {
	for i, p := range phrases {
		phrases[i] = " " + p + " "
	}
	return phrases
}

func (e *evidence) hasAny(phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(e.text, p) {
			return true
		}
	}
	return false
}

// unknown asks about a row that nothing decides.
func (e *evidence) unknown() string {
	if e.in {
		return "What was this money received for?"
	}
	return "What was this paid for?"
}

// isService reports whether the file is the account of a payment service.
func (e *evidence) isService() bool {
	return e.row.Format == "stripe" || e.row.Format == "paypal" || e.row.Format == "payment service"
}

// byService reads the kinds of rows of payment services.
func byService(_ *Clerk, e *evidence) (Verdict, bool) {
	if !e.isService() {
		return Verdict{}, false
	}

	kind := joined(e.row.Type)
	for _, known := range serviceTypes {
		if known.in != e.in && !known.any || !strings.Contains(kind, known.words) {
			continue
		}
		return Verdict{known.category, 0.95, "the payment service calls it " + e.row.Type, ""}, true
	}
	return Verdict{}, false
}

type typeMeaning struct {
	words    string
	category chart.Category
	in, any  bool
}

// serviceTypes are words of Stripe and PayPal for kinds of rows.
var serviceTypes = []typeMeaning{
	{" payout failure ", chart.Transfer, true, true},
	{" payout ", chart.Transfer, false, true},
	{" transfer ", chart.Transfer, false, true},
	{" withdrawal ", chart.Transfer, false, true},
	{" bank deposit ", chart.Transfer, true, true},
	{" currency conversion ", chart.Transfer, false, true},
	{" topup ", chart.Transfer, true, true},
	{" refund ", chart.Returns, false, false},
	{" payment refund ", chart.Returns, false, false},
	{" stripe fee ", chart.ProcessingFees, false, true},
	{" stripe fees ", chart.ProcessingFees, false, true},
	{" fee ", chart.ProcessingFees, false, true},
	{" adjustment ", chart.ProcessingFees, false, false},
	{" dispute ", chart.Returns, false, false},
	{" chargeback ", chart.Returns, false, false},
	{" charge ", chart.Sales, true, false},
	{" payment ", chart.Sales, true, false},
	{" checkout ", chart.Sales, true, false},
}

// byType reads the kinds of rows that banks tell apart.
func byType(_ *Clerk, e *evidence) (Verdict, bool) {
	kind := strings.ToLower(strings.TrimSpace(e.row.Type))
	if e.row.Card && kind == "payment" && e.in {
		return Verdict{chart.CardPayment, 0.95, "the card calls it a payment", ""}, true
	}

	switch kind {
	case "exchange", "topup", "top-up", "top up":
		return Verdict{chart.Transfer, 0.9, "the bank calls it " + e.row.Type, ""}, true
	case "atm", "cash", "atm withdrawal":
		if !e.in {
			return Verdict{chart.OwnerOut, 0.7, "cash was withdrawn", "Was the cash spent on the business?"}, true
		}
	case "int", "interest":
		if e.in {
			return Verdict{chart.InterestIncome, 0.9, "the bank calls it interest", ""}, true
		}
		return Verdict{chart.InterestExpense, 0.9, "the bank calls it interest", ""}, true
	case "fee", "srvchg", "fees", "service charge":
		if e.best[bankTexts] == nil {
			return Verdict{chart.BankFees, 0.9, "the bank calls it a fee", ""}, true
		}
	case "div":
		return Verdict{chart.OtherIncome, 0.7, "the bank calls it a dividend", ""}, e.in
	}
	return Verdict{}, false
}
