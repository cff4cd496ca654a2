package scan

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func scored(t *testing.T, text string) *Result {
	t.Helper()
	r, err := Describe(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// group returns the labelled texts whose name starts with a prefix, of all files.
func group(t *testing.T, prefix string) []labelled {
	t.Helper()
	var all []labelled
	for _, file := range []string{"seen.txt", "unseen.txt", "fourth.txt"} {
		for _, l := range readLabelled(t, file) {
			if strings.HasPrefix(l.name, prefix) {
				all = append(all, l)
			}
		}
	}
	return all
}

func TestNothingIsWorthNothing(t *testing.T) {
	for _, text := range []string{"", " \n\n\t", "...", "🍵"} {
		if r := scored(t, text); r.Score != 0 || len(r.Dimensions) != 9 || len(r.Gaps) != 3 {
			t.Errorf("%q: score %d, %d dimensions, %d gaps", text, r.Score, len(r.Dimensions), len(r.Gaps))
		}
	}
}

func TestWeightsMakeAHundred(t *testing.T) {
	sum := 0
	for _, topic := range topics {
		sum += topic.weight
	}
	if sum != 100 {
		t.Errorf("the weights make %d", sum)
	}
}

func TestListsOfNamesAreWorthTwelveAtMost(t *testing.T) {
	for _, l := range group(t, "stuffed") {
		if r := scored(t, l.text); r.Score > 12 {
			t.Errorf("%s: %d", l.name, r.Score)
		}
	}
}

func TestDenialsAreWorthFiveAtMost(t *testing.T) {
	for _, l := range group(t, "negated") {
		if r := scored(t, l.text); r.Score > 5 {
			t.Errorf("%s: %d", l.name, r.Score)
		}
	}
}

func TestAnAppendedListChangesLittle(t *testing.T) {
	stuffed := group(t, "stuffed")
	for _, l := range group(t, "honest") {
		before := scored(t, l.text).Score
		for _, s := range stuffed {
			after := scored(t, l.text+"\n\n"+s.text).Score
			if after < before-3 || after > before+3 {
				t.Errorf("%s with %s: %d instead of %d", l.name, s.name, after, before)
			}
		}
	}
}

func levels(r *Result) []int {
	var all []int
	for _, d := range r.Dimensions {
		all = append(all, d.Level)
	}
	return all
}

func TestParagraphsMayChangePlaces(t *testing.T) {
	cases := group(t, "")
	for i := range cases {
		parts := []string{cases[i].text, cases[(i+7)%len(cases)].text, cases[(i+31)%len(cases)].text}
		first := scored(t, strings.Join(parts, "\n\n"))
		slices.Reverse(parts)
		second := scored(t, strings.Join(parts, "\n\n"))
		if first.Score != second.Score || !slices.Equal(levels(first), levels(second)) {
			t.Errorf("%s: %d and %d, %v and %v", cases[i].name, first.Score, second.Score, levels(first), levels(second))
		}
	}
}

func TestWithoutItsEvidenceADimensionFalls(t *testing.T) {
	for _, l := range group(t, "honest") {
		r := scored(t, l.text)
		for i, d := range r.Dimensions {
			if d.Level < 2 || len(d.Evidence) != 1 {
				continue
			}
			rest := strings.Replace(l.text, d.Evidence[0].Quote, "", 1)
			if after := scored(t, rest).Dimensions[i].Level; after >= d.Level {
				t.Errorf("%s %s: still %d without %q", l.name, d.Name, after, d.Evidence[0].Quote)
			}
		}
	}
}

func TestParaphrasesAreWorthTheSame(t *testing.T) {
	raw, err := os.ReadFile("testdata/paraphrases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for pair := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		one, other, ok := strings.Cut(pair, "\n==\n")
		if !ok {
			continue
		}
		a, b := scored(t, one), scored(t, other)
		if a.Score-b.Score > 5 || b.Score-a.Score > 5 {
			t.Errorf("%d %v and %d %v: %s", a.Score, levels(a), b.Score, levels(b), pair)
		}
	}
}

func TestSpaceAndLineBreaksChangeNothing(t *testing.T) {
	for _, l := range group(t, "honest") {
		spaced := strings.ReplaceAll(l.text, " ", "  ")
		if a, b := scored(t, l.text), scored(t, spaced); a.Score != b.Score {
			t.Errorf("%s: %d and %d", l.name, a.Score, b.Score)
		}
	}
}

func TestAnswersAreTheSameBytes(t *testing.T) {
	var text strings.Builder
	for _, l := range group(t, "") {
		text.WriteString(l.text + "\n\n")
	}
	long := string([]rune(text.String())[:MaxPoints])

	var first []byte
	for range 20 {
		raw, err := json.Marshal(scored(t, long))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = raw
		}
		if string(first) != string(raw) {
			t.Fatal("two answers differ")
		}
	}
}

func TestLimits(t *testing.T) {
	if _, err := Describe(strings.Repeat("€", MaxPoints)); err != nil {
		t.Errorf("%d characters: %v", MaxPoints, err)
	}
	if _, err := Describe(strings.Repeat("€", MaxPoints+1)); err != ErrTooLong {
		t.Errorf("too long: %v", err)
	}
	if _, err := Describe("\xff"); err != ErrNotUTF8 {
		t.Errorf("not UTF-8: %v", err)
	}
}

func TestEveryClassOfAFrameIsInTheLexicon(t *testing.T) {
	made := map[string]bool{"next_run": true, "which_one": true} // by marks of the line
	known := words().classes
	check := func(classes string) {
		for class := range strings.SplitSeq(classes, "|") {
			if class != "" && !known[class] && !made[class] {
				t.Errorf("no class %q", class)
			}
		}
	}

	for _, topic := range topics {
		check(topic.names + "|" + topic.harm + "|" + topic.mechanism + "|" + topic.checks)
		for _, f := range topic.frames {
			check(f.anchor + "|" + f.not)
			for _, classes := range f.with {
				check(classes)
			}
		}
		if _, ok := advices[topic.name]; !ok {
			t.Errorf("%s has no advice", topic.name)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("No agent can edit protected files without human approval. Logs? We have none.")
	f.Add("- audit log ✅\n- **approval**: planned\n\n| a | b |\n|---|---|\n| egress | open |")
	f.Add("Never X without Y; “quoted” — dash… unless: it isn't so.")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Describe(text)
		if err != nil {
			return
		}
		if r.Score < 0 || r.Score > 100 || len(r.Dimensions) != 9 {
			t.Fatalf("score %d, %d dimensions", r.Score, len(r.Dimensions))
		}
		points := []rune(text)
		for _, d := range r.Dimensions {
			if d.Level < 0 || d.Level > 4 {
				t.Fatalf("level %d", d.Level)
			}
			for _, e := range d.Evidence {
				if !utf8.ValidString(e.Quote) || string(points[e.Start:e.End]) != e.Quote {
					t.Fatalf("%+v is not in the text", e)
				}
			}
		}
	})
}
