package lint

import "strings"

// state says how exactly a package is named.
type state int

const (
	exact          state = iota // one immutable version, digest or commit
	local                       // on this machine or chosen by a variable: not judged
	floating                    // whatever the registry has today
	floatingSource              // whatever a repository or URL has today
	movingTag                   // an image without a tag, or with one that moves
	fixedTag                    // an image with a version tag but no digest
)

// pkg is something a runner fetches.
type pkg struct {
	ecosystem string // npm, python, go, nuget, image, flake
	name      string
	version   string // as written; "" if none
	spec      string
	state     state
	cleartext bool // fetched over http or git
	at        *place
}

// program is the name under which the package's own command appears in checks.
func (p pkg) program() string {
	if p.name == "" {
		return programName(p.spec)
	}
	return strings.ToLower(p.name)
}

// npmPackage reads a package spec of npm: name@version, alias@npm:name@version, a git or tarball
// source, or a folder.
func npmPackage(w word) pkg {
	spec := strings.TrimSpace(w.text)
	if _, target, ok := strings.Cut(spec, "@npm:"); ok {
		spec = target
	}

	spec = strings.TrimPrefix(spec, "npm:")
	p := pkg{ecosystem: "npm", spec: spec, at: w.at}
	switch {
	case localSpec(spec):
		p.state = local
		return p
	case gitSpec(spec):
		return sourced(p)
	}

	at := strings.LastIndexByte(spec, '@')
	if at <= 0 {
		p.name = spec
		p.state = floating
		return p
	}

	p.name = spec[:at]
	p.version = spec[at+1:]
	if exactVersion(p.version) {
		return p
	}

	if gitSpec(p.version) { // name@github:o/r
		p.spec = p.version
		return sourced(p)
	}

	if startsWithAny(p.version, localVersions) {
		p.state = local
		return p
	}

	p.state = floating
	return p
}

// localSpec recognises folders, files and specs that a variable supplies as a whole.
func localSpec(s string) bool {
	switch {
	case s == "" || s == "." || s == "..":
		return true
	case startsWithAny(s, localPrefixes), windowsPath(s):
		return true
	}
	return wholeReference(s) || variableRoot(s)
}

