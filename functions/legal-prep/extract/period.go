package extract

import (
	"regexp"
	"strings"
	"sync"

	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/numeral"
	"governance.internal/functions/legal-prep/text"
)

// Period is a length of time from an anchor: negative before it. Range has both ends of "ten to
// fifteen days", Conflict both values where words and figures differ.
type Period struct {
	Offset       *int   `json:"offset"`
	Unit         string `json:"unit"`
	BusinessDays bool   `json:"business_days"`
	Range        []int  `json:"range"`
	Conflict     []int  `json:"conflict"`
	text.Quote

	span text.Span
}

var periodPattern = sync.OnceValue(func() *regexp.Regexp {
	const amount = `(?:(` + numeral.Pattern + `)(?: ?\((\d{1,4})\))?|\b(\d{1,4})(?: ?\((` + numeral.Pattern + `)\))?)`
	const upper = `(?:(?: to | and |-| or )(?:(` + numeral.Pattern + `)(?: ?\((\d{1,4})\))?|(\d{1,4})))?`
	return compile(amount + upper + `[ ~-](?:full |consecutive |calendar |additional |further )?(?:(business|working|banking|trading) )?(hour|day|week|month|quarter|year)s?\b`)
})

// Periods returns every period of a text, in order.
func Periods(t *text.Text) []Period {
	found := []Period{}
	for _, m := range periodPattern().FindAllStringSubmatchIndex(t.Lower, -1) {
		g := groupsOf(t.Lower, m)
		p := Period{
			Unit:         g[9],
			BusinessDays: g[8] != "",
			Range:        []int{},
			Conflict:     []int{},
			span:         group(m, 0, 0),
		}
		p.Quote = t.Quote(p.span)
		p.read(g)
		found = append(found, p)
	}
	return found
}

func (p *Period) read(g []string) {
	low, lowConflict := valueOf(g[1]+g[4], g[2]+g[3])
	if lowConflict != nil {
		p.Conflict = lowConflict
		return
	}

	if g[5]+g[6]+g[7] != "" {
		high, _ := valueOf(g[5], g[6]+g[7])
		p.Range = []int{low, high}
		return
	}

	p.Offset = &low
}

// valueOf reads words and figures of which one may be missing.
func valueOf(words, figures string) (value int, conflict []int) {
	spelled, _ := numeral.Parse(words)
	written := number(figures)

	switch {
	case words == "":
		return written, nil
	case figures == "" || int(spelled) == written:
		return int(spelled), nil
	}
	return 0, []int{int(spelled), written}
}

var (
	beforeAnchor = lazy.Pattern(`^'?,? ?(?:[a-z]+ ){0,4}?(?:before|prior to|in advance of|preceding|ahead of)\b`)
	limits       = lazy.Pattern(`(?:within|no later than|not later than|at least|not less than|no less than|no more than|not more than|up to|for|after|every|on|upon|by|in|than)(?: the| a| an| first| next)?(?: period of)?(?: not less than| at least)? ?$`)
	follows      = lazy.Pattern(`^'?,? ?(?:of|after|from|following|before|prior to|in advance|thereafter|later)\b`)
)

// signed turns the offset of a period before its anchor negative.
func (p Period) signed(after string) Period {
	if p.Offset != nil && beforeAnchor().MatchString(after) {
		negative := -*p.Offset
		p.Offset = &negative
	}
	return p
}

// lengthOfTerm matches what stands before the length of a term, which is no notice period.
var lengthOfTerm = lazy.Pattern(`(?:terms?|renewals?|extensions?)(?: of| for)(?: a| an)?(?: period of)? ?$|(?:additional|successive|further|renewal) ?$`)

// NoticePeriods returns the periods in which a notice is given.
func NoticePeriods(t *text.Text) []Period {
	notices := []Period{}
	for _, p := range Periods(t) {
		before, after := around(t, p.span, 60, 60)
		before, after = lastSentence(before), firstSentence(after)
		if lengthOfTerm().MatchString(before) {
			continue
		}
		given := strings.Contains(after, "notice") || strings.Contains(before, "notice")
		if given || strings.Contains(after, "notif") || strings.Contains(before, "notif") {
			notices = append(notices, p.signed(after))
		}
	}
	return notices
}

// Deadlines returns the periods within which something is to be done.
func Deadlines(t *text.Text) []Period {
	deadlines := []Period{}
	for _, p := range Periods(t) {
		before, after := around(t, p.span, 40, 60)
		before, after = lastSentence(before), firstSentence(after)
		limited := deadlineWord().MatchString(before) || beforeAnchor().MatchString(after)
		anchored := follows().MatchString(after) && limits().MatchString(before)
		if limited || anchored || afterAnchor().MatchString(after) {
			deadlines = append(deadlines, p.signed(after))
		}
	}
	return deadlines
}

var afterAnchor = lazy.Pattern(`^'? (?:after|from the|from receipt|following)\b`)

var deadlineWord = lazy.Pattern(`(?:within|no later than|not later than|no more than|not more than)(?: the| a| an| first| next)?(?: period of)? ?$`)

func lastSentence(s string) string {
	if at := strings.LastIndexAny(s, ".;\n"); at >= 0 {
		return s[at+1:]
	}
	return s
}

func firstSentence(s string) string {
	if at := strings.IndexAny(s, ".;\n"); at >= 0 {
		return s[:at]
	}
	return s
}
