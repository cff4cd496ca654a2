package anomalies

import (
	"fmt"
	"slices"

	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
)

// newPayees finds large payments to sellers that were never paid before. A book begins with sellers that
// are all new, so its first rows are left out.
func newPayees(b *book) []Anomaly {
	const fewest = 10
	known := map[string]bool{}
	var found []Anomaly
	amounts := map[string][]int64{}
	for _, e := range b.payments {
		amounts[e.Currency] = append(amounts[e.Currency], -e.Minor)
	}
	limits := map[string]int64{}
	for code, list := range amounts {
		limits[code] = largeAmong(list)
	}

	before := map[string]int{}
	for _, e := range b.payments {
		isNew := !known[e.Merchant]
		known[e.Merchant] = true
		before[e.Currency]++

		isLate := before[e.Currency] > fewest && e.Day.Number()-b.first[e.Account] > 14
		if !isNew || !isLate || -e.Minor <= limits[e.Currency] || expectsLarge(e.Category) {
			continue
		}
		found = append(found, anomaly(FirstTimePayee, High,
			fmt.Sprintf("%s is the first payment to %s, and larger than nearly all others", money(e), e.Merchant), e))
	}
	return found
}

// largeAmong is one and a half times the amount that nineteen in twenty payments do not exceed.
func largeAmong(amounts []int64) int64 {
	sorted := slices.Clone(amounts)
	slices.Sort(sorted)
	p95 := sorted[(len(sorted)-1)*95/100]
	return p95
}

// expectsLarge reports whether payments of a category are large by nature and rarely to the same payee.
func expectsLarge(c chart.Category) bool {
	switch c {
	case chart.OwnerTax, chart.SalesTax, chart.PayrollTaxes, chart.Taxes, chart.Wages, chart.LoanPayment, chart.OwnerOut:
		return true
	}
	return false
}

// major is an amount in whole units, as people think of thresholds.
func major(e *ledger.Entry, units int64) int64 {
	for range currency.Decimals(e.Currency) {
		units *= 10
	}
	return units
}

// roundAmounts finds several round amounts within days in books that rarely have any.
func roundAmounts(b *book) []Anomaly {
	var round []*ledger.Entry
	habits := habitualAmounts(b)
	for _, e := range b.payments {
		hundreds := major(e, 100)
		isRound := -e.Minor >= hundreds && -e.Minor%hundreds == 0
		if isRound && !habits[habitKey(e)] && !expectsRound(e.Category) {
			round = append(round, e)
		}
	}

	const days, fewest = 14, 4
	var found []Anomaly
	for start := 0; start+fewest <= len(round); {
		end := start
		for end < len(round) && round[end].Day.Number()-round[start].Day.Number() <= days {
			end++
		}

		cluster := round[start:end]
		isUnusual := 4*len(cluster) >= 3*len(round) || 10*len(round) <= len(b.payments)
		if len(cluster) >= fewest && isUnusual {
			found = append(found, anomaly(RoundAmounts, Medium,
				fmt.Sprintf("%d payments of round amounts within %d days", len(cluster), days), cluster...))
			start = end
			continue
		}
		start++
	}
	return found
}

// habitualAmounts are amounts that a seller is paid again and again.
func habitualAmounts(b *book) map[string]bool {
	counts := map[string]int{}
	days := map[string]int{}
	habits := map[string]bool{}
	for _, e := range b.payments {
		key := habitKey(e)
		if counts[key] == 0 {
			days[key] = e.Day.Number()
		}
		counts[key]++
		isSpread := e.Day.Number()-days[key] > 14
		if counts[key] >= 3 && isSpread || counts[key] == 2 && isSpread {
			habits[key] = true
		}
	}
	return habits
}

func habitKey(e *ledger.Entry) string {
	return fmt.Sprintf("%s\x1f%d\x1f%s", e.Merchant, e.Minor, e.Currency)
}

// expectsRound reports whether amounts of a category are round by nature.
func expectsRound(c chart.Category) bool {
	switch c {
	case chart.OwnerOut, chart.OwnerTax, chart.LoanPayment, chart.Wages, chart.RentPremises, chart.RentEquipment, chart.Charity, chart.Pension, chart.Taxes:
		return true
	}
	return false
}

// thresholds above which many businesses ask for a second signature, in whole units.
var thresholds = []int64{500, 1000, 2000, 2500, 3000, 5000, 10_000, 15_000, 20_000, 25_000, 50_000}

// splits finds payments to one seller within days that are each just below a threshold.
func splits(b *book) []Anomaly {
	var found []Anomaly
	for _, s := range b.sellers {
		for _, threshold := range thresholds {
			found = append(found, s.splitsUnder(threshold)...)
		}
	}
	return found
}

func (s *seller) splitsUnder(threshold int64) []Anomaly {
	var under []*ledger.Entry
	for _, e := range s.payments {
		limit := major(e, threshold)
		isJustUnder := -e.Minor < limit && -e.Minor >= limit*92/100
		if isJustUnder {
			under = append(under, e)
		}
	}

	const days = 5
	isHabit := len(under) > 5 || 2*len(under) <= len(s.payments) && len(under) > 4
	if isHabit {
		return nil
	}

	var found []Anomaly
	for start := 0; start < len(under); {
		end := start
		for end < len(under) && under[end].Day.Number()-under[start].Day.Number() <= days {
			end++
		}
		if end-start >= 2 {
			found = append(found, anomaly(SplitPayments, Medium,
				fmt.Sprintf("%d payments to %s within %d days, each just below %d %s", end-start, s.name, days, threshold, under[start].Currency), under[start:end]...))
		}
		start = end
	}
	return found
}

// tinyCharges finds many tiny charges at several sellers within days, as stolen cards are tried.
func tinyCharges(b *book) []Anomaly {
	byAccount := map[string][]*ledger.Entry{}
	var accounts []string
	for _, e := range b.payments {
		if -e.Minor > major(e, 3) || e.Kind == chart.Fee || e.Category == chart.InterestExpense {
			continue
		}
		if byAccount[e.Account] == nil {
			accounts = append(accounts, e.Account)
		}
		byAccount[e.Account] = append(byAccount[e.Account], e)
	}

	total := map[string]int{}
	for _, e := range b.payments {
		total[e.Merchant]++
	}

	var found []Anomaly
	for _, account := range accounts {
		found = append(found, tinyClusters(byAccount[account], total)...)
	}
	return found
}

// strangers counts the sellers that are paid nowhere else.
func strangers(inside, total map[string]int) int {
	count := 0
	for name, times := range inside {
		if total[name] == times {
			count++
		}
	}
	return count
}

// tinyClusters finds tiny charges within days that are most of their kind, or at sellers that are never
// paid otherwise. total is how often each seller is paid.
func tinyClusters(tiny []*ledger.Entry, total map[string]int) []Anomaly {
	const days, fewest = 2, 3
	var found []Anomaly
	for start := 0; start < len(tiny); {
		end := start
		inside := map[string]int{}
		for end < len(tiny) && tiny[end].Day.Number()-tiny[start].Day.Number() <= days {
			inside[tiny[end].Merchant]++
			end++
		}

		cluster := tiny[start:end]
		areMost := len(cluster) > fewest && 2*len(cluster) >= len(tiny)
		areStrangers := len(cluster) >= fewest && strangers(inside, total) >= fewest
		if areMost || areStrangers {
			found = append(found, anomaly(CardTesting, High,
				fmt.Sprintf("%d tiny charges within %d days, as thieves try a card", len(cluster), days), cluster...))
			start = end
			continue
		}
		start++
	}
	return found
}
