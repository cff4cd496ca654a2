package syntax

import (
	"strings"
	"testing"
)

func TestSyntaxErrorsAreReportedWithTheirLine(t *testing.T) {
	for _, tc := range []struct{ name, good, bad, where string }{
		{"a.go", "package a\n", "package a\nfunc {\n", "line 2"},
		{"a.json", `{"a": [1]}`, "{\n\"a\": }", "line 2"},
		{"b.json", `1`, `{} {}`, "after the value"},
		{"a.yaml", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: [\n", "line"},
		{"a.sh", "if true; then echo; fi\n", "echo\nif true\n", "line 2"},
	} {
		if language, problems := Check(tc.name, []byte(tc.good)); language == "" || len(problems) != 0 {
			t.Errorf("%s: %s %v", tc.name, language, problems)
		}
		if _, problems := Check(tc.name, []byte(tc.bad)); len(problems) == 0 || !strings.Contains(problems[0], tc.where) {
			t.Errorf("%s: %v", tc.name, problems)
		}
	}
	if language, _ := Check("a.rb", []byte("x")); language != "" {
		t.Errorf("%s has no parser here", language)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("package a"), uint8(0))
	f.Add([]byte(`{"a":1}`), uint8(1))
	f.Add([]byte("a: &a [*a]"), uint8(2))
	f.Add([]byte("cat <<E"), uint8(3))
	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		name := "a" + []string{".go", ".json", ".yaml", ".sh"}[kind%4]
		_, problems := Check(name, text)
		if len(problems) > mostProblems {
			t.Errorf("%d problems", len(problems))
		}
	})
}
