package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// findFiles notes what find does with the files that it finds.
func findFiles(r *reader, c call) {
	found := r.found(c)
	for i, a := range c.args {
		if i+1 == len(c.args) && a.text != "-delete" {
			break
		}
		switch a.text {
		case "-delete":
			r.destructive("find -delete")
			for _, each := range found {
				r.foundFile(each)
			}
		case "-fprint", "-fls", "-fprintf", "-fprint0":
			r.word(c.args[i+1].word, "find "+a.text, false)
		case "-exec", "-execdir", "-ok", "-okdir":
			r.runOnFound(c.args[i+1:], found)
		}
	}
}

// foundFile notes that a found file is removed.
func (r *reader) foundFile(each name) {
	if !each.known {
		r.unresolved("find", each.text)
		return
	}
	r.write(each.text, "find", true, !each.pattern)
}

// runOnFound runs a program on what was found.
func (r *reader) runOnFound(rest []argument, found []name) {
	if end := slices.IndexFunc(rest, func(a argument) bool { return a.text == ";" || a.text == "+" }); end > 0 {
		rest = rest[:end]
	}
	if len(rest) == 0 || r.isHarmless(rest) {
		return
	}
	r.dispatch(r.withItems(rest, "{}", found))
}

// withItems puts items in the place of a mark in some arguments. A text in which the mark is only a
// part, such as a command, is made for each item.
func (r *reader) withItems(args []argument, mark string, items []name) []argument {
	if len(items) == 0 || !allKnown(items) {
		items = []name{{}}
	}
	var all []argument
	for _, a := range args {
		if !a.ok || !strings.Contains(a.text, mark) {
			all = append(all, a)
			continue
		}

		pieces := strings.Split(a.text, mark)
		texts := []name{{text: pieces[0], known: true}}
		for _, piece := range pieces[1:] {
			texts = product(product(texts, items), []name{{text: piece, known: true}})
			if len(texts) > mostValues {
				texts = []name{{}}
			}
		}
		all = append(all, r.argumentOf(texts))
	}
	return all
}

// found are patterns of all that find may find: the roots with the names that its tests ask for.
func (r *reader) found(c call) []name {
	roots := r.roots(c)
	patterns, narrowed := namesAskedFor(c)

	var all []name
	for _, root := range roots {
		if !narrowed {
			all = append(all, root, name{root.text + "/**", root.known, true})
			continue
		}
		for _, pattern := range patterns {
			all = append(all, below(root, pattern))
		}
	}
	return all
}

// below is a pattern of names below a root; a whole folder is taken as it is.
func below(root name, pattern string) name {
	if strings.Contains(pattern, "/") {
		return name{pattern, root.known, true}
	}
	return name{root.text + "/**/" + pattern, root.known, true}
}

// roots are where find begins to look.
func (r *reader) roots(c call) []name {
	var all []name
	for _, a := range c.args {
		if cluster(a.text, "HLP") {
			continue
		}
		if a.ok && beginsTests(a.text) {
			break
		}
		all = append(all, r.names(a.word)...)
	}
	if len(all) == 0 {
		return []name{{".", true, false}}
	}
	return all
}

// beginsTests reports whether a word of find is a test, and no folder.
func beginsTests(word string) bool {
	isTest := strings.HasPrefix(word, "-") && word != "-"
	return isTest || word == "(" || word == "!"
}

// findActions are the words of find that change something; only tests before one narrow what it meets.
var findActions = setOf("-delete -exec -execdir -ok -okdir")

// namesAskedFor are patterns of names, or of all in a folder, of which each file that is found has one. ok
// is false if any file may be found.
func namesAskedFor(c call) (patterns []string, ok bool) {
	asked := false
	for i, a := range c.args {
		if findActions[a.text] && !asked {
			return nil, false
		}
		switch a.text {
		case "-o", "-or", ",":
			if !asked {
				return nil, false
			}
			asked = false
		case "(":
			if follows(c.args, i, "!", "-not") {
				return nil, false
			}
		case "-name", "-path", "-wholename":
			pattern, plain := askedFor(c.args, i)
			if plain {
				patterns, asked = append(patterns, pattern), true
			}
		}
	}
	return patterns, asked
}

