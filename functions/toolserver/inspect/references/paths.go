package references

import (
	"path"
	"regexp"
	"strings"
)

// knownEndings are those of files that people write and name in documents.
var knownEndings = words(`.go .mod .sum .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .py .pyi .ipynb .rb .rs .java .kt .kts .scala
	.c .h .cc .cpp .hpp .cs .fs .swift .m .mm .php .pl .pm .lua .r .R .jl .ex .exs .erl .hs .ml .clj .dart .zig .nim .sol .proto .graphql .gql
	.sh .bash .zsh .fish .ps1 .bat .cmd .sql .prisma .html .htm .css .scss .sass .less .xml .xsl .svg .png .jpg .jpeg .gif .webp .ico .pdf
	.json .jsonc .json5 .jsonl .yaml .yml .toml .ini .cfg .conf .properties .env .example .sample .template .tmpl .tpl .j2
	.md .mdx .markdown .rst .txt .adoc .csv .tsv .tf .tfvars .hcl .nix .bzl .bazel .gradle .cmake .mk .dockerfile .service .plist .lock
	.snap .golden .ejs .hbs .pug .erb .haml .liquid .wasm .ttf .woff .woff2 .mp4 .mp3`)

// knownFiles are names without an ending that are always those of files.
var knownFiles = words("Makefile GNUmakefile Dockerfile Containerfile Justfile justfile Taskfile Procfile Jenkinsfile Vagrantfile Rakefile Gemfile LICENSE LICENCE COPYING NOTICE CODEOWNERS README CHANGELOG CONTRIBUTING")

// everywhere are names of files that texts use for a kind of file, not for one.
var everywhere = words(`package.json package-lock.json yarn.lock pnpm-lock.yaml bun.lockb tsconfig.json jsconfig.json go.mod go.sum go.work Cargo.toml Cargo.lock
	pyproject.toml poetry.lock uv.lock setup.py setup.cfg requirements.txt Pipfile manage.py Gemfile composer.json pom.xml build.gradle
	Makefile Dockerfile Containerfile Justfile justfile Taskfile Procfile Jenkinsfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml
	.env .env.local .gitignore .npmrc .nvmrc .editorconfig .dockerignore .gitattributes
	main.go main.py main.js main.ts main.rs main.c app.py app.js app.ts index.js index.ts index.html index.md index.tsx server.js lib.rs mod.rs __init__.py __main__.py conftest.py
	config.json config.yaml config.yml config.toml settings.json settings.py values.yaml Chart.yaml schema.json manifest.json
	README README.md CLAUDE.md AGENTS.md GEMINI.md CHANGELOG.md LICENSE LICENCE COPYING NOTICE SKILL.md robots.txt sitemap.xml favicon.ico launch.json tasks.json test.js test.py script.js script.sh script.py`)

// usualFolders are those in which a repository keeps what it is made with. Texts name others,
// such as src, of projects that are not theirs.
var usualFolders = words(`cmd internal pkg scripts script tools tool hack ci .github .circleci
	docs doc test tests spec e2e testdata deploy deployment deployments infra infrastructure terraform k8s kubernetes helm charts docker ops
	migrations`)

// ourFolders are further ones that notes for agents name, since they are about this project.
var ourFolders = words(`src source lib libs packages apps app services service modules components config configs conf server client web frontend backend
	api database db schemas schema proto assets static styles pages routes handlers controllers models utils helpers hooks views examples
	contracts crates plugins extensions functions workers data`)

var (
	lineSuffix  = regexp.MustCompile(`(?::\d+(?:[:-]\d+)?|#L?\d+(?:-L?\d+)?|::[\w:\[\]-]+)$`)
	pathText    = regexp.MustCompile(`^[\w.@/+()\[\]-]+$`)
	placeholder = regexp.MustCompile(`(?i)^(?:path|to|your|my|foo|bar|baz|qux|foobar|name|some|any|xxx+|yyyy|nnnn+|x\.y\.z|vx\.y\.z|mm|dd|user|username|owner|org|project|project-?name|filename|placeholder|hello|myproject|myapp|yourapp)$|(?i)^(?:your|my|some|any|the)[-_]|(?:YYYY|XXX|NNN|HASH)|(?i)^(?:foo|bar|baz|myfile|file|filename|name|hello|foo_test|untitled)\.\w+$|(?i)^(?:foo|bar)[-_]|^My[A-Z]|^[A-Z]+(?:_[A-Z]+)+$|(?i)x\.x`)
	member      = regexp.MustCompile(`\.[A-Z]\w*$`)
	host        = regexp.MustCompile(`^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|in|ai|co|app|de|eu|uk|us|me|tv|gov|edu|internal|local|localhost|sh|cloud|tech|xyz|info|so|gg|ly)$`)
	versionName = regexp.MustCompile(`^v?\d+(?:[.x]\w*)*$`)
)

