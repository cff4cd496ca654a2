package framework_test

import (
	"testing"

	"governance.internal/functions/toolserver/framework"
)

// change is a line before and after, in a file of some format.
type change struct{ file, before, after string }

// diff has the first line of the file above the change.
func (c change) diff() string { return diff(c.file, " \n-"+c.before+"\n+"+c.after+"\n") }

// Changes of text that people read, by format.
var shownChanges = []change{
	{"team.json", `  "city": "Hamburgg",`, `  "city": "Hamburg",`},
	{"shop.json", `  "price": 10,`, `  "price": 12,`},
	{"shop.json", `  "price": 9.90`, `  "price": 9.95`},
	{"people.json", `  "phone": "+49 40 123",`, `  "phone": "+49 40 124",`},
	{"people.json", `  "firstName": "Anna",`, `  "firstName": "Ana",`},
	{"a.json", `  "notice": "We are closed on monday",`, `  "notice": "We are closed on Monday",`},
	{"a.json", `  "subtitle": "Fresh"`, `  "subtitle": "Fresher"`},
	{"locales/de.json", `  "checkout.pay": "Bezahln",`, `  "checkout.pay": "Bezahlen",`},
	{"i18n/en.json", `  "hello": "Helo, {name}!",`, `  "hello": "Hello, {name}!",`},
	{"a.yaml", `title: Our old shop`, `title: Our new shop`},
	{"a.yaml", `  description: We open at ten`, `  description: We open at nine`},
	{"a.yml", `# an old remark on that`, `# a new remark on that`},
	{"a.yaml", `label: 'The first of all'`, `label: 'The last of all'`},
	{"locales/en.yml", `  bye: See you soonn`, `  bye: See you soon`},
	{"a.toml", `title = "Our old shop"`, `title = "Our new shop"`},
	{"a.toml", `# Sizes in centimetres`, `# Sizes in millimetres`},
	{"a.ini", `description = Our old shop`, `description = Our new shop`},
	{"a.ini", `; what was there before`, `; what is there now`},
	{"messages.properties", `greeting=Good mornin all`, `greeting=Good morning all`},
	{"messages_de.properties", `cart.empty=Dein Korb ist lehr`, `cart.empty=Dein Korb ist leer`},
	{"people.csv", `7,Anna,Hamburgg,1980`, `7,Anna,Hamburg,1980`},
	{"people.csv", `8,"Smith, Jon",Rome,1981`, `8,"Smith, John",Rome,1981`},
	{"prices.tsv", "a\t10", "a\t11"},
	{"README.md", `We are open til five.`, `We are open until five.`},
	{"docs/a.md", `- Note: bring your own cup`, `- Note: please bring your own cup`},
	{"docs/a.rst", `An old word.`, `A new word.`},
	{"CHANGELOG.md", `## 1.2.0 fixes`, `## 1.2.0 Fixes`},
	{"de.po", `msgstr "Guten Morgn"`, `msgstr "Guten Morgen"`},
	{"de.po", `msgstr "%d Dateien gelösct"`, `msgstr "%d Dateien gelöscht"`},
	{"res/values/strings.xml", `<string name="hello">Helo</string>`, `<string name="hello">Hello</string>`},
	{"en.lproj/Localizable.strings", `"hello" = "Helo there";`, `"hello" = "Hello there";`},
	{"a.py", `# counts al words`, `# counts all words`},
	{"a.py", `print("Good mornin all")`, `print("Good morning all")`},
	{"a.py", `log.info("Cleaned al up")`, `log.info("Cleaned all up")`},
	{"a.js", `// shows the cart`, `// shows the whole cart`},
	{"a.jsx", `// shows the cart`, `// shows the whole cart`},
	{"a.tsx", `const title = "Your old cart"`, `const title = "Your new cart"`},
	{"a.ts", `console.log("It is al done")`, `console.log("It is all done")`},
	{"a.mts", `// a helper for that`, `// the helper for that`},
	{"a.sql", `-- finds al people`, `-- finds all people`},
	{"a.css", `  color: #fff;`, `  color: #eee;`},
	{"a.less", `  margin: 4px;`, `  margin: 8px;`},
	{"a.scss", `  font-size: 12px;`, `  font-size: 13px;`},
	{"Dockerfile", `# builds the aplication`, `# builds the application`},
	{"Dockerfile", `LABEL description="Our old shop"`, `LABEL description="Our new shop"`},
	{"deploy/Dockerfile.dev", `# An image for al`, `# An image for all`},
	{"Makefile", `# runs al of it`, `# runs all of it`},
	{"a.rb", `puts "Good mornin all"`, `puts "Good morning all"`},
	{"a.php", `// an old remark`, `// a new remark`},
	{"a.lua", `-- an old remark`, `-- a new remark`},
	{"a.tf", `  # keeps al logs`, `  # keeps all logs`},
	{"web/a.html", `<h1>Our old shop</h1>`, `<h1>Our new shop</h1>`},

	// written after the above had passed
	{"content.json", `  "headline": "Summer sale starts",`, `  "headline": "Winter sale starts",`},
	{"team.json", `  "author": "Ana Diaz",`, `  "author": "Ana Díaz",`},
	{"menu.json", `  "amount": 3`, `  "amount": 4`},
	{"data/faq.yaml", `  question: How do I get there?`, `  question: How do we get there?`},
	{"lang/fr.json", `  "cart.items": "%d article",`, `  "cart.items": "%d articles",`},
	{"src/translations/es.ts", `// los textos viejos`, `// los textos nuevos`},
	{"docs/guide.adoc", `The old way.`, `The new way.`},
	{"LICENSE.txt", `Copyright 2025 Ana`, `Copyright 2026 Ana`},
	{"stores.csv", `4,Berlin,"Main St. 4",52.5`, `4,Berlin,"Main St. 5",52.5`},
	{"a.py", `print("Nothin to do here")  # shown at the end`, `print("Nothing to do here")  # shown at the end`},
	{"a.go", `	log.Printf("Nothin to do here")`, `	log.Printf("Nothing to do here")`},
	{"a.java", `// Adds two nubers.`, `// Adds two numbers.`},
	{"a.rs", `    println!("Nothin to do");`, `    println!("Nothing to do");`},
	{"a.kt", `println("Nothin to do")`, `println("Nothing to do")`},
	{"a.sh", `echo "Nothin to do here"`, `echo "Nothing to do here"`},
	{"a.html", `<li>Tuesdya</li>`, `<li>Tuesday</li>`},
	{"site.css", `  background-color: #fff;`, `  background-color: #eee;`},
	{"a.ini", `title = An old page`, `title = A new page`},
}

