package operator

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/transcript"
)

// labelled is a transcript with the patterns that it shows: the code and the turns for evidence.
type labelled struct {
	name   string
	labels map[string][]int
	text   string
}

func readLabelled(t *testing.T, file string) []labelled {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var all []labelled
	for block := range strings.SplitSeq(string(raw), "\n== ") {
		name, rest, _ := strings.Cut(block, "\n")
		if strings.HasPrefix(name, "#") {
			continue
		}
		one := labelled{name: name, labels: map[string][]int{}}
		for line := range strings.Lines(rest) {
			if label, ok := strings.CutPrefix(line, "@ "); ok {
				one.addLabel(t, label)
				continue
			}
			one.text += line
		}
		all = append(all, one)
	}
	return all
}

func (l *labelled) addLabel(t *testing.T, label string) {
	t.Helper()
	fields := strings.Fields(label)
	for _, field := range fields[1:] {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		l.labels[fields[0]] = append(l.labels[fields[0]], n)
	}
}

// tally counts labels that were found and codes that are wrong.
type tally struct {
	labels, found, placed, extra int
	notes                        []string
}

func (s *tally) count(t *testing.T, l labelled, name, text string) {
	t.Helper()
	tr := transcript.Read(document.NewSource(name, text))
	patterns := Find(tr)
	s.labels += len(l.labels)

	got := map[string]Pattern{}
	for _, p := range patterns {
		got[p.Code] = p
		if _, ok := l.labels[p.Code]; !ok {
			s.extra++
			s.notes = append(s.notes, fmt.Sprintf("%s: extra %s %+v", l.name, p.Code, p.Evidence))
		}
	}

	for code, turns := range l.labels {
		p, ok := got[code]
		if !ok {
			s.notes = append(s.notes, fmt.Sprintf("%s: missed %s", l.name, code))
			continue
		}
		s.found++
		if slices.ContainsFunc(p.Evidence, func(q transcript.Quote) bool { return slices.Contains(turns, q.Line) }) {
			s.placed++
		}
		checkQuotes(t, text, p)
	}
}

// checkQuotes fails for a quote that does not stand at its offsets.
func checkQuotes(t *testing.T, text string, p Pattern) {
	t.Helper()
	points := []rune(text)
	for _, q := range p.Evidence {
		if q.Quote == "" || string(points[q.Start:q.End]) != q.Quote {
			t.Errorf("%s: %q does not stand at [%d,%d)", p.Code, q.Quote, q.Start, q.End)
		}
	}
}

func TestLabelledTranscripts(t *testing.T) {
	for _, half := range []string{"seen", "unseen", "later"} {
		var s tally
		for _, l := range readLabelled(t, "testdata/"+half+".txt") {
			s.count(t, l, l.name+".txt", l.text)
		}
		s.report(t, half, half != "unseen")
	}
}

func (s *tally) report(t *testing.T, name string, tell bool) {
	t.Helper()
	t.Logf("%s: %d of %d patterns found, %d at the right turn, %d extra", name, s.found, s.labels, s.placed, s.extra)
	if tell {
		for _, note := range s.notes {
			t.Log(note)
		}
	}
	if 10*s.found < 8*s.labels || s.placed < s.found || 10*s.extra > s.labels {
		t.Errorf("%s: too few patterns are right", name)
	}
}

func TestFormsOfAgents(t *testing.T) {
	raw, err := os.ReadFile("testdata/native/labels.txt")
	if err != nil {
		t.Fatal(err)
	}

	var s tally
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, label, _ := strings.Cut(line, " ")
		text, err := os.ReadFile("testdata/native/" + name)
		if err != nil {
			t.Fatal(err)
		}
		l := labelled{name: name, labels: map[string][]int{}}
		l.addLabel(t, label)
		s.count(t, l, name, string(text))
	}
	s.report(t, "native", true)
}
