package command

import (
	"path"
	"slices"
	"strings"
)

// formatter rewrites the files that it is given, and in folders those of its languages.
type formatter struct {
	rewrites []string // words that make it write; none if it always does
	shows    []string // words that make it only show
	kinds    string   // endings of file names
}

var formatters = map[string]formatter{
	"gofmt": {[]string{"-w"}, nil, "go"}, "goimports": {[]string{"-w"}, nil, "go"}, "gofumpt": {[]string{"-w"}, nil, "go"}, "prettier": {[]string{"-w", "--write"}, nil, "js,jsx,ts,tsx,mjs,cjs,json,css,scss,less,html,md,yml,yaml,vue,graphql"},
	"black": {nil, []string{"--check", "--diff"}, "py"}, "isort": {nil, []string{"-c", "--check", "--check-only", "--diff"}, "py"}, "ruff": {[]string{"format", "--fix", "--fix-only"}, []string{"--diff"}, "py"}, "autopep8": {[]string{"-i", "--in-place"}, nil, "py"}, "yapf": {[]string{"-i", "--in-place"}, nil, "py"},
	"eslint": {[]string{"--fix"}, nil, "js,jsx,ts,tsx,mjs,cjs"}, "stylelint": {[]string{"--fix"}, nil, "css,scss,less"}, "biome": {[]string{"--write", "--fix", "--apply"}, nil, "js,jsx,ts,tsx,json"}, "rustfmt": {nil, []string{"--check"}, "rs"},
	"terraform": {[]string{"fmt"}, []string{"-check"}, "tf,tfvars"}, "tofu": {[]string{"fmt"}, []string{"-check"}, "tf,tfvars"}, "shfmt": {[]string{"-w"}, nil, "sh"}, "clang-format": {[]string{"-i"}, nil, "c,h,cc,cpp"}, "yq": {[]string{"-i", "--inplace"}, nil, ""}, "sd": {nil, nil, ""},
}

func (f formatter) effect(r *reader, c call) {
	if !f.writes(c) {
		if c.program != "yq" && (!c.reads() || c.has(writers[c.program]...)) {
			r.named(c)
		}
		return
	}

	f.rewrite(r, c)
}

// rewrite notes what the formatter writes: the files, and in folders those of its languages.
func (f formatter) rewrite(r *reader, c call) {

	for _, a := range f.operands(c) {
		if !a.ok || f.kinds == "" || isFileName(a.text) {
			r.word(a.word, c.program, false)
			continue
		}

		r.write(a.text+"/**/*.{"+f.kinds+"}", c.program, false, false)
		r.suspect(a.text)
	}
}

// isFileName tells a file, which has an ending, from a folder.
func isFileName(name string) bool {
	return path.Ext(name) != "" && strings.Trim(name, "./") != ""
}

// writes reports whether the formatter rewrites files in this call.
func (f formatter) writes(c call) bool {
	if len(f.rewrites) > 0 && !c.has(f.rewrites...) {
		return false
	}
	return !c.has(f.shows...) && !c.has(asksOnly...)
}

// operands are the files and folders of a call, the current one by default.
func (f formatter) operands(c call) []argument {
	operands := c.files()
	if len(operands) > 0 {
		switch operands[0].text {
		case "format", "fmt", "check":
			operands = operands[1:]
		}
	}
	if len(operands) == 0 && f.kinds != "" {
		return []argument{{literal("."), ".", true}}
	}
	return operands
}

// manifest is what package managers rewrite with some of their words.
type manifest struct {
	words string
	files []string
}

var manifests = map[string]manifest{
	"go": {"get mod work", []string{"go.mod", "go.sum"}}, "npm": {"install i add uninstall remove rm update up version dedupe init link", []string{"package.json", "package-lock.json"}},
	"yarn": {"add remove upgrade up version init", []string{"package.json", "yarn.lock"}}, "pnpm": {"install i add remove update up init", []string{"package.json", "pnpm-lock.yaml"}}, "bun": {"add remove update", []string{"package.json", "bun.lock"}},
	"cargo": {"add remove update upgrade init", []string{"Cargo.toml", "Cargo.lock"}}, "poetry": {"add remove update lock init version", []string{"pyproject.toml", "poetry.lock"}}, "uv": {"add remove lock init version", []string{"pyproject.toml", "uv.lock"}},
	"composer": {"require remove update init", []string{"composer.json", "composer.lock"}}, "bundle": {"add update lock init", []string{"Gemfile", "Gemfile.lock"}}, "dotnet": {}, "pipenv": {"install uninstall update lock", []string{"Pipfile", "Pipfile.lock"}},
}

