package boundary

import (
	"os"
	"slices"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/document"
)

func TestLabelledGaps(t *testing.T) {
	raw, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}

	right, all := 0, 0
	for block := range strings.SplitSeq(string(raw), "\n== ") {
		head, text, _ := strings.Cut(block, "\n")
		if strings.HasPrefix(head, "#") {
			continue
		}
		fields := strings.Fields(head)

		var got []string
		for _, gap := range Find(document.Read(document.NewSource("", text), document.Prompt)) {
			got = append(got, gap.Code)
		}

		for _, code := range []string{NoStop, NoFailure, NoData, Unlimited, NoOwner} {
			all++
			if slices.Contains(fields[1:], code) == slices.Contains(got, code) {
				right++
				continue
			}
			t.Logf("%s: %s is labelled %v", fields[0], code, slices.Contains(fields[1:], code))
		}
	}

	t.Logf("%d of %d labels right", right, all)
	if 10*right < 9*all {
		t.Errorf("%d of %d labels are right", right, all)
	}
}
