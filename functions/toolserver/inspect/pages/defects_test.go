package pages_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/pages"
)

// head is that of a page without any fault.
const head = `<!DOCTYPE html><html lang="en"><head><title>x</title><meta name="viewport" content="width=device-width">
<meta property="og:title" content="x"><meta property="og:description" content="x"><meta property="og:image" content="data:,">
<link rel="icon" href="data:,"></head><body>
`

func run(t *testing.T, c *pages.Check) pages.Report {
	t.Helper()
	report, err := c.Run(t.Context(), pages.All, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// D4: an address of a page is never part of a command. It is asked for as it is encoded, or
// not at all.
func TestD4AnAddressIsNoCommand(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "website: {root: web, live: {enabled: true, allow_hosts: [shop.example]}}\n",
		"web/index.html": head + `<a href="https://shop.example/$(touch pwned)">x</a>
<a href='https://shop.example/"; touch pwned; "'>x</a><a href="` + "https://shop.example/`touch pwned`" + `">x</a>
<a href="$(touch pwned).html">x</a><script>fetch('https://shop.example/?q=$(touch pwned)')</script>`,
	})
	var asked []string
	c := checkOf(w)
	c.Probe = func(_ context.Context, address string, _ func(string) bool) (int, error) {
		asked = append(asked, address)
		return http.StatusOK, nil
	}
	report := run(t, c)

	for _, address := range asked {
		if strings.ContainsAny(address, " `\"") {
			t.Errorf("asked for %q", address)
		}
	}
	if len(asked) != 4 || len(report.Findings) != 1 || report.Findings[0].Rule != "link_dead" {
		t.Errorf("asked for %q, found %v", asked, report.Findings)
	}
	for _, dir := range []string{".", w.Dir} {
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Error("a command ran")
		}
	}
}

// D10: the folder of the website is joined to the names of its pages, however it is written,
// and a folder without pages is not healthy.
func TestD10TheFolderOfTheWebsiteIsJoined(t *testing.T) {
	for _, root := range []string{"public", "./public", "public/", "./public/", "public/.", "x/../public"} {
		w := guardtest.New(t, map[string]string{
			"governance.yaml":   fmt.Sprintf("website: {root: %q}\n", root),
			"public/index.html": head + `<a href="/about.html">x</a><a href="gone.html">x</a>`,
			"public/about.html": head,
		})
		report := run(t, checkOf(w))
		if report.Pages != 2 || len(report.Findings) != 1 || report.Findings[0].Path != "public/index.html" || report.Findings[0].Page != "index.html" {
			t.Errorf("%s: %d pages, %v", root, report.Pages, report.Findings)
		}
	}

	for name, files := range map[string]map[string]string{
		"no website":       {"a.txt": ""},
		"no such folder":   {"governance.yaml": "website: {root: public}\n", "public.html": head},
		"no page":          {"governance.yaml": "website: {root: public}\n", "public/a.txt": ""},
		"all are excluded": {"governance.yaml": "website: {root: public, exclude: ['**']}\n", "public/index.html": head},
		"all are ignored":  {"governance.yaml": "website: {root: public}\nignore: ['public/**']\n", "public/index.html": head},
	} {
		report := run(t, checkOf(guardtest.New(t, files)))
		if report.Pages != 0 || len(report.Skipped) == 0 {
			t.Errorf("%s: %d pages, skipped %v", name, report.Pages, report.Skipped)
		}
	}
}

// D17: what answers with an error is broken, and not only what does not answer.
func TestD17AnErrorOfTheServerIsBroken(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/good":
			fmt.Fprint(w, "ok")
		case "/moved":
			http.Redirect(w, r, "/good", http.StatusFound)
		case "/astray":
			http.Redirect(w, r, "http://other.example/", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case "/gone":
			http.NotFound(w, r)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()

	script := "<script>\n"
	for _, path := range []string{"good", "moved", "gone", "failing", "circle"} {
		script += fmt.Sprintf("fetch('http://shop.example/%s');\n", path)
	}
	script += "fetch('http://shop.example/posted', {method: 'POST'});\nfetch('http://else.example/x');\nfetch('/api/failing');\n</script>"
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "website: {root: web, routes: ['/api/*'], live: {enabled: true, allow_hosts: [shop.example]}}\n",
		"web/index.html":  head + script,
	})
	c := checkOf(w)
	c.Probe = pages.ProbeThrough(&http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		},
	})

	broken := func() string {
		var list []string
		for _, f := range run(t, c).Findings {
			list = append(list, f.Type+" "+strings.TrimPrefix(f.Evidence, "http://shop.example"))
		}
		return strings.Join(list, ", ")
	}
	if got := broken(); got != "broken_fetch /gone, broken_fetch /failing, broken_fetch /circle" {
		t.Errorf("another host: found %q", got)
	}

	// On the host of the website, paths are files, and only its routes are asked for.
	w.Write("governance.yaml", "website: {root: web, base_url: 'http://shop.example', routes: ['/*'], live: {enabled: true, allow_hosts: [shop.example]}}\n")
	if got := broken(); got != "broken_fetch /gone, broken_fetch /failing, broken_fetch /circle, broken_fetch /api/failing" {
		t.Errorf("the host of the website: found %q", got)
	}

	before := asked.Load()
	for _, live := range []string{"{enabled: false, allow_hosts: [shop.example]}", "{enabled: true, allow_hosts: []}", "{enabled: true, allow_hosts: [example]}"} {
		w.Write("governance.yaml", "website: {root: web, routes: ['/api/*'], live: "+live+"}\n")
		if list := run(t, c).Findings; len(list) > 0 {
			t.Errorf("%s: %v", live, list)
		}
	}
	if asked.Load() != before {
		t.Error("the server was asked without permission")
	}
}

