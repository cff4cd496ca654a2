package framework_test

import (
	"os"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/framework"
)

// labelled are the changes of a file in testdata; README.txt there says how they are written.
func labelled(t *testing.T, name string) (diffs []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(strings.ReplaceAll(line, "␤", "\n"), " ¦ ")
		before, after, ok := strings.Cut(fields[len(fields)-1], " ⇒ ")
		if !ok || len(fields) < 2 {
			t.Fatalf("%s: %q", name, line)
		}
		lines := prefixed("-", before) + prefixed("+", after)
		if len(fields) == 3 {
			lines = prefixed(" ", fields[1]) + lines
		}
		diffs = append(diffs, "--- a/"+fields[0]+"\n+++ b/"+fields[0]+"\n@@ -7,3 +7,3 @@\n"+lines)
	}
	return diffs
}

func prefixed(sign, text string) string {
	return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
}

// What may be wording after all is called LOGIC with low confidence, as is a file of a kind that
// nothing here can read.
func TestDoubtIsSaid(t *testing.T) {
	for name, change := range map[string][3]string{
		"a sentence in an unknown format": {"a.xyz", "greeting = Welcome to our little shop", "greeting = Welcome to our small shop"},
		"bytes of an unknown format":      {"b.bin2", "1f8b0800", "1f8b0900"},
	} {
		diff := "--- a/" + change[0] + "\n+++ b/" + change[0] + "\n@@ -7,1 +7,1 @@\n-" + change[1] + "\n+" + change[2] + "\n"
		if got := framework.Classify(diff); got.Kind == "LOGIC" && got.Confidence != "low" {
			t.Errorf("%s: %s with confidence %s: %v", name, got.Kind, got.Confidence, got.Evidence)
		}
	}
}

// Wording is recognised in whatever format it is, and what programs act on never passes for
// it. A wrong DATA is worse than a wrong LOGIC, which only asks a person: so some of the
// wording may be missed, and then the answer says that it is not sure.
func TestWordingIsToldFromLogic(t *testing.T) {
	for _, c := range []struct {
		name, want string
		missed     int // at most; of the held-out ones as many as on the first try
	}{{"data.txt", "DATA", 0}, {"logic.txt", "LOGIC", 0}, {"held_data.txt", "DATA", 2}, {"held_logic.txt", "LOGIC", 1}} {
		changes := labelled(t, c.name)
		wrong, sure := 0, 0
		for _, change := range changes {
			got := framework.Classify(change)
			if got.Kind == c.want {
				continue
			}
			wrong++
			if got.Confidence == "high" {
				sure++
			}
			t.Logf("%s\nis %s (%s): %v", change, got.Kind, got.Confidence, got.Evidence)
		}
		t.Logf("%s: %d of %d right, %d wrong with high confidence", c.name, len(changes)-wrong, len(changes), sure)
		if wrong > c.missed || sure > 0 {
			t.Errorf("%s: %d wrong, %d of them with high confidence", c.name, wrong, sure)
		}
	}
}
