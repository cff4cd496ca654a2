package agenttherapy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fullInput is a document of 256 KB: the backgrounds over and over, with other names.
func fullInput(tb testing.TB) Input {
	tb.Helper()
	backgrounds, err := filepath.Glob("conflict/testdata/backgrounds/*.md")
	if err != nil || len(backgrounds) == 0 {
		tb.Fatal("no backgrounds", err)
	}

	var b strings.Builder
	for i := 0; b.Len() < MaxBytes-4096; i++ {
		raw, err := os.ReadFile(backgrounds[i%len(backgrounds)])
		if err != nil {
			tb.Fatal(err)
		}
		part := strings.Replace(string(raw), "%A%", fmt.Sprintf("- Never edit module%d/config.yml.", i), 1)
		part = strings.Replace(part, "%B%", fmt.Sprintf("- Use at most %d words for note%d.", i+10, i), 1)
		b.WriteString(part)
	}
	return Input{Text: b.String()[:min(b.Len(), MaxBytes)]}
}

// longestDiagnosis is the time for an input of the largest size, which takes less than a second, with
// room for a busy machine and the race detector.
const longestDiagnosis = 30 * time.Second

func TestLargestInputIsQuick(t *testing.T) {
	in := fullInput(t)
	start := time.Now()
	if _, err := Diagnose(in); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("%d bytes in %v", len(in.Text), took)
	if took > longestDiagnosis {
		t.Errorf("took %v, want at most %v", took, longestDiagnosis)
	}
}

// hostileTexts are lines that make much work of little text, by what they make much of.
var hostileTexts = map[string]func(i int) string{
	"prohibitions in one sentence": func(i int) string { return fmt.Sprintf("never delete the row%d, and ", i) },
	"commands": func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf("- Never run `git push %d`.\n", i)
		}
		return fmt.Sprintf("- Run `git push x%d`.\n", i)
	},
	"orders": func(i int) string {
		return fmt.Sprintf("- Test the module%d before you deploy the module%d.\n", i%60, i%59)
	},
	"sentences of many clauses": func(i int) string {
		clause := func(k int) string {
			return fmt.Sprintf("never drop the table%d and always keep the view%d, ", (i+k)%300, (i+7*k)%300)
		}
		return "- " + strings.Repeat(clause(1)+clause(2)+clause(3), 4) + "end.\n"
	},
	"words of many groups": func(i int) string {
		return fmt.Sprintf("- Refund the apology%d for tabs, spaces, rebases, salaries and storyboards of invoice%d.\n", i%90, i%70)
	},
	"contradictions": func(i int) string {
		return fmt.Sprintf("- Never edit the page%d.\n- Always edit the page%d.\n", i%60, i%59)
	},
}

func TestHostileInputIsQuick(t *testing.T) {
	for name, line := range hostileTexts {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := 0; b.Len() < MaxBytes-1000; i++ {
				b.WriteString(line(i))
			}

			start := time.Now()
			if _, err := Diagnose(Input{Text: b.String()}); err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			t.Logf("%d bytes in %v", b.Len(), took)
			if took > longestDiagnosis {
				t.Errorf("took %v, want at most %v", took, longestDiagnosis)
			}
		})
	}
}

func BenchmarkLargestInput(b *testing.B) {
	in := fullInput(b)
	for b.Loop() {
		if _, err := Diagnose(in); err != nil {
			b.Fatal(err)
		}
	}
}