// The network of the machine is never asked, by no name and by no redirect.
func TestOnlyPublicAddressesAreAsked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a private server was asked")
	}))
	defer server.Close()

	every := func(string) bool { return true }
	probe := pages.Network()
	for _, address := range []string{
		server.URL, "http://localhost/", "http://127.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://10.0.0.1/", "http://192.168.1.1/",
		"http://172.16.0.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://224.0.0.1/", "http://0.0.0.0/", "http://[fe80::1]/",
		"http://[fd00:ec2::254]/", "http://2130706433/", "http://127.1/", "http://8.8.8.8:22/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://a:b@8.8.8.8/",
	} {
		if status, err := probe(t.Context(), address, every); err == nil {
			t.Errorf("%s answered with %d", address, status)
		}
	}
	if _, err := probe(t.Context(), "http://8.8.8.8/", func(string) bool { return false }); err == nil {
		t.Error("a host that is not allowed was asked")
	}
}

// D18: texts, expressions and templates are no errors of syntax, and what is no JavaScript is
// not read as such.
func TestD18OnlyJavaScriptIsReadAsJavaScript(t *testing.T) {
	right := `<script>
const brackets = "}){(["; const more = '({['; const template = ` + "`}${`(${')'}`}{`" + `;
const expression = /[(\]{]\/(?<name>[)}])/gu; const divided = 4 / 2 / 1; // })
/* ({[ */ let optional = brackets?.length ?? 0n; class A { #p = 1; static { this.q ||= 2; } get r() { return this.#p; } }
label: for (const x of [1_000, 0x1F, .5e-3]) { if (x in {}) continue label; }
async function* f({ a = 1, ...rest } = {}) { for await (const y of a) yield* rest; }
const arrow = () => { return { a: 1 } }
[1, 2].forEach(arrow)
</script>
<script type="module">import a from './a.js'; import data from './a.json' with { type: 'json' }; await a(data); export { a as default };</script>
<script type="application/ld+json">{"@context": "https://schema.org", "name": "it's {"}</script>
<script type="importmap">{"imports": {}}</script>
<script type="text/template"><% if (x) { %></script><script type="text/x-handlebars">{{#if x}}</script><script type="text/babel">const a = <b/>;</script>
<script type="text/typescript">let a: number</script><script type="x-shader/x-vertex">void main() {</script>
<script src="a.js" type="module">this is no code</script><script></script><script><!--
var old = 1;
//--></script>
<button onclick="if (a) { return false; }">x</button>`
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "website: {root: web}\n",
		"web/index.html":  head + right,
		"web/a.js":        "export default (x) => x;\n",
		"web/a.json":      "{}",
	})
	if list := run(t, checkOf(w)).Findings; len(list) > 0 {
		t.Errorf("found %v", list)
	}

	for i, wrong := range []string{
		`<script>f(;</script>`, `<script>let a; let a;</script>`, `<script>return 1</script>`, `<script>const x;</script>`, `<script>'x</script>`, "<script>`x</script>",
		`<script>function f() { await g(); }</script>`, `<script>import a from './a.js'</script>`, `<script>x = /(/</script>`, `<script>x = /a/gg</script>`,
		`<script>x = { a = 1 }</script>`, `<script>break;</script>`, `<script>if (x { }</script>`, `<script type="module">export</script>`, `<button onclick="f(">x</button>`,
		`<a href="javascript:f(">x</a>`, `<script type="application/ld+json">{"a": 1,}</script>`, `<script type="importmap">{"imports": {}</script>`, `<script type="application/json">{'a': 1}</script>`,
	} {
		w.Write("web/index.html", head+wrong)
		if list := run(t, checkOf(w)).Findings; len(list) != 1 || list[0].Type != pages.JSSyntax {
			t.Errorf("%d %s: %v", i, wrong, list)
		}
	}
}
