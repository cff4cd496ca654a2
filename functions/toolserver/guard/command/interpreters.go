package command

import (
	"regexp"
	"slices"
	"strings"
)

// runtime says how the command line of an interpreter names what it runs.
type runtime struct {
	letters string // short options that are followed by a program
	words   string // other words that are
	valued  string // further short options with a value
}

var interpreters = map[string]runtime{
	"python": {"c", "", "WX"}, "pypy": {"c", "", "WX"}, "ipython": {"c", "", ""}, "node": {"ep", "--eval --print", "rC"}, "nodejs": {"ep", "--eval --print", "rC"}, "deno": {"", "eval repl", ""},
	"tsx": {"ep", "--eval --print", "r"}, "ts-node": {"ep", "--eval --print", "r"}, "php": {"rBRE", "--run", "d"}, "lua": {"e", "", "l"}, "luajit": {"e", "", "l"}, "tclsh": {"", "", ""}, "wish": {"c", "", ""},
	"julia": {"eE", "--eval --print", ""}, "Rscript": {"e", "", ""}, "rscript": {"e", "", ""}, "elixir": {"e", "--eval", "r"}, "iex": {"e", "--eval", ""}, "erl": {"", "-eval -s -run", ""}, "escript": {"", "", ""},
	"groovy": {"e", "", ""}, "scala": {"e", "", ""}, "kotlin": {"e", "", ""}, "jshell": {"", "", ""}, "guile": {"c", "", ""}, "racket": {"e", "", ""}, "sbcl": {"", "--eval --load", ""}, "clojure": {"e", "--eval", ""},
	"ocaml": {"e", "", ""}, "runghc": {"e", "", ""}, "ghc": {"e", "", ""}, "swift": {"e", "", ""}, "raku": {"e", "", ""}, "pwsh": {"c", "-Command -command -EncodedCommand -e -ec", ""}, "powershell": {"c", "-Command -command -EncodedCommand", ""},
	"cmd": {"", "/c /C /k /K", ""}, "osascript": {"e", "", ""}, "m4": {}, "nu": {"c", "--commands", ""}, "xonsh": {"c", "", ""}, "elvish": {"c", "", ""},
}

// modules of Python change none of the files that they are given, as far as is known.
var modules = setOf("pip venv virtualenv ruff coverage build timeit cProfile tox nox ensurepip py_compile compileall")

// readingModules only read what they are given.
var readingModules = setOf("pytest unittest mypy flake8 pylint http.server this site doctest pyflakes pip_audit tokenize ast calendar platform sysconfig")

// asksOnly are the options with which a program prints information and exits.
var asksOnly = []string{"--version", "-version", "-V", "-v", "--help", "-h"}

// codeReads says for some languages whether a program changes nothing.
var codeReads = map[string]func(code string, isThere func(file string) bool) bool{
	"python": pythonReads, "pypy": pythonReads, "node": nodeReads, "nodejs": nodeReads,
}

// interpreter hides code that comes on the command line or by its input, unless it plainly only reads: a
// text of the command line, or what is typed later into a session that stays open.
func interpreter(language runtime) effect {
	return func(r *reader, c call) {
		options, operands := c.parse(grammar{
			valued: language.letters + language.valued + "m",
			long: map[string]bool{
				"eval":       true,
				"print":      true,
				"require":    true,
				"import":     true,
				"loader":     true,
				"input-type": true,
			},
		})
		for _, o := range options {
			loads := o.name == "r" && strings.Contains(language.valued, "r") || o.name == "require" || o.name == "import" || o.name == "loader"
			if loads && o.value.word != nil {
				r.loaded(o.value)
			}
		}

		switch {
		case c.has(asksOnly...) && len(operands) == 0 && !language.inline(c, options):
		case language.inline(c, options):
			r.inlineCode(c, language, options)
		default:
			r.interpreted(c, options, operands)
		}
	}
}

// loaded notes a module that is loaded before the program; its ending may be left out.
func (r *reader) loaded(file argument) {
	full := argument{literal(file.text + ".js"), file.text + ".js", file.ok}
	if file.ok && !r.isThere(file.text) && r.isThere(full.text) {
		file = full
	}
	r.script(file)
}

