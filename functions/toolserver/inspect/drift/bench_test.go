package drift_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
)

// large makes a project of n files: half of them pages, half documents, each with a version,
// links and commands, and a quarter of them listed under docs.
func large(t testing.TB, n int) *drift.Audit {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	var docs []string
	for i := range n {
		name := fmt.Sprintf("d%d/f%d.html", i/200, i)
		if i%2 == 1 {
			name = fmt.Sprintf("d%d/f%d.md", i/200, i)
		}
		if i%4 == 1 {
			docs = append(docs, fmt.Sprintf("{path: %s, check: [paths, commands]}", name))
		}
		write(name, fmt.Sprintf("# Document %d\n\nversion: 1.0.0\n\n[first](../d0/f1.md) and `d0/f3.md`; run `make all`.\n\n%s\n", i, strings.Repeat("lorem ipsum dolor ", 60)))
	}
	write("package.json", `{"version": "1.0.0"}`)
	write("Makefile", "all:\n")
	write("governance.yaml", `version: 1
limits: {max_files: 100000}
versions:
  - name: app
    source: {file: package.json, pointer: /version}
    targets: [{files: ["**/*.md", "**/*.html"], pattern: 'version: (\d+\.\d+\.\d+)'}]
website: {root: ".", base_url: "https://shop.example"}
docs: [`+strings.Join(docs, ", ")+"]\n")

	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return &drift.Audit{Workspace: w, Now: time.Now}
}

// A full audit of 20,000 files takes well under ten seconds on two cores.
func BenchmarkTwentyThousandFiles(b *testing.B) {
	a := large(b, 20_000)
	for b.Loop() {
		report, err := a.Run(b.Context(), drift.Full, nil)
		if err != nil || report.Checked < 40_000 {
			b.Fatal(report.Checked, err)
		}
	}
}

// An audit that is cancelled looks at no further file.
func TestACancelledAuditEndsAtOnce(t *testing.T) {
	const enough = 1_000
	a := large(t, 2_000)
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	_, err := a.Run(ctx, drift.Full, func(done int) {
		if last = done; done == enough {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last > enough+10 {
		t.Errorf("%d files were looked at after the end of the call: %v", last-enough, err)
	}
}
