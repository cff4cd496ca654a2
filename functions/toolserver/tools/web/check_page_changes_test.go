package web_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/web"
)

// watched is a website, and the tool that says how it changed.
type watched struct {
	*guardtest.World
	tool *tool.Tool
	now  time.Time
}

func watch(t *testing.T, files map[string]string) *watched {
	t.Helper()
	files["governance.yaml"] = "website: {root: web, exclude: ['draft.html']}\n"
	w := &watched{
		World: guardtest.New(t, files),
		now:   time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
	}
	w.tool = web.CheckPageChanges(&pages.Watch{
		Workspace: w.Workspace,
		Now:       func() time.Time { return w.now },
	})
	return w
}

func (w *watched) ask(arguments string) web.PageChanges {
	w.Helper()
	var answer web.PageChanges
	w.Call(w.tool, arguments, &answer)
	return answer
}

func (w *watched) remove(name string) {
	w.Helper()
	if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
		w.Fatal(err)
	}
}

const text = "<!DOCTYPE html>\n<html><body>\n<h1 id=\"a\" class=\"b\">Title</h1>\n<p>One  two</p>\n</body></html>\n"

// What changed since the pages were seen is shown, with the text that people read.
func TestChangesSinceThePagesWereSeen(t *testing.T) {
	w := watch(t, map[string]string{"web/index.html": text, "web/about.html": text, "web/draft.html": text})
	if answer := w.ask(`{}`); answer.Status != "no_baseline" || answer.At != nil {
		t.Errorf("%+v", answer)
	}
	if answer := w.ask(`{"mark_seen":true}`); answer.Status != "no_baseline" || answer.MarkedAt == nil {
		t.Errorf("%+v", answer)
	}
	if answer := w.ask(`{}`); answer.Status != "unchanged" || answer.Checked != 2 || !answer.At.Equal(w.now) {
		t.Errorf("%+v", answer)
	}

	w.Write("web/index.html", strings.Replace(text, "One  two", "One three", 1))
	w.Write("web/new.html", text)
	w.Write("web/draft.html", "x")
	w.remove("web/about.html")
	answer := w.ask(`{}`)
	if answer.Status != "changed" || len(answer.Pages) != 3 {
		t.Fatalf("%+v", answer)
	}
	gone, changed, added := answer.Pages[0], answer.Pages[1], answer.Pages[2]
	if gone.Page != "about.html" || gone.Change != "removed" || gone.Removed != 5 || gone.Added != 0 {
		t.Errorf("%+v", gone)
	}
	if added.Page != "new.html" || added.Change != "added" || added.Added != 5 || !strings.Contains(added.TextDiff, "+Title\n+One two\n") {
		t.Errorf("%+v", added)
	}
	if changed.Change != "modified" || changed.Added != 1 || changed.Removed != 1 || !strings.Contains(changed.Diff, "-<p>One  two</p>\n+<p>One three</p>\n") || !strings.Contains(changed.TextDiff, "-One two\n+One three\n") {
		t.Errorf("%+v", changed)
	}
}

// White space and the order of attributes are no change of the text.
func TestTheTextDoesNotChangeWithTheMarkup(t *testing.T) {
	for _, other := range []string{
		"<!DOCTYPE html><html><body><h1 class=\"b\" id=\"a\">Title</h1><p>One two</p></body></html>",
		"<!doctype html>\n<html>\n<body>\n\n  <h1 class='b'   id=a>\n  Title\n</h1>\n<p>\tOne\n\ttwo </p>\n</body>\n</html>\n",
		"<!DOCTYPE html>\n<html><body>\n<!-- note --><h1>Title</h1><script>x</script>\n<div><p>One <b>two</b></p></div>\n",
	} {
		w := watch(t, map[string]string{"web/index.html": text})
		w.ask(`{"mark_seen":true}`)
		w.Write("web/index.html", other)
		answer := w.ask(`{"page":"index.html"}`)
		if answer.Status != "changed" || len(answer.Pages) != 1 || answer.Pages[0].Diff == "" || answer.Pages[0].TextDiff != "" {
			t.Errorf("%q: %+v", other, answer.Pages)
		}
	}
}

