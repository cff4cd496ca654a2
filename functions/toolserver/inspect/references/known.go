package references

import (
	"path"
	"regexp"
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

// codeEndings are those of programs: a file of one is seldom one that only others have.
var codeEndings = words(".go .py .rb .rs .java .kt .sh .bash .sql .tf .ts .tsx .vue .svelte .mjs .cjs .js .jsx .c .cc .cpp .h .hpp .cs .swift .php .lua .ex .exs .proto .graphql .prisma .css .scss")

// settingEndings are those of settings, which texts name of other programs, too.
var settingEndings = words(".json .jsonc .yaml .yml .toml .ini .cfg .conf .env .xml .plist .properties .lock .log")

// looksLikeFile reports whether the last part of a path is a name that files have.
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

var (
	dotFile     = regexp.MustCompile(`^\.(?:env|[a-z]+(?:rc|ignore|config|attributes))$`) // the name is all ending
	plainEnding = regexp.MustCompile(`^\.[a-z][a-z0-9]{0,9}$`)
	versionName = regexp.MustCompile(`^v?\d+(?:[.x]\w*)*$`)
)

// isUsual reports whether a page that names a folder means one of this project.
func isUsual(doc, folder string) bool {
	if usualFolders[folder] {
		return true
	}
	base := path.Base(doc)
	isForAgents := base == "CLAUDE.md" || base == "AGENTS.md"
	return isForAgents && ourFolders[folder]
}

// isOurs reports whether a folder is one that projects usually have.
func isOurs(folder string) bool {
	return usualFolders[folder] || ourFolders[folder]
}
