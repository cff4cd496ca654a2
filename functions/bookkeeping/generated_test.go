package bookkeeping

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/day"
)

// truth is one movement of a generated book, known before any file is written.
type truth struct {
	date        day.Day
	description string
	minor       int64
	category    chart.Category
}

// sellers of generated books and the sign of their amounts.
var sellers = []struct {
	description string
	category    chart.Category
	sign        int64
}{
	{"ADOBE *CREATIVE CLOUD", chart.Software, -1}, {"HETZNER ONLINE GMBH", chart.Software, -1}, {"SHELL OIL 57444212", chart.Car, -1},
	{"STAPLES 00114512", chart.Office, -1}, {"FEDEX 7721 8812", chart.Shipping, -1}, {"MARRIOTT DENVER", chart.Travel, -1},
	{"STARBUCKS STORE 03321", chart.Meals, -1}, {"HISCOX INC", chart.Insurance, -1}, {"VERIZON WIRELESS", chart.Telephone, -1},
	{"PG&E WEB ONLINE", chart.Utilities, -1}, {"UPWORK -7721833REF", chart.ContractLabor, -1}, {"GUSTO NET 829330", chart.Wages, -1},
	{"GUSTO TAX 829331", chart.PayrollTaxes, -1}, {"HOLLIS LAW OFFICE", chart.Legal, -1}, {"OFFICE RENT MILL STREET", chart.RentPremises, -1},
	{"MONTHLY SERVICE FEE", chart.BankFees, -1}, {"OWNER DRAW", chart.OwnerOut, -1}, {"SBA LOAN PAYMENT", chart.LoanPayment, -1},
	{"IRS USATAXPYMT 1040ES", chart.OwnerTax, -1}, {"REFUND TO CUSTOMER ORDER 10", chart.Returns, -1}, {"WHOLESALE INVENTORY PURCHASE", chart.CostOfGoods, -1},
	{"ADOBE REFUND", chart.Software, 1}, {"STRIPE TRANSFER ST-1", chart.Sales, 1}, {"INVOICE 1044 DELTA FOUNDRY INC", chart.Sales, 1},
	{"INTEREST PAID", chart.InterestIncome, 1}, {"OWNER CONTRIBUTION", chart.OwnerIn, 1}, {"KRXW 0091", chart.Uncategorised, -1},
}

// generate makes a book of movements in the order of time.
func generate(r *rand.Rand, rows int) []truth {
	var book []truth
	at := r.IntN(200)
	for range rows {
		at += r.IntN(6)
		seller := sellers[r.IntN(len(sellers))]
		book = append(book, truth{
			date:        dayAt(at),
			description: fmt.Sprintf("%s %c%c", seller.description, 'A'+r.IntN(26), 'A'+r.IntN(26)),
			minor:       seller.sign * int64(1+r.IntN(500_000)),
			category:    seller.category,
		})
	}
	return book
}

// dayAt is a day of 2025 or later by its number.
func dayAt(n int) day.Day {
	d := day.Day{Year: 2025, Month: 1, Dom: 1}
	for ; n > 0; n-- {
		d.Dom++
		if next, ok := day.New(d.Year, d.Month, d.Dom); ok {
			d = next
			continue
		}
		d = day.Day{Year: d.Year, Month: d.Month + 1, Dom: 1}
		if d.Month > 12 {
			d = day.Day{Year: d.Year + 1, Month: 1, Dom: 1}
		}
	}
	return d
}

// bankWriter writes movements as one bank does.
type bankWriter struct {
	name, currency, header string
	falling                bool // new rows first
	row                    func(t truth, balance int64, code string) string
}

func dated(d day.Day, layout string) string {
	return strings.NewReplacer("Y", fmt.Sprintf("%04d", d.Year), "M", fmt.Sprintf("%02d", d.Month), "D", fmt.Sprintf("%02d", d.Dom), "y", fmt.Sprintf("%02d", d.Year%100)).Replace(layout)
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// comma writes 1234.56 as 1.234,56.
func comma(text string) string {
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	return sign + grouped(whole, ".") + "," + fraction
}

func grouped(whole, separator string) string {
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + separator + whole[at:]
	}
	return whole
}

func apart(minor int64, code string) (out, in string) {
	if minor < 0 {
		return currency.Units(-minor, code), ""
	}
	return "", currency.Units(minor, code)
}

