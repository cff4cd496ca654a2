package framework_test

import (
	"testing"

	"governance.internal/functions/toolserver/framework"
)

// Lines that look like wording, and that a program obeys all the same.
var traps = []change{
	{"beans.xml", `<value>run the old job</value>`, `<value>run the new job</value>`},
	{"build.xml", `<target>the old one</target>`, `<target>the new one</target>`},
	{"index.html", `<option>Germny</option>`, `<option>Germany</option>`},
	{"index.html", `<!--#include file="old" -->`, `<!--#include file="new" -->`},
	{"index.html", `<p onclick="go there now">Go</p>`, `<p onclick="go away now">Go</p>`},
	{"Page.vue", `<p :title="the old name">x</p>`, `<p :title="the new name">x</p>`},
	{"Page.vue", `const title = 'Our old shop'`, `const title = 'Our new shop'`},
	{"Page.svelte", `{@html old}`, `{@html fresh}`},
	{"a.pug", `p= user.name`, `p= user.mail`},
	{"a.pug", `p Hello #{user}`, `p Hello #{admin}`},
	{"a.bat", `@echo off`, `@echo on`},
	{"a.ps1", `#Requires -Version 5`, `#Requires -Version 7`},
	{"a.f90", `!$omp parallel do`, `!$omp single`},
	{"a.v", `// synthesis translate_off`, `// synthesis translate_on`},
	{"a.graphql", `# import A from "a.graphql"`, `# import B from "b.graphql"`},
	{"a.tex", `% !TEX program = pdflatex`, `% !TEX program = xelatex`},
	{"a.tex", `\input{the old part}`, `\input{the new part}`},
	{"a.org", `#+INCLUDE: the old part`, `#+INCLUDE: the new part`},
	{"a.vtt", `NOTE`, `STYLE`},
	{"site.scss", `$columns: 12;`, `$columns: 16;`},
	{"site.css", `  --max-items: 5;`, `  --max-items: 50;`},
	{"a.mdx", `export const layout = Old`, `export const layout = Fresh`},
	{"a.ts", `return the + old + value`, `return the + fresh + value`},
	{"a.tsx", `export default function Old`, `export default function Fresh`},
	{"a.jsx", `<p title={old}>Hello to all</p>`, `<p title={fresh}>Hello to all</p>`},
	{"a.java", `  * a * b`, `  * a * c`},
	{"a.c", `  *p = old value of it;`, `  *p = new value of it;`},
	{"a.go", `/* #cgo LDFLAGS: -lold */`, `/* #cgo LDFLAGS: -lnew */`},
	{"a.js", `glob("src/*"); run(one); skip("*/")`, `glob("src/*"); run(two); skip("*/")`},
	{"a.py", `TEXT = """Never delete the files"""`, `TEXT = """Always delete the files"""`},
	{"a.json", `  "allowed": ["read all of the files"],`, `  "allowed": ["write all of the files"],`},
	{"a.ftl", `count = { $n } files are here`, `count = { $m } files are here`},
	{"show.html.erb", `<p>Your <%= a %> is here</p>`, `<p>Your <%= b %> is here</p>`},
	{"x.blade.php", `@include('old')`, `@include('fresh')`},
	{"a.rss", `<link>the old place</link>`, `<link>the new place</link>`},
	{"a.resx", `<data name="the old name">`, `<data name="the new name">`},
}

func TestNoTrapPassesForWording(t *testing.T) {
	for _, trap := range traps {
		if got := framework.Classify(trap.diff()); got.Kind != "LOGIC" {
			t.Errorf("%s: %q to %q is %s (%s)", trap.file, trap.before, trap.after, got.Kind, got.Confidence)
		}
	}
}