// hasPlaceholder says whether a part of a path stands for any name.
func hasPlaceholder(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if placeholder.MatchString(part) {
			return true
		}
	}
	return false
}

// pathOf is the path that a code mark names, "" if it names none.
func pathOf(mark string) string {
	name := lineSuffix.ReplaceAllString(mark, "")
	switch {
	case !pathText.MatchString(name),
		strings.ContainsAny(name, "@()[]+"),
		strings.Contains(name, "..."),
		strings.Contains(name, "//"),
		strings.HasPrefix(name, "-"),
		strings.HasSuffix(name, "."):
		return ""
	}

	first, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	if host.MatchString(first) && strings.Contains(name, "/") {
		return ""
	}
	return name
}

// looksLikeFile says whether the last part of a path is a name that files have.
func (p *project) looksLikeFile(name string) bool {
	base := path.Base(name)
	ending := path.Ext(base)
	switch {
	case knownFiles[base]:
		return true
	case ending == base:
		return dotFile.MatchString(base)
	case ending == "", versionName.MatchString(base):
		return false
	case knownEndings[ending]:
		return true
	}
	return p.endings[ending] && plainEnding.MatchString(ending)
}

// dotFile matches settings whose names are all ending.
var dotFile = regexp.MustCompile(`^\.(?:env|[a-z]+(?:rc|ignore|config|attributes))$`)

var plainEnding = regexp.MustCompile(`^\.[a-z][a-z0-9]{0,9}$`)

// named is a path in a text, with what is known of the place.
type named struct {
	item     item
	name     string
	bases    []string // folders that it may begin at
	sentence sentence
}

// path checks a code mark that may be a path.
func (c *checker) path(p *page, it item) {
	name := pathOf(it.text)
	if name == "" || isPast(p.name, it.titles) {
		return
	}

	n := named{
		item:     it,
		name:     name,
		bases:    c.project.bases(p.name, it.around),
		sentence: sentenceOf(it),
	}
	at := place{p.name, p.line(it.offset)}
	if c.project.isThere(n) {
		if strings.Contains(name, "/") || c.project.looksLikeFile(name) {
			c.report(at, Path, it.text, "")
		}
		return
	}

	if c.isMeant(p, n) && !isMuted(it) && !p.shows(name) && !p.makes(name) {
		c.report(at, Path, name, c.project.whyMissing(path.Clean(strings.TrimPrefix(name, "/"))))
	}
}

// bases are the folders that a path may begin at: that of the page, the root, and those that
// the words around it name.
func (p *project) bases(doc string, around []string) []string {
	bases := []string{path.Dir(doc)}
	if bases[0] != "." {
		bases = append(bases, ".")
	}

	for _, word := range around {
		word = strings.Trim(word, "`*_():,")
		if word == "" || !pathText.MatchString(word) || word == "." {
			continue
		}
		for _, base := range bases {
			joined := path.Join(base, strings.TrimPrefix(word, "/"))
			if joined != base && !leadsOut(joined) && p.entries[joined] == folder {
				bases = append(bases, joined)
			}
		}
		if len(bases) > 20 {
			break
		}
	}
	return bases
}

// isThere says whether a path exists, as it is written or as people shorten it.
func (p *project) isThere(n named) bool {
	name := strings.TrimPrefix(n.name, "/")
	for _, base := range n.bases {
		joined := path.Join(base, name)
		if leadsOut(joined) || p.exists(joined) || p.isMade(joined) || p.hasStem(joined) {
			return true
		}
		if stem := member.ReplaceAllString(joined, ""); stem != joined && p.exists(stem) {
			return true
		}
	}
	return false
}

