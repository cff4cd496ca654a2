package lint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

var update = flag.Bool("update", false, "write the golden files")

const cases = "../../testdata/lint"

// sampleDocuments are the documents of the published cases.
func sampleDocuments(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(cases, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s: %v", cases, err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		if strings.HasSuffix(path, ".golden.json") {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".json")] = []byte(expand(string(raw)))
	}
	return out
}

// TestGolden compares the answer to every published case with its golden file, byte for byte.
func TestGolden(t *testing.T) {
	for name, doc := range sampleDocuments(t) {
		t.Run(name, func(t *testing.T) {
			got := answer(t, doc)
			path := filepath.Join(cases, name+".golden.json")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (run with -update)", err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// answer is the result as indented JSON, or the input error.
func answer(t *testing.T, doc []byte) []byte {
	t.Helper()
	result, err := lint.Lint(doc)
	var v any = result
	if err != nil {
		var input *lint.InputError
		if !errors.As(err, &input) {
			t.Fatalf("not an InputError: %v", err)
		}
		v = map[string]string{"error": input.Code, "detail": input.Detail}
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(raw, '\n')
}

// TestHintsWork follows the hints: in the bad file of each code the server named after a rule breaks
// that rule, in the good file the same server has been repaired as the hint says.
func TestHintsWork(t *testing.T) {
	docs := sampleDocuments(t)
	for _, rule := range lint.Rules() {
		code := strings.ToLower(rule.Code)
		bad, err := lint.Lint(docs[code+"-bad"])
		if err != nil {
			t.Fatal(err)
		}
		good, err := lint.Lint(docs[code+"-good"])
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range bad.Findings {
			found = found || f.Server == rule.Name && f.Rule == rule.Name && f.Code == rule.Code && f.OWASP == rule.OWASP && slices.Contains(rule.Severities, f.Severity)
		}
		if !found {
			t.Errorf("%s: not found in the bad file", rule.Name)
		}
		if !strings.Contains(string(docs[code+"-good"]), `"`+rule.Name+`"`) {
			t.Errorf("%s: not in the good file", rule.Name)
		}
		for _, f := range good.Findings {
			t.Errorf("%s: the repaired server still has %+v", rule.Name, f)
		}
	}
}

// TestNearMisses checks the cases that look like findings and are none.
func TestNearMisses(t *testing.T) {
	for name, doc := range sampleDocuments(t) {
		if !strings.HasSuffix(name, "near-miss") {
			continue
		}
		result, err := lint.Lint(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range result.Findings {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestRules(t *testing.T) {
	names := map[string]bool{}
	for _, r := range lint.Rules() {
		if names[r.Name] || r.Hint == "" || r.Doc == "" || r.Category == "" || len(r.Severities) == 0 || !strings.HasPrefix(r.OWASP, "MCP") {
			t.Errorf("%+v", r)
		}
		names[r.Name] = true
	}
	if len(lint.NotSeen()) == 0 {
		t.Error("no lint sees everything")
	}
}

func TestSARIF(t *testing.T) {
	doc := []byte("{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"npx\", \"args\": [\"-é\", \"x\"]}\n  }\n}\n")
	result, err := lint.Lint(doc)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := lint.SARIF([]lint.FileResult{{URI: `conf\mcp.json`, Result: result}})
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != 1 || len(run.Tool.Driver.Rules) != len(lint.Rules()) {
		t.Fatalf("%s", raw)
	}
	r := run.Results[0]
	at := r.Locations[0].PhysicalLocation
	if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.RuleID != "MCP003/unpinned-package" || r.Level != "warning" ||
		at.ArtifactLocation.URI != "conf/mcp.json" || at.Region.StartLine != 3 || at.Region.StartColumn != 44 {
		t.Errorf("%+v", r)
	}
	if empty, err := lint.SARIF(nil); err != nil || !bytes.Contains(empty, []byte(`"results": []`)) {
		t.Errorf("%s, %v", empty, err)
	}
}
