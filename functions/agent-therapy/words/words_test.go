package words

import "testing"

func TestSameMeaningHasOneForm(t *testing.T) {
	for _, same := range [][]string{
		{"commit", "commits", "committing", "committed", "git commit", "make a commit"},
		{"write", "writes", "writing", "written"},
		{"ask", "confirm with", "check in with", "request approval"},
		{"dependency", "packages", "libraries", "third-party code"},
		{"delete", "removing", "deleted", "get rid of"},
		{"deployment", "deploys", "ship"},
		{"pull request", "PRs", "merge requests"},
	} {
		want := Read(same[0])
		for _, text := range same[1:] {
			if got := Read(text); len(got) != 1 || got[0].Form != want[0].Form {
				t.Errorf("%q is %+v, want %q", text, got, want[0].Form)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Never `git push --force` to *main*, e.g. v1.2: \"x\" (a/b.go, *.ts).")
	f.Add("!important _never_ ’s 1,000 <tag> -x --y ~/.z")

	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, token := range Read(text) {
			if token.Start < last || token.End > len(text) || token.End <= token.Start {
				t.Fatalf("%q is [%d,%d) behind %d", token.Text, token.Start, token.End, last)
			}
			last = token.End
		}
	})
}
