// Package usage reads records of the tokens that bots used, and reports anomalies.
//
// A record is a line of JSON with the members ts (RFC 3339), bot, input_tokens and
// output_tokens; others are ignored. Days are in UTC.
package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Levels of an alert.
const (
	Warning  = "WARNING"  // many tokens in a day
	Critical = "CRITICAL" // very many
	Bloat    = "BLOAT"    // many tokens in each call
	Spike    = "SPIKE"    // far more than on the days before
	Silent   = "SILENT"   // nothing, where there was something every day
)

const (
	history   = 14  // days with which one is compared
	leastDays = 5   // of them with calls, for a comparison
	mostCalls = 3   // are no pattern
	spikeZ    = 3.5 // robust z-score of an outlier (Iglewicz and Hoaglin, 1993)
	mostCount = 1 << 40
)

// Bounds say from when on tokens are many.
type Bounds struct {
	WarnDay, CriticalDay, WarnCall int
}

// Bot is what one bot used on a day.
type Bot struct {
	Name    string   `json:"name"`
	Calls   int      `json:"calls"`
	Input   int      `json:"input_tokens"`
	Output  int      `json:"output_tokens"`
	PerCall int      `json:"avg_per_call"`
	Flags   []string `json:"flags"`
}

func (b Bot) tokens() int { return b.Input + b.Output }

// Day is what all used on a day.
type Day struct {
	Date   string `json:"date"`
	Calls  int    `json:"total_calls"`
	Tokens int    `json:"total_tokens"`
	Bots   []Bot  `json:"bots"`
}

// Alert is something that stands out.
type Alert struct {
	Level   string `json:"level"`
	Bot     string `json:"bot"`
	Message string `json:"message"`
}

// Book counts records.
type Book struct {
	days      map[string]map[string]*Bot // by date and bot
	Records   int
	Malformed int // lines that are no record
}

// Add reads the lines of a file.
func (b *Book) Add(text []byte) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !b.add(line) {
			b.Malformed++
		}
	}
}

func (b *Book) add(line []byte) bool {
	var r struct {
		TS     time.Time `json:"ts"`
		Bot    string    `json:"bot"`
		Input  *int      `json:"input_tokens"`
		Output *int      `json:"output_tokens"`
	}
	if json.Unmarshal(line, &r) != nil ||
		r.TS.IsZero() ||
		r.Bot == "" ||
		len(r.Bot) > 200 ||
		r.Input == nil ||
		r.Output == nil ||
		*r.Input < 0 ||
		*r.Output < 0 ||
		*r.Input > mostCount ||
		*r.Output > mostCount {
		return false
	}

	if b.days == nil {
		b.days = map[string]map[string]*Bot{}
	}

	date := r.TS.UTC().Format(time.DateOnly)
	if b.days[date] == nil {
		b.days[date] = map[string]*Bot{}
	}

	bot := b.days[date][r.Bot]
	if bot == nil {
		bot = &Bot{Name: r.Bot, Flags: []string{}}
		b.days[date][r.Bot] = bot
	}

	bot.Calls++
	bot.Input += *r.Input
	bot.Output += *r.Output
	b.Records++
	return true
}

// Report gives the last days up to today, the newest first, with what stands out in them.
// A name chooses one bot, "" all.
func (b *Book) Report(today time.Time, days int, name string, bounds Bounds) (list []Day, alerts []Alert) {
	list = []Day{}
	alerts = []Alert{}
	for n := range days {
		at := today.UTC().AddDate(0, 0, -n)
		day := Day{Date: at.Format(time.DateOnly), Bots: []Bot{}}
		bots := b.days[day.Date]
		for _, each := range slices.Sorted(maps.Keys(bots)) {
			if name != "" && each != name {
				continue
			}
			bot := *bots[each]
			bot.PerCall = bot.tokens() / bot.Calls
			found := b.judge(bot, at, bounds)
			for _, a := range found {
				bot.Flags = append(slices.Clone(bot.Flags), a.Level)
			}

			alerts = append(alerts, found...)

			day.Calls, day.Tokens, day.Bots = day.Calls+bot.Calls, day.Tokens+bot.tokens(), append(day.Bots, bot)
		}

		list = append(list, day)
	}

	return list, append(alerts, b.silent(today.UTC().AddDate(0, 0, -1), name)...)
}

// judge compares a bot's day with the bounds and with the days before.
func (b *Book) judge(bot Bot, at time.Time, bounds Bounds) (alerts []Alert) {
	date := at.Format(time.DateOnly)
	tell := func(level, format string, args ...any) {
		alerts = append(alerts, Alert{level, bot.Name, date + ": " + fmt.Sprintf(format, args...)})
	}

	switch tokens := bot.tokens(); {
	case tokens >= bounds.CriticalDay:
		tell(Critical, "%d tokens, the bound is %d", tokens, bounds.CriticalDay)
	case tokens >= bounds.WarnDay:
		tell(Warning, "%d tokens, the bound is %d", tokens, bounds.WarnDay)
	}

	if bot.Calls > mostCalls && bot.PerCall > bounds.WarnCall {
		tell(Bloat, "%d tokens a call in %d calls, the bound is %d", bot.PerCall, bot.Calls, bounds.WarnCall)
	}
	if usual, spikes := outlier(bot.tokens(), b.before(bot.Name, at)); spikes {
		tell(Spike, "%d tokens, where %d are usual", bot.tokens(), usual)
	}

	return alerts
}

// before are a bot's tokens on the days before one, of those on which it worked.
func (b *Book) before(name string, at time.Time) (tokens []int) {
	for n := 1; n <= history; n++ {
		if bot := b.days[at.AddDate(0, 0, -n).Format(time.DateOnly)][name]; bot != nil {
			tokens = append(tokens, bot.tokens())
		}
	}
	return tokens
}

// outlier reports whether a number is far above others, by their median and its median
// absolute deviation. Where all others are the same, twice as many is far.
func outlier(n int, others []int) (median int, is bool) {
	if len(others) < leastDays {
		return 0, false
	}
	median = middle(others)
	var away []int
	for _, each := range others {
		away = append(away, max(each-median, median-each))
	}

	deviation := middle(away)
	if deviation == 0 {
		return median, n >= 2*max(median, 1)
	}
	return median, 0.6745*float64(n-median)/float64(deviation) > spikeZ
}

func middle(list []int) int {
	list = slices.SortedFunc(slices.Values(list), cmp.Compare)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// silent finds bots that worked on each of the days before and not on the last whole one.
func (b *Book) silent(at time.Time, name string) (alerts []Alert) {
	bots := map[string]int{}
	for n := 1; n <= leastDays; n++ {
		for each := range b.days[at.AddDate(0, 0, -n).Format(time.DateOnly)] {
			bots[each]++
		}
	}

	date := at.Format(time.DateOnly)
	for _, each := range slices.Sorted(maps.Keys(bots)) {
		if bots[each] == leastDays &&
			b.days[date][each] == nil &&
			(name == "" || name == each) {
			alerts = append(alerts, Alert{Silent, each, date + ": no call, after calls on every day before"})
		}
	}

	return alerts
}
