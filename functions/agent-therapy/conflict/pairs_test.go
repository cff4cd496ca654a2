package conflict

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
)

// pair is two labelled instructions.
type pair struct {
	name      string
	conflicts bool
	fields    map[string]string
}

func readPairs(t *testing.T, file string) []pair {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var pairs []pair
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "+ "), strings.HasPrefix(line, "- "):
			pairs = append(pairs, pair{line[2:], line[0] == '+', map[string]string{}})
		default:
			key, value, ok := strings.Cut(line, ": ")
			if !ok {
				t.Fatalf("%s: cannot read %q", file, line)
			}
			pairs[len(pairs)-1].fields[key] = value
		}
	}
	return pairs
}

// plant puts the two instructions far apart into a document of its own, or into two.
func plant(t *testing.T, p pair, background string) (docs []*document.Document, a, b document.Quote) {
	t.Helper()
	raw, err := os.ReadFile(background)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)

	nameA, nameB := p.fields["af"], p.fields["bf"]
	if nameA == "" {
		text = fill(text, p, true, true)
		d := read("AGENTS.md", text)
		return []*document.Document{d}, quoteOf(t, d, p.fields["a"]), quoteOf(t, d, p.fields["b"])
	}

	first := read(nameA, fill(text, p, true, false))
	second := read(nameB, fill("# Notes\n\n%A%\n\n## More\n\n%B%\n", p, false, true))
	return []*document.Document{first, second}, quoteOf(t, first, p.fields["a"]), quoteOf(t, second, p.fields["b"])
}

func fill(text string, p pair, a, b bool) string {
	text = strings.Replace(text, "%A%", slot(p, "a", a), 1)
	return strings.Replace(text, "%B%", slot(p, "b", b), 1)
}

func slot(p pair, key string, used bool) string {
	if !used {
		return ""
	}
	line := "- " + p.fields[key]
	if heading := p.fields[key+"h"]; heading != "" {
		line = "## " + heading + "\n\n" + line
	}
	return line
}

func read(name, text string) *document.Document {
	kind := document.Rules
	header := map[string]string{"python.mdc": "**/*.py", "typescript.mdc": "**/*.ts"}
	if globs := header[filepath.Base(name)]; globs != "" {
		text = "---\nglobs: " + globs + "\n---\n" + text
	}
	return document.Read(document.NewSource(name, text), kind)
}

// quoteOf returns the place of a planted instruction.
func quoteOf(t *testing.T, d *document.Document, text string) document.Quote {
	t.Helper()
	at := strings.LastIndex(d.Text, text)
	if at < 0 {
		t.Fatalf("%q is not planted", text)
	}
	return d.Quote(at, at+len(text), at)
}

// score counts how conflicts were found.
type score struct {
	pairs, found, alerts, wrong int
	missed, extra               []string
}

func measure(t *testing.T, file string) score {
	t.Helper()
	backgrounds, err := filepath.Glob("testdata/backgrounds/*.md")
	if err != nil || len(backgrounds) == 0 {
		t.Fatal("no backgrounds", err)
	}

	var s score
	for i, p := range readPairs(t, file) {
		docs, a, b := plant(t, p, backgrounds[i%len(backgrounds)])
		var all []*directive.Directive
		for _, d := range docs {
			all = append(all, directive.Read(d)...)
		}
		s.count(p, a, b, Find(all))
	}
	return s
}

// count compares what was found with the label of one pair.
func (s *score) count(p pair, a, b document.Quote, conflicts []Conflict) {
	if p.conflicts {
		s.pairs++
	}

	hit := false
	for _, c := range conflicts {
		s.alerts++
		gotA, gotB := c.Quotes()
		lines := []string{key(gotA), key(gotB)}
		right := p.conflicts && slices.Contains(lines, key(a)) && slices.Contains(lines, key(b))
		if !right {
			s.wrong++
			s.extra = append(s.extra, fmt.Sprintf("%s: %s %q %q (%s)", p.name, c.Code, gotA.Quote, gotB.Quote, c.Why))
			continue
		}
		hit = true
	}

	switch {
	case hit:
		s.found++
	case p.conflicts:
		s.missed = append(s.missed, fmt.Sprintf("%s: %q %q", p.name, p.fields["a"], p.fields["b"]))
	}
}

func key(q document.Quote) string { return fmt.Sprintf("%s:%d", q.File, q.Line) }

func (s *score) recall() float64 { return float64(s.found) / float64(s.pairs) }

func (s *score) precision() float64 {
	if s.alerts == 0 {
		return 0
	}
	return float64(s.alerts-s.wrong) / float64(s.alerts)
}

// labelledPart is a file of labelled pairs and what must be reached on it. The misses of a blind part are not
// printed, so that rules are not tuned on it.
type labelledPart struct {
	file              string
	recall, precision float64
	blind             bool
}

// The trees were grown with all parts but unseen, last and later, so that the figures of the others are no
// measure for other texts; `go run ./functions/agent-therapy/train` prints figures out of fold.
var parts = []labelledPart{
	{"seen", 0.90, 0.95, false},
	{"dev", 0.80, 0.90, false},
	{"dev2", 0.75, 0.90, false},
	{"plain", 0.85, 0.88, false},
	{"plain2", 0.75, 0.90, false},
	{"plain3", 0.55, 0.90, false},
	{"plain4", 0.75, 0.85, false}, // 0.475 and 0.89 when it was first measured
	{"unseen", 0.80, 0.90, true},
	{"last", 0.60, 0.80, true},   // 0.69 and 0.92 when it was measured first; 16 pairs
	{"later", 0.60, 0.85, true},  // 0.14 and 0.75 when it was first measured, before rules learned from it
	{"others", 0.25, 0.80, true}, // 0.02 when it was first measured: the lines of its pairs share no words
}

func TestLabelledPairs(t *testing.T) {
	for _, p := range parts {
		s := measure(t, "testdata/pairs/"+p.file+".txt")
		t.Logf("%s: recall %.3f of %d, precision %.3f of %d alerts", p.file, s.recall(), s.pairs, s.precision(), s.alerts)

		if !p.blind {
			for _, line := range append(s.missed, s.extra...) {
				t.Log(line)
			}
		}
		if s.recall() < p.recall || s.precision() < p.precision {
			t.Errorf("%s: recall %.3f and precision %.3f, want %.2f and %.2f", p.file, s.recall(), s.precision(), p.recall, p.precision)
		}
	}
}
