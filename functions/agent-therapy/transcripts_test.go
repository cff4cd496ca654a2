package agenttherapy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// shown is what a labelled transcript shows, by the name that its author gave it.
type shown struct {
	Kind, Quote, Rule string
}

// codesOf are our codes for what the author calls otherwise. An error that is passed over has none.
var codesOf = map[string]string{
	"breach":              "breach",
	"ungrounded":          "ungrounded_success_claim",
	"loop":                "loop",
	"repeated_correction": "repeated_correction",
	"approval_ignored":    "ignored_approval",
	"scope_growth":        "scope_creep",
	"lost_context":        "lost_context",
}

// Twenty transcripts in many forms by an author who did not know the rules. When first measured 6 of 25
// were found, 1 was wrong, and 5 transcripts were not read as such.
func TestLabelledTranscripts(t *testing.T) { judgeTranscripts(t, "testdata/transcripts", 19, 0) }

// Twenty others in forms that are seldom. When first measured 4 of 27 were found, 1 was wrong, and 9
// transcripts were not read as such.
func TestOtherTranscripts(t *testing.T) { judgeTranscripts(t, "testdata/transcripts2", 16, 0) }

// Thirty by a third author, as an examiner writes them. When first measured 14 of 35 were found, 1 was wrong,
// and all were read as transcripts. Those of odd numbers were looked at since.
func TestExamTranscripts(t *testing.T) { judgeTranscripts(t, "testdata/transcripts3", 20, 0) }

// Twenty-four by a fourth author, written after the rules. When first measured 13 of 24 were found, 1 was wrong,
// and all were read as transcripts.
func TestBlindTranscripts(t *testing.T) { judgeTranscripts(t, "testdata/transcripts4", 15, 0) }

// judgeTranscripts compares what is found in the transcripts of a folder with their labels.
func judgeTranscripts(t *testing.T, folder string, least, mostWrong int) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, "labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	var labels map[string][]shown
	if err := json.Unmarshal(raw, &labels); err != nil {
		t.Fatal(err)
	}

	wanted, found, wrong := 0, 0, 0
	for name, list := range labels {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		codes := codesIn(t, name, string(text))

		var known []string
		for _, one := range list {
			code, ok := codesOf[one.Kind]
			if !ok || slices.Contains(known, code) {
				continue
			}
			known = append(known, code)
			wanted++
			if slices.Contains(codes, code) {
				found++
			} else {
				t.Logf("%s: no %s: %q %q", name, code, one.Quote, one.Rule)
			}
		}
		for _, code := range codes {
			if !slices.Contains(known, code) {
				wrong++
				t.Logf("%s: wrongly %s", name, code)
			}
		}
	}

	t.Logf("%d of %d found, %d wrong", found, wanted, wrong)
	if found < least || wrong > mostWrong {
		t.Errorf("less than %d found, or more than %d wrong", least, mostWrong)
	}
}

// codesIn returns the codes of the patterns in a transcript, with "breach" for a rule that is broken.
func codesIn(t *testing.T, name, text string) (codes []string) {
	t.Helper()
	d, err := Diagnose(Input{Files: []File{{name, text}}})
	if err != nil {
		t.Logf("%s: %v", name, err)
		return nil
	}
	if d.Kind != "transcript" {
		t.Logf("%s is read as %s", name, d.Kind)
	}

	for _, p := range d.Patterns {
		codes = append(codes, p.Code)
	}
	if len(d.Breaches) > 0 {
		codes = append(codes, "breach")
	}
	return codes
}
