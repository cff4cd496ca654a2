package lint_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// corpus is the folder of labelled configurations outside the repository.
const corpus = "../../../shared/corpus"

// labelFile maps file names to servers to "CODE:severity", the gravest of each code.
type labelFile map[string]map[string][]string

func readLabels(t *testing.T, set string) (labelFile, string) {
	t.Helper()
	folder := filepath.Join(corpus, set)
	raw, err := os.ReadFile(filepath.Join(folder, "labels.json"))
	labels := labelFile{}
	if errors.Is(err, fs.ErrNotExist) {
		// An extra for those who have it, so no skip: the project's own cases are the test.
		t.Logf("the corpus is not on this machine: %v", err)
		return labels, folder
	}
	if err != nil {
		t.Fatal(err)
	}
	if set == "mcp-adversarial" {
		var cases map[string]struct{ Labels map[string][]string }
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		for name, c := range cases {
			labels[name] = c.Labels
		}
		return labels, folder
	}
	var file struct {
		Labels map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for name, servers := range file.Labels {
		labels[name] = map[string][]string{}
		for server, label := range servers {
			var codes []string
			if json.Unmarshal(label, &codes) != nil {
				codes = []string{"input error"}
			}
			labels[name][server] = codes
		}
	}
	return labels, folder
}

// gravest reduces the findings of a server to "CODE:severity".
func gravest(r lint.Result, server string) []string {
	worst := map[string]lint.Severity{}
	order := []lint.Severity{"", lint.Info, lint.Warn, lint.Error}
	for _, f := range r.Findings {
		if f.Server == server && slices.Index(order, f.Severity) > slices.Index(order, worst[f.Code]) {
			worst[f.Code] = f.Severity
		}
	}
	out := []string{}
	for _, code := range slices.Sorted(maps.Keys(worst)) {
		out = append(out, code+":"+string(worst[code]))
	}
	return out
}

// tally counts servers for which a code was rightly found, wrongly found, or missed.
type tally struct{ right, wrong, missed int }

func (c tally) ratio(other int) float64 {
	if c.right+other == 0 {
		return 1
	}
	return float64(c.right) / float64(c.right+other)
}

func TestCorpus(t *testing.T) {
	for _, set := range []string{"mcp-configs", "mcp-adversarial"} {
		t.Run(set, func(t *testing.T) { measure(t, set) })
	}
}

func measure(t *testing.T, set string) {
	labels, folder := readLabels(t, set)
	counts := map[string]*tally{}
	for _, code := range []string{"MCP001", "MCP002", "MCP003", "MCP004", "MCP005", "MCP006", "MCP007", "MCP008"} {
		counts[code] = &tally{}
	}
	servers, inexact := 0, 0
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		doc, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		result, err := lint.Lint(doc)
		if want, ok := labels[name]["_expect"]; ok {
			var input *lint.InputError
			if !errors.As(err, &input) {
				t.Errorf("%s: want an InputError (%v), got %v", name, want, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if result.Summary.Servers != len(labels[name]) {
			t.Errorf("%s: %d servers, want %d", name, result.Summary.Servers, len(labels[name]))
		}
		for _, server := range slices.Sorted(maps.Keys(labels[name])) {
			want, got := slices.Clone(labels[name][server]), gravest(result, server)
			slices.Sort(want)
			servers++
			compare(counts, want, got)
			if !slices.Equal(want, got) {
				inexact++
				report := t.Logf
				if set == "mcp-adversarial" || len(want) == 0 {
					report = t.Errorf
				}
				report("%s %q: want %v, got %v", name, server, want, got)
			}
		}
	}
	t.Logf("%s: %d files, %d servers, %d with another set of codes and severities than labelled", set, len(labels), servers, inexact)
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		c := counts[code]
		precision, recall := c.ratio(c.wrong), c.ratio(c.missed)
		t.Logf("%s  right %3d  wrong %d  missed %d  precision %.3f  recall %.3f", code, c.right, c.wrong, c.missed, precision, recall)
		if precision < 0.98 || recall < 0.95 {
			t.Errorf("%s: precision %.3f (want 0.98), recall %.3f (want 0.95)", code, precision, recall)
		}
	}
}

func compare(counts map[string]*tally, want, got []string) {
	has := func(list []string, code string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, code) })
	}
	for code, c := range counts {
		switch {
		case has(want, code) && has(got, code):
			c.right++
		case has(got, code):
			c.wrong++
		case has(want, code):
			c.missed++
		}
	}
}
