package export

import (
	"cmp"
	"slices"
	"strings"

	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/profit"
)

// monthsChart draws income and costs of each month of a year as bars.
func (p *page) monthsChart(year profit.Statement, months []profit.Statement) {
	var shown []profit.Statement
	highest := int64(1)
	for _, month := range months {
		if month.Currency == year.Currency && strings.HasPrefix(month.Period, year.Period) {
			shown = append(shown, month)
			highest = max(highest, month.IncomeMinor, costs(month))
		}
	}
	if len(shown) < 2 {
		return
	}

	const width, height, base = 720, 220, 180
	step := width / len(shown)
	bar := max(step/3, 4)
	p.put("<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Income and costs by month\">\n", width, height)
	p.put("<line x1=\"0\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#5d6470\"/>\n", base, width, base)
	for i, month := range shown {
		left := i*step + step/6
		income, cost := month.IncomeMinor, costs(month)
		incomeHeight := scaled(income, highest, base-20)
		costHeight := scaled(cost, highest, base-20)

		p.bar(left, base, bar, incomeHeight, "#1f7a4d", "income "+currency.Units(income, year.Currency))
		p.bar(left+bar, base, bar, costHeight, "#b3472f", "costs "+currency.Units(cost, year.Currency))
		p.put("<text x=\"%d\" y=\"%d\" font-size=\"11\" text-anchor=\"middle\" fill=\"#5d6470\">%s</text>\n", left+bar, base+16, month.Period[5:])
	}
	p.put("</svg><figcaption>Income (green) and costs (red) by month, %s</figcaption></figure>\n", year.Currency)
}

func costs(s profit.Statement) int64 { return s.ReturnMinor + s.GoodsMinor + s.CostMinor }

// scaled is the height of a bar in pixels.
func scaled(minor, highest int64, pixels int) int {
	if minor <= 0 {
		return 0
	}
	return int(float64(minor) / float64(highest) * float64(pixels))
}

func (p *page) bar(left, base, width, height int, colour, title string) {
	p.put("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>\n",
		left, base-height, width, height, colour, title)
}

// costsChart draws the largest costs of a year.
func (p *page) costsChart(year profit.Statement) {
	lines := slices.Concat(year.CostOfGoods, year.Expenses)
	slices.SortStableFunc(lines, func(x, y profit.Line) int { return cmp.Compare(y.Minor, x.Minor) })
	lines = lines[:min(len(lines), 10)]
	if len(lines) < 2 || lines[0].Minor <= 0 {
		return
	}

	const width, row, label = 720, 24, 240
	p.put("<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Largest costs\">\n", width, row*len(lines))
	for i, line := range lines {
		y := i * row
		longest := lines[0].Minor
		length := scaled(line.Minor, longest, width-label-110)
		amount := currency.Units(line.Minor, year.Currency)

		p.put("<text x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"end\" fill=\"currentColor\">%s</text>\n", label-8, y+16, string(line.Category))
		p.put("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#2c5aa0\"/>\n", label, y+4, length, row-8)
		p.put("<text x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"currentColor\">%s</text>\n", label+length+6, y+16, amount)
	}
	p.put("</svg><figcaption>Largest costs, %s</figcaption></figure>\n", year.Currency)
}
