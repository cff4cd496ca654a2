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

// count compares what is found in a file with its labels.
func (s *sum) count(t *testing.T, l labelled) {
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
	}

	for _, pair := range l.Conflicts {
		s.conflicts++
		if wanted[l.lines(t, pair)] {
			s.found++
		}
	}
	s.lines += strings.Count(l.text, "\n")
}

// Ninety files by three authors who did not know the rules, in the manner of real ones: three conflicts in
// each, told in everyday words, and three pairs that only look like some. At first sight the rules found 0.044
// of them, with 10.2 wrong alerts in 1,000 lines. The trees were grown with these files.
func TestLabelledFiles(t *testing.T) {
	measureFiles(t, "files/*", 0.75, 0.90)
}

// Forty files as an examiner writes them: conflicts that a reader sees at once, told as different authors
// tell them, and eight files without any. No tree was grown with them. At first sight the rules found 0.135 of
// the conflicts with a precision of 0.42.
func TestExamFiles(t *testing.T) {
	measureFiles(t, "exam", 0.60, 0.80)
}

// Thirty-two others by a further author. At first sight the rules alone found 0.128 with a precision of 0.42,
// the trees 0.321 with 0.735; no tree was grown with them.
func TestBlindFiles(t *testing.T) {
	measureFiles(t, "blind", 0.47, 0.83)
}

// Thirty-two others by a stranger, from which nothing learned. The trees that did not know what words mean found
// 0.385 with a precision of 0.857.
func TestFilesByAStranger(t *testing.T) {
	measureFiles(t, "strangers", 0.60, 0.80)
}

// Forty more by another one, from which nothing learned either. The trees alone found 0.635 with a precision of
// 0.726.
func TestFilesByAGuest(t *testing.T) {
	measureFiles(t, "guests", 0.65, 0.82)
}

// measureFiles judges the files of a folder and holds the figures to bounds.
func measureFiles(t *testing.T, folder string, leastRecall, leastPrecision float64) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}

	var s sum
	for _, file := range files {
		s.count(t, readLabelled(t, file))
	}
	recall := float64(s.found) / float64(s.conflicts)
	precision := float64(s.found) / float64(max(s.alerts, 1))
	wrong := float64(s.alerts-s.found) * 1000 / float64(s.lines)
	t.Logf("recall %.3f of %d, precision %.3f, %d near misses, %.1f wrong in 1,000 lines", recall, s.conflicts, precision, s.near, wrong)
	if recall < leastRecall || precision < leastPrecision {
		t.Errorf("recall under %.2f or precision under %.2f", leastRecall, leastPrecision)
	}
}
