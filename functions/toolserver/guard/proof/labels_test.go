package proof_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/proof"
	"governance.internal/functions/toolserver/guard/workspace"
)

// lines reads the lines of a file, without comments.
func lines(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	var all []string
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		if line := scanner.Text(); !strings.HasPrefix(line, "# ") {
			all = append(all, line)
		}
	}
	return all
}

func answer(r proof.Run) string {
	switch {
	case r.Proves && !r.ByOutput:
		return "proves"
	case r.Ran:
		return "runs"
	}
	return "no"
}

// The rules were made with the first file only.
func TestWhatTheSuccessOfACommandSaysOfACheck(t *testing.T) {
	for _, file := range []string{"commands.txt", "commands_held.txt"} {
		all := lines(t, "testdata/"+file)
		right := 0
		for _, line := range all {
			end := strings.LastIndexByte(line, '|')
			name, command, _ := strings.Cut(line[:end], "|")
			command = strings.ReplaceAll(command, `\n`, "\n")

			check := workspace.Check{Name: "x", Command: name}
			got, want := answer(proof.Read(check, command)), line[end+1:]
			switch {
			case got == want:
				right++
			case got == "proves" || want == "proves":
				t.Errorf("%s: %s: %s", file, line, got)
			default: // neither is a proof
				t.Logf("%s: %s: %s", file, line, got)
			}
		}
		t.Logf("%s: %d of %d", file, right, len(all))
		if right*100 < len(all)*95 {
			t.Errorf("%s: %d of %d", file, right, len(all))
		}
	}
}

func TestHowManyTestsAnOutputTellsOf(t *testing.T) {
	for _, file := range []string{"outputs.jsonl", "outputs_held.jsonl"} {
		all := lines(t, "testdata/"+file)
		right := 0
		for _, line := range all {
			var label struct {
				Output string
				Tests  *int
			}
			if err := json.Unmarshal([]byte(line), &label); err != nil {
				t.Fatal(err)
			}

			n, told := proof.Tests(label.Output)
			if told == (label.Tests != nil) && (!told || n == *label.Tests) {
				right++
			} else {
				t.Errorf("%s: %q: %d %v", file, label.Output, n, told)
			}
		}
		t.Logf("%s: %d of %d", file, right, len(all))
	}
}

func TestWhetherAnOutputTellsThatAllTestsPassed(t *testing.T) {
	for _, file := range []string{"verdicts.jsonl", "verdicts_held.jsonl"} {
		all := lines(t, "testdata/"+file)
		right := 0
		for _, line := range all {
			var label struct {
				Output string
				Passed *bool
			}
			if err := json.Unmarshal([]byte(line), &label); err != nil {
				t.Fatal(err)
			}

			passed, told := proof.Passed(label.Output)
			if told == (label.Passed != nil) && (!told || passed == *label.Passed) {
				right++
			} else {
				t.Errorf("%s: %q: %v %v", file, label.Output, passed, told)
			}
		}
		t.Logf("%s: %d of %d", file, right, len(all))
	}
}

func TestAPipeThatShowsTheEndProvesByTheOutput(t *testing.T) {
	check := workspace.Check{Name: "x", Command: "go test ./..."}
	for command, want := range map[string]bool{
		"go test ./... | tail -5":             true,
		"go test ./... 2>&1 | tail -n 20":     true,
		"cd a && go test ./... | tee out.txt": true,
		"go test ./... | head":                false,
		"go test ./... | grep -v FAIL":        false,
		"go test ./... | sed s/FAIL/ok/":      false,
		"go test ./... | tail > out.txt":      false,
		"go test ./... | tail; true":          false,
		"PATH=x go test ./... | tail":         false,
	} {
		if got := proof.Read(check, command); got.Proves != want || want && !got.ByOutput {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
