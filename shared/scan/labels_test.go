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

// compare prints the agreement of the scan with labels, and the levels that differ.
func compare(t *testing.T, file string, cases []labelled, explain bool) agreement {
	t.Helper()
	var sum agreement
	for _, l := range cases {
		r := scored(t, l.text)
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

// bounds are least shares of levels that agree with the labels.
type bounds struct {
	exact  float64
	near   float64
	spoken float64 // exact, among labels other than 0
}

// bar is what texts are held to that the scan has to read well.
var bar = bounds{
	exact:  0.80,
	near:   0.97,
	spoken: 0.55,
}

func (a agreement) check(t *testing.T, least bounds) {
	t.Helper()
	if share(a.exact, a.all) < least.exact {
		t.Errorf("%.3f are exact, want %.3f", share(a.exact, a.all), least.exact)
	}
	if share(a.near, a.all) < least.near {
		t.Errorf("%.3f are within one, want %.3f", share(a.near, a.all), least.near)
	}
	if share(a.spokenExact, a.spoken) < least.spoken {
		t.Errorf("%.3f of those that are not 0 are exact, want %.3f", share(a.spokenExact, a.spoken), least.spoken)
	}
}

func TestLevelsAgreeWithTheUnseenHalf(t *testing.T) {
	compare(t, "unseen.txt", readLabelled(t, "unseen.txt"), false).check(t, bar)
}

// Thirty texts in another manner. When first measured, with the frames alone, 0.859 were exact, 0.919
// within one, and 0.578 of those that are not 0 exact. They are below the bar: the bounds are what
// was reached.
func TestLevelsOfTheFreshSet(t *testing.T) {
	reached := bounds{
		exact:  0.843,
		near:   0.967,
		spoken: 0.577,
	}
	compare(t, "fresh.txt", readLabelled(t, "fresh.txt"), false).check(t, reached)
}

// Ninety texts by three other authors, whose words are seldom the usual ones. When first measured, with the
// frames alone, 0.843 were exact, 0.923 within one, and 0.68 of those that are not 0 exact. They are
// below the bar: the bounds are what was reached.
func TestLevelsOfOtherAuthors(t *testing.T) {
	reached := bounds{
		exact:  0.848,
		near:   0.965,
		spoken: 0.679,
	}
	compare(t, "others.txt", readLabelled(t, "others.txt"), false).check(t, reached)
}

// The rules were widened with these, so that the figures are no measure for other texts.
func TestLevelsAgreeWithTheSeenLabels(t *testing.T) {
	for _, file := range []string{"seen.txt", "wide.txt", "third.txt", "fourth.txt", "fifth.txt", "sixth.txt", "seventh.txt"} {
		compare(t, file, readLabelled(t, file), true).check(t, bar)
	}
	for _, file := range []string{"lines.txt", "sentences.txt", "doubles.txt", "voices.txt"} {
		compare(t, file, readLines(t, file), true).check(t, bar)
	}
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

// Sixty texts by another author, in the ordinary words of the field. When first measured, with the frames
// alone, 0.870 were exact, 0.935 within one, and 0.707 of those that are not 0 exact. The weights of
// the learned layer were chosen with these, the fresh set and those of other authors.
func TestLevelsOfPlainTexts(t *testing.T) {
	compare(t, "plain.txt", readLabelled(t, "plain.txt"), false).check(t, bar)
}

// A hundred texts as an examiner writes them; first measured with the frames alone 0.913 exact, 0.956
// within one, 0.704 of those that are not 0. Nothing was chosen with these.
func TestLevelsOfTheExam(t *testing.T) {
	compare(t, "exam.txt", readLabelled(t, "exam.txt"), false).check(t, bar)
}

// Seventy texts by another one, half in everyday words: 0.875 exact when they were measured first, 0.944
// within one, and 0.618 of those that are not 0. They are below the bar: the bounds are what was reached.
func TestLevelsOfTheGuests(t *testing.T) {
	reached := bounds{exact: 0.87, near: 0.95, spoken: 0.62}
	compare(t, "guests.txt", readLabelled(t, "guests.txt"), false).check(t, reached)
}

// Seventy texts by a further author, written after the layer was learned and measured once: 0.914 were
// exact, 0.975 within one, and 0.802 of those that are not 0 exact.
func TestLevelsOfTheBlindSet(t *testing.T) {
	compare(t, "blind.txt", readLabelled(t, "blind.txt"), false).check(t, bar)
}
