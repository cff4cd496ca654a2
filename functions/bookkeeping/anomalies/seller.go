package anomalies

import (
	"fmt"
	"math"
	"slices"

	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
)

// money writes an amount that went out.
func money(e *ledger.Entry) string { return currency.Units(-e.Minor, e.Currency) + " " + e.Currency }

// duplicateDays is how near two equal payments are that may be one paid twice.
const duplicateDays = 3

// duplicates finds the same amount at the same seller within days, unless that is the seller's habit.
func duplicates(b *book) []Anomaly {
	var found []Anomaly
	for _, s := range b.sellers {
		pairs := s.closePairs()
		const mostPairs = 2
		isHabit := len(pairs) > mostPairs && 5*len(pairs) > len(s.payments)
		if isHabit {
			continue
		}

		for _, pair := range pairs {
			found = append(found, anomaly(DuplicateCharge, Medium,
				fmt.Sprintf("%s was paid twice to %s within %d days", money(pair[1]), s.name, duplicateDays), pair[0], pair[1]))
		}
	}
	return found
}

// closePairs are neighbouring payments of one amount.
func (s *seller) closePairs() [][2]*ledger.Entry {
	latest := map[int64]*ledger.Entry{}
	var pairs [][2]*ledger.Entry
	for _, e := range s.payments {
		before := latest[e.Minor]
		if before != nil && e.Day.Number()-before.Day.Number() <= duplicateDays {
			pairs = append(pairs, [2]*ledger.Entry{before, e})
		}
		latest[e.Minor] = e
	}
	return pairs
}

// rhythm is how regularly a seller is paid.
type rhythm struct {
	gaps   []int
	median int
}

// rhythmOf returns false for sellers that are not paid regularly.
func (s *seller) rhythmOf() (rhythm, bool) {
	const fewest = 4
	if len(s.payments) < fewest {
		return rhythm{}, false
	}

	r := rhythm{}
	for i := 1; i < len(s.payments); i++ {
		r.gaps = append(r.gaps, s.payments[i].Day.Number()-s.payments[i-1].Day.Number())
	}
	sorted := slices.Clone(r.gaps)
	slices.Sort(sorted)
	r.median = sorted[(len(sorted)-1)/2]
	if r.median < 6 || r.median > 100 {
		return rhythm{}, false
	}

	regular := 0
	for _, gap := range r.gaps {
		if r.isRegular(gap) {
			regular++
		}
	}
	const shareInFive = 4
	mostly := 5*regular >= shareInFive*(len(r.gaps)-1)
	isFew := regular == 2 && len(s.payments) == fewest
	return r, mostly && (regular >= 3 || isFew && s.isSteady())
}

// isSteady reports whether all payments are nearly of one amount.
func (s *seller) isSteady() bool {
	for _, e := range s.payments[1:] {
		if !near(s.payments[0], e, 5) {
			return false
		}
	}
	return true
}

func (r rhythm) isRegular(gap int) bool {
	tolerance := max(3, r.median/7)
	return gap >= r.median-tolerance && gap <= r.median+tolerance
}

// isMissed reports whether a payment should have come within the gap.
func (r rhythm) isMissed(gap int) bool { return 10*gap > 14*r.median && gap > r.median+4 }

// recurring finds payments that stopped or changed their price.
func recurring(b *book) []Anomaly {
	var found []Anomaly
	for _, s := range b.sellers {
		r, ok := s.rhythmOf()
		if !ok {
			continue
		}
		found = append(found, s.missing(r, b.last[s.payments[0].Account])...)
		found = append(found, s.priceJumps()...)
	}
	return found
}

func (s *seller) missing(r rhythm, end int) []Anomaly {
	var found []Anomaly
	for i, gap := range r.gaps {
		if r.isMissed(gap) {
			found = append(found, s.missingAfter(s.payments[i], r, gap))
		}
	}

	last := s.payments[len(s.payments)-1]
	if gap := end - last.Day.Number(); r.isMissed(gap) {
		found = append(found, s.missingAfter(last, r, gap))
	}
	return found
}

func (s *seller) missingAfter(e *ledger.Entry, r rhythm, gap int) Anomaly {
	return anomaly(MissingRecurring, Medium,
		fmt.Sprintf("%s is paid about every %d days; after this row nothing came for %d days", s.name, r.median, gap), e)
}

// priceJumps compares each payment with three equal ones before it.
func (s *seller) priceJumps() []Anomaly {
	var found []Anomaly
	for i := 3; i < len(s.payments); i++ {
		before, now := s.payments[i-3:i], s.payments[i]
		isSteady := near(before[0], before[1], 2) && near(before[1], before[2], 2)
		if !isSteady || near(before[2], now, 7) {
			continue
		}
		found = append(found, anomaly(PriceJump, Medium,
			fmt.Sprintf("%s took %s where it took %s before", s.name, money(now), money(before[2])), now))
	}
	return found
}

// near reports whether two amounts differ by at most so many per cent.
func near(one, two *ledger.Entry, percent int64) bool {
	difference := one.Minor - two.Minor
	if difference < 0 {
		difference = -difference
	}
	return 100*difference <= percent*-one.Minor
}

// outliers finds amounts that are unusual for a seller, by the robust z-score of their logarithms.
func outliers(b *book) []Anomaly {
	var found []Anomaly
	for _, s := range b.sellers {
		const fewest = 8
		if len(s.payments) < fewest || isVariable(s.payments[0].Category) {
			continue
		}

		logs := make([]float64, len(s.payments))
		for i, e := range s.payments {
			logs[i] = math.Log(float64(-e.Minor))
		}
		centre := median(logs)
		spread := max(deviation(logs, centre), 0.05)

		const limit = 5
		for i, e := range s.payments {
			z := 0.6745 * (logs[i] - centre) / spread
			isLarge := -e.Minor > 2*int64(math.Exp(centre))
			if z > limit && isLarge {
				found = append(found, anomaly(UnusualAmount, Info,
					fmt.Sprintf("%s to %s is far above what is usual there", money(e), s.name), e))
			}
		}
	}
	return found
}

// isVariable reports whether amounts of a category say nothing by their size.
func isVariable(c chart.Category) bool {
	return c == chart.OwnerOut || c == chart.Uncategorised
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// deviation is the median of the absolute deviations.
func deviation(values []float64, centre float64) float64 {
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - centre)
	}
	return median(distances)
}