// Changes of values that programs act on, in the same formats.
var actedChanges = []change{
	{"a.json", `  "retries": 3,`, `  "retries": 5,`},
	{"a.json", `  "timeoutMs": 5000,`, `  "timeoutMs": 9000,`},
	{"a.json", `  "threshold": 0.5`, `  "threshold": 0.9`},
	{"a.json", `  "ttl": 60,`, `  "ttl": 0,`},
	{"a.json", `  "rate": 10,`, `  "rate": 1000,`},
	{"a.json", `  "region": "eu-west-1",`, `  "region": "us-east-1",`},
	{"a.json", `  "engine": "postgres",`, `  "engine": "sqlite",`},
	{"a.json", `  "model": "small",`, `  "model": "large",`},
	{"a.json", `  "provider": "a",`, `  "provider": "b",`},
	{"a.json", `  "strategy": "all at once"`, `  "strategy": "one by one"`},
	{"a.json", `  "lodash": "^4.17.20",`, `  "lodash": "^4.17.21",`},
	{"a.json", `  "feature": true,`, `  "feature": false,`},
	{"a.json", `  "debug": null,`, `  "debug": true,`},
	{"a.json", `  "homepage": "https://a.example",`, `  "homepage": "https://b.example",`},
	{"a.json", `  "callback": "https://a.example"`, `  "callback": "https://b.example"`},
	{"a.json", `  "title": "Hello {name}",`, `  "title": "Hello {user}",`},
	{"a.json", `  "roles": ["a"],`, `  "roles": ["a", "admin"],`},
	{"a.json", `  "email": "a@example.com",`, `  "email": "b@example.com",`},
	{"a.json", `  "price": 10,`, `  "prize": 10,`},
	{"i18n/en.json", `  "hello": "Hello, {name}!",`, `  "hello": "Hello, {user}!",`},
	{"i18n/en.json", `  "hello": "Hello",`, `  "hi": "Hello",`},
	{"package-lock.json", `  "description": "Our old shop",`, `  "description": "Our new shop",`},
	{"a.yaml", `enabled: false`, `enabled: true`},
	{"a.yaml", `image: app:1.2`, `image: app:1.3`},
	{"a.yaml", `schedule: "0 1 * * *"`, `schedule: "0 2 * * *"`},
	{"a.yaml", `url: https://a.example`, `url: https://b.example`},
	{"a.yaml", `title: Our shop`, `name: Our shop`},
	{"a.yaml", `title: yes`, `title: no`},
	{"a.yaml", `run: echo we are done`, `run: echo we are not done`},
	{"a.yaml", `  memory: 512Mi`, `  memory: 1Gi`},
	{"a.yaml", `title: &a Our old shop`, `title: *b`},
	{"a.yaml", `# yaml-language-server: $schema=a`, `# yaml-language-server: $schema=b`},
	{"docker-compose.yml", `description: Our old shop`, `description: Our new shop`},
	{".github/workflows/a.yml", `name: Our old job`, `name: Our new job`},
	{"openapi.yaml", `description: Our old shop`, `description: Our new shop`},
	{"a.toml", `version = "1.2.3"`, `version = "1.2.4"`},
	{"a.toml", `workers = 4`, `workers = 8`},
	{"Cargo.toml", `description = "Our old shop"`, `description = "Our new shop"`},
	{"pyproject.toml", `description = "Our old shop"`, `description = "Our new shop"`},
	{"a.ini", `debug = off`, `debug = on`},
	{"a.ini", `[one]`, `[two]`},
	{"a.ini", `host = a.example`, `host = b.example`},
	{".env", `TITLE=Our old shop`, `TITLE=Our new shop`},
	{".env.example", `PORT=1`, `PORT=2`},
	{"a.properties", `pool.size=5`, `pool.size=50`},
	{"application.properties", `spring.datasource.url=jdbc:a`, `spring.datasource.url=jdbc:b`},
	{"messages.properties", `greeting=Hello {0} and all`, `greeting=Hello {1} and all`},
	{"people.csv", `7,Anna,user`, `7,Anna,admin`},
	{"people.csv", `7,Anna,Rome`, `7,Anna,Rome,x`},
	{"people.csv", `7,Anna,Rome`, `7,=cmd|x,Rome`},
	{"people.csv", `7,Anna,true`, `7,Anna,false`},
	{"hooks.csv", `7,https://a.example`, `7,https://b.example`},
	{"requirements.txt", `requests==2.30`, `requests==2.31`},
	{"requirements-dev.txt", `pytest`, `pytest-evil`},
	{"CMakeLists.txt", `add_library(a a.c)`, `add_library(a b.c)`},
	{"robots.txt", `Disallow: /a`, `Disallow: /`},
	{"AGENTS.md", `Ask before you push.`, `Push at once.`},
	{".cursor/rules/a.mdc", `Ask first.`, `Never ask.`},
	{".clinerules", `Ask first.`, `Never ask.`},
	{"docs/a.md", `draft: true`, `draft: false`},
	{"docs/a.md", `layout: page`, `layout: post`},
	{"de.po", `msgid "Good morning"`, `msgid "Good evening"`},
	{"de.po", `msgstr "%d Dateien"`, `msgstr "%s Dateien"`},
	{"res/values/strings.xml", `<string name="hello">Hello</string>`, `<string name="hallo">Hello</string>`},
	{"pom.xml", `<version>1.2</version>`, `<version>1.3</version>`},
	{"a.sql", `select name from people`, `select email from people`},
	{"a.sql", `insert into t values ('an old text')`, `insert into t values ('a new text')`},
	{"a.sql", `-- +goose Up`, `-- +goose Down`},
	{"a.sql", `-- name: GetPeople :one`, `-- name: GetPeople :many`},
	{"a.sql", `delete from t where a = 'one two' -- x`, `delete from t where a = 'one three' -- x`},
	{"a.py", `# type: ignore`, `# nothing`},
	{"a.py", `# fmt: off`, `# fmt: on`},
	{"a.py", `raise ValueError("the old text")`, `raise ValueError("the new text")`},
	{"a.py", `LIMIT = 5`, `LIMIT = 50`},
	{"a.py", `if x == "one two":`, `if x == "one three":`},
	{"a.py", `print(f"we have {n} left")`, `print(f"we have {m} left")`},
	{"a.js", `const limit = 5`, `const limit = 50`},
	{"a.jsx", `<Cart open={true}>`, `<Cart open={false}>`},
	{"a.tsx", `fetch("the old place")`, `fetch("the new place")`},
	{"a.js", `// @ts-ignore`, `// @ts-nothing`},
	{"a.js", `// eslint-disable-next-line`, `// nothing`},
	{"a.js", `// biome-ignore lint: x`, `// nothing here`},
	{"a.js", `//# sourceMappingURL=a`, `//# sourceMappingURL=b`},
	{"a.css", `  pointer-events: auto;`, `  pointer-events: none;`},
	{"a.css", `.a {`, `.b {`},
	{"a.css", `  content: "a";`, `  content: "b";`},
	{"a.css", `  width: calc(1px);`, `  width: expression(alert(1));`},
	{"Dockerfile", `FROM alpine:3.19`, `FROM alpine:3.20`},
	{"Dockerfile", `USER app`, `USER root`},
	{"Dockerfile", `# syntax=docker/dockerfile:1`, `# syntax=evil/dockerfile:1`},
	{"Dockerfile", `ENV TITLE="Our old shop"`, `ENV TITLE="Our new shop"`},
	{"Dockerfile", `RUN echo "all of it"`, `RUN echo "none of it"`},
	{"Makefile", `	echo "all of it" # x`, `	rm "all of it" # x`},
	{"Makefile", `all: build`, `all: test`},
	{"a.rb", `# frozen_string_literal: true`, `# frozen_string_literal: false`},
	{"a.sh", `# shellcheck disable=SC1`, `# nothing`},
	{"a.tf", `  instance_type = "t3.small"`, `  instance_type = "t3.large"`},
	{"a.tf", `  description = "allows nobody at all"`, `  description = "allows nobody at most"`},
	{".gitignore", `a`, `b`},
	{"go.mod", `go 1.25`, `go 1.26`},
	{"yarn.lock", `  version "1.2"`, `  version "1.3"`},
	{"a.svg", `<text>a</text>`, `<text onload="x">a</text>`},
	{"a.proto", `string a = 1; // the first`, `string a = 2; // the first`},

	// written after the above had passed
	{"limits.json", `  "maxItems": 5,`, `  "maxItems": 500,`},
	{"a.json", `  "concurrency": 2`, `  "concurrency": 20`},
	{"a.json", `  "endpoint": "a.example"`, `  "endpoint": "b.example"`},
	{"flags.json", `  "newCheckout": false,`, `  "newCheckout": true,`},
	{"a.json", `  "description": "Delete all of it",`, `  "description": "Keep all of it",`},
	{"tools.json", `  "title": "<b>Our shop</b>"`, `  "title": "<script>x</script>"`},
	{"lang/fr.json", `  "link": "https://a.example"`, `  "link": "https://b.example"`},
	{"a.yaml", `cron: "0 * * * *"`, `cron: "1 * * * *"`},
	{"a.yaml", `  - --verbose`, `  - --quiet`},
	{"a.yaml", `logLevel: info`, `logLevel: debug`},
	{"deployment.yaml", `replicas: 2`, `replicas: 0`},
	{"k8s/a.yaml", `description: An old text`, `description: A new text`},
	{"values.yaml", `title: An old text`, `title: A new text`},
	{"a.toml", `timeout = "30s"`, `timeout = "300s"`},
	{"a.toml", `debug = true`, `debug = false`},
	{"setup.cfg", `python_requires = >=3.9`, `python_requires = >=3.8`},
	{"tox.ini", `commands = pytest`, `commands = true`},
	{".env.production", `DEBUG=0`, `DEBUG=1`},
	{"constraints.txt", `a<2`, `a<3`},
	{"Gemfile.lock", `    a (1.0)`, `    a (1.1)`},
	{"users.csv", `4,ana,admin`, `4,ana,owner`},
	{"a.md", `published: true`, `published: false`},
	{".github/copilot-instructions.md", `Be brief.`, `Be long.`},
	{"docs/prompts.md", `You are kind.`, `You are rude.`},
	{"a.go", `const limit = 5`, `const limit = 6`},
	{"a.go", `	log.Printf("we have %d", n)`, `	log.Printf("we have %d", m)`},
	{"a.go", `	return errors.New("an old text here")`, `	return errors.New("a new text here")`},
	{"a.rs", `#[cfg(test)]`, `#[cfg(not(test))]`},
	{"a.ts", `export const url = "https://a.example"`, `export const url = "https://b.example"`},
	{"a.ts", `if (ok) show("It is done now")`, `if (!ok) show("It is done now")`},
	{"a.py", `    pass`, `    drop()`},
	{"a.py", `import a`, `import b`},
	{"a.sql", `update t set a = 1`, `update t set a = 2`},
	{"a.css", `  z-index: 1;`, `  z-index: 99;`},
	{"a.css", `  visibility: visible;`, `  visibility: hidden;`},
	{"a.css", `@import "a.css";`, `@import "b.css";`},
	{"Dockerfile", `EXPOSE 80`, `EXPOSE 22`},
	{"Dockerfile", `COPY a b`, `COPY . b`},
	{"Makefile", `test: # runs them`, `test: evil # runs them`},
	{"a.tf", `  count = 1`, `  count = 0`},
	{"web/a.html", `<p>Pay here</p>`, `<p>Pay <a href="x">here</a></p>`},
	{"web/a.html", `<input value="a">`, `<input value="b">`},
}

// The first line of a table names its columns.
func TestTheNamesOfColumnsAreLogic(t *testing.T) {
	if got := framework.Classify(diff("a.csv", "-first,last\n+first,family\n 1,2\n")); got.Kind != "LOGIC" {
		t.Errorf("%+v", got)
	}
}

// In every format with a reader, text that is only shown may change, and values that
// programs act on need a person. Before the readers existed 27 of 52 and 72 of 103 changes
// were classified correctly; of the later ones 17 of 18 and 42 of 42.
func TestFormatsAreReadForWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		list []change
		want string
	}{{shownChanges, "DATA"}, {actedChanges, "LOGIC"}} {
		right := 0
		for _, one := range c.list {
			got := framework.Classify(one.diff())
			if got.Kind == c.want {
				right++
				continue
			}
			t.Errorf("%s: %q to %q is %s: %v", one.file, one.before, one.after, got.Kind, got.Evidence)
		}
		t.Logf("%s: %d of %d", c.want, right, len(c.list))
	}
}
