package bank

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"governance.internal/functions/bookkeeping/day"
)

// decideDates finds the order of day and month.
func (r *csvReader) decideDates() error {
	cells := make([]day.Cell, len(r.drafts))
	for i, d := range r.drafts {
		cells[i] = d.date
	}

	order, why, err := day.Infer(cells, r.dateEvidence())
	var ambiguous *day.Ambiguous
	if errors.As(err, &ambiguous) {
		return r.refuseDates(ambiguous)
	}
	if err != nil {
		return err
	}

	r.order = order
	r.Dates = string(order) + ": " + why
	return nil
}

func (r *csvReader) refuseDates(ambiguous *day.Ambiguous) error {
	question := "Can you export the file with dates such as 2025-03-31?"
	if len(ambiguous.Readings) > 1 {
		question = "Is " + ambiguous.Sample + " the date " + ambiguous.Readings[0].String() + " or " +
			ambiguous.Readings[1].String() + "? The locale answers that, for example en-US or en-GB"
	}
	return r.refuse(r.lineOfDate(ambiguous.Sample), question, "%v", ambiguous)
}

func (r *csvReader) lineOfDate(text string) int {
	for _, d := range r.drafts {
		if d.date.Text == text {
			return d.record.Line
		}
	}
	return 0
}

func (r *csvReader) dateEvidence() day.Evidence {
	e := day.Evidence{Known: orderOfLocale(r.settings.Locale)}
	if format := r.layout.format; format != nil && format.Order != "" {
		e.Known = format.Order
	}

	e.DayFirst = r.layout.language != "" || r.style.Decimal == ','
	for column := range r.layout.datesBeside {
		e.Beside = append(e.Beside, r.besideColumn(column))
	}

	e.From, e.To, e.HasPeriod = r.statedPeriod()
	return e
}

func (r *csvReader) besideColumn(column int) []day.Cell {
	cells := make([]day.Cell, len(r.drafts))
	for i, d := range r.drafts {
		cells[i] = d.beside[column]
	}
	return cells
}

// orderOfLocale is how a country writes dates in figures.
func orderOfLocale(locale string) day.Order {
	language, country, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(locale), "_", "-"), "-")
	switch {
	case locale == "":
		return ""
	case country == "us" || country == "ph":
		return day.MDY
	case country == "ca" || language == "en" && country == "":
		return ""
	case strings.Contains(" sv lt hu ja zh ko ", " "+language+" "):
		return day.YMD
	}
	return day.DMY
}

// clearDates finds dates of which there is one reading.
var clearDates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[12]\d{3}-\d{2}-\d{2}|\d{1,2}\.? \pL{3,9}\.? \d{4}|\pL{3,9} \d{1,2}, \d{4}`)
})

// clearMonth finds a month in the name of a file.
var clearMonth = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\D)(20\d{2})-(\d{2})(?:$|\D)`)
})

// statedPeriod is the period that the preamble or the name of the file states.
func (r *csvReader) statedPeriod() (from, to day.Day, ok bool) {
	texts := []string{r.Name}
	for _, record := range r.preamble {
		texts = append(texts, strings.Join(record.Cells, " ; "))
	}

	for _, text := range texts {
		if from, to, ok := periodIn(text); ok {
			return from, to, true
		}
	}
	return monthInName(r.Name)
}

// periodIn reads a text that holds two dates.
func periodIn(text string) (from, to day.Day, ok bool) {
	found := clearDates().FindAllString(text, 3)
	if len(found) != 2 {
		return from, to, false
	}

	from, isFrom := readClear(found[0])
	to, isTo := readClear(found[1])
	if !isFrom || !isTo || to.Before(from) {
		return from, to, false
	}
	return from, to, true
}

func readClear(text string) (day.Day, bool) {
	cell, ok := day.Read(text)
	if !ok {
		return day.Day{}, false
	}
	return cell.In(day.YMD)
}

func monthInName(name string) (from, to day.Day, ok bool) {
	parts := clearMonth().FindStringSubmatch(name)
	if parts == nil || clearDates().MatchString(name) {
		return from, to, false
	}

	from, ok = day.Parse(parts[1] + "-" + parts[2] + "-01")
	if !ok {
		return from, to, false
	}
	to = day.LastOfMonth(from)
	return from, to, true
}