var localPrefixes = []string{"./", "../", "/", "~/", `.\`, `..\`, `\`, "file:", "link:"}

// localVersions begin the version of an npm package that is a folder.
var localVersions = []string{"file:", "./", "link:"}

// windowsPath recognises an absolute path with a drive, such as C:\tools.
func windowsPath(s string) bool {
	return len(s) > 2 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

// variableRoot recognises a path below a variable: ${workspaceFolder}/server.
func variableRoot(s string) bool {
	return startsWithAny(s, variableMarks) && strings.ContainsAny(s, `/\`)
}

var variableMarks = []string{"$", "%", "{{", "__"}

func gitSpec(s string) bool {
	if startsWithAny(strings.ToLower(s), gitPrefixes) {
		return true
	}

	// owner/repository, npm's short form for GitHub
	return !strings.HasPrefix(s, "@") &&
		strings.Count(s, "/") == 1 &&
		!strings.ContainsAny(s, " ${}<>")
}

var gitPrefixes = []string{"github:", "gitlab:", "bitbucket:", "gist:", "git+", "git:", "git@", "http://", "https://", "ssh://"}

// sourced judges a git or URL source: only a full commit hash cannot be moved.
func sourced(p pkg) pkg {
	lower := strings.ToLower(p.spec)
	p.state = floatingSource
	p.cleartext = startsWithAny(lower, cleartextSources)

	if at := strings.LastIndexAny(p.spec, "#@"); at >= 0 {
		commit := p.spec[at+1:]
		isSubdirectory := p.spec[at] == '#' && strings.Contains(commit, "subdirectory=")
		if isSubdirectory || strings.Contains(commit, "egg=") {
			if sign := strings.LastIndexByte(p.spec[:at], '@'); sign >= 0 {
				commit = p.spec[sign+1 : at]
			}
		}

		if hexadecimal(commit, 40) {
			p.state = exact
		}
	}

	if p.cleartext && loopback(splitURL(strings.TrimPrefix(lower, "git+")).host) {
		p.cleartext = false
	}

	p.name = repositoryName(p.spec)
	return p
}

// repositoryName is the last path element of a source, for recognising well-known programs.
func repositoryName(spec string) string {
	if at := strings.IndexAny(spec, "#?"); at >= 0 {
		spec = spec[:at]
	}
	spec = strings.TrimSuffix(spec, "/")
	if at := strings.LastIndexAny(spec, "/:"); at >= 0 {
		spec = spec[at+1:]
	}
	spec, _, _ = strings.Cut(spec, "@")
	return strings.TrimSuffix(spec, ".git")
}

var cleartextSources = []string{"git+http://", "git://", "http://", "git+git://"}

func hexadecimal(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// exactVersion reports whether s is one semantic version: three numbers, with pre-release and
// build allowed. "1.2", "^1.2.3", "latest" and "1.x" let the registry choose.
func exactVersion(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "="), "v")
	core := s
	if at := strings.IndexAny(s, "-+"); at >= 0 {
		core = s[:at]
		if at+1 == len(s) ||
			strings.Trim(s[at+1:], "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.+") != "" {
			return false
		}
	}
	return numbers(core) == 3
}

// numbers counts the dot-separated numbers of s, or returns 0 when there is anything else.
func numbers(s string) int {
	parts := strings.Split(s, ".")
	for _, part := range parts {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return 0
		}
	}
	return len(parts)
}

// pythonPackage reads a requirement: name[extra]==version, a URL, a folder, and for uv name@version.
func pythonPackage(w word, uv bool) pkg {
	spec := strings.TrimSpace(w.text)
	p := pkg{ecosystem: "python", spec: spec, at: w.at}
	if localSpec(spec) ||
		strings.HasSuffix(spec, ".whl") && scheme(spec) == "" ||
		strings.HasSuffix(spec, ".py") && scheme(spec) == "" {
		p.state = local
		return p
	}

	if _, source, ok := strings.Cut(spec, " @ "); ok {
		spec = strings.TrimSpace(source)
		p.spec = spec
	}

	if strings.HasPrefix(spec, "git+") || scheme(spec) != "" {
		return sourced(p)
	}
	end := strings.IndexAny(spec, "=<>!~@;[ ")
	if end < 0 {
		p.name = spec
		p.state = floating
		return p
	}

	p.name = spec[:end]
	rest := spec[end:]
	if close := strings.IndexByte(rest, ']'); rest[0] == '[' && close > 0 {
		rest = rest[close+1:]
	}

	rest, _, _ = strings.Cut(strings.TrimSpace(rest), ";") // an environment marker
	rest = strings.TrimSpace(rest)
	p.version = strings.TrimSpace(strings.TrimLeft(rest, "=@"))
	pinned := strings.HasPrefix(rest, "==") || uv && strings.HasPrefix(rest, "@")

	if strings.HasPrefix(rest, "@") && gitSpec(p.version) {
		p.spec = p.version
		return sourced(p)
	}

	first, _, _ := strings.Cut(p.version, ",")
	p.version = strings.TrimSpace(first)
	p.state = floating
	isNumber := p.version != "" && isDigit(p.version[0])
	if pinned && isNumber && !strings.ContainsAny(p.version, "*${<") {
		p.state = exact
	}

	return p
}

// denoPackage reads what deno run starts: npm:, jsr:, a URL or a file.
func denoPackage(w word) pkg {
	spec := w.text
	switch {
	case strings.HasPrefix(spec, "npm:"), strings.HasPrefix(spec, "jsr:"):
		p := npmPackage(word{withoutSubpath(strings.TrimLeft(spec[4:], "/")), w.at})
		if spec[0] == 'j' {
			p.ecosystem = "jsr"
		}
		return p
	case scheme(spec) == "http" || scheme(spec) == "https":
		p := sourced(pkg{
			ecosystem: "url",
			spec:      spec,
			at:        w.at,
		})

		if at := strings.LastIndexByte(spec, '@'); at > 0 {
			version, _, _ := strings.Cut(spec[at+1:], "/")
			if exactVersion(version) {
				p.state = exact
			}
		}
		return p
	}

	return pkg{
		ecosystem: "file",
		spec:      spec,
		state:     local,
		at:        w.at,
	}
}

// withoutSubpath removes /bin from name@1.2.3/bin.
func withoutSubpath(s string) string {
	start := 0
	if strings.HasPrefix(s, "@") {
		start = strings.IndexByte(s, '/') + 1
	}
	if at := strings.IndexByte(s[start:], '/'); at >= 0 {
		return s[:start+at]
	}
	return s
}

func goPackage(w word) pkg {
	name, version, ok := strings.Cut(w.text, "@")
	p := pkg{
		ecosystem: "go",
		name:      name,
		version:   version,
		spec:      w.text,
		at:        w.at,
	}

	switch {
	case !ok || localSpec(w.text): // without a version go run uses the module's go.sum
		p.state = local
	case !exactVersion(version):
		p.state = floating
	}

	return p
}

func nugetPackage(w word) pkg {
	name, version, _ := strings.Cut(w.text, "@")
	p := pkg{
		ecosystem: "nuget",
		name:      name,
		version:   version,
		spec:      w.text,
		at:        w.at,
	}

	core, _, _ := strings.Cut(version, "-")
	n := numbers(core)
	switch {
	case wholeReference(w.text):
		p.state = local
	case n < 3 || n > 4:
		p.state = floating
	}

	return p
}

// flakeOf reads a flake reference. The registry names of nix (nixpkgs#x) follow the user's own lock.
func flakeOf(w word) pkg {
	p := pkg{
		ecosystem: "flake",
		name:      w.text,
		spec:      w.text,
		state:     local,
		at:        w.at,
	}

	ref, _, _ := strings.Cut(w.text, "#")
	if !gitSpec(ref) || strings.Count(ref, ":") == 0 {
		return p
	}

	p = sourced(p)
	for _, part := range strings.FieldsFunc(ref, separatesFlake) {
		if hexadecimal(part, 40) {
			p.state = exact
		}
	}

	return p
}

func separatesFlake(r rune) bool {
	return strings.ContainsRune("/=&?", r)
}

// movingTags are image tags that are meant to move.
var movingTags = setOf("latest", "main", "master", "edge", "dev", "develop", "development", "stable", "nightly", "canary", "next", "head", "trunk", "snapshot", "unstable", "rolling", "current")

// imageOf reads an image reference: [registry[:port]/]name[:tag][@digest].
func imageOf(w word) pkg {
	spec := strings.TrimPrefix(w.text, "docker://")
	p := pkg{ecosystem: "image", spec: spec, at: w.at}
	if wholeReference(spec) {
		p.state = local
		return p
	}

	rest, digest, _ := strings.Cut(spec, "@")
	p.name = rest
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexAny(rest, "/}") {
		p.name = rest[:colon]
		p.version = rest[colon+1:]
	}

	hash, isSHA256 := strings.CutPrefix(digest, "sha256:")
	if isSHA256 && hexadecimal(hash, 64) {
		return p
	}

	p.state = fixedTag
	if moves(strings.ToLower(p.version)) {
		p.state = movingTag
	}
	return p
}

// moves reports whether an image tag, in lower case, is meant to move or is filled in later.
func moves(tag string) bool {
	if tag == "" || movingTags[tag] || strings.ContainsAny(tag, "${<%") {
		return true
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return first == "latest" || first == "nightly"
}
