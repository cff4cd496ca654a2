// Package anomalies finds rows that a bookkeeper would look at twice. Each check has a guard against the
// habits of honest books; what is found is a hint and never a change of the ledger.
package anomalies

import (
	"cmp"
	"slices"

	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/ledger"
	"governance.internal/functions/bookkeeping/reconcile"
)

// The codes.
const (
	DuplicateCharge  = "duplicate_charge"
	MissingRecurring = "missing_recurring"
	PriceJump        = "price_jump"
	FirstTimePayee   = "first_time_large_payee"
	BalanceBreak     = "balance_break"
	RoundAmounts     = "round_amount_cluster"
	SplitPayments    = "split_payments"
	CardTesting      = "card_testing"
	UnusualAmount    = "unusual_amount"
)

// Severities.
const (
	High   = "high"
	Medium = "medium"
	Info   = "info"
)

// Anomaly is one finding.
type Anomaly struct {
	Code     string         `json:"code"`
	Severity string         `json:"severity"`
	Rows     []ledger.Place `json:"rows"`
	Why      string         `json:"why"`
}

// Find looks at a ledger in the order of time.
func Find(entries []*ledger.Entry, accounts []reconcile.Account) []Anomaly {
	b := newBook(entries)
	found := []Anomaly{}
	for _, check := range []func(*book) []Anomaly{
		duplicates,
		recurring,
		newPayees,
		roundAmounts,
		splits,
		tinyCharges,
		outliers,
	} {
		found = append(found, check(b)...)
	}

	found = append(found, breaks(accounts)...)
	slices.SortStableFunc(found, func(x, y Anomaly) int {
		return cmp.Or(cmp.Compare(x.Code, y.Code), cmp.Compare(x.Rows[0].File, y.Rows[0].File), cmp.Compare(x.Rows[0].Line, y.Rows[0].Line))
	})
	return found
}

// book is a ledger by seller.
type book struct {
	payments []*ledger.Entry // money that went out to others
	sellers  []*seller       // in the order of their first row
	last     map[string]int  // day of the last row of each account
	first    map[string]int
}

// seller is what went to one seller from one account in one currency.
type seller struct {
	name     string
	payments []*ledger.Entry
}

func newBook(entries []*ledger.Entry) *book {
	b := &book{
		last:  map[string]int{},
		first: map[string]int{},
	}
	bySeller := map[string]*seller{}

	for _, e := range entries {
		n := e.Day.Number()
		b.last[e.Account] = n
		if _, ok := b.first[e.Account]; !ok {
			b.first[e.Account] = n
		}
		if !isPayment(e) {
			continue
		}

		b.payments = append(b.payments, e)
		key := e.Merchant + "\x1f" + e.Currency + "\x1f" + e.Account
		s, ok := bySeller[key]
		if !ok {
			s = &seller{name: e.Merchant}
			bySeller[key] = s
			b.sellers = append(b.sellers, s)
		}
		s.payments = append(s.payments, e)
	}
	return b
}

// isPayment leaves out money that came in, and what moved between own accounts.
func isPayment(e *ledger.Entry) bool {
	if e.Minor >= 0 || e.Fee {
		return false
	}
	return e.Kind != chart.Transfers
}

func anomaly(code, severity, why string, rows ...*ledger.Entry) Anomaly {
	a := Anomaly{
		Code:     code,
		Severity: severity,
		Why:      why,
	}
	for _, e := range rows {
		a.Rows = append(a.Rows, e.Place())
	}
	return a
}

func breaks(accounts []reconcile.Account) []Anomaly {
	var found []Anomaly
	for _, account := range accounts {
		for _, gap := range account.Breaks {
			found = append(found, Anomaly{
				Code:     BalanceBreak,
				Severity: High,
				Rows:     []ledger.Place{{File: gap.File, Line: gap.Line}},
				Why:      "the balance does not follow from the row before: rows are missing, doubled or changed",
			})
		}
		if account.Difference != nil && *account.Difference != 0 && len(account.Breaks) == 0 {
			found = append(found, Anomaly{
				Code:     BalanceBreak,
				Severity: High,
				Rows:     []ledger.Place{{File: account.LastFile, Line: account.LastLine}},
				Why:      "the closing balance is not the opening balance with all rows: rows are missing, doubled or changed",
			})
		}
	}
	return found
}
