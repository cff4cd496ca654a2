package pages_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/pages"
)

// around are the files beside a page that is tried by itself.
var around = map[string]string{
	"governance.yaml":     "website: {root: web, base_url: https://a.example, routes: ['/api/*']}\n",
	"web/other.html":      head + `<h1 id="top-1">x</h1><a name="old">x</a><p>x</p>`,
	"web/dir/index.html":  head,
	"web/dir/b c.html":    head,
	"web/pic.png":         "x",
	"web/pic@2x.png":      "x",
	"web/ä.png":           "x",
	"web/sprite.svg":      `<svg><symbol id="s"/></svg>`,
	"web/style.css":       ".x { color: red }",
	"web/app.js":          "export const a = 1;\n",
	"web/data.json":       "{}",
	"web/film.mp4":        "x",
	"web/empty/note.txt":  "x",
	"web/Case/Photo.JPG":  "x",
	"web/lib/index.js":    "export default 1;\n",
	"web/lib/broken.html": "<p>part</p>",
}

// tried are the types of what is found on a page with a body.
func tried(t *testing.T, body string) string {
	t.Helper()
	files := map[string]string{"web/index.html": head + body}
	for name, text := range around {
		files[name] = text
	}
	var list []string
	for _, f := range run(t, checkOf(guardtest.New(t, files))).Findings {
		if f.Severity != finding.Info {
			list = append(list, f.Type)
		}
	}
	return strings.Join(list, " ")
}

