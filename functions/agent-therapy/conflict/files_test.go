package conflict

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/directive"
)

// labelled is a whole file of instructions with its conflicts, and pairs that only look like some.
type labelled struct {
	Conflicts, Near [][2]string

	text string
}

func readLabelled(t *testing.T, file string) labelled {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var l labelled
	if err := json.Unmarshal(raw, &l); err != nil {
		t.Fatalf("%s: %v", file, err)
	}

	text, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".md")
	if err != nil {
		t.Fatal(err)
	}
	l.text = string(text)
	return l
}

// lines returns the numbers of the lines of a pair, the smaller first.
func (l labelled) lines(t *testing.T, pair [2]string) [2]int {
	t.Helper()
	var lines [2]int
	for i, quote := range pair {
		at := strings.Index(l.text, quote)
		if at < 0 {
			t.Fatalf("%q is not in the file", quote)
		}
		lines[i] = strings.Count(l.text[:at], "\n") + 1
	}
	slices.Sort(lines[:])
	return lines
}

// sum counts what was found in files.
type sum struct {
	conflicts, found, alerts, near, lines int
}

// count compares what is found in a file with its labels, and tells what differs.
func (s *sum) count(t *testing.T, l labelled, tell func(kind, a, b, why string)) {
	t.Helper()
	wanted := map[[2]int]bool{}
	for _, pair := range l.Conflicts {
		wanted[l.lines(t, pair)] = false
	}
	near := map[[2]int]bool{}
	for _, pair := range l.Near {
		near[l.lines(t, pair)] = true
	}

	for _, c := range Find(directive.Read(read("AGENTS.md", l.text))) {
		a, b := c.Quotes()
		lines := [2]int{min(a.Line, b.Line), max(a.Line, b.Line)}
		s.alerts++
		if known, ok := wanted[lines]; ok {
			if known {
				s.alerts-- // the same pair again
			}
			wanted[lines] = true
			continue
		}
		if near[lines] {
			s.near++
		}
		tell("wrong", a.Quote, b.Quote, c.Code+": "+c.Why)
	}

	for _, pair := range l.Conflicts {
		s.conflicts++
		if wanted[l.lines(t, pair)] {
			s.found++
			continue
		}
		tell("missed", pair[0], pair[1], "")
	}
	s.lines += strings.Count(l.text, "\n")
}

// Ninety files by three authors who did not know the rules, in the manner of real ones: three
// conflicts in each, told in everyday words, and three pairs that only look like some. Files of odd
// numbers may be looked at; those of even ones show how the rules do on files that nobody looked at.
func TestLabelledFiles(t *testing.T) {
	var told strings.Builder
	for _, half := range []string{"odd", "even"} {
		s := measureFiles(t, half, func(kind, a, b, why string) {
			if half == "odd" {
				told.WriteString(kind + "\t" + a + "\t" + b + "\t" + why + "\n")
			}
		})

		recall := float64(s.found) / float64(s.conflicts)
		wrong := float64(s.alerts-s.found) * 1000 / float64(s.lines)
		t.Logf("%s: recall %.3f of %d, %d of %d alerts wrong (%d near misses), %.1f wrong in 1,000 lines", half, recall, s.conflicts, s.alerts-s.found, s.alerts, s.near, wrong)
		if recall < leastFound || wrong > mostWrongLines {
			t.Errorf("%s: recall under %.3f or over %.1f wrong alerts in 1,000 lines", half, leastFound, mostWrongLines)
		}
	}

	if out := os.Getenv("FILES_OUT"); out != "" {
		if err := os.WriteFile(out, []byte(told.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Bounds of what was measured. At first sight recall was 0.044, with 10.2 wrong alerts in 1,000 lines.
const (
	leastFound     = 0.025
	mostWrongLines = 4.5
)

func measureFiles(t *testing.T, half string, tell func(kind, a, b, why string)) sum {
	t.Helper()
	files, err := filepath.Glob("testdata/files/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}

	var s sum
	for _, file := range files {
		number := strings.TrimSuffix(filepath.Base(file), ".json")
		isOdd := (number[len(number)-1]-'0')%2 == 1
		if isOdd == (half == "odd") {
			s.count(t, readLabelled(t, file), tell)
		}
	}
	return s
}