// inline reports whether the program comes on the command line, or a session is opened.
func (l runtime) inline(c call, options []option) bool {
	words := strings.Fields(l.words)
	isWord := func(a argument) bool {
		word, _, _ := strings.Cut(a.text, "=")
		return slices.Contains(words, word)
	}
	isLetter := func(o option) bool {
		return o.name == "i" || len(o.name) == 1 && strings.Contains(l.letters, o.name)
	}
	return slices.ContainsFunc(c.args, isWord) || slices.ContainsFunc(options, isLetter)
}

// inlineCode looks at the programs of a command line.
func (r *reader) inlineCode(c call, language runtime, options []option) {
	reads := codeReads[programName(c.program)]
	codes := language.codes(c)
	plain := reads != nil && len(codes) > 0 && !given(options, "i", "interactive")
	for _, code := range codes {
		text, ok := r.roughly(code)
		plain = plain && ok && reads(text, r.mayBeThere)
	}
	r.hideIf(c, !plain)
}

// codes are the programs on a command line: behind a letter that says so, or in the same word.
func (l runtime) codes(c call) (codes []argument) {
	for i, a := range c.args {
		next := c.argumentAt(i + 1)
		word, value, joined := strings.Cut(a.text, "=")
		isWord := slices.Contains(strings.Fields(l.words), word)
		switch {
		case isWord && joined:
			codes = append(codes, argument{literal(value), value, a.ok})
		case isWord:
			codes = append(codes, next)
		case l.letters != "" && cluster(a.text, l.letters):
			codes = append(codes, l.codeOf(a, next)...)
		case c.isOperand(i):
			return codes // the rest are arguments of the program
		}
	}
	return codes
}

// isOperand reports whether an argument is known and no option, nor the value of one that loads something.
func (c call) isOperand(i int) bool {
	isPlain := c.args[i].ok && !strings.HasPrefix(c.args[i].text, "-")
	return isPlain && !follows(c.args, i, loadingOptions...)
}

// loadingOptions are options of interpreters whose value is no program of the command line.
var loadingOptions = []string{"-X", "-W", "-C", "-r", "--require", "--import"}

// codeOf is the program of one short option: what is behind its letter, or the next word.
func (l runtime) codeOf(a, next argument) []argument {
	at := strings.IndexAny(a.text, l.letters)
	if strings.Trim(a.text[at:], l.letters) != "" {
		return []argument{{literal(a.text[at+1:]), a.text[at+1:], a.ok}}
	}
	if strings.HasPrefix(next.text, "-") && next.word != nil {
		return nil
	}
	return []argument{next}
}

// interpreted looks at the module, the file or the input that is run.
func (r *reader) interpreted(c call, options []option, operands []argument) {
	if module, isModule := find(options, "m"); isModule {
		r.module(c, module.value.text, operands)
		return
	}

	switch {
	case c.has("--run"):
		r.nodeRun(c, operands)
	case c.has("--check", "--syntax-check", "--test", "test", "lint", "check", "fmt", "task", "install", "cache"):
	case len(operands) == 0, operands[0].text == "-":
		r.codeOfInput(c)
	case operands[0].text == "run" && c.program == "deno" && len(operands) > 1:
		r.script(operands[1])
	default:
		r.codeOfFile(c, operands)
	}
}

// codeOfFile looks at a program in a file and what it is given.
func (r *reader) codeOfFile(c call, operands []argument) {
	r.script(operands[0])
	text, ok := r.scriptText(operands[0])
	if !ok || MayWrite(text) {
		r.named(call{c.program, operands[1:]})
	}
}

var writing = regexp.MustCompile(`(?i)\b(write\w*|append\w*|remove\w*|unlink\w*|rename\w*|rm|rmSync|rmtree|rmdir\w*|truncate\w*|copy\w*|move\w*|delete\w*|mkdir\w*|chmod\w*|touch|symlink\w*|outputFile\w*|system|exec\w*|spawn\w*|popen|run|call|subprocess|dump\w*|save\w*|to_\w+)\b|open\s*\([^)]*["'](w|a|x|r\+)`)

// MayWrite reports whether a program has a word in it that may change files.
func MayWrite(code string) bool { return writing.MatchString(code) }

// codeOfInput looks at the program that comes by the input.
func (r *reader) codeOfInput(c call) {
	reads := codeReads[programName(c.program)]
	isKnown := r.input != "" && r.input != unknownText && r.piped == ""
	if reads == nil || !isKnown || !reads(r.input, r.mayBeThere) {
		r.hide(c.all())
	}
}

