// Package profit makes statements of a ledger: profit and loss on a cash basis, and where the cash went.
package profit

import (
	"cmp"
	"fmt"
	"slices"

	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/ledger"
)

// Line is the sum of one category.
type Line struct {
	Category  chart.Category `json:"category"`
	ScheduleC *string        `json:"schedule_c"`
	Minor     int64          `json:"amount_minor"`
}

// Statement is the profit and loss of one period in one currency, in minor units. Costs are positive
// numbers. Net is income less returns, cost of goods and expenses.
type Statement struct {
	Currency    string `json:"currency"`
	Period      string `json:"period"` // 2025, 2025-Q1 or 2025-03
	Income      []Line `json:"income"`
	Returns     []Line `json:"returns"`
	CostOfGoods []Line `json:"cost_of_goods"`
	Expenses    []Line `json:"expenses"`
	IncomeMinor int64  `json:"income_minor"`
	ReturnMinor int64  `json:"returns_minor"`
	GoodsMinor  int64  `json:"cost_of_goods_minor"`
	GrossMinor  int64  `json:"gross_profit_minor"`
	CostMinor   int64  `json:"expenses_minor"`
	NetMinor    int64  `json:"net_minor"`
}

// Flow is where the cash of a period came from and went, in minor units; money out is negative.
type Flow struct {
	Currency  string `json:"currency"`
	Period    string `json:"period"`
	Operating int64  `json:"operating_minor"`
	Owner     int64  `json:"owner_minor"`
	Loans     int64  `json:"loans_minor"`
	Transfers int64  `json:"transfers_minor"`
	Change    int64  `json:"change_minor"`
}

// Period names the period of an entry.
type Period func(*ledger.Entry) string

// Year, Quarter and Month are the periods.
func Year(e *ledger.Entry) string { return e.Date[:4] }

// Quarter is for example 2025-Q1.
func Quarter(e *ledger.Entry) string {
	return fmt.Sprintf("%s-Q%d", e.Date[:4], (e.Day.Month+2)/3)
}

// Month is for example 2025-03.
func Month(e *ledger.Entry) string { return e.Date[:7] }

// sumKey is one cell of the statements.
type sumKey struct {
	currency, period string
	section          chart.Section
	category         chart.Category
}

// Statements sums a ledger by currency and period.
func Statements(entries []*ledger.Entry, period Period, formYear int) []Statement {
	sums := map[sumKey]int64{}
	periods := map[[2]string]bool{}
	for _, e := range entries {
		name := period(e)
		periods[[2]string{e.Currency, name}] = true
		section := chart.SectionOf(e.Category, e.IsIncome())
		if section != chart.Outside {
			sums[sumKey{e.Currency, name, section, e.Category}] += e.Minor
		}
	}

	statements := []Statement{}
	for _, key := range sorted(periods) {
		statements = append(statements, statementOf(key[0], key[1], sums, formYear))
	}
	return statements
}

func sorted(periods map[[2]string]bool) [][2]string {
	var keys [][2]string
	for key := range periods {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y [2]string) int {
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	return keys
}

func statementOf(currency, period string, sums map[sumKey]int64, formYear int) Statement {
	s := Statement{
		Currency: currency,
		Period:   period,
	}
	lines := func(section chart.Section, sign int64) ([]Line, int64) {
		return linesOf(sums, sumKey{currency: currency, period: period, section: section}, sign, formYear)
	}

	s.Income, s.IncomeMinor = lines(chart.RevenueSection, 1)
	s.Returns, s.ReturnMinor = lines(chart.ReturnsSection, -1)
	s.CostOfGoods, s.GoodsMinor = lines(chart.GoodsSection, -1)
	s.Expenses, s.CostMinor = lines(chart.ExpenseSection, -1)

	s.GrossMinor = s.IncomeMinor - s.ReturnMinor - s.GoodsMinor
	s.NetMinor = s.GrossMinor - s.CostMinor
	return s
}

// linesOf are the categories of a section with the sign of the statement.
func linesOf(sums map[sumKey]int64, key sumKey, sign int64, formYear int) ([]Line, int64) {
	lines := []Line{}
	total := int64(0)
	for _, category := range chart.Categories() {
		key.category = category
		sum, ok := sums[key]
		if !ok {
			continue
		}

		line := Line{
			Category: category,
			Minor:    sign * sum,
		}
		if text := chart.ScheduleC(category, formYear); text != "" {
			line.ScheduleC = &text
		}
		lines = append(lines, line)
		total += line.Minor
	}
	return lines, total
}

// Flows sums the cash of a ledger by currency and period.
func Flows(entries []*ledger.Entry, period Period) []Flow {
	flows := map[[2]string]*Flow{}
	periods := map[[2]string]bool{}
	for _, e := range entries {
		key := [2]string{e.Currency, period(e)}
		periods[key] = true
		if flows[key] == nil {
			flows[key] = &Flow{Currency: key[0], Period: key[1]}
		}
		flows[key].add(e)
	}

	out := []Flow{}
	for _, key := range sorted(periods) {
		out = append(out, *flows[key])
	}
	return out
}

func (f *Flow) add(e *ledger.Entry) {
	f.Change += e.Minor
	switch {
	case e.Kind == chart.Transfers:
		f.Transfers += e.Minor
	case e.Kind == chart.Loan:
		f.Loans += e.Minor
	case e.Kind == chart.Owner || e.Category == chart.OwnerTax:
		f.Owner += e.Minor
	default:
		f.Operating += e.Minor
	}
}
