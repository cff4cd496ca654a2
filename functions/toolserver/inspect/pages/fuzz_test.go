package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/pages"
)

// seeds are the files of the sites with some endings.
func seeds(f *testing.F, endings ...string) {
	f.Helper()
	sites, err := filepath.Glob("testdata/sites/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, site := range sites {
		archive, err := txtar.ParseFile(site)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			for _, ending := range endings {
				if strings.HasSuffix(file.Name, ending) {
					f.Add(file.Data)
				}
			}
		}
	}
}

// Every page is read, and nothing is found outside of its lines.
func FuzzHTML(f *testing.F) {
	seeds(f, ".html")
	f.Add([]byte(`<a href=x><base href="//a"><img srcset=",,a 1x,,"><svg><use href="#"/></svg><table><tr><td><p>--`))
	f.Add([]byte(strings.Repeat("<div>", 600)))

	w := guardtest.New(f, map[string]string{
		"governance.yaml": "website: {root: web, base_url: https://a.example/b}\n",
		"web/index.html":  "",
	})
	file := filepath.Join(w.Dir, "web", "index.html")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := checkOf(w).Run(t.Context(), pages.All, nil)
		if err != nil {
			t.Fatal(err)
		}
		last := 1 + strings.Count(string(text), "\n")
		for _, found := range report.Findings {
			if found.Line < 1 || found.Line > last || found.Rule == "" || found.Type == "" {
				t.Errorf("%+v of %d lines", found, last)
			}
		}
		pages.VisibleText(text)
	})
}

// Every style sheet is read, and addresses stand in it.
func FuzzCSS(f *testing.F) {
	seeds(f, ".css")
	f.Add([]byte(`@import "a" layer(b);}{url(;image-set("a" 1x,url('b')`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, at := range pages.StylePlaces(string(text)) {
			if at < 0 || at >= len(text) {
				t.Errorf("an address at %d of %d", at, len(text))
			}
		}
	})
}

// Every script is read, as a whole and as the body of a function.
func FuzzJavaScript(f *testing.F) {
	seeds(f, ".js")
	f.Add([]byte("fetch(`a`); import('b' + \"c\"); new Worker(new URL('./d', import.meta.url)); x = { a = 1 }; /(/"))
	f.Fuzz(func(t *testing.T, text []byte) {
		last := 1 + strings.Count(string(text), "\n")
		for _, body := range []bool{false, true} {
			for _, line := range pages.CodeLines(string(text), body) {
				if line < 1 || line > last {
					t.Errorf("line %d of %d", line, last)
				}
			}
		}
	})
}

// largeSite makes a website of n pages with links, pictures, scripts and text.
func largeSite(t testing.TB, n int) *guardtest.World {
	t.Helper()
	files := map[string]string{
		"governance.yaml":  "website: {root: web, routes: ['/api/*']}\nlimits: {max_files: 100000}\n",
		"web/style.css":    "@media (max-width: 40em) { nav { display: none } } .a { background: url(a.png) }",
		"web/a.png":        "x",
		"web/app.js":       strings.Repeat("document.querySelector('#menu').addEventListener('click', () => fetch('/api/x'));\n", 200),
		"web/0/index.html": head,
	}
	for i := range n {
		var b strings.Builder
		b.WriteString(head)
		b.WriteString(`<link rel="stylesheet" href="/style.css"><script src="/app.js"></script><nav><button id="menu">Menu</button>`)
		for j := range 40 {
			fmt.Fprintf(&b, "<a href=\"/%d/p%d.html#s%d\">page %d</a>\n", (i+j)%n/100, (i+j)%n, j%10, j)
		}
		b.WriteString("</nav><main><h1>A page</h1>")
		for j := range 10 {
			fmt.Fprintf(&b, "<section><h2 id=\"s%d\">Part %d</h2><img src=\"../a.png\" alt=\"a\"><p>%s on 2026-01-%02d.</p></section>\n", j, j, strings.Repeat("Some words that people read. ", 40), j+1)
		}
		b.WriteString("<script>fetch('/api/y').then((r) => r.json());</script></main></body></html>")
		files[fmt.Sprintf("web/%d/p%d.html", i/100, i)] = b.String()
	}
	return guardtest.New(t, files)
}

// A hundred pages take less than two seconds, a thousand less than five.
func BenchmarkPages(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := checkOf(largeSite(b, n))
			for b.Loop() {
				report, err := c.Run(b.Context(), pages.All, nil)
				if err != nil || report.Pages < n || len(report.Findings) > 0 {
					b.Fatal(report.Pages, report.Findings[:min(3, len(report.Findings))], err)
				}
			}
		})
	}
}
