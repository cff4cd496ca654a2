package main

import (
	"fmt"
	"strings"
	"time"

	"governance.internal/functions/legal-prep/extract"
	"governance.internal/functions/legal-prep/text"
)

// value is one answer of the experts with ours in the same form; "" is no answer.
type value struct {
	name string
	ours func(*text.Text) string
	same func(ours, theirs string) bool
}

var values = []value{
	{"Governing Law", lawOf, sameLaw},
	{"Notice Period To Terminate Renewal", noticeOf, samePeriod},
	{"Renewal Term", renewalOf, samePeriod},
	{"Agreement Date", dateOf, sameDate},
}

// reportValues prints how often the value of a contract is exactly that of the experts, among
// the contracts for which they give one.
func reportValues(rows []row) {
	fmt.Println("values, exactly as the experts give them")
	right, asked := make([]int, len(values)), make([]int, len(values))
	given := make([]int, len(values))

	for _, r := range rows {
		t := text.New(r.Text)
		for i, v := range values {
			theirs := r.Answers[v.name]
			if theirs == "" || v.name == "Agreement Date" && strings.Contains(theirs, "[") {
				continue
			}
			asked[i]++
			ours := v.ours(t)
			if ours != "" {
				given[i]++
			}
			if ours != "" && v.same(ours, theirs) {
				right[i]++
			}
		}
	}

	for i, v := range values {
		fmt.Printf("  %-36s %3d of %3d (%.3f); of the %d given %.3f\n", v.name, right[i], asked[i],
			ratio(right[i], asked[i]), given[i], ratio(right[i], given[i]))
	}

	fmt.Println()
}

func lawOf(t *text.Text) string {
	if law := extract.Law(t); law != nil {
		return law.Jurisdiction
	}
	return ""
}

func sameLaw(ours, theirs string) bool {
	theirs, _, _ = strings.Cut(theirs, ";")
	return strings.EqualFold(strings.TrimSpace(ours), strings.TrimSpace(theirs))
}

func periodOf(p *extract.Period) string {
	if p == nil || p.Offset == nil {
		return ""
	}

	unit := p.Unit
	if *p.Offset != 1 {
		unit += "s"
	}
	return fmt.Sprint(*p.Offset, " ", unit)
}

func noticeOf(t *text.Text) string  { return periodOf(extract.RenewalNotice(t)) }
func renewalOf(t *text.Text) string { return periodOf(extract.RenewalTerm(t)) }

func samePeriod(ours, theirs string) bool {
	theirs, _, _ = strings.Cut(strings.ToLower(theirs), ";")
	theirs = strings.TrimSpace(strings.TrimPrefix(theirs, "successive "))

	return inMonths(ours) == inMonths(theirs)
}

// inMonths writes years as months: a year and twelve months are the same answer.
func inMonths(period string) string {
	var number int
	var unit string
	if _, err := fmt.Sscan(period, &number, &unit); err != nil {
		return period
	}

	if strings.HasPrefix(unit, "year") {
		return fmt.Sprint(12*number, " months")
	}
	return fmt.Sprint(number, " ", strings.TrimSuffix(unit, "s"), "s")
}

func dateOf(t *text.Text) string {
	if d := extract.AgreementDate(t); d != nil && d.ISO != nil {
		return *d.ISO
	}
	return ""
}

// sameDate compares a day with one that is written as month/day/year, the year in two digits.
func sameDate(ours, theirs string) bool {
	day, err := time.Parse(time.DateOnly, ours)
	return err == nil && day.Format("1/2/06") == theirs
}
