package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call visits a simple command.
func (r *reader) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		for _, a := range n.Assigns {
			r.assign(a)
		}
		return
	}

	outer := r.prefix
	r.prefix = map[string][]name{}
	for _, a := range n.Assigns {
		if a.Name != nil {
			r.assignFor(a, n.Args[0].Lit())
		}
	}
	restore := r.applyPrefix(n.Args[0].Lit())
	r.run(n.Args)
	restore()
	r.prefix = outer
}

// applyPrefix sets the variables before a command of the shell itself, such as eval or a function, for
// as long as it runs.
func (r *reader) applyPrefix(program string) (restore func()) {
	_, isFunction := r.functions[program]
	if !isFunction && !readsHere[program] {
		return func() {}
	}

	outside := map[string][]name{}
	for variable, values := range r.prefix {
		outside[variable] = r.values[variable]
		r.hold(variable, union(values, outside[variable]))
	}
	return func() {
		for variable, values := range outside {
			delete(r.values, variable)
			if values != nil {
				r.values[variable] = values
			}
		}
	}
}

// readsHere are programs of the shell that read commands.
var readsHere = setOf("eval source . command builtin")

// assignFor notes a variable that is set for one program.
func (r *reader) assignFor(a *syntax.Assign, program string) {
	values := []name{{known: true}}
	if a.Value != nil {
		values = r.unsplitParts(a.Value)
	}
	if a.Name.Value == "IFS" && program == "read" {
		r.prefix["IFS"] = values
		return
	}
	r.steer(a.Name.Value, values)
	r.suspectOutput(a.Name.Value, values)
	r.prefix[a.Name.Value] = values
}

// evaluate reads its arguments as a command of this shell.
func evaluate(r *reader, c call) {
	r.joinedText(c, c.args)
}

// joinedText reads arguments as one text of a shell.
func (r *reader) joinedText(c call, args []argument) {
	texts := []string{}
	for _, a := range args {
		if !a.ok {
			r.hide(c.all())
			return
		}
		texts = append(texts, a.text)
	}
	if r.read(strings.Join(texts, " ")) != nil {
		r.hide(c.all())
	}
}

// setShell sets the arguments of the shell, or its options.
func setShell(r *reader, c call) {
	if c.has("-a", "allexport") {
		r.everything = true
	}
	for i, a := range c.args {
		if a.text == "--" {
			r.arguments, r.shifted = r.possible(c.args[i+1:]), false
			return
		}
		isOption := strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+")
		isValue := strings.HasSuffix(before(c.args, i), "o") // of -o, or of -euo
		if !isOption && !isValue {
			r.arguments, r.shifted = r.possible(c.args[i:]), false
			return
		}
	}
}

// follows reports whether an argument stands behind one of these words.
func follows(args []argument, i int, words ...string) bool {
	for _, word := range words {
		if before(args, i) == word {
			return true
		}
	}
	return false
}

func shift(r *reader, _ call) {
	r.shifted = true
}

// readLine gives variables the words of a line that is read.
func readLine(r *reader, c call) {
	options, variables := c.parse(grammar{valued: "adnNpituk"})
	if array, ok := find(options, "a"); ok {
		r.forget(array.value.text)
		variables = append(variables, array.value)
	}

	_, splits := r.prefix["IFS"]
	for i, v := range variables {
		r.forget(v.text)
		switch {
		case r.feed == nil || splits && len(variables) > 1:
		case len(variables) == 1:
			r.hold(v.text, r.feed)
		default:
			r.hold(v.text, wordsAt(r.feed, i, i == len(variables)-1))
		}
	}
}

// wordsAt are the words at one place of each line, with all that follow for the last place.
func wordsAt(lines []name, i int, rest bool) []name {
	var all []name
	for _, line := range lines {
		words := strings.Fields(line.text)
		switch {
		case i >= len(words):
			all = append(all, name{known: true})
		case rest:
			all = append(all, name{strings.Join(words[i:], " "), line.known, line.pattern})
		default:
			all = append(all, name{words[i], line.known, line.pattern})
		}
	}
	return all
}

// readLines gives an array the lines that are read.
func readLines(r *reader, c call) {
	_, variables := c.parse(grammar{valued: "dnOsuCc"})
	for _, v := range variables {
		r.forget(v.text)
		if r.feed != nil {
			r.hold(elements(v.text), r.feed)
		}
	}
}

// formatInto is printf, which may set a variable.
func formatInto(r *reader, c call) {
	for i, a := range c.args[:max(len(c.args)-1, 0)] {
		if a.text == "-v" {
			r.forget(c.args[i+1].text)
		}
	}
}

// forget loses the values of variables that a program sets.
func forget(r *reader, c call) {
	for _, a := range c.args {
		r.forget(a.text)
	}
}

// trap notes a command that runs later: at the end, when the variables have their last values.
func trap(r *reader, c call) {
	files := c.files()
	if len(files) == 0 {
		return
	}
	if !files[0].ok {
		r.hide(c.all())
		return
	}
	r.traps = append(r.traps, files[0].text)
	atTheEnd := !slices.ContainsFunc(files[1:], func(a argument) bool { return a.text != "EXIT" && a.text != "0" })
	if !atTheEnd && r.read(files[0].text) != nil {
		r.hide(c.all())
	}
}

// readTraps reads the commands of traps.
func (r *reader) readTraps() {
	for i := 0; i < len(r.traps) && i < maxDepth; i++ {
		if r.read(r.traps[i]) != nil {
			r.unresolved("trap "+r.traps[i], r.traps[i])
		}
	}
}

// readIn reads a script into the shell itself.
func readIn(r *reader, c call) {
	if len(c.args) == 0 {
		return
	}
	file := c.args[0]
	text, ok := r.scriptText(file)
	if !ok || isStreamName(file.text) {
		if file.ok && strings.HasSuffix(file.text, "/bin/activate") { // of a virtual environment, which only sets variables
			return
		}
		r.hide(c.all())
		return
	}

	arguments, shifted := r.arguments, r.shifted
	if len(c.args) > 1 {
		r.arguments, r.shifted = r.possible(c.args[1:]), false
	}
	r.softly(text)
	r.arguments, r.shifted = arguments, shifted
}

// softly reads a script. What it hides does not count by itself, because much in a script depends
// on values that are not known; the names in what it hides do.
func (r *reader) softly(text string) {
	r.soft++
	defer func() { r.soft-- }()
	if r.read(text) != nil {
		r.unresolved("a script", text)
	}
}