// manifests notes the files in which a package manager writes down what it did.
func (r *reader) manifests(c call) {
	m := manifests[c.program]
	operands := c.files()
	if len(operands) == 0 || !slices.Contains(strings.Fields(m.words), operands[0].text) {
		return
	}

	for _, file := range m.written(c.program, operands) {
		r.write(file, c.program, false, true)
	}
}

// written are the files that a command rewrites. An install without a name of a package rewrites
// the lock file alone.
func (m manifest) written(program string, operands []argument) []string {
	if program == "go" {
		if changesModule(operands) {
			return m.files
		}
		return nil
	}
	installs := operands[0].text == "install" || operands[0].text == "i"
	if installs && len(operands) == 1 {
		return m.files[1:]
	}
	return m.files
}

// changesModule reports whether a go command changes go.mod; most words behind `go mod` only read
// it.
func changesModule(operands []argument) bool {
	if operands[0].text != "mod" || len(operands) == 1 {
		return true
	}
	return slices.Contains([]string{"tidy", "edit", "init", "vendor"}, operands[1].text)
}

// goOutputs are the flags of the go command that name a file or folder to write.
var goOutputs = []string{"o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir"}

// goPrograms are its flags that name a program to run.
var goPrograms = []string{"toolexec", "exec", "vettool"}

// goTool writes what it builds, and rewrites programs with some of its words.
func goTool(r *reader, c call) {
	operands := c.files()
	if len(operands) == 0 {
		return
	}

	switch operands[0].text {
	case "run":
		r.named(c)
	case "fmt", "fix":
		r.write("./**/*.go", "go fmt", false, false)
	case "build", "test", "install", "tool", "vet", "list":
		for i, a := range c.args {
			if strings.HasPrefix(a.text, "-") {
				goFlag(r, c, i)
			}
		}
	}
}

// goFlag judges one flag of the go command.
func goFlag(r *reader, c call, i int) {
	name, value, joined := strings.Cut(strings.TrimLeft(c.args[i].text, "-"), "=")
	if slices.Contains(goPrograms, name) {
		r.hide(c.all())
		return
	}
	if !slices.Contains(goOutputs, name) {
		return
	}

	if joined {
		r.word(literal(value), "go", false)
		return
	}
	if i+1 < len(c.args) {
		r.word(c.args[i+1].word, "go", false)
	}
}

func sortFile(r *reader, c call) {
	options, _ := c.parse(grammar{
		valued: "oktTS",
		long: map[string]bool{
			"output":           true,
			"compress-program": true,
		},
	})
	if o, ok := find(options, "o", "output"); ok && o.value.word != nil {
		r.word(o.value.word, c.program, false)
	}
	if given(options, "compress-program") {
		r.hide(c.all())
	}
}

// second writes its second operand.
func second(r *reader, c call) {
	if files := c.files(); len(files) > 1 {
		for _, a := range files[1:] {
			r.word(a.word, c.program, false)
		}
	}
}

func split(r *reader, c call) {
	if slices.ContainsFunc(c.args, func(a argument) bool { return strings.HasPrefix(a.text, "--filter") }) {
		r.hide(c.all())
	}
	second(r, c)
}

// alias gives a program another name.
func alias(r *reader, c call) {
	if slices.ContainsFunc(c.args, func(a argument) bool {
		return !a.ok ||
			strings.Contains(a.text, "=")
	}) {
		r.hide(c.all())
	}
}

// joined runs its operands as one text of a shell.
func joined(r *reader, c call) {
	rest := r.unwrap(c, wrapper{valued: []string{"-n", "--interval", "-q"}})
	r.joinedText(c, rest)
}

