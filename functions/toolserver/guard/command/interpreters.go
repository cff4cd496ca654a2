package command

import (
	"path"
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
	"cmd": {"", "/c /C /k /K", ""}, "osascript": {"e", "", ""}, "bc": {}, "m4": {}, "nu": {"c", "--commands", ""}, "xonsh": {"c", "", ""}, "elvish": {"c", "", ""},
}

// modules of Python change none of the files that they are given.
var modules = setOf("pytest unittest pip venv virtualenv mypy ruff flake8 pylint coverage http.server build this site doctest timeit cProfile tox nox pyflakes pip_audit ensurepip")

// asksOnly are the options with which a program prints information and exits.
var asksOnly = []string{"--version", "-version", "-V", "-v", "--help", "-h"}

// interpreter hides code that comes on the command line or by its input: a
// text of the command line, or what is typed later into a session that stays open.
func interpreter(language runtime) effect {
	return func(r *reader, c call) {
		options, operands := c.parse(grammar{
			valued: language.letters + language.valued + "m",
			long: map[string]bool{
				"eval":    true,
				"print":   true,
				"require": true,
				"import":  true,
				"loader":  true,
			},
		})

		inline := slices.ContainsFunc(c.args, func(a argument) bool {
			word, _, _ := strings.Cut(a.text, "=")
			return slices.Contains(strings.Fields(language.words), word)
		})
		for _, o := range options {
			inline = inline ||
				o.name == "i" ||
				len(o.name) == 1 && strings.Contains(language.letters, o.name)

			if (o.name == "r" && strings.Contains(language.valued, "r") || o.name == "require" || o.name == "import" || o.name == "loader") &&
				o.value.word != nil {
				r.script(o.value, "code")
			}
		}

		module, isModule := find(options, "m")
		switch {
		case isModule && module.value.text == "json.tool" && !inline:
			second(r, call{c.program, operands})
		case inline, isModule && !modules[module.value.text]:
			r.hide(c.all())
		case isModule, c.has(asksOnly...), c.has(
			"--test",
			"test",
			"lint",
			"check",
			"fmt",
			"task",
			"install",
			"cache",
			"--check",
		):
		case len(operands) == 0, operands[0].text == "-":
			r.hide(c.all())
		case operands[0].text == "run" &&
			c.program == "deno" &&
			len(operands) > 1:
			r.script(operands[1], "code")
		default:
			r.script(operands[0], "code")
			r.named(call{c.program, operands[1:]})
		}
	}
}

// fed reports whether the command reads a text that the command line holds.
func (r *reader) fed() bool {
	return r.input != "" || r.piped != ""
}

func perl(r *reader, c call) {
	options, operands := c.parse(grammar{valued: "eEIMmF", long: map[string]bool{}})
	code := given(options, "e", "E")
	if slices.ContainsFunc(c.args, func(a argument) bool {
		return cluster(beforeSuffix(a.text), "i") &&
			!strings.HasPrefix(a.text, "-I")
	}) {
		for _, file := range operands {
			r.word(file.word, c.program+" -i", false)
		}
	}

	switch {
	case code || len(operands) == 0 && !c.has(asksOnly...):
		r.hide(c.all())
	case len(operands) > 0:
		r.script(operands[0], "code")
		r.named(call{c.program, operands[1:]})
	}
}

// beforeSuffix cuts the suffix of a backup off: -i.bak, -ni.orig.
func beforeSuffix(option string) string {
	before, _, _ := strings.Cut(option, ".")
	return before
}

// shell reads the commands that a shell is given as text, and notes the script that it runs.
func shell(r *reader, c call) {
	if text, ok := commandText(c); ok {
		if !text.ok || r.read(text.text) != nil {
			r.hide(c.all())
		}
		return
	}

	options, operands := c.parse(grammar{
		valued: "oO",
		long: map[string]bool{
			"rcfile":    true,
			"init-file": true,
		},
	})
	switch {
	case given(options, "rcfile", "init-file"):
		r.hide(c.all())
	case len(operands) > 0 && !given(options, "s", "i"):
		if !given(options, "n") {
			r.script(operands[0], "sh")
			r.named(call{c.program, operands[1:]})
		}
	case c.has(asksOnly...):
	case r.input != "":
		if r.read(r.input) != nil {
			r.hide(c.all())
		}
	default: // fed by a pipe, or open for what is typed into it later
		r.hide(c.all())
	}
}

// commandText gives what stands behind -c or --command of a shell.
func commandText(c call) (argument, bool) {
	for i, a := range c.args {
		if !a.ok && len(c.args) == 1 {
			return argument{}, false
		}
		isCommand := cluster(a.text, "c") || a.text == "--command"
		if isCommand && i+1 < len(c.args) {
			return behindDashes(c.args[i+1:]), true
		}
		if !isShellOption(a.text) { // a script; what follows is its own
			return argument{}, false
		}
	}
	return argument{}, false
}

// behindDashes gives the first argument, or the second if the first is "--".
func behindDashes(args []argument) argument {
	if args[0].text == "--" && len(args) > 1 {
		return args[1]
	}
	return args[0]
}

// isShellOption reports whether a word before the script is an option of the shell or its
// value.
func isShellOption(text string) bool {
	return strings.HasPrefix(text, "-") || text == "pipefail" || text == "errexit"
}

