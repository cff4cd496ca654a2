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

func snippets(t *testing.T, file string) []snippet {
	t.Helper()
	raw, err := os.ReadFile(file)
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

// tally counts labels that the rules get right, and logs the others if asked to.
type tally struct {
	right, wrong int
}

func (n *tally) judge(t *testing.T, s snippet, show bool) {
	findings := Find(text.New(s.text))
	has := func(code string) bool {
		return slices.ContainsFunc(findings, func(f Finding) bool { return f.Code == code })
	}
	compare := func(code string, want bool) {
		if has(code) == want {
			n.right++
			return
		}
		n.wrong++
		if show {
			t.Logf("%s: want %v: %s", code, want, s.text)
		}
	}

	for _, code := range s.with {
		compare(code, true)
	}
	for _, code := range s.without {
		compare(code, false)
	}
}

func (n *tally) share() float64 { return float64(n.right) / float64(n.right+n.wrong) }

// leastRight is the share of labels that the rules must get right.
const leastRight = 0.97

func TestLabelledSnippets(t *testing.T) {
	var n tally
	for _, s := range snippets(t, "testdata/snippets.txt") {
		n.judge(t, s, true)
	}

	t.Logf("%d of %d labels right", n.right, n.right+n.wrong)
	if n.share() < leastRight {
		t.Errorf("%.3f of the labels are right, want %.2f", n.share(), leastRight)
	}
}

// The paraphrases were labelled after the first rules. Every second one is never looked at when
// a rule changes, and its texts are not logged; their share is what other texts can expect.
func TestParaphrases(t *testing.T) {
	const leastSeen, leastUnseen = 0.97, 0.90
	var seen, unseen tally
	for i, s := range snippets(t, "testdata/paraphrases.txt") {
		if i%2 == 1 {
			unseen.judge(t, s, false)
		} else {
			seen.judge(t, s, true)
		}
	}

	t.Logf("seen %.3f of %d labels right, unseen %.3f of %d", seen.share(), seen.right+seen.wrong, unseen.share(), unseen.right+unseen.wrong)
	if seen.share() < leastSeen || unseen.share() < leastUnseen {
		t.Errorf("seen %.3f, want %.2f; unseen %.3f, want %.2f", seen.share(), leastSeen, unseen.share(), leastUnseen)
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
