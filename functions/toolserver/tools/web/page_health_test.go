package web_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/web"
)

const head = `<!DOCTYPE html><html lang="en"><head><title>x</title><meta name="viewport" content="width=device-width">
<meta property="og:title" content="x"><meta property="og:description" content="x"><meta property="og:image" content="data:,">
<link rel="icon" href="data:,"></head><body>
`

func healthOf(w *guardtest.World) *tool.Tool {
	return web.CheckPageHealth(&pages.Check{
		Workspace: w.Workspace,
		Now:       func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) },
	})
}

// The answer tells a page that is right from one that is wrong, and from nothing at all.
func TestTheStatusSaysWhatWasFound(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "website: {root: web}\n", "web/index.html": head + "<p>x</p>"})
	page := healthOf(w)
	var answer web.Health
	w.Call(page, `{}`, &answer)
	if answer.Status != "healthy" || answer.Checked != 1 || answer.Count != 0 || answer.Truncated {
		t.Errorf("%+v", answer)
	}

	w.Write("web/index.html", head+`<img src="a.png"><img src="b.png" alt=""><a href="gone.html">x</a>`)
	w.Write("web/about.html", head+`<p>TODO</p>`)
	w.Call(page, `{}`, &answer)
	if answer.Status != "issues_found" || answer.Count != 5 || answer.ByType["missing_image"] != 2 || answer.ByType["missing_alt"] != 1 || answer.ByType["broken_link"] != 1 {
		t.Errorf("%+v", answer)
	}
	first := answer.Issues[0]
	if first.Type != "placeholder_text" || first.Page != "about.html" || first.Path != "web/about.html" || first.Line != 4 || first.Severity != "warn" || first.Fingerprint == "" || first.Hint == "" {
		t.Errorf("%+v", first)
	}

	w.Call(page, `{"page":"about.html"}`, &answer)
	if answer.Checked != 1 || answer.Count != 1 {
		t.Errorf("one page: %+v", answer)
	}
	w.Call(page, `{"page":"web/index.html","max":1}`, &answer)
	if answer.Count != 4 || len(answer.Issues) != 1 || !answer.Truncated || !slices.Contains(answer.Limits, "max") {
		t.Errorf("at most one: %+v", answer)
	}

	w.Write("web/index.html", head+`<img src="data:,">`)
	w.Write("web/about.html", head)
	w.Call(page, `{}`, &answer)
	if answer.Status != "healthy" || answer.Count != 1 {
		t.Errorf("only worth knowing: %+v", answer)
	}
}

func TestNothingReadIsNotHealthy(t *testing.T) {
	w := guardtest.New(t, map[string]string{"a.txt": "x"})
	var answer web.Health
	w.Call(healthOf(w), `{}`, &answer)
	if answer.Status != "not_checked" || len(answer.Skipped) != 1 || answer.Skipped[0].Enable == "" {
		t.Errorf("%+v", answer)
	}
}

// Only a page of the website is looked at, whatever the argument says.
func TestOnlyPagesAreLookedAt(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": "website: {root: web}\n", "web/index.html": head, "web/a.js": "x", "secret.html": "password"})
	for _, page := range []string{"none.html", "a.js", "../secret.html", "secret.html", "$(touch x)", "/etc/passwd", "a\\u0000b", "web"} {
		if err := w.Refused(healthOf(w), `{"page":"`+page+`"}`); err.Code != "not_found" || strings.Contains(err.Message, w.Dir) {
			t.Errorf("%s: %+v", page, err)
		}
	}
}

// A secret in a page is not repeated.
func TestEvidenceIsMasked(t *testing.T) {
	key := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	w := guardtest.New(t, map[string]string{"governance.yaml": "website: {root: web}\n", "web/index.html": head + `<a href="gone.html?token=` + key + `">x</a><a href="` + key + `.html">x</a>`})
	result := healthOf(w).Run(t.Context(), &tool.Call{})
	if text := string(result.Structured); strings.Contains(text, key) || !strings.Contains(text, "masked") {
		t.Error(text)
	}
}
