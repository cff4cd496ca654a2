package approval_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"

	"governance.internal/functions/toolserver/guard/approval"
)

func TestWhatHidesInACommandIsShown(t *testing.T) {
	for text, want := range map[string]string{
		"rm -rf build":                         "rm -rf build",
		"a\n\tb":                               "a\n\tb",
		"ls \u202eslx.txt":                     "ls ⟨U+202E⟩slx.txt",
		"ls \u2066x\u2069":                     "ls ⟨U+2066⟩x⟨U+2069⟩",
		"a\rb":                                 "a⟨U+000D⟩b",
		"\x1b[2Kls":                            "⟨U+001B⟩[2Kls",
		"a\u200bb\ufeff":                       "a⟨U+200B⟩b⟨U+FEFF⟩",
		"a\u00a0b\u3000c":                      "a⟨U+00A0⟩b⟨U+3000⟩c",
		"a\u2028b":                             "a⟨U+2028⟩b",
		"x\u3164\ufe0f":                        "x⟨U+3164⟩⟨U+FE0F⟩",
		"x\U000e0041":                          "x⟨U+E0041⟩",
		"⟨U+202E⟩":                             "⟨U+27E8⟩U+202E⟨U+27E9⟩",
		"caf\u00e9 naïve":                      "café naïve",
		"שלום":                                 "⟨U+05E9⟩⟨U+05DC⟩⟨U+05D5⟩⟨U+05DD⟩",
		"a\xffb":                               "a⟨byte FF⟩b",
		"ls" + strings.Repeat(" ", 40) + "; x": "ls ⟨40 blanks⟩ ; x",
	} {
		if got := approval.Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := approval.Prose("because שלום \u202e"); got != "\u2068because שלום ⟨U+202E⟩\u2069" {
		t.Errorf("%q", got)
	}
}

func FuzzNothingInvisibleIsLeft(f *testing.F) {
	f.Add("ls \u202e\x00\u3164 שלום")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range approval.Visible(text) {
			if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
				t.Fatalf("%q leaves %U", text, c)
			}
		}
	})
}

// A person decides about a command that is there in full, with its files and its digest.
func TestARequestShowsWhatItIsAbout(t *testing.T) {
	b := bookOf(t, t.TempDir())
	var details []map[string]any
	b.Record = func(_ context.Context, _, _ string, detail map[string]any) error {
		details = append(details, detail)
		return nil
	}
	command := "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' x | tee go.mod \u202e"
	asked, err := b.Request(t.Context(), approval.Action{Agent: "a\x1b", Operation: "command", Command: command, Files: []string{"go.mod", "x\u202ey"}}, lists, "why\r", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := b.Get(asked.ID)
	if err != nil || kept.Shown != approval.Visible(command) || strings.Join(kept.Files, " ") != "go.mod x⟨U+202E⟩y" || kept.Digest != asked.Digest || kept.Reason != "why⟨U+000D⟩" || kept.Agent != "a⟨U+001B⟩" {
		t.Errorf("%+v %v", kept, err)
	}
	if len(details) != 1 {
		t.Fatalf("%v", details)
	}
	text, _ := details[0]["command"].(string)
	if !strings.Contains(text, "tee go.mod ⟨U+202E⟩") || strings.Contains(text, "ghp_0123456789abcdefghij") || details[0]["digest"] != asked.Digest || len(details[0]["files"].([]string)) != 2 {
		t.Errorf("%v", details[0])
	}
	file, err := b.Request(t.Context(), edit, lists, "why", time.Minute)
	if err != nil || len(file.Files) != 1 || file.Files[0] != "go.mod" {
		t.Errorf("%+v %v", file, err)
	}
}
