package agenttherapy

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/skill"
)

// applied returns the files after git has applied a patch.
func applied(t *testing.T, files []File, patch string) []File {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	c := exec.Command("git", "apply", "-")
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	c.Stdin = strings.NewReader(patch)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v: %s\n%s", err, out, patch)
	}

	var after []File
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		after = append(after, File{f.Name, string(text)})
	}
	return after
}

// fixtures returns documents with a pair of instructions each.
func fixtures(t *testing.T) []Input {
	t.Helper()
	backgrounds, err := filepath.Glob("conflict/testdata/backgrounds/*.md")
	if err != nil || len(backgrounds) == 0 {
		t.Fatal("no backgrounds", err)
	}

	var all []Input
	for _, half := range []string{"seen", "dev", "unseen"} {
		raw, err := os.ReadFile("conflict/testdata/pairs/" + half + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(raw), "\n\n") {
			_, a, ok := strings.Cut(block, "\na: ")
			a, b, both := strings.Cut(a, "\nb: ")
			if !ok || !both {
				continue
			}
			a, _, _ = strings.Cut(a, "\n")
			b, _, _ = strings.Cut(b, "\n")
			all = append(all, planted(t, backgrounds[i%len(backgrounds)], a, b, i))
		}
	}
	return all
}

// planted puts two instructions into a document: as items, as sentences of a paragraph, or with the
// line ends of Windows.
func planted(t *testing.T, background, a, b string, i int) Input {
	t.Helper()
	raw, err := os.ReadFile(background)
	if err != nil {
		t.Fatal(err)
	}

	text := strings.Replace(string(raw), "%A%", "- "+a, 1)
	text = strings.Replace(text, "%B%", "Mind the tide. "+b+" Keep warm.", 1)
	switch i % 4 {
	case 1:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 2:
		text = strings.TrimRight(text, "\n")
	}
	return Input{Files: []File{{"docs/AGENTS.md", text}}}
}

func TestPatchRemovesWhatWasFound(t *testing.T) {
	repaired := 0
	for _, in := range fixtures(t) {
		before, err := Diagnose(in)
		if err != nil {
			t.Fatal(err)
		}
		if before.Patch == "" {
			continue
		}

		after, err := Diagnose(Input{Files: applied(t, in.Files, before.Patch)})
		if err != nil {
			t.Fatal(err)
		}
		repaired++
		if len(after.Conflicts)+len(after.Gaps) > 0 {
			t.Errorf("left after the patch: %+v %+v\n%s", after.Conflicts, after.Gaps, before.Patch)
		}
		if after.Patch != "" {
			t.Errorf("a second patch: %s", after.Patch)
		}
	}
	t.Logf("%d documents repaired", repaired)
	if repaired < 80 {
		t.Errorf("only %d documents were repaired", repaired)
	}
}

func TestAnswersAreTheSameEachTime(t *testing.T) {
	for i, in := range fixtures(t) {
		if i%10 != 0 {
			continue
		}
		first := answerOf(t, in)
		for range 5 {
			if again := answerOf(t, in); !bytes.Equal(first, again) {
				t.Fatalf("two answers: %s\n%s", first, again)
			}
		}
	}
}

func answerOf(t *testing.T, in Input) []byte {
	t.Helper()
	a, err := Diagnose(in)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestQuotesAreVerbatim(t *testing.T) {
	for _, in := range fixtures(t) {
		a, err := Diagnose(in)
		if err != nil {
			t.Fatal(err)
		}
		points := []rune(in.Files[0].Text)
		lines := strings.Split(in.Files[0].Text, "\n")

		for _, c := range a.Conflicts {
			for _, q := range []struct {
				line, start, end int
				quote            string
			}{{c.A.Line, c.A.Start, c.A.End, c.A.Quote}, {c.B.Line, c.B.Start, c.B.End, c.B.Quote}} {
				if string(points[q.start:q.end]) != q.quote || !strings.Contains(lines[q.line-1], q.quote) {
					t.Errorf("%q is not on line %d at [%d,%d)", q.quote, q.line, q.start, q.end)
				}
			}
		}
	}
}

func TestRepairSkillIsValid(t *testing.T) {
	for _, in := range fixtures(t) {
		a, err := Diagnose(in)
		if err != nil {
			t.Fatal(err)
		}
		if a.Skill == nil {
			continue
		}
		if problems := skill.Problems(a.Skill.Name, a.Skill.Content); len(problems) > 0 {
			t.Errorf("%q", problems)
		}
	}
}

func TestNothingToRepair(t *testing.T) {
	a, err := Diagnose(Input{Text: "Use two spaces for indentation.\nName files in kebab-case.\n"})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(a)
	for _, want := range []string{`"repair_skill":null`, `"patch":""`, `"instruction_conflicts":[]`, `"boundary_gaps":[]`, `"operator_patterns":[]`} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("no %s in %s", want, raw)
		}
	}
}
