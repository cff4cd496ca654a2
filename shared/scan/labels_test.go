package scan

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// labelled is a description with the nine levels that a person gave it.
type labelled struct {
	name   string
	levels []int
	text   string
}

func readLabelled(t *testing.T, file string) []labelled {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}

	var all []labelled
	for i, block := range strings.Split("\n"+string(raw), "\n@ ") {
		if i == 0 {
			continue // the comment at the top
		}
		head, text, _ := strings.Cut(block, "\n")
		fields := strings.Fields(head)
		if len(fields) != 1+len(topics) {
			t.Fatalf("%s: case %q has %d fields", file, head, len(fields))
		}
		l := labelled{
			name: fields[0],
			text: strings.TrimSpace(text),
		}
		for _, field := range fields[1:] {
			level, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			l.levels = append(l.levels, level)
		}
		all = append(all, l)
	}
	return all
}

// agreement counts how often the levels of the scan are those of the labels.
type agreement struct {
	all, exact, near    int
	spoken, spokenExact int // among labels other than 0
}

func (a *agreement) add(want, got int) {
	a.all++
	hit := want == got
	if hit {
		a.exact++
	}
	if -1 <= want-got && want-got <= 1 {
		a.near++
	}
	if want == 0 {
		return
	}
	a.spoken++
	if hit {
		a.spokenExact++
	}
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

func measure(t *testing.T, file string, explain bool) agreement {
	t.Helper()
	return compare(t, file, readLabelled(t, file), explain)
}

func compare(t *testing.T, file string, cases []labelled, explain bool) agreement {
	t.Helper()
	var sum agreement
	for _, l := range cases {
		r, err := Describe(l.text)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range r.Dimensions {
			sum.add(l.levels[i], d.Level)
			if explain && d.Level != l.levels[i] {
				t.Logf("%s %s: %d, want %d: %v", l.name, d.Name, d.Level, l.levels[i], d.Evidence)
			}
		}
	}

	t.Logf("%s: exact %.3f, within one %.3f, exact where the label is not 0 %.3f",
		file, share(sum.exact, sum.all), share(sum.near, sum.all), share(sum.spokenExact, sum.spoken))
	return sum
}

func TestSeenHalf(t *testing.T) {
	measure(t, "seen.txt", true)
}

func TestUnseenHalf(t *testing.T) {
	measure(t, "unseen.txt", false)
}

func TestWideSet(t *testing.T) {
	measure(t, "wide.txt", true)
}

func TestThirdSet(t *testing.T) {
	measure(t, "third.txt", true)
}

func TestFourthSet(t *testing.T) {
	measure(t, "fourth.txt", true)
}

func TestFifthSet(t *testing.T) {
	measure(t, "fifth.txt", true)
}

func TestSixthSet(t *testing.T) {
	measure(t, "sixth.txt", true)
}

// readLines reads single sentences, each with the level of one dimension; the others are 0.
func readLines(t *testing.T, file string) []labelled {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}

	var all []labelled
	for line := range strings.Lines(string(raw)) {
		label, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
		name, level, one := strings.Cut(label, " ")
		if !ok || !one || strings.HasPrefix(line, "#") {
			continue
		}
		l := labelled{
			name:   label,
			levels: make([]int, len(topics)),
			text:   text,
		}
		for i := range topics {
			if topics[i].name == name {
				l.levels[i], err = strconv.Atoi(level)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

func TestLines(t *testing.T) {
	for _, file := range []string{"lines.txt", "sentences.txt"} {
		compare(t, file, readLines(t, file), true)
	}
}