// hasStem says whether a file has this name and an ending besides.
func (p *project) hasStem(name string) bool {
	if path.Ext(name) != "" {
		return false
	}
	for ending := range p.endings {
		if ending != "" && p.entries[name+ending] == file {
			return true
		}
	}
	return false
}

// isMeant says whether a path that is missing clearly means one of this project.
func (c *checker) isMeant(p *page, n named) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(n.name, "./"), "/")
	trimmed := strings.TrimSuffix(name, "/")
	switch {
	case trimmed == "", strings.HasPrefix(n.name, "/") && !c.project.looksLikeFile(name):
		return false
	case hasPlaceholder(trimmed) && !c.anchoredDeep(n.bases, trimmed):
		return false
	case !strings.Contains(trimmed, "/"):
		return c.isMeantAlone(p, n, trimmed)
	case n.sentence.weak() && !c.hasParent(n.bases, trimmed):
		return false
	}

	if c.anchored(n.bases, trimmed) {
		return c.isMeantInside(n, name)
	}
	if strings.HasPrefix(n.name, "/") || c.project.endsWith(trimmed) || !c.project.looksLikeFile(trimmed) {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(trimmed, "../"), "/")
	return isUsual(p.name, first) && c.project.endings[strings.ToLower(path.Ext(trimmed))]
}

// isUsual says whether a page that names a folder means one of this project.
func isUsual(doc, name string) bool {
	base := path.Base(doc)
	isForAgents := base == "CLAUDE.md" || base == "AGENTS.md"
	return usualFolders[name] || isForAgents && ourFolders[name]
}

// isMeantInside says so of a path whose first folder is there.
func (c *checker) isMeantInside(n named, name string) bool {
	if c.project.looksLikeFile(name) {
		return true
	}
	if strings.HasSuffix(name, "/") {
		return !n.sentence.another()
	}
	plain := path.Ext(name) == "" && strings.ToLower(name) == name
	isImport := strings.HasPrefix(n.name, "./") && strings.Count(n.name, "/") < 3
	return plain && c.hasParent(n.bases, name) && !n.sentence.another() && !isImport
}

// anchored says whether the first folder of a path is there.
func (c *checker) anchored(bases []string, name string) bool {
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	first, _, _ := strings.Cut(name, "/")
	for _, base := range bases {
		if c.project.entries[path.Join(base, first)] == folder {
			return true
		}
	}
	return false
}

// hasParent says whether the folder that would hold a path is there.
func (c *checker) hasParent(bases []string, name string) bool {
	for _, base := range bases {
		if c.project.isFolder(path.Join(base, path.Dir(name))) {
			return true
		}
	}
	return false
}

// anchoredDeep says whether the placeholders of a path are names after all: the folder is
// there, and the last part is one that files have.
func (c *checker) anchoredDeep(bases []string, name string) bool {
	base := path.Base(name)
	plain := !placeholder.MatchString(base) || plainName.MatchString(base) && strings.Count(name, "/") > 1
	return plain && c.hasParent(bases, name)
}

var plainName = regexp.MustCompile(`^(?:file|name|hello)\.\w+$`)

// isMeantAlone says so of a name without a folder. Such a name is often one for a kind of
// file, so something must tell that it is here: a word that says what it is, another name of
// the same list that is there, or files like it.
func (c *checker) isMeantAlone(p *page, n named, name string) bool {
	if len(c.project.named[name]) > 0 || n.sentence.weak() {
		return false
	}
	if strings.HasSuffix(n.name, "/") {
		return !n.sentence.another() && (isCalledFolder(n) || leads.MatchString(n.sentence.before) && c.hasSibling(p, n))
	}
	if !c.project.looksLikeFile(name) {
		return plainFolder.MatchString(name) && !c.project.names[name] && isCalledFolder(n)
	}
	if everywhere[name] || sampleFile.MatchString(name) {
		return false
	}

	if leads.MatchString(n.sentence.before) && c.hasSibling(p, n) {
		return true
	}
	ending := path.Ext(name)
	here := c.project.siblings(path.Dir(p.name), ending)
	isCode := codeEndings[ending] && !anyOne.MatchString(n.sentence.before)
	isPlain := !settingEndings[ending] && calledFile.MatchString(n.sentence.after) && theOne.MatchString(n.sentence.before)
	return here && (isCode || isPlain || seen.MatchString(n.sentence.before))
}

