package usage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

var bounds = Bounds{1_000_000, 5_000_000, 50_000}

// line is a record so many days before today.
func line(before int, bot string, input, output int) string {
	return fmt.Sprintf(`{"ts":%q,"bot":%q,"input_tokens":%d,"output_tokens":%d,"model":"m"}`+"\n", today.AddDate(0, 0, -before).Format(time.RFC3339), bot, input, output)
}

func levels(alerts []Alert, bot string) (list []string) {
	for _, a := range alerts {
		if a.Bot == bot {
			list = append(list, a.Level)
		}
	}
	return list
}

func TestTokensAreCountedByBotAndDay(t *testing.T) {
	var b Book
	b.Add([]byte(line(0, "lily", 100, 20) + line(0, "lily", 200, 40) + line(0, "max", 1, 1) + line(1, "lily", 5, 5) + line(9, "lily", 7, 7)))
	days, alerts := b.Report(today, 2, "", bounds)
	if len(days) != 2 || days[0].Date != "2026-11-21" || days[0].Calls != 3 || days[0].Tokens != 362 || len(days[0].Bots) != 2 || len(alerts) != 0 {
		t.Fatalf("%+v %+v", days, alerts)
	}
	if lily := days[0].Bots[0]; lily.Calls != 2 || lily.Input != 300 || lily.Output != 60 || lily.PerCall != 180 || days[1].Tokens != 10 {
		t.Errorf("%+v", days)
	}
	if one, _ := b.Report(today, 1, "max", bounds); len(one[0].Bots) != 1 || one[0].Tokens != 2 {
		t.Errorf("%+v", one)
	}
}

func TestWhatStandsOutIsFlagged(t *testing.T) {
	var b Book
	text := line(0, "warm", 999_999, 1) + line(0, "cold", 999_999, 0) + line(0, "hot", 5_000_000, 0)
	text += strings.Repeat(line(0, "fat", 50_000, 1), 4) + strings.Repeat(line(0, "few", 50_000, 1), 3)
	for n := 1; n <= 6; n++ {
		text += line(n, "jumps", 1000+n*10, 0) + line(n, "steady", 1000, 0) + line(n+1, "gone", 10, 0)
	}
	text += line(0, "jumps", 9000, 0) + line(0, "steady", 1100, 0) + line(0, "new", 900_000, 0)
	b.Add([]byte(text))
	days, alerts := b.Report(today, 1, "", bounds)
	for bot, want := range map[string][]string{"warm": {Warning}, "cold": nil, "hot": {Critical}, "fat": {Bloat}, "few": nil, "jumps": {Spike}, "steady": nil, "new": nil, "gone": {Silent}} {
		if got := levels(alerts, bot); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", bot, got, want)
		}
	}
	for _, bot := range days[0].Bots {
		if bot.Name == "jumps" && !slices.Equal(bot.Flags, []string{Spike}) {
			t.Errorf("%+v", bot)
		}
	}
}

func TestLinesThatAreNoRecordAreCounted(t *testing.T) {
	var b Book
	b.Add([]byte("\n{}\nno json\n" + line(0, "", 1, 1) + line(0, "x", -1, 1) + `{"ts":"2026-11-21T00:00:00Z","bot":"x","input_tokens":1}` + "\n" + line(0, "x", 1, 1)))
	if b.Records != 1 || b.Malformed != 5 {
		t.Errorf("%d records, %d malformed", b.Records, b.Malformed)
	}
}

func FuzzAdd(f *testing.F) {
	f.Add([]byte(line(0, "x", 1, 2)))
	f.Add([]byte("{\"ts\":1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b Book
		b.Add(text)
		days, _ := b.Report(today, 3, "", bounds)
		for _, d := range days {
			if d.Tokens < 0 || d.Calls > b.Records {
				t.Errorf("%+v of %q", d, text)
			}
		}
	})
}