// One page is marked without the others, and a date chooses among the marks.
func TestMarksOfSeveralTimes(t *testing.T) {
	w := watch(t, map[string]string{"web/a.html": "one", "web/b.html": "one"})
	w.ask(`{"mark_seen":true}`)
	w.now = w.now.AddDate(0, 0, 2)
	w.Write("web/a.html", "two")
	w.Write("web/b.html", "two")
	w.ask(`{"page":"a.html","mark_seen":true}`)

	if answer := w.ask(`{}`); len(answer.Pages) != 1 || answer.Pages[0].Page != "b.html" {
		t.Errorf("%+v", answer)
	}
	if answer := w.ask(`{"since":"2026-11-02"}`); len(answer.Pages) != 2 {
		t.Errorf("%+v", answer)
	}
	if answer := w.ask(`{"since":"2026-10-01T00:00:00Z"}`); answer.Status != "no_baseline" {
		t.Errorf("%+v", answer)
	}
	w.remove("web/b.html")
	w.now = w.now.AddDate(0, 0, 1)
	if answer := w.ask(`{"page":"b.html","mark_seen":true}`); answer.Pages[0].Change != "removed" {
		t.Errorf("%+v", answer)
	}
	if answer := w.ask(`{}`); answer.Status != "unchanged" {
		t.Errorf("%+v", answer)
	}

	for i := range 30 {
		w.now = w.now.AddDate(0, 0, 1)
		w.Write("web/a.html", strings.Repeat("x", i))
		w.ask(`{"mark_seen":true}`)
	}
	kept, err := filepath.Glob(filepath.Join(w.Dir, ".governance/pages/*"))
	if err != nil || len(kept) != 40 {
		t.Errorf("%d files are kept (%v)", len(kept), err)
	}
}

// A long difference is cut, and secrets in it are masked.
func TestADifferenceIsShortAndWithoutSecrets(t *testing.T) {
	key := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	w := watch(t, map[string]string{"web/index.html": text})
	w.ask(`{"mark_seen":true}`)
	w.Write("web/index.html", text+strings.Repeat("<p>"+key+"</p>\n", 500))
	changed := w.ask(`{}`).Pages[0]
	if lines := strings.Count(changed.Diff, "\n"); lines > 200 || changed.Added != 500 || strings.Contains(changed.Diff+changed.TextDiff, key) {
		t.Errorf("%d lines, %d added", lines, changed.Added)
	}
}

// In a repository the pages are compared with what was committed.
func TestChangesSinceACommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: make setup")
	}
	w := watch(t, map[string]string{"web/index.html": "<p>one</p>", "web/gone.html": "<p>x</p>"})
	git := func(at string, args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"}, args...)...)
		c.Dir = w.Dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE="+at, "GIT_AUTHOR_DATE="+at)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("", "init", "-q")
	git("2026-10-01T00:00:00Z", "add", ".")
	git("2026-10-01T00:00:00Z", "commit", "-qm", "one")
	git("2026-10-01T00:00:00Z", "tag", "-m", "v1", "v1")
	w.Write("web/index.html", "<p>two</p>")
	w.remove("web/gone.html")
	git("2026-10-10T00:00:00Z", "commit", "-qam", "two")
	w.Write("web/index.html", "<p>three</p>")

	for since, want := range map[string]int{"v1": 2, "HEAD": 1, "main~1": 2, "2026-10-05": 2, "2026-10-12T08:00:00Z": 1, "refs/heads/main": 1} {
		answer := w.ask(`{"since":"` + since + `"}`)
		if answer.Status != "changed" || len(answer.Pages) != want || !strings.HasPrefix(answer.Baseline, "commit ") {
			t.Errorf("%s: %+v", since, answer)
		}
		for _, p := range answer.Pages {
			if p.Page == "gone.html" && p.Change != "removed" || p.Page == "index.html" && !strings.Contains(p.TextDiff, "+three") {
				t.Errorf("%s: %+v", since, p)
			}
		}
	}
	for _, since := range []string{"v9", "$(touch x)", "--upload-pack=x", "2026-13-01", "main~9"} {
		if err := w.Refused(w.tool, `{"since":"`+since+`"}`); err.Code != "invalid_argument" || err.Field != "/since" {
			t.Errorf("%s: %+v", since, err)
		}
	}
	if err := w.Refused(w.tool, `{"page":"none.html","since":"v1"}`); err.Code != "not_found" {
		t.Errorf("%+v", err)
	}
}