// codeEndings are those of programs: a file of one is seldom one that only others have.
var codeEndings = words(".go .py .rb .rs .java .kt .sh .bash .sql .tf .ts .tsx .vue .svelte .mjs .cjs .js .jsx .c .cc .cpp .h .hpp .cs .swift .php .lua .ex .exs .proto .graphql .prisma .css .scss")

// settingEndings are those of settings, which texts name of other programs, too.
var settingEndings = words(".json .jsonc .yaml .yml .toml .ini .cfg .conf .env .xml .plist .properties .lock .log")

var (
	calledFile   = regexp.MustCompile("^ (?:file|script|page|document)\\b")
	plainFolder  = regexp.MustCompile(`^[a-z][a-z0-9_-]+$`)
	calledFolder = regexp.MustCompile("^ (?:sub)?(?:directory|folder|dir)\\b")
	anyOne       = regexp.MustCompile(`\b(?:an?|any|each|every|all|some|most|multiple|several|new|per|one) $`)
	theOne       = regexp.MustCompile(`(?:^|\b(?:the|our|this)) $`)
)

// isCalledFolder says whether the words around a name say that it is a certain folder.
func isCalledFolder(n named) bool {
	return calledFolder.MatchString(n.sentence.after) && theOne.MatchString(n.sentence.before)
}

var sampleFile = regexp.MustCompile(`(?i)^(?:example|sample|demo|test)\d*\.\w+$`)

var seen = regexp.MustCompile(`(?:^|[ (])(?:see|read|edit|open|consult|follow|refer to|(?:defined|documented|described|lives?|details|found|listed|configured|declared|explained|implemented|specified|available|included|kept|written down|is|are) in) (?:the |also |file )*$`)

// leads matches what stands before a name that its item of a list, or its row, begins with.
var leads = regexp.MustCompile("^[ |`,0-9.\\[\\]x+-]*(?:and |& )?$")

// hasSibling says whether another name of the same list is there.
func (c *checker) hasSibling(p *page, n named) bool {
	asFolder := strings.HasSuffix(n.name, "/")
	for _, other := range p.items {
		sameList := n.item.passage.list != 0 && other.passage.list == n.item.passage.list
		samePassage := other.passage.offset == n.item.passage.offset
		if other.block || other.text == n.item.text || !sameList && !samePassage {
			continue
		}
		if !leads.MatchString(sentenceOf(other).before) {
			continue
		}

		name := pathOf(other.text)
		alike := strings.HasSuffix(name, "/") == asFolder && !strings.Contains(strings.TrimSuffix(name, "/"), "/")
		if name == "" || !alike || !asFolder && !c.project.looksLikeFile(name) || everywhere[name] {
			continue
		}
		for _, base := range n.bases {
			if c.project.entries[path.Join(base, name)] != missing {
				return true
			}
		}
	}
	return false
}

// shows says whether a block that is no command begins with a comment that names a file: the
// block is its text.
func (p *page) shows(name string) bool {
	for _, mark := range []string{"// ", "# ", "-- ", "<!-- ", "/* ", "; "} {
		if strings.HasPrefix(p.defining, mark+name) || strings.Contains(p.defining, "\n"+mark+name) {
			return true
		}
	}
	return false
}

var definedName = regexp.MustCompile(`(?m)^\s*@?["']?([\w.:/-]*\w)["']?(?:\s+[\w*+$="' -]+)?\s*::?(?:\s|$|[^=\s])`)

// definedIn are the names that a text defines: keys of JSON and YAML, targets, recipes.
func definedIn(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range definedName.FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names
}

// defines says whether a block that is no command defines a name, with or without the
// group that it is in.
func (p *page) defines(name string) bool {
	last := name[strings.LastIndexByte(name, ':')+1:]
	return p.defined[name] || p.defined[last] || strings.Contains(p.defining, `"`+name+`":`)
}