// scripted runs a text, or opens a shell; it writes what that says into a file.
func scripted(r *reader, c call) {
	options, operands := c.parse(grammar{
		valued: "cIOTBE",
		long:   map[string]bool{"command": true},
	})
	for _, a := range operands {
		r.word(a.word, c.program, false)
	}
	o, ok := find(options, "c", "command")
	if !ok || !o.value.ok || r.read(o.value.text) != nil {
		r.hide(c.all())
	}
}

// crontab without -l changes what runs later.
func crontab(r *reader, c call) {
	if !c.has("-l") {
		r.hide(c.all())
	}
}

// hub changes the working tree with one of its words, and downloads with others.
func hub(r *reader, c call) {
	if c.has("checkout", "alias", "extension", "codespace") {
		r.hide(c.all())
	}
	if len(c.args) > 0 &&
		slices.Contains([]string{"repo", "release", "run", "gist"}, c.args[0].text) {
		r.named(c)
	}
}

// history writes the list of commands with some options.
func history(r *reader, c call) {
	if c.has("-w", "-a", "-anrw") {
		r.written(c.files(), c.program)
	}
}

// compiler writes what it is told to, and reports about what it read.
func compiler(r *reader, c call) {
	outputs := compilerOutputs
	if c.program == "javac" {
		outputs = javaOutputs
	}
	for i, a := range c.args {
		next := c.argumentAt(i + 1)
		switch {
		case outputs[a.text] && next.word != nil:
			r.word(next.word, c.program, false)
		case !a.ok && !strings.HasPrefix(a.text, "-"):
			r.namedBy(c.program, a)
		default:
			r.compilerOption(c, a)
		}
	}
}

// compilerOutputs are options of compilers whose value is a file that they write.
var (
	compilerOutputs = setOf("-o -MF -aux-info -dumpbase --output")
	javaOutputs     = setOf("-d -s -h")
)

// compilerOption notes an option that has its value in the same word.
func (r *reader) compilerOption(c call, a argument) {
	begins := func(beginnings ...string) bool {
		return slices.ContainsFunc(beginnings, func(begin string) bool { return strings.HasPrefix(a.text, begin) })
	}
	switch {
	case begins("@", "-fplugin", "-B", "-wrapper"):
		r.hide(c.all())
	case begins("-o"):
		r.write(a.text[2:], c.program, false, a.ok)
	case begins("-MF"):
		r.write(a.text[3:], c.program, false, a.ok)
	case begins("-Wl,", "-dump", "-f"):
		r.suspect(a.text)
	}
}

// cmakeTool builds, or does what one of its small commands says.
func cmakeTool(r *reader, c call) {
	if len(c.args) < 2 || c.args[0].text != "-E" {
		if !c.reads() || c.has("-B", "--install", "-D", "--graphviz") {
			r.named(c)
			return
		}
		r.namedByOptions(c)
		return
	}

	rest := c.args[2:]
	switch c.args[1].text {
	case "cat", "echo", "echo_append", "compare_files", "capabilities", "environment", "sleep", "true", "false", "md5sum", "sha1sum", "sha256sum", "server_get":
	case "env", "time":
		r.dispatch(append([]argument{{literal(c.args[1].text), c.args[1].text, true}}, rest...))
	case "rm", "remove", "remove_directory":
		remove(r, call{"cmake -E rm", rest})
	case "rename":
		move(r, call{"mv", rest})
	case "copy", "copy_directory", "copy_if_different":
		copyTo(r, call{"cp", append([]argument{{literal("-r"), "-r", true}}, rest...)})
	default:
		r.named(c)
	}
}

// zipTool writes its archive; with -m it removes what it packs.
func zipTool(r *reader, c call) {
	options, operands := c.parse(grammar{valued: "bitxnOsP"})
	if given(options, "T", "TT", "unzip-command") {
		r.hide(c.all())
		return
	}
	for i, a := range operands {
		if i == 0 || given(options, "m") {
			r.word(a.word, c.program, i > 0)
		}
	}
	if len(operands) > 0 && operands[0].ok {
		r.write(operands[0].text+".zip", c.program, false, true)
	}
}
