package risks

import (
	"os"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/legal-prep/text"
)

// snippet is a labelled text.
type snippet struct {
	with, without []string
	text          string
}

func snippets(t *testing.T) []snippet {
	t.Helper()
	raw, err := os.ReadFile("testdata/snippets.txt")
	if err != nil {
		t.Fatal(err)
	}

	var all []snippet

	for block := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		labels, body, ok := strings.Cut(block, "\n")
		if !ok || strings.HasPrefix(labels, "#") {
			continue
		}
		s := snippet{text: body}
		for _, label := range strings.Fields(labels) {
			if label[0] == '+' {
				s.with = append(s.with, label[1:])
			} else {
				s.without = append(s.without, label[1:])
			}
		}
		all = append(all, s)
	}
	return all
}

// leastRight is the share of labels that the rules must get right.
const leastRight = 0.97

func TestLabelledSnippets(t *testing.T) {
	right, wrong := 0, 0
	judge := func(s snippet, code string, want, got bool) {
		if got == want {
			right++
			return
		}
		wrong++
		t.Logf("%s: found %v, want %v: %s", code, got, want, s.text)
	}

	for _, s := range snippets(t) {
		findings := Find(text.New(s.text))
		has := func(code string) bool {
			return slices.ContainsFunc(findings, func(f Finding) bool { return f.Code == code })
		}
		for _, code := range s.with {
			judge(s, code, true, has(code))
		}
		for _, code := range s.without {
			judge(s, code, false, has(code))
		}
	}

	share := float64(right) / float64(right+wrong)
	t.Logf("%d of %d labels right", right, right+wrong)
	if share < leastRight {
		t.Errorf("%.3f of the labels are right, want %.2f", share, leastRight)
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	for _, r := range sentenceRules() {
		if _, ok := abouts[r.code]; !ok && r.code != "indemnity" {
			t.Errorf("%s has no explanation", r.code)
		}
	}

	for code, a := range abouts {
		if a.title == "" || a.why == "" || a.question == "" || a.severity == "" {
			t.Errorf("%s is not explained in full", code)
		}
	}
}
