package conflict

import "strings"

// paces are words for how often something is done; the first of a line names it.
var paces = namesOf(`
hourly, every hour, once an hour, each hour, per hour
daily, every day, nightly, once a day, each day, every night, every morning, every evening, each morning, each night, a day, per day
weekly, every week, once a week, each week, a week, every monday, every tuesday, every wednesday, every thursday, every friday, every saturday, every sunday, on mondays, on fridays, per week
monthly, every month, once a month, each month, a month, per month
quarterly, every quarter, once a quarter, each quarter
yearly, annually, every year, once a year, each year, per year
`)

// days are words for when something is done.
var days = namesOf(`
monday, mondays
tuesday, tuesdays
wednesday, wednesdays
thursday, thursdays
friday, fridays
saturday, saturdays, weekend, weekends
sunday, sundays
weekday, weekdays, working day, working days, business hours, office hours, working hours
night, nights, midnight, overnight
morning
evening
noon
`)

// namesOf reads lines of names that mean the same, each between spaces.
func namesOf(text string) [][]string {
	var groups [][]string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		var group []string
		for name := range strings.SplitSeq(line, ",") {
			group = append(group, " "+strings.TrimSpace(name)+" ")
		}
		groups = append(groups, group)
	}
	return groups
}

// named returns the first name of each group of which one stands in a text.
func named(text string, groups [][]string) []string {
	var found []string
	for _, group := range groups {
		if containsAny(text, group...) {
			found = append(found, group[0])
		}
	}
	return found
}
