// Package reconcile compares the balances that banks state with the sums of the rows.
package reconcile

import (
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/ledger"
)

// Account is the reconciliation of one account in one currency, in minor units.
type Account struct {
	Account    string `json:"account"`
	Currency   string `json:"currency"`
	Opening    *int64 `json:"opening_minor"` // null where no file states it
	Movement   int64  `json:"movement_minor"`
	Computed   *int64 `json:"computed_minor"`
	Closing    *int64 `json:"closing_minor"`
	Difference *int64 `json:"difference_minor"`
	Status     string `json:"status"`
	Breaks     []Gap  `json:"breaks"`

	LastFile string `json:"-"`
	LastLine int    `json:"-"`
}

// The statuses.
const (
	Reconciled = "reconciled"
	Broken     = "differs"
	NoBalance  = "no_balance"
)

// Gap is a row whose balance does not follow from the row before.
type Gap struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Expects int64  `json:"expected_minor"`
	States  int64  `json:"stated_minor"`
}

// Accounts reconciles each account. The entries are in the order of time.
func Accounts(files []*bank.File, entries []*ledger.Entry) []Account {
	byAccount := map[[2]string][]*ledger.Entry{}
	var keys [][2]string
	for _, e := range entries {
		key := [2]string{e.Account, e.Currency}
		if byAccount[key] == nil {
			keys = append(keys, key)
		}
		byAccount[key] = append(byAccount[key], e)
	}
	slices.SortFunc(keys, func(x, y [2]string) int {
		return strings.Compare(x[0]+"\x1f"+x[1], y[0]+"\x1f"+y[1])
	})

	accounts := []Account{}
	for _, key := range keys {
		account := Account{
			Account:  key[0],
			Currency: key[1],
			Breaks:   []Gap{},
		}
		account.walk(byAccount[key])
		last := byAccount[key][len(byAccount[key])-1]
		account.LastFile, account.LastLine = last.File, last.Line
		account.takeStated(files, byAccount[key])
		account.conclude()
		accounts = append(accounts, account)
	}
	return accounts
}

// walk follows the running balances.
func (a *Account) walk(entries []*ledger.Entry) {
	since := int64(0) // what moved since the last balance
	var last *int64
	for _, e := range entries {
		a.Movement += e.Minor
		since += e.Minor
		if !e.HasBalance {
			continue
		}

		if last == nil {
			a.Opening = pointer(e.Balance - since)
		}
		if last != nil && *last+since != e.Balance {
			a.Breaks = append(a.Breaks, Gap{e.File, e.Line, *last + since, e.Balance})
		}
		last = pointer(e.Balance)
		since = 0
	}

	if last != nil {
		a.Closing = pointer(*last + since)
	}
}

// takeStated uses the balances that a file states apart from its rows.
func (a *Account) takeStated(files []*bank.File, entries []*ledger.Entry) {
	first, last := entries[0].File, entries[len(entries)-1].File
	for _, file := range files {
		opening, closing := file.Opening, file.Closing
		if file.Name == first && opening != nil && opening.Currency == a.Currency {
			a.Opening = pointer(opening.Minor)
		}
		if file.Name == last && closing != nil && closing.Currency == a.Currency {
			a.Closing = pointer(closing.Minor)
		}
	}
}

func (a *Account) conclude() {
	a.Status = NoBalance
	if a.Opening == nil || a.Closing == nil {
		if len(a.Breaks) > 0 {
			a.Status = Broken
		}
		return
	}

	a.Computed = pointer(*a.Opening + a.Movement)
	a.Difference = pointer(*a.Closing - *a.Computed)
	a.Status = Reconciled
	if *a.Difference != 0 || len(a.Breaks) > 0 {
		a.Status = Broken
	}
}

func pointer(n int64) *int64 { return &n }