// Each body has one fault.
func TestSingleFaults(t *testing.T) {
	for kind, bodies := range map[string][]string{
		pages.BrokenLink: {
			`<a href=gone.html>x</a>`, `<a href="/gone">x</a>`, `<a href="dir/gone.html">x</a>`, `<a href="DIR/">x</a>`, `<a href="dir/Index.html">x</a>`,
			`<a href="empty/">x</a>`, `<a href="empty">x</a>`, `<area href="gone.html">`, `<map name="m"><area href="gone.html" alt="x"></map>`,
			`<a href="other.html/">x</a>`, `<a href="./dir/../gone.html">x</a>`, `<a href="dir%2Fgone.html">x</a>`, `<a href="https://a.example/gone">x</a>`,
			`<a href="//a.example/gone.html">x</a>`, `<a href="HTTPS://A.EXAMPLE/gone">x</a>`, `<a href="gone.html?x=1#y">x</a>`, `<a href="gone.pdf" download>x</a>`,
			`<link rel="stylesheet" href="gone.css">`, `<link rel=preload as=font href=gone.woff2>`, `<link rel="next" href="gone.html">`, `<link rel="manifest" href="gone.json">`,
			`<link rel="alternate" hreflang="de" href="/de/">`, `<link rel="canonical" href="https://a.example/gone">`, `<link rel="alternate" type="application/rss+xml" href="feed.xml">`,
			`<script src="gone.js"></script>`, `<script type="module" src="/gone.mjs"></script>`, `<script src="/App.js"></script>`, `<iframe src="gone.html" title="x"></iframe>`,
			`<video src="gone.mp4"></video>`, `<video><source src="gone.webm"></video>`, `<audio><source src="gone.ogg"></audio>`, `<video src="film.mp4"><track src="gone.vtt"></video>`,
			`<object data="gone.pdf"></object>`, `<embed src="gone.swf">`, `<style>@import "gone.css";</style>`, `<style>@import url(gone.css) screen;</style>`,
			`<style>@font-face { font-family: a; src: local("x"), url(gone.woff2) format("woff2") }</style>`,
			`<form action="gone.html"></form>`, `<svg><a xlink:href="gone.html">x</a></svg>`, `<base href="/dir/"><a href="other.html">x</a>`, `<a href="file:///C:/x.html">x</a>`, `<a href="C:\site\x.html">x</a>`,
			`<noscript><a href="gone.html">x</a></noscript>`, `<button onclick="location.href='gone.html'">x</button>`, `<a href="b c.html">x</a>`, `<a href="dir/b+c.html">x</a>`,
		},
		pages.MissingAnchor: {
			`<a href="#gone">x</a>`, `<a href="other.html#gone">x</a>`, `<a href="other#TOP-1">x</a>`, `<a href="/other.html?x=1#gone">x</a>`, `<a href="index.html#gone">x</a>`,
			`<svg><use href="sprite.svg#gone"/></svg>`, `<a href="https://a.example/other.html#gone">x</a>`, `<a href="dir/#gone">x</a>`, `<p id="A"></p><a href="#a">x</a>`,
			`<!-- <p id="gone"> --><a href="#gone">x</a>`, `<input name="gone"><a href="#gone">x</a>`,
		},
		pages.MissingImage: {
			`<img src="gone.png" alt="">`, `<img src="/gone.png" alt="">`, `<img src="PIC.png" alt="">`, `<img src="case/Photo.JPG" alt="">`, `<img src="Case/photo.jpg" alt="">`,
			`<img src="pic.png" srcset="pic.png 1x, gone.png 2x" alt="">`, `<img srcset="gone.png" alt="">`, `<picture><source srcset="gone.avif"><img src="pic.png" alt=""></picture>`,
			`<img src="" alt="">`, `<img alt="x">`, `<video poster="gone.jpg" src="film.mp4"></video>`, `<input type="image" src="gone.png" alt="x">`, `<svg><image href="gone.png"/></svg>`,
			`<svg><image xlink:href="gone.png"/></svg>`, `<svg><use xlink:href="gone.svg#s"/></svg>`, `<div style="background: url('gone.png')">x</div>`, `<div style="background:url(&quot;gone.png&quot;)">x</div>`,
			`<style>.a { background: url(gone.png) }</style>`, `<style>.a { background-image: image-set("gone.png" 1x) }</style>`, `<style>@media print { .a { & b { background: URL( gone.gif ) } } }</style>`,
			`<img data-src="gone.png" alt="">`, `<img src="data:," data-srcset="gone.png 1x" alt="">`, `<link rel="preload" as="image" href="gone.webp">`, `<meta name="twitter:image" content="/gone.png">`,
			`<body background="gone.png">`, `<noscript><img src="gone.png" alt=""></noscript>`, `<img src="%C3%A4.gif" alt="">`, `<img src="images/" alt="">`,
		},
		pages.BrokenFetch: {
			`<script>fetch('gone.json')</script>`, `<script>fetch("/apis/x")</script>`, "<script>fetch(`gone.json`)</script>", `<script>window.fetch('gone.json')</script>`, `<script>await1(fetch('gone.json', { cache: 'no-store' }))</script>`,
			`<script>const u = '/gone.json'; fetch(u)</script>`, `<script>fetch('/gone' + '/x.json')</script>`, `<script>fetch(new Request('gone.json'))</script>`, `<script>fetch(new URL('gone.json', location.href))</script>`,
			`<script>axios.get('/gone')</script>`, `<script>axios('gone.json')</script>`, `<script>axios({ url: 'gone.json' })</script>`, `<script>axios.post('/gone', {})</script>`, `<script>$.ajax({ url: "gone.json" })</script>`, `<script>jQuery.get('gone.json')</script>`,
			`<script>var x = new XMLHttpRequest(); x.open('GET', 'gone.json'); x.send()</script>`, `<script>function f(xhr) { xhr.open("POST", "/gone") }</script>`, `<script>let r; r = new XMLHttpRequest; r.open('GET', 'gone.json')</script>`,
			`<script>new EventSource('/gone')</script>`, `<script>new window.EventSource('/gone')</script>`, `<script type="module">const m = await import('./gone.js')</script>`, `<script type="module">import './gone.js'</script>`, `<script type="module">import a from "/lib/gone.js"</script>`,
			`<script type="module">import a from 'vue'</script>`, `<script type="module">export * from './gone.js'</script>`, `<script type="module">import './lib'</script>`, `<script type="importmap">{"imports": {"a": "/gone.js"}}</script>`,
			`<script>new Worker('gone.js')</script>`, `<script>navigator.sendBeacon('/gone')</script>`, `<script>navigator.serviceWorker.register('/sw.js')</script>`, `<button onclick="fetch('gone.json')">x</button>`, `<script type="module">new URL('./gone.png', import.meta.url)</script>`,
			`<script>(async () => { try { const r = await fetch('/gone'); } catch (e) {} })()</script>`, `<script>document.addEventListener('click', () => { fetch('/gone').then(r => r.json()) })</script>`, `<script>class A { load() { return fetch('gone.json') } }</script>`,
		},
		pages.PlaceholderText: {
			`<p>Lorem ipsum dolor sit amet</p>`, `<p>LOREM IPSUM</p>`, `<p>lorem&nbsp;ipsum</p>`, `<p>Lorem <b>ipsum</b> dolor</p>`, `<p>TODO</p>`, `<p>TODO: write</p>`, `<li>(TODO)</li>`, `<p>x TODO.</p>`, `<td>--</td>`, `<table><tr><td>--</td></tr></table>`,
			`<span> -- </span>`, `<p>&#45;&#45;</p>`, `<p><b>--</b></p>`, `<img src="pic.png" alt="TODO">`, `<input placeholder="Lorem ipsum">`, `<p>Text<br>TODO<br>text</p>`, `<h2>TODO</h2><p>x</p>`, `<figcaption>Lorem
   ipsum</figcaption>`, `<button>TODO</button>`, `<option>TODO</option>`, `<a href="#top" title="Lorem ipsum">x</a>`, `<dd>--</dd>`,
		},
		pages.EmptySection: {
			`<section></section>`, `<section> &nbsp; </section>`, `<article><!-- x --></article>`, `<section><div><p></p></div></section>`, `<h2>A</h2><h2>B</h2><p>x</p>`, `<h2>A</h2><p></p><h2>B</h2><p>x</p>`, `<section><h2>A</h2></section>`,
			`<section><h3>A</h3><h2>B</h2><p>x</p></section>`, `<main><p>x</p><h2>A</h2></main>`, `<h3>A</h3><hr><h3>B</h3><p>x</p>`, `<h2>A</h2><script>var x = 1</script><h2>B</h2><p>x</p>`, `<h2>A</h2><style>p{}</style><h2>B</h2><p>x</p>`,
			`<section id="x"></section>`, `<section class="y"><br></section>`, `<h2>A</h2><template><p>x</p></template><h2>B</h2><p>x</p>`, `<section><script>let a = 1</script></section>`, `<div><h2>A</h2></div><div><h2>B</h2><p>x</p></div>`, `<h2>A</h2><p><br></p><p> </p><footer>x</footer>`,
			`<h1>A</h1><h1>B</h1><p>x</p>`, `<article><header></header></article>`,
		},
		pages.NoMobileMenu: {`<meta name="viewport" content="width=1024">`},
	} {
		for _, body := range bodies {
			if got := tried(t, body); got != kind {
				t.Errorf("%s: found %q, want %s", body, got, kind)
			}
		}
	}
}

