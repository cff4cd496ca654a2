// Command report reads the output of `go test -json` from standard input and
// prints what a person wants to know: one line per package, the figures that
// tests log with a leading "figure:", failing tests with all they printed, and
// at the end what was skipped and why. It exits 1 when a test failed, and with
// CI=true also when one was skipped.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is one line of go test -json (cmd/test2json).
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

type report struct {
	output                  map[string][]string // by package and test
	passed, failed, skipped int
	failures, skips         []string
}

func main() {
	r := report{output: map[string][]string{}}
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 16<<20)

	for scanner.Scan() {
		var e event
		if err := json.Unmarshal(scanner.Bytes(), &e); err != nil {
			fmt.Println(scanner.Text()) // a message of the go command itself
			continue
		}
		r.take(e)
	}

	os.Exit(r.close())
}

func (r *report) take(e event) {
	key := e.Package + e.ImportPath + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		r.output[key] = append(r.output[key], e.Output)
		if _, figure, ok := strings.Cut(e.Output, "figure: "); ok {
			fmt.Print("    ", figure)
		}
	case "pass", "fail", "skip":
		r.end(e, key)
	}
}

func (r *report) end(e event, key string) {
	name := strings.TrimPrefix(e.Package, "governance.internal/")
	if e.Test == "" {
		if e.Action != "skip" { // a package without tests
			fmt.Printf("%-4s  %6.1fs  %s\n", e.Action, e.Elapsed, name)
		}
		if e.Action == "fail" && e.FailedBuild != "" {
			key = e.FailedBuild + " "
		}
		if e.Action == "fail" {
			r.failures = append(r.failures, name+"\n"+strings.Join(r.output[key], ""))
		}
		return
	}

	text := name + " " + e.Test + "\n" + strings.Join(r.output[key], "")
	switch e.Action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		r.failures = append(r.failures, text)
	case "skip":
		r.skipped++
		r.skips = append(r.skips, text)
	}

	delete(r.output, key)
}

func (r *report) close() int {
	for _, text := range r.failures {
		fmt.Printf("\n---- failed: %s", text)
	}
	for _, text := range r.skips {
		fmt.Printf("\n---- skipped: %s", text)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)

	if len(r.failures) > 0 || r.skipped > 0 && os.Getenv("CI") == "true" {
		return 1
	}
	return 0
}
