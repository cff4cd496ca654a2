package command

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Script is a program in another language that a command runs. What is in it can be looked at by a
// caller that may read files.
type Script struct {
	Path string
}

// builders write programs that are run next, and no text of the command is in them.
var builders = setOf("gcc cc clang g++ c++ clang++ ld rustc go npm yarn pnpm bun chmod chown touch mkdir")

// movers put whole folders in a place, with scripts in them.
var movers = setOf("mv cp rsync ln tar unzip")

// script notes a program that is run. One that the command itself wrote, or that comes from
// a stream, cannot be looked at.
func (r *reader) script(file argument) {
	at, ok := r.fileName(file.text)
	if !file.ok || r.isPattern(file) || !ok || r.wrote(at) || isStream(file.text) {
		r.unresolved(file.text, source(file.word)+" "+r.input+" "+r.piped+" "+r.text)
		return
	}
	r.result.Scripts = append(r.result.Scripts, Script{at})
}

// isPattern reports whether an argument may stand for several files.
func (r *reader) isPattern(a argument) bool {
	return slices.ContainsFunc(r.names(a.word), func(v name) bool { return v.pattern })
}

// wrote reports whether the command itself writes a script before it runs it. What a compiler
// or a package manager writes holds no text of the command.
func (r *reader) wrote(file string) bool {
	return slices.ContainsFunc(r.result.Writes, func(w Write) bool {
		how, _, _ := strings.Cut(w.How, " ")
		isAbove := movers[how] && strings.HasPrefix(path.Clean(file), path.Clean(w.Path)+"/") && !r.isThere(file)
		return isAbove || path.Clean(w.Path) == path.Clean(file) && !builders[how]
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

// scriptText is the text of a script that is run.
func (r *reader) scriptText(file argument) (string, bool) {
	if file.word == nil || r.isPattern(file) {
		return "", false
	}
	if !file.ok || isStream(file.text) {
		return "", false
	}
	text, ok := r.readFile(file.text)
	return string(text), ok
}

// shellScript reads a script that is run with some arguments.
func (r *reader) shellScript(file argument, args []argument) {
	text, ok := r.scriptText(file)
	first, _, _ := strings.Cut(text, "\n")
	isOther := strings.HasPrefix(first, "#!") && !strings.Contains(first, "sh")
	switch {
	case !ok, isOther:
		r.script(file)
		r.named(call{path.Base(file.text), args})
		return
	case bytes.ContainsRune([]byte(text[:min(len(text), 512)]), 0): // a program of the machine
		r.named(call{path.Base(file.text), args})
		return
	}
	hidden := r.softHidden
	r.child(file.text, args, func() { r.softly(text) })
	if r.softHidden > hidden { // it is not clear what the script does with what it is given
		r.named(call{path.Base(file.text), args})
	}
}

// child is another shell, with arguments of its own and the variables that are set for it.
func (r *reader) child(program string, args []argument, read func()) {
	before, traps := r.shell.clone(), r.traps
	arguments := r.possible(args)
	for variable, values := range r.prefix {
		r.hold(variable, values)
	}
	r.arguments, r.shifted, r.program, r.traps = arguments, false, program, nil

	read()
	r.readTraps()
	r.shell, r.traps = before, traps
}

// runShell reads the commands that a shell is given as text, and the script that it runs.
func runShell(r *reader, c call) {
	if text, rest, ok := commandText(c); ok {
		r.shellText(c, text, rest)
		return
	}

	options, operands := c.parse(shellGrammar)
	if given(options, "rcfile", "init-file") {
		r.hide(c.all())
		return
	}
	if len(operands) == 0 || given(options, "s", "i") {
		r.shellInput(c, operands)
		return
	}
	if operands[0].text == "/dev/stdin" && r.input != "" {
		r.typed(c, operands[1:])
		return
	}
	if !given(options, "n") { // else it is only parsed
		r.shellScript(operands[0], operands[1:])
	}
}

var shellGrammar = grammar{valued: "oO", long: map[string]bool{"rcfile": true, "init-file": true}}

// shellInput reads the commands that a shell gets by its input.
func (r *reader) shellInput(c call, operands []argument) {
	switch {
	case c.has(asksOnly...):
	case r.input != "":
		r.typed(c, operands)
	case len(r.feed) > 0 && allPlain(r.feed):
		r.fed(c)
	default: // fed by a pipe, or open for what is typed into it later
		r.hide(c.all())
	}
}

// shellText reads the text behind -c.
func (r *reader) shellText(c call, text argument, rest []argument) {
	name := c.program
	if len(rest) > 0 {
		name, rest = rest[0].text, rest[1:]
	}

	texts := r.names(text.word)
	if !allKnown(texts) || len(texts) == 0 {
		r.hide(c.all())
		return
	}
	r.child(name, rest, func() {
		before := r.patterned
		for _, each := range texts {
			r.patterned = before || each.pattern
			if r.read(each.text) != nil {
				r.hide(c.all())
			}
		}
		r.patterned = before
	})
}

// typed reads the here document of a shell.
func (r *reader) typed(c call, args []argument) {
	text := r.input
	r.child(c.program, args, func() {
		if r.read(text) != nil {
			r.hide(c.all())
		}
	})
}

// fed reads the lines that a shell gets from another program.
func (r *reader) fed(c call) {
	lines := []string{}
	for _, line := range r.feed {
		lines = append(lines, line.text)
	}
	r.child(c.program, nil, func() {
		if r.read(strings.Join(lines, "\n")) != nil {
			r.hide(c.all())
		}
	})
}

// allPlain reports whether all values are known texts.
func allPlain(values []name) bool {
	return !slices.ContainsFunc(values, func(v name) bool { return !v.known || v.pattern })
}

// commandText gives what stands behind -c or --command of a shell, and the arguments of it.
func commandText(c call) (text argument, rest []argument, ok bool) {
	at := slices.IndexFunc(c.args, isCommandOption)
	if at < 0 || at+1 == len(c.args) {
		return argument{}, nil, false
	}
	for i, a := range c.args[:at] {
		isValue := follows(c.args, i, "-O", "+O", "-o", "+o")
		if !isValue && !isShellOption(a.text) { // a script; what follows is its own
			return argument{}, nil, false
		}
	}

	behind := skipOptions(c.args[at+1:])
	return behind[0], behind[1:], true
}

// isCommandOption reports whether an option of a shell is followed by commands.
func isCommandOption(a argument) bool {
	return cluster(a.text, "c") || a.text == "--command"
}

// skipOptions are the arguments behind further options of a shell.
func skipOptions(args []argument) []argument {
	for len(args) > 1 && args[0].ok && strings.HasPrefix(args[0].text, "-") {
		args = args[1:]
	}
	return args
}

// isShellOption reports whether a word before the script is an option of the shell or its
// value.
func isShellOption(text string) bool {
	return strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") || text == "pipefail" || text == "errexit"
}
