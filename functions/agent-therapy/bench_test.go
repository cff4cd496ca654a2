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

func BenchmarkLargestInput(b *testing.B) {
	in := fullInput(b)
	for b.Loop() {
		if _, err := Diagnose(in); err != nil {
			b.Fatal(err)
		}
	}
}
