package categorise

import (
	"strings"

	"governance.internal/functions/bookkeeping/chart"
)

// byRefundToCustomer reads money that went back to a customer.
func byRefundToCustomer(_ *Clerk, e *evidence) (Verdict, bool) {
	p := e.best[bankTexts]
	if e.in || p == nil || p.list != string(chart.Returns) {
		return Verdict{}, false
	}
	return Verdict{chart.Returns, 0.88, reasonOf(p), ""}, true
}

// platforms sell for others and pay out.
var platforms = spaced("stripe", "shopify", "square", "sq", "squareup", "etsy", "amazon", "amzn", "airbnb", "paypal", "gumroad",
	"sumup", "zettle", "izettle", "klarna", "mollie", "adyen", "worldpay", "toast", "clover", "doordash", "uber eats", "ubereats",
	"grubhub", "ebay", "patreon", "upwork", "fiverr", "booking com", "expedia", "vrbo", "kofi", "ko fi", "substack", "teachable",
	"kajabi", "podia", "bandcamp", "distrokid", "youtube", "google adsense", "apple developer", "google play", "walmart marketplace",
	"wayfair", "faire", "redbubble", "society6", "shutterstock", "gocardless", "braintree", "authorize net", "intuit pymt soln",
	"intuit payments", "quickbooks payments", "wix payments", "venmo business", "deliveroo", "just eat", "lieferando", "wolt",
	"elavon", "heartland", "global payments", "fiserv", "first data", "nexi", "concardis", "payone", "telecash", "redsys",
	"stancer", "lyf", "ccv", "bancontact", "swedbank pay", "nets", "bambora", "przelewy24", "payu", "tpay", "mercado pago",
	"razorpay", "cashfree", "kickstarter", "eventbrite", "thumbtack", "houzz", "medium", "udemy", "skillshare", "allegro", "bol com", "otto", "zalando")

var payoutWords = spaced("payout", "payouts", "transfer", "deposit", "deposits", "dep", "settlement", "disbursement", "payment",
	"payments", "sales", "earnings", "merchant", "seller", "versement", "virement", "auszahlung", "uitbetaling", "liquidacion",
	"accredito", "utbetalning", "udbetaling", "utbetaling", "wyplata", "ach", "co", "inc", "st", "payout eur", "hst", "edi pymnt", "marketplace", "bankcard", "net sales", "pymt soln", "abrechnung", "ag", "sv9t", "credit", "bv", "ltd", "com")

// byPlatform reads what a platform pays out to a bank account.
func byPlatform(_ *Clerk, e *evidence) (Verdict, bool) {
	canBePayout := e.in && !e.refund && !e.row.Card && !e.isService()
	if !canBePayout || !e.isPaidOut() || e.isOtherMoney() {
		return Verdict{}, false
	}
	return Verdict{chart.Sales, 0.9, "a platform paid out", ""}, true
}

// isOtherMoney reports whether the bank's text speaks of a loan or of other income.
func (e *evidence) isOtherMoney() bool {
	p := e.best[bankTexts]
	return p != nil && (p.list == string(chart.LoanProceeds) || p.list == string(chart.OtherIncome))
}

// isPaidOut reports whether a platform and a payout are named.
func (e *evidence) isPaidOut() bool { return e.hasAny(platforms) && e.hasAny(payoutWords) }

// byBankText reads what banks and authorities write.
func byBankText(_ *Clerk, e *evidence) (Verdict, bool) {
	p := e.best[bankTexts]
	if p == nil || e.outranked(p) {
		return Verdict{}, false
	}

	category := chart.Category(p.list)
	confidence := 0.93
	if category == chart.Sales {
		confidence = 0.85
	}
	if chart.KindOf(category, -1) == chart.Fee && e.in {
		return Verdict{category, 0.85, reasonOf(p) + ", and came back", ""}, true
	}
	if category == chart.OwnerOut && e.hasAny(cashWords) {
		return Verdict{category, 0.75, reasonOf(p), "Was the cash spent on the business?"}, true
	}
	return Verdict{category, confidence, reasonOf(p), ""}, true
}