// readIn reads a script into the shell itself, which may change whatever is known. The
// script of a virtual environment only sets variables.
func readIn(r *reader, c call) {
	if len(c.args) > 0 &&
		c.args[0].ok &&
		strings.HasSuffix(c.args[0].text, "/bin/activate") {
		r.script(c.args[0], "sh")
		r.forgetAll()
		return
	}

	r.hide(c.all())
}

// Script is a file that a command runs. What is in it can be looked at by a caller that may
// read files.
type Script struct {
	Path   string
	Kind   string   // sh, code, make or npm
	Target []string // of a Makefile, or the name of a script in package.json
}

// builders write programs that are run next, and no text of the command is in them.
var builders = setOf("gcc cc clang g++ c++ clang++ ld rustc go npm yarn pnpm bun chmod chown touch mkdir")

// script notes a script that is run. One that the command itself wrote, or that comes from
// a stream, cannot be looked at.
func (r *reader) script(file argument, kind string, target ...string) {
	place := r.place(r.behind(file.text), "").Path
	byFolder := kind == "npm" || kind == "make"
	misplaced := r.lost && !path.IsAbs(place) && !byFolder
	if !file.ok || misplaced || r.wrote(place) || isStream(file.text) {
		r.unresolved(file.text, source(file.word)+" "+r.input+" "+r.piped+" "+r.text)
		return
	}

	r.result.Scripts = append(r.result.Scripts, Script{place, kind, target})
}

// wrote reports whether the command itself writes a script before it runs it. What a compiler
// or a package manager writes holds no text of the command.
func (r *reader) wrote(place string) bool {
	return slices.ContainsFunc(r.result.Writes, func(w Write) bool {
		how, _, _ := strings.Cut(w.How, " ")
		return path.Clean(w.Path) == path.Clean(place) && !builders[how]
	})
}

// isStream reports whether a name of a script stands for something that cannot be looked at:
// the placeholder of find and xargs, or a stream.
func isStream(name string) bool {
	if strings.Contains(name, "{}") {
		return true
	}
	return strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/")
}

// makeTool runs rules of a Makefile.
func makeTool(r *reader, c call) {
	outside, lost := r.dir, r.lost
	defer func() { r.dir, r.lost = outside, lost }()

	options, operands := c.parse(grammar{
		valued: "CfIoW",
		long: map[string]bool{
			"file":      true,
			"makefile":  true,
			"directory": true,
			"eval":      true,
		},
	})
	if c.has(asksOnly...) || given(options, "n", "dry-run", "q") {
		return
	}

	if o, ok := find(options, "C", "directory"); ok && o.value.word != nil {
		changeDir(r, call{"cd", []argument{o.value}})
	}

	file := argument{literal("Makefile"), "Makefile", true}
	if o, ok := find(options, "f", "file", "makefile"); ok && o.value.word != nil {
		file = o.value
	}

	targets := []string{}
	for _, a := range operands {
		if name, _, sets := strings.Cut(a.text, "="); sets || !a.ok {
			if !a.ok ||
				name == "SHELL" ||
				name == ".SHELLFLAGS" ||
				name == "MAKEFLAGS" {
				r.hide(c.all())
			}

			r.suspect(a.text)
			continue
		}

		targets = append(targets, a.text)
	}

	if given(options, "eval", "E") || file.text == "-" {
		r.hide(c.all())
		return
	}

	r.script(file, "make", targets...)
}

// packageScript runs a script of package.json.
func packageScript(r *reader, c call) {
	outside, lost := r.dir, r.lost
	defer func() { r.dir, r.lost = outside, lost }()

	options, operands := c.parse(grammar{
		valued: "CwFe",
		long: map[string]bool{
			"prefix":    true,
			"cwd":       true,
			"dir":       true,
			"workspace": true,
			"filter":    true,
		},
	})
	if o, ok := find(options, "prefix", "cwd", "dir", "C"); ok && o.value.word != nil {
		changeDir(r, call{"cd", []argument{o.value}})
	}

	if c.program == "bun" && given(options, "e", "eval", "p", "print") ||
		c.program == "bun" && c.has("repl") {
		r.hide(c.all())
		return
	}

	name := "install"
	if len(operands) > 0 {
		name = operands[0].text
	}
	if (name == "run" || name == "run-script") && len(operands) > 1 {
		name = operands[1].text
	}

	r.script(argument{literal("package.json"), "package.json", true}, "npm", name)
}

// databaseRuns are the commands of database shells that write files or run programs.
var databaseRuns = regexp.MustCompile(`(?i)\\[!owgs]|\\copy|\.(sh|shell|system|output|once|o|save|backup|dump|clone|excel|log|archive)\b|into\s+(out|dump)file|\bcopy\b.*\bto\b|load_extension|writefile\s*\(|attach\s`)

func database(r *reader, c call) {
	for i, a := range c.args {
		code := slices.Contains([]string{"-c", "-e", "--command", "--execute", "-cmd"}, before(c.args, i)) ||
			c.program == "sqlite3" && i > 0
		if r.fed() || !a.ok && code || databaseRuns.MatchString(a.text) {
			r.hide(c.all())
			return
		}
	}

	r.named(c)
}
