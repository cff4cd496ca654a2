package day

import (
	"fmt"
	"slices"
	"strings"
)

// Evidence is what a file says about the order of its dates beside the dates themselves.
type Evidence struct {
	Known     Order    // of the bank's format, or of the customer's locale
	DayFirst  bool     // the words or numbers of the file are not from a month-first country
	Beside    [][]Cell // other date columns of the same rows
	From, To  Day      // the period that the file says it covers
	HasPeriod bool
}

// Ambiguous says that a column of dates has several readings, or none.
type Ambiguous struct {
	Sample   string
	Readings []Day
	Detail   string
}

func (e *Ambiguous) Error() string {
	if len(e.Readings) < 2 {
		return e.Detail
	}
	return fmt.Sprintf("%s: %q is %s or %s", e.Detail, e.Sample, e.Readings[0], e.Readings[1])
}

// Infer finds the one order in which a column is read.
func Infer(cells []Cell, e Evidence) (Order, string, error) {
	possible, err := possibleOrders(cells)
	if err != nil {
		return "", "", err
	}

	possible = withSteadyYears(cells, possible)
	if len(possible) == 1 {
		return possible[0], "no other order gives valid dates", nil
	}
	if allReadAlike(cells, possible) {
		return possible[0], "all orders give the same dates", nil
	}

	for _, witness := range witnesses {
		if order, ok := witness.testify(cells, possible, e); ok {
			return order, witness.name, nil
		}
	}
	return "", "", ambiguity(cells, possible)
}

// possibleOrders are the orders in which every cell is a date.
func possibleOrders(cells []Cell) ([]Order, error) {
	var possible []Order
	var failed []Cell
	for _, order := range []Order{YMD, MDY, DMY} {
		wrong, ok := firstInvalid(cells, order)
		if ok {
			possible = append(possible, order)
			continue
		}
		failed = append(failed, wrong)
	}

	if len(possible) > 0 {
		return possible, nil
	}
	return nil, contradiction(cells, failed)
}

func firstInvalid(cells []Cell, order Order) (wrong Cell, ok bool) {
	for _, cell := range cells {
		if _, valid := cell.In(order); !valid {
			return cell, false
		}
	}
	return Cell{}, true
}

// contradiction tells a date that does not exist from dates that need different orders.
func contradiction(cells, failed []Cell) error {
	for _, cell := range cells {
		if !slices.ContainsFunc([]Order{YMD, MDY, DMY}, func(o Order) bool { _, ok := cell.In(o); return ok }) {
			return &Ambiguous{Sample: cell.Text, Detail: fmt.Sprintf("the date %q does not exist", cell.Text)}
		}
	}

	var samples []string
	for _, cell := range failed {
		samples = append(samples, fmt.Sprintf("%q", cell.Text))
	}
	return &Ambiguous{
		Sample: cells[0].Text,
		Detail: "the dates need different orders of day and month: " + strings.Join(samples, ", "),
	}
}

func allReadAlike(cells []Cell, orders []Order) bool {
	for _, cell := range cells {
		first, _ := cell.In(orders[0])
		for _, order := range orders[1:] {
			if again, _ := cell.In(order); again != first {
				return false
			}
		}
	}
	return true
}

func ambiguity(cells []Cell, possible []Order) error {
	for _, cell := range cells {
		one, _ := cell.In(possible[0])
		two, _ := cell.In(possible[1])
		if one != two {
			return &Ambiguous{
				Sample:   cell.Text,
				Readings: []Day{one, two},
				Detail:   "the order of day and month in the dates is not certain",
			}
		}
	}
	return &Ambiguous{Sample: cells[0].Text, Detail: "the order of the dates is not certain"}
}

// witness is a kind of evidence beyond the dates being valid.
type witness struct {
	name    string
	testify func(cells []Cell, possible []Order, e Evidence) (Order, bool)
}

// witnesses are asked in this order.
var witnesses = []witness{
	{"the format of the bank", byFormat},
	{"points or words of a country that writes the day first", byCountry},
	{"a second date column", byColumnBeside},
	{"the period that the file names", byPeriod},
	{"the rows are in the order of time", bySequence},
}

func byFormat(_ []Cell, possible []Order, e Evidence) (Order, bool) {
	return e.Known, e.Known != "" && slices.Contains(possible, e.Known)
}

// withSteadyYears leaves out orders that scatter years of two digits over decades.
func withSteadyYears(cells []Cell, possible []Order) []Order {
	if cells[0].hasLongYear() {
		return possible
	}

	const longest = 800 // days that an export covers
	var steady []Order
	for _, order := range possible {
		first, last := span(cells, order)
		if last-first <= longest {
			steady = append(steady, order)
		}
	}

	if len(steady) == 0 {
		return possible
	}
	return steady
}

func span(cells []Cell, order Order) (first, last int) {
	for i, cell := range cells {
		d, _ := cell.In(order)
		n := d.Number()
		if i == 0 || n < first {
			first = n
		}
		if i == 0 || n > last {
			last = n
		}
	}
	return first, last
}

func byCountry(cells []Cell, possible []Order, e Evidence) (Order, bool) {
	dayFirst := e.DayFirst || slices.ContainsFunc(cells, func(c Cell) bool { return c.Dots })
	return DMY, dayFirst && slices.Contains(possible, DMY)
}

// byColumnBeside uses that booking and value are days apart and not months.
func byColumnBeside(cells []Cell, possible []Order, e Evidence) (Order, bool) {
	for _, beside := range e.Beside {
		if len(beside) != len(cells) {
			continue
		}

		order, ok := onlyOne(possible, func(order Order) bool { return areClose(cells, beside, order) })
		if ok {
			return order, true
		}
	}
	return "", false
}

func areClose(cells, beside []Cell, order Order) bool {
	const mostDays = 12
	for i, cell := range cells {
		one, _ := cell.In(order)
		two, ok := beside[i].In(order)
		if beside[i].Text == "" {
			continue
		}
		if !ok {
			return false
		}

		apart := one.Number() - two.Number()
		if apart > mostDays || apart < -mostDays {
			return false
		}
	}
	return true
}

func byPeriod(cells []Cell, possible []Order, e Evidence) (Order, bool) {
	if !e.HasPeriod {
		return "", false
	}
	return onlyOne(possible, func(order Order) bool {
		first, last := span(cells, order)
		return first >= e.From.Number() && last <= e.To.Number()
	})
}

// bySequence uses that exports are sorted. Few dates could be in order by chance.
func bySequence(cells []Cell, possible []Order, _ Evidence) (Order, bool) {
	const fewest = 6
	return onlyOne(possible, func(order Order) bool {
		steps, sorted := sortedSteps(cells, order)
		return sorted && steps >= fewest
	})
}

// sortedSteps counts the different dates of a column that only rises or only falls.
func sortedSteps(cells []Cell, order Order) (steps int, sorted bool) {
	rises, falls := 0, 0
	last := 0
	for i, cell := range cells {
		d, _ := cell.In(order)
		n := d.Number()
		if i > 0 && n > last {
			rises++
		}
		if i > 0 && n < last {
			falls++
		}
		last = n
	}
	return rises + falls, rises == 0 || falls == 0
}

// onlyOne returns the only order that holds.
func onlyOne(possible []Order, holds func(Order) bool) (Order, bool) {
	var found []Order
	for _, order := range possible {
		if holds(order) {
			found = append(found, order)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}