var cashWords = spaced("atm", "cash", "geldautomat", "bargeld", "retrait", "cajero", "prelievo", "bankomat")

// outranked reports whether a seller's name says more than a short phrase of banks.
func (e *evidence) outranked(p *phrase) bool {
	brand := e.best[brands]
	if brand == nil || p.list == string(chart.Sales) && e.in {
		return e.in && brand != nil && e.refund && p.list == string(chart.Sales)
	}

	isStrong := len(p.words) > 1
	return !isStrong && len(brand.words) > 1
}

func reasonOf(p *phrase) string {
	return "the words " + strings.ReplaceAll(strings.Join(p.words, " "), "*", "")
}

// sellers of everything, and ways to pay, say nothing about what was bought.
var ambiguousSellers = spaced("amazon", "amzn", "amzn mktp", "amazon com", "amazon mktpl", "amzn com", "walmart", "wal mart", "wm supercenter",
	"walmart com", "target", "costco", "costco whse", "sam s club", "sams club", "bj s wholesale", "ebay", "etsy", "venmo", "cash app",
	"cashapp", "zelle", "paypal", "apple pay", "google pay", "klarna", "afterpay", "affirm", "western union", "moneygram", "tchibo",
	"aliexpress", "wish com", "argos", "dollar general", "dollar tree", "family dollar", "big lots", "five below", "bizum", "swish",
	"mobilepay", "vipps", "twint", "blik", "satispay", "tikkie", "lydia", "action", "hema", "woolworth", "tk maxx", "flying tiger", "ikea", "cdiscount", "allegro", "bol com", "otto", "marktplaats", "tedi", "kmart")

// byAmbiguousSeller leaves rows of such sellers to the customer, unless other words decide.
func byAmbiguousSeller(_ *Clerk, e *evidence) (Verdict, bool) {
	if e.in || !e.hasAny(ambiguousSellers) {
		return Verdict{}, false
	}

	isDecided := e.best[brands] != nil || e.best[words] != nil
	if isDecided || e.row.MCC != "" && !generalMerchants[e.row.MCC] {
		return Verdict{}, false
	}
	return Verdict{chart.Uncategorised, 0, "the seller or the way of payment does not say what was bought", "What was bought?"}, true
}

// byBrand reads the names of known sellers.
func byBrand(c *Clerk, e *evidence) (Verdict, bool) {
	p := e.best[brands]
	if p == nil {
		return Verdict{}, false
	}

	category := chart.Category(p.list)
	if w := e.best[words]; w != nil && overrides(w, category) {
		return Verdict{chart.Category(w.list), 0.85, reasonOf(w), ""}, true
	}
	if e.in && !e.refund {
		return byReturn(e, p)
	}
	return Verdict{category, 0.92, "the seller " + strings.Join(p.words, " "), ""}, true
}

// byReturn reads money from a seller of expenses, which is a refund on a card and a question elsewhere.
func byReturn(e *evidence, p *phrase) (Verdict, bool) {
	if e.row.Card {
		return Verdict{chart.Category(p.list), 0.8, "money back from " + strings.Join(p.words, " "), ""}, true
	}
	if _, ok := byIncome(nil, e); ok {
		return Verdict{}, false
	}
	return Verdict{chart.Category(p.list), 0.65, "money from the seller " + strings.Join(p.words, " "), "Is it a refund?"}, true
}

// overrides reports whether a word says better what a known seller sold. Names of sellers are also words.
func overrides(w *phrase, brand chart.Category) bool {
	switch chart.Category(w.list) {
	case chart.Charity, chart.ContractLabor, chart.CostOfGoods:
		return len(w.words) > 1
	case chart.Advertising:
		return brand == chart.Software && len(w.words) > 0
	case chart.RentEquipment, chart.Benefits:
		return len(w.words) > 1 || w.words[0] == "lease" || w.words[0] == "rental"
	}
	return false
}

// byWord reads words for trades and goods.
func byWord(c *Clerk, e *evidence) (Verdict, bool) {
	p := e.best[words]
	if p == nil || e.in && !e.refund {
		return Verdict{}, false
	}

	category := chart.Category(p.list)
	if code, ok := categoryOfCode(e.row.MCC); ok && code != category {
		return Verdict{code, 0.75, "the merchant category code " + e.row.MCC, ""}, true
	}

	confidence := 0.8
	if len(p.words) > 1 {
		confidence = 0.86
	}
	return Verdict{category, confidence, reasonOf(p), ""}, true
}

