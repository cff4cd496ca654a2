package categorise

import (
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"

	"governance.internal/functions/bookkeeping/chart"
)

// label is one line of testdata/labels.txt.
type label struct {
	merchant, business string
	row                Row
	category           chart.Category
	kind               chart.Kind
	seen               bool
}

func readLabels(t *testing.T, file string) []label {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}

	var labels []label
	for line := range strings.Lines(string(raw)) {
		labels = append(labels, parseLabel(t, strings.TrimSpace(line)))
	}
	return labels
}

func parseLabel(t *testing.T, line string) label {
	parts := strings.Split(line+" ", "|")
	if len(parts) != 6 {
		t.Fatalf("%d parts: %s", len(parts), line)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}

	amount, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	l := label{
		merchant: parts[0],
		row:      Row{Description: parts[2], Minor: int64(amount * 100)},
		category: chart.Category(parts[3]),
		kind:     chart.Kind(parts[4]),
	}
	if !chart.Known(l.category) {
		t.Fatalf("no category: %s", line)
	}

	l.business, _ = strings.CutPrefix(parts[5], "business=")
	if code, ok := strings.CutPrefix(parts[5], "mcc="); ok {
		l.business, l.row.MCC = "", code
	}

	hash := fnv.New32a()
	hash.Write([]byte(l.merchant))
	l.seen = hash.Sum32()%2 == 0
	return l
}

// figures count verdicts of one half.
type figures struct {
	rows, categorised, right, kindRight, answerable, answered int
}

func (f *figures) add(t *testing.T, l label) {
	verdict := NewClerk(l.business, nil).Judge(l.row)
	f.rows++
	if l.category != chart.Uncategorised {
		f.answerable++
	}
	if verdict.Category == chart.Uncategorised {
		if l.seen && l.category != chart.Uncategorised && testing.Verbose() {
			t.Logf("open   %-60s %s", l.row.Description, l.category)
		}
		return
	}

	f.categorised++
	if l.category != chart.Uncategorised {
		f.answered++
	}
	if verdict.Category == l.category {
		f.right++
	} else if l.seen && testing.Verbose() {
		t.Logf("wrong  %-60s is %s, not %s (%s)", l.row.Description, l.category, verdict.Category, verdict.Reason)
	}
	if chart.KindOf(verdict.Category, l.row.Minor) == l.kind {
		f.kindRight++
	}
}

func (f *figures) accuracy() float64 { return float64(f.right) / float64(f.categorised) }
func (f *figures) coverage() float64 { return float64(f.answered) / float64(f.answerable) }

func TestCategoriesOfLabelledRows(t *testing.T) {
	if n := len(readLabels(t, "labels.txt")); n < 300 {
		t.Errorf("there are %d labels", n)
	}
	for _, file := range []string{"labels.txt", "further.txt", "third.txt"} {
		t.Run(file, func(t *testing.T) { measure(t, readLabels(t, file)) })
	}
}

// measure prints and judges the figures of both halves.
func measure(t *testing.T, labels []label) {
	var seen, unseen figures
	for _, l := range labels {
		if l.seen {
			seen.add(t, l)
			continue
		}
		unseen.add(t, l)
	}

	for _, half := range []struct {
		name string
		f    *figures
	}{{"seen", &seen}, {"unseen", &unseen}} {
		t.Logf("%s half: %d rows, accuracy %.3f of %d categorised, coverage %.3f, kinds %.3f",
			half.name, half.f.rows, half.f.accuracy(), half.f.categorised, half.f.coverage(),
			float64(half.f.kindRight)/float64(half.f.categorised))
		if half.f.accuracy() < 0.92 || half.f.coverage() < 0.80 {
			t.Errorf("%s half: accuracy %.3f at coverage %.3f", half.name, half.f.accuracy(), half.f.coverage())
		}
	}
}
