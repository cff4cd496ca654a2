package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"governance.internal/functions/legal-prep/text"
)

// Date is a date, month, quarter or year.
type Date struct {
	ISO       *string  `json:"iso"`
	Precision string   `json:"precision"`
	Role      string   `json:"role"`
	Ambiguous []string `json:"ambiguous"`
	text.Quote
}

const months = `january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec`

// dateForm is a way to write a date; read gives its readings from the groups.
type dateForm struct {
	pattern   string
	precision string
	read      func(groups []string) []string
}

var dateForms = []dateForm{
	{`\b(\d{4})[-/.](\d{2})[-/.](\d{2})\b`, "day", func(g []string) []string {
		return day(number(g[1]), number(g[2]), number(g[3]))
	}},
	{`\b(` + months + `)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b`, "day", func(g []string) []string {
		return day(number(g[3]), month(g[1]), number(g[2]))
	}},
	{`\b(\d{1,2})(?:st|nd|rd|th)?(?: day)?(?: of)? (` + months + `)\.?,? (\d{4})\b`, "day", func(g []string) []string {
		return day(number(g[3]), month(g[2]), number(g[1]))
	}},
	{`\b(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4}|\d{2})\b`, "day", numericDate},
	{`\b(?:q([1-4])|(first|second|third|fourth) quarter)(?: of)?,? (\d{4})\b`, "quarter", func(g []string) []string {
		q := number(g[1]) + 1 + slices.Index([]string{"first", "second", "third", "fourth"}, g[2])
		return []string{fmt.Sprintf("%s-Q%d", g[3], q)}
	}},
	{`\b(` + months + `)\.?,? (?:of )?(\d{4})\b`, "month", func(g []string) []string {
		return []string{fmt.Sprintf("%s-%02d", g[2], month(g[1]))}
	}},
	{`\b(?:in|year|during|since|until|by|end of) (?:the year )?((?:19|20)\d{2})\b`, "year", func(g []string) []string {
		return []string{g[1]}
	}},
}

var datePatterns = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, f := range dateForms {
		all = append(all, compile(f.pattern))
	}
	return all
})

// numericDate reads two numbers and a year: month first and day first where both are possible.
func numericDate(g []string) []string {
	first, second, year := number(g[1]), number(g[3]), number(g[4])
	if year < 100 {
		year += 2000
		if year >= 2070 {
			year -= 100
		}
	}

	if g[2] == "." { // only the order day, month, year is written so
		return day(year, second, first)
	}

	readings := slices.Concat(day(year, first, second), day(year, second, first))
	slices.Sort(readings)

	return slices.Compact(readings)
}

func day(year, month, day int) []string {
	if month < 1 || month > 12 || day < 1 {
		return nil
	}

	d := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if d.Day() != day {
		return nil
	}
	return []string{d.Format(time.DateOnly)}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func month(name string) int {
	return slices.Index(shortMonths, name[:3]) + 1
}

var shortMonths = strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")

// Dates returns the dates of a text in order.
func Dates(t *text.Text) []Date {
	found := []Date{}
	for i, f := range dateForms {
		for _, m := range datePatterns()[i].FindAllStringSubmatchIndex(t.Lower, -1) {
			whole := group(m, 0, 0)
			if f.precision == "year" {
				whole = group(m, 1, 0)
			}
			quote := t.Quote(whole)
			if overlapsDate(found, quote) {
				continue
			}
			found = append(found, dateOf(f, groupsOf(t.Lower, m), quote, roleOf(t, whole)))
		}
	}
	return dropOverlaps(found, func(d Date) text.Quote { return d.Quote })
}

func overlapsDate(found []Date, q text.Quote) bool {
	return slices.ContainsFunc(found, func(d Date) bool { return q.Start < d.End && d.Start < q.End })
}

func groupsOf(s string, match []int) []string {
	groups := make([]string, len(match)/2)
	for i := range groups {
		if match[2*i] >= 0 {
			groups[i] = s[match[2*i]:match[2*i+1]]
		}
	}
	return groups
}

func dateOf(f dateForm, groups []string, quote text.Quote, role string) Date {
	d := Date{Precision: f.precision, Role: role, Ambiguous: []string{}, Quote: quote}
	readings := f.read(groups)

	switch len(readings) {
	case 0:
	case 1:
		d.ISO = &readings[0]
	default:
		d.Ambiguous = readings
	}
	return d
}

// dateRoles are words before a date that say what it is for; the nearest one wins.
var dateRoles = []struct{ word, role string }{
	{"effective", "effective"}, {"dated", "agreement"}, {"made", "agreement"},
	{"entered into", "agreement"}, {"as of", "agreement"}, {"signed", "agreement"},
	{"expire", "expiration"}, {"terminat", "expiration"}, {"until", "expiration"},
	{"through", "expiration"}, {" end", "expiration"}, {"commenc", "start"},
	{"start", "start"}, {"begin", "start"}, {"from", "start"}, {"due", "due"},
	{"pay", "due"}, {"deliver", "due"}, {"no later than", "due"}, {"before", "due"},
	{" by ", "due"}, {"born", "birth"},
}

func roleOf(t *text.Text, s text.Span) string {
	before, after := around(t, s, 70, 30)
	if strings.Contains(after, `"effective date"`) {
		return "effective"
	}

	role, nearest := "other", -1

	for _, r := range dateRoles {
		if at := strings.LastIndex(before, r.word); at > nearest {
			role, nearest = r.role, at
		}
	}
	return role
}