// byIncome reads money that came in from someone who names an order or is a company.
func byIncome(_ *Clerk, e *evidence) (Verdict, bool) {
	if !e.in || e.row.Card {
		return Verdict{}, false
	}
	if p := e.best[bankTexts]; p != nil && p.list == string(chart.Sales) {
		return Verdict{chart.Sales, 0.85, reasonOf(p), ""}, true
	}

	return e.incomeOfCompanies()
}

// personal are ways to pay among persons.
var personal = spaced("zelle", "venmo", "cash app")

func (e *evidence) incomeOfCompanies() (Verdict, bool) {
	if e.hasAny(personal) {
		return Verdict{}, false
	}
	if e.hasAny(companies) {
		return Verdict{chart.Sales, 0.75, "a company paid", ""}, true
	}

	word := e.best[words]
	if word == nil || e.refund {
		return Verdict{}, false
	}
	return Verdict{chart.Sales, 0.65, "money came in for " + strings.Join(word.words, " "), ""}, true
}

// companies are forms of companies and public customers.
var companies = spaced("inc", "llc", "ltd", "limited", "corp", "corporation", "plc", "llp", "gmbh", "ag", "kg", "ug", "ohg", "gbr",
	"ev", "e v", "bv", "b v", "nv", "vof", "sarl", "sas", "sa", "s a", "sasu", "eurl", "srl", "s r l", "spa", "sl", "s l", "slu", "oy", "oyj", "ab",
	"as", "aps", "a s", "sp z o o", "s c", "lda", "pty", "pte", "pvt", "group", "company", "co", "holdings", "industries", "enterprises",
	"partners", "associates", "studio", "studios", "agency", "trading", "foundation", "university", "school district", "city of",
	"county of", "state of", "mairie", "gemeinde", "stadt", "ayuntamiento", "comune", "gemeente", "kommun", "kommune", "hospital",
	"church", "hotel", "gallery", "design", "mobelhaus", "moebelhaus", "verlag", "media", "solutions", "systems", "services", "ventures", "properties", "construction", "builders", "restaurant")

// bankGroups are the categories that banks print, by words in them.
var bankGroups = []struct {
	words    string
	category chart.Category
}{
	{" restaurant", chart.Meals}, {" food drink", chart.Meals}, {" dining", chart.Meals}, {" gas ", chart.Car}, {" fuel", chart.Car},
	{" automotive", chart.Car}, {" parking", chart.Car}, {" airline", chart.Travel}, {" travel", chart.Travel}, {" lodging", chart.Travel},
	{" hotel", chart.Travel}, {" taxi", chart.Travel}, {" phone", chart.Telephone}, {" internet", chart.Telephone}, {" utilities", chart.Utilities},
	{" insurance", chart.Insurance}, {" software", chart.Software}, {" office supplies", chart.Office}, {" office shipping", chart.Office}, {" advertising", chart.Advertising},
	{" marketing", chart.Advertising}, {" professional services", chart.Legal}, {" legal", chart.Legal}, {" education", chart.Education}, {" entertainment", chart.Entertainment},
	{" gifts donations", chart.Charity}, {" charity", chart.Charity}, {" fees", chart.BankFees}, {" interest", chart.InterestExpense}, {" rent", chart.RentPremises},
	{" personal", chart.OwnerOut}, {" health wellness", chart.OwnerOut}, {" shipping", chart.Shipping}, {" payroll", chart.Wages},
}

// byBankGroup uses the bank's own category, which is often coarse.
func byBankGroup(_ *Clerk, e *evidence) (Verdict, bool) {
	if e.row.Group == "" || e.in {
		return Verdict{}, false
	}
	group := joined(e.row.Group)
	for _, known := range bankGroups {
		if strings.Contains(group, known.words) {
			return Verdict{known.category, 0.6, "the bank's category " + e.row.Group, ""}, true
		}
	}
	return Verdict{}, false
}
