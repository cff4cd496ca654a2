// Package export writes books for other programs and for people: journals for hledger and beancount,
// a table, and a page to print.
package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
	"governance.internal/functions/bookkeeping/reconcile"
)

const openingAccount = "Equity:OpeningBalances"

// balances are the accounts by their name and currency.
type balances map[[2]string]reconcile.Account

func balancesOf(accounts []reconcile.Account) balances {
	all := balances{}
	for _, a := range accounts {
		all[[2]string{a.Account, a.Currency}] = a
	}
	return all
}

// accountsOf are all accounts of the entries, sorted.
func accountsOf(entries []*ledger.Entry, accounts []reconcile.Account) []string {
	seen := map[string]bool{}
	for _, e := range entries {
		seen[e.Account] = true
		seen[chart.Path(e.Category, e.IsIncome())] = true
	}
	if slices.ContainsFunc(accounts, hasOpening) {
		seen[openingAccount] = true
	}

	var names []string
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func hasOpening(a reconcile.Account) bool { return a.Opening != nil && *a.Opening != 0 }

func currenciesOf(entries []*ledger.Entry) []string {
	var codes []string
	for _, e := range entries {
		if !slices.Contains(codes, e.Currency) {
			codes = append(codes, e.Currency)
		}
	}
	slices.Sort(codes)
	return codes
}

// HLedger writes a journal that passes hledger's strict checks. Balances of the bank are assertions
// where the account is reconciled.
func HLedger(entries []*ledger.Entry, accounts []reconcile.Account) []byte {
	var b bytes.Buffer
	known := balancesOf(accounts)

	for _, code := range currenciesOf(entries) {
		sample := "1000."
		if digits := currency.Decimals(code); digits > 0 {
			sample += strings.Repeat("0", digits)
		}
		fmt.Fprintf(&b, "commodity %s %s\n", sample, code)
	}
	for _, account := range accountsOf(entries, accounts) {
		fmt.Fprintf(&b, "account %s\n", account)
	}

	writeOpenings(&b, entries, accounts)
	for _, e := range entries {
		amount := currency.Units(e.Minor, e.Currency) + " " + e.Currency
		assertion := ""
		if a := known[[2]string{e.Account, e.Currency}]; e.HasBalance && a.Status == reconcile.Reconciled {
			assertion = " = " + currency.Units(e.Balance, e.Currency) + " " + e.Currency
		}

		fmt.Fprintf(&b, "\n%s %s\n", e.Date, journalText(e.Description))
		fmt.Fprintf(&b, "    ; id: %s, %s:%d\n", e.ID, journalText(e.File), e.Line)
		fmt.Fprintf(&b, "    %s  %s%s\n", e.Account, amount, assertion)
		fmt.Fprintf(&b, "    %s  %s %s\n", chart.Path(e.Category, e.IsIncome()), currency.Units(-e.Minor, e.Currency), e.Currency)
	}
	return b.Bytes()
}

// writeOpenings books the balances before the first rows.
func writeOpenings(b *bytes.Buffer, entries []*ledger.Entry, accounts []reconcile.Account) {
	for _, a := range accounts {
		if !hasOpening(a) {
			continue
		}
		fmt.Fprintf(b, "\n%s opening balance\n", entries[0].Date)
		fmt.Fprintf(b, "    %s  %s %s\n", a.Account, currency.Units(*a.Opening, a.Currency), a.Currency)
		fmt.Fprintf(b, "    %s  %s %s\n", openingAccount, currency.Units(-*a.Opening, a.Currency), a.Currency)
	}
}

// oneLine replaces what ends or hides a line.
func oneLine(r rune) rune {
	if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
		return ' '
	}
	return r
}

// journalText makes a text safe in a journal: one line, without the signs that begin a status, a code
// or a comment, or part payee and note.
func journalText(text string) string {
	text = strings.Map(oneLine, text)
	text = strings.NewReplacer(";", ",", "|", ",").Replace(text)

	text = strings.TrimLeft(strings.TrimSpace(text), "*!( =")
	if text == "" {
		return "no description"
	}
	return text
}
