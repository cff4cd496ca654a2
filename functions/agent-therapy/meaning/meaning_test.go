package meaning

import (
	"slices"
	"strings"
	"testing"
)

func TestSentencesAboutTheSameAreMoreAlike(t *testing.T) {
	of := Embedded().Of
	for _, c := range []struct{ text, near, far string }{
		{"Push straight to main.", "Every change goes through a branch and a pull request.", "Guests get a towel on arrival."},
		{"Guests get a fresh towel on arrival.", "Hand out no towels to visitors.", "Run the linter before each commit."},
		{"Reply in English.", "Write your answers in French.", "Keep functions short."},
		{"Delete the logs after a week.", "Logs are retained for ninety days.", "Prefer composition over inheritance."},
	} {
		text, near, far := of(c.text), of(c.near), of(c.far)
		if text.Alike(&near) <= text.Alike(&far) {
			t.Errorf("%q is %d to %q and %d to %q", c.text, text.Alike(&near), c.near, text.Alike(&far), c.far)
		}
	}
}

func TestAlikenessIsTheSameBothWays(t *testing.T) {
	a, b := Embedded().Of("Use tabs."), Embedded().Of("Indent with 4 spaces.")
	if a.Alike(&b) != b.Alike(&a) {
		t.Error(a.Alike(&b), b.Alike(&a))
	}
	if itself := a.Alike(&a); itself < 995 || itself > 1005 {
		t.Error(itself)
	}
}

func TestNumbersAreOneWord(t *testing.T) {
	if Embedded().Of("at most 3 retries") != Embedded().Of("at most 2048 retries") {
		t.Error("numbers differ")
	}
}

func TestUnknownWordsSayNothing(t *testing.T) {
	nothing := Embedded().Of("Xyzzyq 你好 --- !!!")
	some := Embedded().Of("Use tabs.")
	if nothing != (Vector{}) || nothing.Alike(&some) != 0 || nothing.Alike(&nothing) != 0 {
		t.Error(nothing)
	}
	if Embedded().Of("Use xyzzyq tabs.") != some {
		t.Error("an unknown word changes a vector")
	}
}

func TestWordsOfAText(t *testing.T) {
	got := Words("Don’t `git-push` ÄRGER 12.5% o' x'9 it's")
	want := []string{"don't", "git", "push", "rger", "12", "5", "o", "x", "9", "it's"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestADamagedTableIsRefused(t *testing.T) {
	row := strings.Repeat("\x01", Dimensions)
	if _, err := Read("a\nb\n\n" + row + row); err != nil {
		t.Error(err)
	}
	for _, file := range []string{"", "a", "a\n\n", "a\nb\n\n" + row, "a\n\n" + row + "x"} {
		if _, err := Read(file); err == nil {
			t.Errorf("%q is read", file)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Use tabs.", "Don't use 2 spaces.")
	f.Fuzz(func(t *testing.T, a, b string) {
		v, w := Embedded().Of(a), Embedded().Of(b)
		if alike := v.Alike(&w); alike < -1010 || alike > 1010 {
			t.Errorf("%q and %q are %d alike", a, b, alike)
		}
	})
}