// Nothing is wrong with any of these, though it looks so.
func TestWhatIsRight(t *testing.T) {
	for _, body := range []string{
		`<a href="other">x</a><a href="./other.html">x</a><a href="/other.html#top-1">x</a><a href="other#old">x</a><a href="dir">x</a><a href="dir/">x</a><a href="dir/b%20c.html">x</a><a href="dir/b c">x</a>`,
		`<a href="">x</a><a href="#">x</a><a href="#top">x</a><a href="?a=b">x</a><a href=".">x</a><a href="./">x</a><a href="..">x</a><a href="/">x</a><a>x</a><a href="#!">x</a><a href="#/route/x">x</a>`,
		`<a href="mailto:a@b.example">x</a><a href="tel:+1">x</a><a href="javascript:void(0)">x</a><a href="JavaScript:;">x</a><a href="data:text/plain,x">x</a><a href="blob:x">x</a><a href="//cdn.example/x">x</a><a href="http://other.example/gone">x</a><a href="about:blank">x</a>`,
		`<a href="{{ url }}">x</a><a href="{% url 'x' %}">x</a><a href="<%= x %>">x</a><img src="{{ img }}" alt=""><a href="${x}">x</a>`,
		`<a href="/api/x/y">x</a><img src="/api/avatar.png" alt=""><script src="/api/config.js"></script><form action="/subscribe" method="post"></form><form action="/search"></form>`,
		`<img src="pic.png?v=1" alt=""><img src="%C3%A4.png" alt=""><img src="ä.png" alt=""><img src="pic%402x.png" alt=""><img srcset="pic.png, pic@2x.png 2x" alt="" src="pic.png">`,
		`<img id="preview" alt="x"><script>document.getElementById('preview').src = URL.createObjectURL(f)</script>`,
		`<style>.a { background: url("data:image/png;base64,AA==") } .b { mask: url(#m) } /* url(gone.png) */ .c::after { content: "url(gone.png)" }</style><style>@import url(https://fonts.example/css2?family=A:wght@400;700);</style>`,
		`<svg><use href="#here"/><symbol id="here"></symbol></svg><svg><use href="sprite.svg#s"/></svg>`,
		`<script>fetch('data.json'); fetch('/api/x'); fetch('https://api.example/x'); fetch(url); fetch('/x/' + id); fetch(` + "`/x/${id}`" + `); fetch('?page=2'); fetch('/')</script>`,
		`<script>const s = "fetch('gone.json')"; // fetch('gone.json')` + "\n" + `/* import('./gone.js') */ cache.fetch('gone'); db.open('name', 2); window.open('https://x.example', '_blank'); list.get('/gone')</script>`,
		`<script type="module">import { a } from './app.js'; import b from './lib/index.js'; import 'https://cdn.example/x.js'; import('./' + a + '.js')</script>`,
		`<script type="importmap">{"imports": {"lib/": "/lib/", "vue": "https://cdn.example/vue.js", "app": "./app.js"}}</script><script type="module">import v from 'vue'; import 'lib/index.js'; import { a } from 'app'</script>`,
		`<script type="text/html"><a href="gone.html"><img src="gone.png"></script><template><a href="gone.html">TODO</a><section></section></template><textarea><a href="gone.html">lorem ipsum</textarea><!-- <img src="gone.png"> TODO -->`,
		`<p>todo, Todo list, TODOS, TODO.md, methods-TODO_x, mastodon</p><code>TODO</code><pre>lorem ipsum</pre><kbd>--</kbd><samp>--</samp><p>a -- b</p><p>---</p><p>—</p><option value="">--</option>`,
		`<span id="n">--</span><script>document.querySelector('#n').textContent = 5</script>`, `<b class="price">--</b><script>for (const e of document.getElementsByClassName('price')) e.textContent = 1</script>`,
		`<section id="s"></section><script>s.innerHTML = 'x'</script>`, `<section id="s"></section><script>document.getElementById("s").append('x')</script>`, `<section class="grid"></section><script>$('.grid').load('/api/x')</script>`,
		`<section data-feed></section><script>document.querySelectorAll('[data-feed]').forEach(f)</script>`, `<section aria-hidden="true"></section><section hidden></section><article aria-busy="true"></article><section role="status"></section>`,
		`<section><img src="pic.png" alt=""></section><section><canvas></canvas></section><section><my-list></my-list></section><section><iframe src="https://v.example"></iframe></section><section><input></section><section style="background:url(pic.png)"></section>`,
		`<h2>A</h2><h3>B</h3><p>x</p><h2>C</h2><img src="pic.png" alt=""><h2>D</h2><ul><li>x</li></ul><h2>E</h2><table><tr><td>x</td></tr></table><h2>F</h2><form><input></form>`,
		`<div class="card"><img src="pic.png" alt=""><h3>Ann</h3></div><div class="card"><img src="pic.png" alt=""><h3>Bo</h3></div>`, `<ul><li><h3>A</h3></li><li><h3>B</h3></li></ul>`, `<h2><a href="other.html">A</a></h2><h2><a href="dir/">B</a></h2>`,
		`<a href="other.html"><h3>A</h3></a><a href="dir/"><h3>B</h3></a>`, `<details><summary><h2>A</h2></summary><p>x</p></details><details><summary>B</summary>x</details>`, `<header><h1>A</h1></header><main><p>x</p></main>`, `<h1>A</h1><main><section><h2>B</h2><p>x</p></section></main>`,
		`<div><h2>A</h2></div><div><p>x</p></div>`, `<header class="section-head"><h2>A</h2></header><div>x</div>`, `<section><h2>Comments</h2><div id="disqus_thread"></div></section><script src="https://x.disqus.example/embed.js"></script>`,
		`<section><h2>Form</h2><script src="https://forms.example/embed.js"></script></section>`, `<h2>A</h2><p>&copy;</p>`, `<h2>A</h2>text<h2>B</h2>text`,
		`<script>let s = '<\/script>', t = "it's {[(", r = /[/"'(]/g; if (a < b && c > d) { x = y / 2 }</script><script>
  // it's a comment with ' and "
  var x = { 'a-b': 1, get: 2, async: 3, of() {}, async *g() {} };
</script>`,
		`<script type="application/ld+json">[{"@type": "x", "text": "a\nb"}]</script><script type="application/ld+json">

</script><script type="text/plain">{ not code</script><script type="text/x-template"><p>{{ x }}</p></script>`,
		`<nav aria-label="Breadcrumb"><a href="/">a</a> <a href="dir/">b</a> <a href="other.html">c</a> <a href="/">d</a></nav><nav><a href="/">a</a></nav>`,
		`<link rel="preconnect" href="https://fonts.example"><link rel="dns-prefetch" href="//x.example"><link rel="stylesheet" href="https://cdn.example/x.css"><link rel="icon" href="data:image/svg+xml,<svg/>"><link rel="me" href="/@me"><link rel="pingback" href="/xmlrpc">`,
		`<base target="_blank"><a href="other.html">x</a>`, `<base href="https://cdn.example/"><a href="gone.html">x</a><img src="gone.png" alt="">`, `<base href="/dir/"><a href="b c.html">x</a><img src="../pic.png" alt="">`,
		`<img src="data:," data-src="pic.png" alt=""><img src="pic.png" alt="" loading="lazy" srcset="pic.png 480w,pic@2x.png 800w" sizes="(max-width: 600px) 480px, 800px">`, `<img :src="x" alt=""><img v-bind:src="x" alt="">`,
		`<iframe srcdoc="<p>x</p>" title="x"></iframe><iframe src="about:blank" title="x"></iframe><object data="data:,x"></object><video></video>`, `<a href="other.html" download>x</a><a href="film.mp4">x</a><a href="sprite.svg#s">x</a>`,
		`<h2 id="a b">x</h2><p>x</p><a href="#a%20b">x</a><p id="ünï">x</p><a href="#%C3%BCn%C3%AF">x</a><a href="#ünï">x</a>`, `<div id="made"></div><a href="#tab-1">x</a><script>made.innerHTML = '<p id="tab-1">x</p>'</script>`,
	} {
		if got := tried(t, body); got != "" {
			t.Errorf("%s: found %q", body, got)
		}
	}
}