var writers = []bankWriter{
	{"chase", "USD", "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #", true, func(t truth, balance int64, code string) string {
		return fmt.Sprintf("DEBIT,%s,%s,%s,ACH_DEBIT,%s,,", dated(t.date, "M/D/Y"), quoted(t.description), currency.Units(t.minor, code), currency.Units(balance, code))
	}},
	{"bofa", "USD", "Date,Description,Amount,Running Bal.", false, func(t truth, balance int64, code string) string {
		return fmt.Sprintf("%s,%s,%s,%s", dated(t.date, "M/D/Y"), quoted(t.description), quoted(currency.Units(t.minor, code)), quoted(currency.Units(balance, code)))
	}},
	{"mercury", "USD", "Date (UTC),Description,Amount,Status,Source Account,Bank Description,Reference,Note", true, func(t truth, _ int64, code string) string {
		return fmt.Sprintf("%s,%s,%s,Sent,Checking,,,", dated(t.date, "M-D-Y"), quoted(t.description), currency.Units(t.minor, code))
	}},
	{"wise", "GBP", "TransferWise ID,Date,Amount,Currency,Description,Payment Reference,Running Balance", true, func(t truth, balance int64, code string) string {
		return fmt.Sprintf("T,%s,%s,%s,%s,,%s", dated(t.date, "D-M-Y"), currency.Units(t.minor, code), code, quoted(t.description), currency.Units(balance, code))
	}},
	{"revolut", "EUR", "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance", false, func(t truth, balance int64, code string) string {
		return fmt.Sprintf("CARD_PAYMENT,Current,%s 10:00:00,%s 11:00:00,%s,%s,0.00,%s,COMPLETED,%s", dated(t.date, "Y-M-D"), dated(t.date, "Y-M-D"), quoted(t.description), currency.Units(t.minor, code), code, currency.Units(balance, code))
	}},
	{"sparkasse", "EUR", "Buchungstag;Valutadatum;Verwendungszweck;Betrag;Währung", false, func(t truth, _ int64, code string) string {
		return fmt.Sprintf("%s;%s;%s;%s;EUR", dated(t.date, "D.M.y"), dated(t.date, "D.M.y"), quoted(t.description), comma(currency.Units(t.minor, code)))
	}},
	{"ing", "EUR", `"Datum","Naam / Omschrijving","Rekening","Tegenrekening","Code","Af Bij","Bedrag (EUR)","Mutatiesoort","Mededelingen"`, true, func(t truth, _ int64, code string) string {
		word, minor := "Bij", t.minor
		if minor < 0 {
			word, minor = "Af", -minor
		}
		return fmt.Sprintf(`"%s",%s,"NL01","","","%s","%s","",""`, dated(t.date, "YMD"), quoted(t.description), word, comma(currency.Units(minor, code)))
	}},
	{"barclays", "GBP", "Date,Type,Description,Paid out,Paid in,Balance", false, func(t truth, balance int64, code string) string {
		out, in := apart(t.minor, code)
		return fmt.Sprintf("%s,DD,%s,%s,%s,%s", dated(t.date, "D/M/Y"), quoted(t.description), out, in, currency.Units(balance, code))
	}},
	{"yen", "JPY", "Date,Description,Withdrawals,Deposits,Balance,Currency", false, func(t truth, balance int64, code string) string {
		out, in := apart(t.minor, code)
		return fmt.Sprintf("%s,%s,%s,%s,%d,JPY", dated(t.date, "Y/M/D"), quoted(t.description), quoted(grouped(out, ",")), quoted(grouped(in, ",")), balance)
	}},
	{"generic", "USD", "Date,Description,Amount,Currency", false, func(t truth, _ int64, code string) string {
		return fmt.Sprintf("%s,%s,%s,%s", dated(t.date, "Y-M-D"), quoted(t.description), currency.Units(t.minor, code), code)
	}},
}

// write writes a book as the file of a bank, with noise that changes nothing.
func (w *bankWriter) write(r *rand.Rand, book []truth) bank.Source {
	balance := int64(r.IntN(1_000_000))
	var lines []string
	for _, t := range book {
		balance += t.minor
		lines = append(lines, w.row(t, balance, w.currency))
	}
	if w.falling {
		slices.Reverse(lines)
	}

	text := w.header + "\n" + strings.Join(lines, "\n") + "\n"
	switch r.IntN(4) {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = "\ufeff" + text
	case 2:
		text += "\n\n"
	}
	return bank.Source{
		Name: w.name + ".csv",
		Data: []byte(text),
	}
}

// net is the profit of a book by its truth.
func net(book []truth) int64 {
	sum := int64(0)
	for _, t := range book {
		if chart.SectionOf(t.category, t.minor > 0) != chart.Outside {
			sum += t.minor
		}
	}
	return sum
}
