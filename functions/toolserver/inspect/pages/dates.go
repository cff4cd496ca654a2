package pages

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	isoDate   = regexp.MustCompile(`\b((?:19|20)\d\d)-(\d\d)-(\d\d)(?:\b|T)`)
	dayFirst  = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(` + months + `)\.?,?\s+((?:19|20)\d\d)\b`)
	numbered  = regexp.MustCompile(`\b(\d{1,2})([./])(\d{1,2})[./]((?:19|20)\d\d)\b`)
	yearFirst = regexp.MustCompile(`\b((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})\b`)
	dayMiddle = regexp.MustCompile(`\b(` + months + `)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b`)
)

const months = `Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?`

// Lengths of a date before and after its year.
const (
	beforeYear = 24
	afterYear  = 10
)

// datesIn are the full dates in a text. Only the surroundings of years are looked at.
func datesIn(text string) []time.Time {
	var list []time.Time
	for i := 0; i+4 <= len(text); i++ {
		if century := text[i : i+2]; century != "20" && century != "19" {
			continue
		}
		if isDigit(text[i+2]) && isDigit(text[i+3]) {
			list = append(list, datesNear(text[max(0, i-beforeYear):min(len(text), i+4+afterYear)])...)
			i += 3
		}
	}
	return list
}

func isDigit(c byte) bool {
	return c >= '0' && c <= '9'
}

// datesNear are the full dates in a short text.
func datesNear(text string) []time.Time {
	var list []time.Time
	add := func(year, month, day string) {
		if len(month) > 3 {
			month = month[:3]
		}

		for _, layout := range []string{"2006-1-2", "2006-Jan-2"} {
			if at, err := time.Parse(layout, year+"-"+month+"-"+day); err == nil {
				list = append(list, at)
				return
			}
		}
	}

	for _, m := range isoDate.FindAllStringSubmatch(text, -1) {
		add(m[1], m[2], m[3])
	}

	for _, m := range yearFirst.FindAllStringSubmatch(text, -1) {
		add(m[1], m[2], m[3])
	}

	for _, m := range dayFirst.FindAllStringSubmatch(text, -1) {
		add(m[3], m[2], m[1])
	}

	for _, m := range dayMiddle.FindAllStringSubmatch(text, -1) {
		add(m[3], m[1], m[2])
	}

	for _, m := range numbered.FindAllStringSubmatch(text, -1) {
		month, day := m[1], m[3]
		if m[2] == "." || len(month) == 2 && month > "12" {
			month, day = day, month
		}

		add(m[4], month, day)
	}
	return list
}

// readDates finds the newest date in the text of the page and of each block in it. Dates to
// come say nothing about the age of a page.
func (r *reader) readDates() {
	r.dates = map[*node]time.Time{}
	r.root.walk(func(n *node) bool {
		if unseen[n.tag] || quoted[n.tag] {
			return false
		}
		if n.tag == "" {
			r.date(n.parent, datesIn(n.text))
		}
		if n.tag == "time" {
			r.date(n, datesIn(n.attr("datetime")))
		}
		return true
	})
	r.newest = r.dates[r.root]
}

// date notes dates for an element and all around it.
func (r *reader) date(n *node, dates []time.Time) {
	for _, at := range dates {
		if at.After(r.Now()) {
			continue
		}

		for p := n; p != nil; p = p.parent {
			if at.After(r.dates[p]) {
				r.dates[p] = at
			}
		}
	}
}

// dateBeside is the newest date in the line, the row or the paragraph of a link.
func (r *reader) dateBeside(n *node) time.Time {
	around := n.within("li", "tr", "p", "article", "dd", "dt", "figure", "div", "section", "td")
	if around == nil {
		return time.Time{}
	}
	return r.dates[around]
}

// judgeAge reports links to pages that are out of date: their newest date is more than a year
// behind that of the page.
func (s *scan) judgeAge(p *page) {
	if p.newest.IsZero() {
		return
	}

	limit := p.newest.AddDate(-1, 0, 0)
	seen := set{}
	for _, r := range p.references {
		file := s.pageBehind(r)
		if file == "" || file == p.file || seen[file] || r.isListed(limit) {
			continue
		}
		seen[file] = true
		s.judgeTarget(p, r, file, limit)
	}
}

// isListed reports whether a link stands beside the date of an old page, so that people see
// how old it is.
func (r reference) isListed(limit time.Time) bool {
	return !r.dated.IsZero() && r.dated.Before(limit)
}

// pageBehind is the page of the website that a link leads to, "" for none.
func (s *scan) pageBehind(r reference) string {
	if !r.followed {
		return ""
	}
	a, ok := s.site.resolve(r.from[0], r.address)
	if !ok || !a.local {
		return ""
	}
	file := s.site.FileAt(a.path)
	if !isMarkup(file) {
		return ""
	}
	return file
}

// judgeTarget reports a link to a page without a date as young as a limit.
func (s *scan) judgeTarget(p *page, r reference, file string, limit time.Time) {
	target := s.target(file)
	if target == nil || target.newest.IsZero() || !target.newest.Before(limit) {
		return
	}
	detail := fmt.Sprintf(
		"the newest date of %s is %s, that of this page %s",
		s.site.NameOf(file),
		target.newest.Format(time.DateOnly),
		p.newest.Format(time.DateOnly),
	)
	s.found(wrongAt(r.at, "link_aged", detail, r.address))
}

// isMarkup reports whether a file is a page.
func isMarkup(file string) bool {
	lower := strings.ToLower(file)
	return strings.HasSuffix(lower, ".html") || strings.HasSuffix(lower, ".htm")
}