// askedFor is the pattern of one test. A path counts with the folder that it begins with.
func askedFor(args []argument, i int) (pattern string, ok bool) {
	negated := follows(args, i, "!", "-not")
	if negated || i+1 == len(args) || !args[i+1].ok || args[i+1].text == "" {
		return "", false
	}
	pattern = args[i+1].text
	if args[i].text == "-name" {
		return pattern, true
	}

	at := strings.IndexAny(pattern, "*?[")
	if at < 0 {
		return pattern, strings.Contains(pattern, "/")
	}
	folder := pattern[:strings.LastIndex(pattern[:at], "/")+1]
	return folder + "**", strings.Trim(folder, "./") != ""
}

// searched are the names that find prints.
func (r *reader) searched(c call) ([]name, bool) {
	exec := slices.IndexFunc(c.args, func(a argument) bool { return a.text == "-exec" || a.text == "-execdir" })
	namesFiles := exec >= 0 && listsMatches(c.args[exec+1:])
	if exec >= 0 && !namesFiles || c.has("-printf", "-ls", "-ok") {
		return nil, false
	}
	found := r.found(c)
	return found, allKnown(found)
}

// listsMatches reports whether a program is grep that prints the names of files.
func listsMatches(args []argument) bool {
	if len(args) == 0 || args[0].text != "grep" {
		return false
	}
	return slices.ContainsFunc(args, func(a argument) bool { return cluster(a.text, "lL") })
}

var xargsOptions = wrapper{valued: []string{
	"-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "-J", "-R", "-j", "--max-args", "--max-procs", "--arg-file", "--replace", "--delimiter", "--jobs",
}}

// xargs runs a program on the words that it reads.
func xargs(r *reader, c call) {
	rest := r.unwrap(c, xargsOptions)
	if len(rest) == 0 {
		if c.program == "parallel" {
			r.hide(c.all())
		}
		return
	}
	if !rest[0].ok {
		r.hide(c.all())
		return
	}

	own := call{c.program, c.args[:len(c.args)-len(rest)]}
	options, _ := own.parse(xargsGrammar)
	mark, replaces := markOf(c.program, options, rest)
	if !(replaces && isInterpreted(rest[0])) && r.isHarmless(rest) {
		return
	}

	items := r.xargsItems(options, replaces)
	if len(items) == 0 {
		r.hide(c.all())
	}
	if replaces {
		r.dispatch(r.withItems(rest, mark, items))
		return
	}
	r.dispatch(append(slices.Clone(rest), r.itemsAsArgument(items)))
}

var xargsGrammar = grammar{valued: "InPLdaEsJRj", long: map[string]bool{"replace": true, "arg-file": true}}

// markOf is the text for which xargs and parallel put each item in.
func markOf(program string, options []option, rest []argument) (mark string, replaces bool) {
	mark = "{}"
	o, replaces := find(options, "I", "J", "replace", "i")
	if o.value.word != nil && o.value.text != "" {
		mark = o.value.text
	}
	if program == "parallel" {
		replaces = slices.ContainsFunc(rest, func(a argument) bool { return strings.Contains(a.text, mark) })
	}
	return mark, replaces
}

// xargsItems are what xargs reads: words, or whole lines if it puts them in the place of a mark.
func (r *reader) xargsItems(options []option, replaces bool) []name {
	lines := r.feed
	if file, ok := find(options, "a", "arg-file"); ok && file.value.word != nil {
		lines, _ = r.lines(file.value.word)
	}
	if replaces {
		return lines
	}
	return words(lines)
}

// itemsAsArgument is one argument for all items.
func (r *reader) itemsAsArgument(items []name) argument {
	if len(items) == 0 {
		return argument{&syntax.Word{Parts: []syntax.WordPart{&syntax.ParamExp{Param: &syntax.Lit{Value: " items"}}}}, "", false}
	}
	return r.argumentOf(items)
}

// words are the words of lines.
func words(lines []name) []name {
	var all []name
	for _, line := range lines {
		if !line.known {
			return nil
		}
		for word := range strings.FieldsSeq(line.text) {
			all = append(all, name{word, true, line.pattern})
		}
	}
	if len(all) > mostValues {
		return nil
	}
	return all
}
