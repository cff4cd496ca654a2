package bookkeeping

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/bookkeeping/anomalies"
	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
)

// movement is one row of an honest year.
type movement struct {
	at    int // day of the year
	text  string
	minor int64
}

// honestYear is a year of a small business: subscriptions, rent, wages, meals, fuel, supplies, customers.
func honestYear(r *rand.Rand) []movement {
	var rows []movement
	add := func(at int, text string, minor int64) {
		if at >= 0 && at < 364 {
			rows = append(rows, movement{at, text, minor})
		}
	}

	for month := range 12 {
		start := month*30 + month/2
		add(start+2, "OFFICE RENT MILL STREET", -145_000)
		add(start+4+r.IntN(2), "ADOBE CREATIVE CLOUD", -5999)
		add(start+9+r.IntN(2), "DROPBOX", -1999)
		add(start+11+r.IntN(3), "VERIZON WIRELESS", -8500-int64(r.IntN(300)))
		add(start+14+r.IntN(3), "PG&E WEB ONLINE", -9000-int64(r.IntN(6000)))
		add(start+15, "GUSTO NET PAYROLL", -310_000-int64(r.IntN(20_000)))
		add(start+20+r.IntN(3), "HISCOX INC", -6125)
		add(start+25, "OWNER DRAW", -200_000)
	}

	shops := []string{"SHELL OIL", "STAPLES", "BLUE HERON COFFEE", "EL GALLO TAQUERIA", "FEDEX", "ULINE", "LUCKYS DINER", "USPS PO", "MARRIOTT", "DELTA AIR", "UBER TRIP", "MORNING BAGELS", "GREEN LEAF CAFE", "NORTH PARKING"}
	for range 160 {
		shop := shops[r.IntN(len(shops))]
		amount := int64(math.Exp(7.6 + r.NormFloat64()*0.6))
		add(r.IntN(364), shop, -amount-350)
	}
	for range 60 {
		add(r.IntN(364), "STRIPE TRANSFER", int64(20_000+r.IntN(300_000)))
	}
	for n := range 8 {
		add(30+r.IntN(330), fmt.Sprintf("SMALL VENDOR %c%c%c", 'A'+n, 'K'+n, 'F'+n), -int64(3_000+r.IntN(20_000)))
	}
	return rows
}

// plant adds one irregularity to a year and returns the code that must be found and a text of its rows.
func plant(r *rand.Rand, code string, rows []movement) ([]movement, string) {
	at := 120 + r.IntN(200)
	switch code {
	case anomalies.DuplicateCharge:
		amount := -int64(4_000 + r.IntN(30_000))
		return append(rows, movement{at, "KESTREL TOOLWORKS", amount}, movement{at + r.IntN(3), "KESTREL TOOLWORKS", amount}), "KESTREL"
	case anomalies.MissingRecurring:
		month := 5 + r.IntN(4)
		return slices.DeleteFunc(rows, func(m movement) bool {
			return m.text == "DROPBOX" && m.at/30 == month
		}), "DROPBOX"
	case anomalies.PriceJump:
		from := 150 + r.IntN(150)
		for i := range rows {
			if rows[i].text == "ADOBE CREATIVE CLOUD" && rows[i].at > from {
				rows[i].minor = -7999 - int64(r.IntN(3000))
			}
		}
		return rows, "ADOBE"
	case anomalies.FirstTimePayee:
		return append(rows, movement{at, "VORTEX GLOBAL HOLDINGS", -int64(600_000 + r.IntN(900_000))}), "VORTEX"
	case anomalies.RoundAmounts:
		for n := range 4 + r.IntN(3) {
			rows = append(rows, movement{at + r.IntN(10), fmt.Sprintf("QUICKPAY %c%c", 'A'+n, 'Q'+n), -int64(1+r.IntN(9)) * 10_000})
		}
		return rows, "QUICKPAY"
	case anomalies.SplitPayments:
		for range 2 + r.IntN(2) {
			rows = append(rows, movement{at + r.IntN(3), "BRANT FACILITIES", -int64(480_000 + r.IntN(19_000))})
		}
		return rows, "BRANT"
	case anomalies.CardTesting:
		for n := range 5 {
			rows = append(rows, movement{at + r.IntN(2), fmt.Sprintf("WEBSHOP %c%c", 'C'+n, 'M'+n), -int64(50 + r.IntN(150))})
		}
		return rows, "WEBSHOP"
	}
	return rows, ""
}

// yearFile writes a year with its running balance; a break leaves a row out.
func yearFile(rows []movement, broken int) bank.Source {
	slices.SortStableFunc(rows, func(x, y movement) int { return cmp.Compare(x.at, y.at) })
	var b strings.Builder
	b.WriteString("Date,Description,Amount,Balance,Currency\n")
	balance := int64(5_000_000)
	for i, m := range rows {
		balance += m.minor
		if i == broken {
			continue
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,USD\n", dayAt(m.at), m.text, currency.Units(m.minor, "USD"), currency.Units(balance, "USD"))
	}
	return bank.Source{
		Name: "year.csv",
		Data: []byte(b.String()),
	}
}

// findsPlanted reports whether an anomaly of the code names a row with the text.
func findsPlanted(a *Answer, code, text string) bool {
	byLine := map[int]string{}
	for _, e := range a.Ledger {
		byLine[e.Line] = e.Description
	}
	return slices.ContainsFunc(a.Anomalies, func(found anomalies.Anomaly) bool {
		return found.Code == code && slices.ContainsFunc(found.Rows, func(p ledger.Place) bool {
			return strings.Contains(byLine[p.Line], text)
		})
	})
}

func keepYear(t *testing.T, source bank.Source) *Answer {
	t.Helper()
	books, err := Keep([]bank.Source{source}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return books.Answer
}

func TestPlantedAnomaliesAreFound(t *testing.T) {
	codes := []string{
		anomalies.DuplicateCharge, anomalies.MissingRecurring, anomalies.PriceJump, anomalies.FirstTimePayee,
		anomalies.RoundAmounts, anomalies.SplitPayments, anomalies.CardTesting, anomalies.BalanceBreak,
	}
	const each = 25
	planted, found := 0, 0
	for _, code := range codes {
		hits := 0
		for seed := range uint64(each) {
			r := rand.New(rand.NewPCG(seed, 77))
			rows, text := plant(r, code, honestYear(r))
			broken := -1
			if code == anomalies.BalanceBreak {
				broken = 100 + r.IntN(50)
			}

			if findsPlanted(keepYear(t, yearFile(rows, broken)), code, text) {
				hits++
			}
		}
		t.Logf("%-24s %d of %d", code, hits, each)
		planted += each
		found += hits
	}

	recall := float64(found) / float64(planted)
	t.Logf("recall %.3f of %d planted anomalies", recall, planted)
	if recall < 0.95 {
		t.Errorf("recall %.3f", recall)
	}
}

func TestHonestBooksRaiseFewAlerts(t *testing.T) {
	rows, alerts := 0, 0
	codes := map[string]int{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 99))
		a := keepYear(t, yearFile(honestYear(r), -1))
		rows += len(a.Ledger)
		alerts += len(a.Anomalies)
		for _, found := range a.Anomalies {
			codes[found.Code]++
		}
	}

	share := 100 * float64(alerts) / float64(rows)
	t.Logf("%.2f alerts in 100 honest rows, %v", share, codes)
	if share > 2 {
		t.Errorf("%.2f alerts in 100 honest rows", share)
	}
}
