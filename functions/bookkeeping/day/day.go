// Package day reads the dates of bank exports. A date such as 03/04/2025 has two readings, so the order
// of day and month is decided for whole columns, by evidence, or not at all.
package day

import (
	"fmt"
	"time"
)

// Day is a date of the calendar.
type Day struct {
	Year, Month, Dom int
}

// New returns a date if it exists.
func New(year, month, dom int) (Day, bool) {
	d := Day{year, month, dom}
	return d, d.exists()
}

func (d Day) exists() bool {
	if d.Year < 1970 || d.Year > 2099 || d.Month < 1 || d.Month > 12 || d.Dom < 1 {
		return false
	}
	return d.Dom <= daysIn(d.Year, d.Month)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		leap := year%4 == 0 && year%100 != 0 || year%400 == 0
		if leap {
			return 29
		}
		return 28
	}
	return 31
}

// String is the date as ISO 8601 writes it.
func (d Day) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Dom) }

// Month7 is the month, for example 2025-03.
func (d Day) Month7() string { return fmt.Sprintf("%04d-%02d", d.Year, d.Month) }

// Number counts days, so that differences are days.
func (d Day) Number() int {
	const second = 86_400
	return int(time.Date(d.Year, time.Month(d.Month), d.Dom, 0, 0, 0, 0, time.UTC).Unix() / second)
}

// Before reports whether d is earlier.
func (d Day) Before(other Day) bool { return d.Number() < other.Number() }

// Parse reads a date as String writes it.
func Parse(text string) (Day, bool) {
	var d Day
	if len(text) != len("2025-01-01") {
		return Day{}, false
	}
	if _, err := fmt.Sscanf(text, "%4d-%2d-%2d", &d.Year, &d.Month, &d.Dom); err != nil {
		return Day{}, false
	}
	return d, d.exists() && d.String() == text
}

// LastOfMonth is the last day of the month of a date.
func LastOfMonth(d Day) Day {
	d.Dom = daysIn(d.Year, d.Month)
	return d
}
