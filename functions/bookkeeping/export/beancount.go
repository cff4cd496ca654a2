package export

import (
	"bytes"
	"fmt"
	"strings"

	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
	"governance.internal/functions/bookkeeping/reconcile"
)

// Beancount writes a journal that bean-check accepts.
func Beancount(entries []*ledger.Entry, accounts []reconcile.Account) []byte {
	var b bytes.Buffer
	if len(entries) == 0 {
		return nil
	}

	first := entries[0].Date
	for _, account := range accountsOf(entries, accounts) {
		fmt.Fprintf(&b, "%s open %s\n", first, account)
	}

	for _, a := range accounts {
		if hasOpening(a) {
			writeBeans(&b, first, "opening balance", "", a.Account, openingAccount, *a.Opening, a.Currency)
		}
	}
	for _, e := range entries {
		writeBeans(&b, e.Date, e.Description, e.ID, e.Account, chart.Path(e.Category, e.IsIncome()), e.Minor, e.Currency)
	}
	return b.Bytes()
}

func writeBeans(b *bytes.Buffer, date, text, id, account, other string, minor int64, code string) {
	fmt.Fprintf(b, "\n%s * %s\n", date, beanString(text))
	if id != "" {
		fmt.Fprintf(b, "  id: %s\n", beanString(id))
	}
	fmt.Fprintf(b, "  %s  %s %s\n", account, currency.Units(minor, code), code)
	fmt.Fprintf(b, "  %s  %s %s\n", other, currency.Units(-minor, code), code)
}

func beanString(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