// module looks at a module of Python that is run.
func (r *reader) module(c call, name string, operands []argument) {
	switch {
	case name == "json.tool":
		second(r, call{c.program, operands})
	case readingModules[name]:
	case modules[name]:
		r.named(call{c.program, operands})
	default:
		r.hide(c.all())
	}
}

// nodeRun is node --run, which runs one script of package.json without those around it.
func (r *reader) nodeRun(c call, operands []argument) {
	before := r.shell.clone()
	defer func() { r.shell = before }()
	if len(operands) == 0 || !operands[0].ok {
		r.hide(c.all())
		return
	}
	r.lifecycleOf(operands[0].text, []string{operands[0].text}, operands[1:])
}

// isFed reports whether the command reads a text that the command line holds.
func (r *reader) isFed() bool {
	return r.input != "" || r.piped != ""
}

func perl(r *reader, c call) {
	options, operands := c.parse(grammar{valued: "eEIMmF", long: map[string]bool{}})
	inPlace := func(a argument) bool {
		return cluster(beforeSuffix(a.text), "i") && !strings.HasPrefix(a.text, "-I")
	}
	if slices.ContainsFunc(c.args, inPlace) {
		r.written(operands, c.program+" -i")
	}

	switch {
	case given(options, "e", "E"):
		r.hideIf(c, given(options, "n", "p") && slices.ContainsFunc(operands, opensMore))
		r.perlCode(c, options)
	case len(operands) > 0:
		r.codeOfFile(c, operands)
	default:
		r.hideIf(c, !c.has(asksOnly...))
	}
}

// opensMore reports whether <> of Perl would run an operand, or write it.
func opensMore(operand argument) bool {
	return !operand.ok || strings.ContainsAny(operand.text, "|<>")
}

// perlCode looks at the program of a command line.
func (r *reader) perlCode(c call, options []option) {
	for _, o := range options {
		plain := true
		switch o.name {
		case "e", "E":
			text, ok := r.roughly(o.value)
			plain = c.program == "perl" && ok && perlReads(text)
		case "M", "m":
			name, _, _ := strings.Cut(strings.TrimPrefix(o.value.text, "-"), "=")
			plain = perlModules[name]
		case "I", "x", "S", "d", "D":
			plain = false
		}
		if !plain {
			r.hide(c.all())
			return
		}
	}
}

var perlModules = setOf("strict warnings List::Util POSIX Data::Dumper utf8 feature integer bigint")

// beforeSuffix cuts the suffix of a backup off: -i.bak, -ni.orig.
func beforeSuffix(option string) string {
	before, _, _ := strings.Cut(option, ".")
	return before
}

// databaseRuns are the commands of database shells that write files or run programs.
var databaseRuns = regexp.MustCompile(`(?i)\\[!owgs]|\\copy|\.(sh|shell|system|output|once|o|save|backup|dump|clone|excel|log|archive)\b|into\s+(out|dump)file|\bcopy\b.*\bto\b|load_extension|writefile\s*\(|attach\s`)

func database(r *reader, c call) {
	if !r.plainDatabase(c) {
		r.hide(c.all())
		return
	}
	for _, a := range c.args {
		if !strings.HasPrefix(a.text, ".read ") {
			r.namedBy(c.program, a)
		}
	}
}

// plainDatabase reports whether a database shell only reads and writes its database.
func (r *reader) plainDatabase(c call) bool {
	if r.isFed() && !r.fedPlainly() {
		return false
	}
	for i, a := range c.args {
		isHidden := !a.ok && c.isDatabaseCode(i)
		if isHidden || databaseRuns.MatchString(a.text) {
			return false
		}
	}
	return true
}

// isDatabaseCode reports whether an argument holds commands of a database shell.
func (c call) isDatabaseCode(i int) bool {
	if c.program == "sqlite3" {
		return i > 0
	}
	return follows(c.args, i, "-c", "-e", "--command", "--execute", "-cmd")
}

// fedPlainly reports whether a database shell reads a text that is known and runs nothing.
func (r *reader) fedPlainly() bool {
	isKnown := r.input != "" && r.input != unknownText && r.piped == ""
	return isKnown && !databaseRuns.MatchString(r.input)
}
