package command

import (
	"path"
	"slices"
	"strings"
)

func remove(r *reader, c call) {
	r.destructive(c.program)
	for _, a := range c.files() {
		r.word(a.word, c.program, true)
	}
}

// packers read with one of these options.
var packers = setOf("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress")

// writesAll notes every word that is no option: a value of one does not stand on lists.
// With -R a folder is changed with all that is in it.
func writesAll(r *reader, c call) {
	options, operands := c.parse(grammar{long: map[string]bool{"recursive": false}})
	if packers[c.program] && given(options, "c", "l", "t", "stdout", "list", "test") {
		return
	}
	if c.program == "truncate" {
		r.destructive(c.program)
	}
	r.changesModes = r.changesModes || c.program == "chmod"
	for _, a := range operands {
		r.word(a.word, c.program, given(options, "R", "recursive"))
	}
}

// copyGrammars are the options of what copies, moves and links.
var copyGrammars = map[string]grammar{
	"rsync": {valued: "efBTM", long: map[string]bool{"rsh": true, "archive": false, "recursive": false, "remove-source-files": false, "exclude": true, "include": true}},
	"scp":   {valued: "iFPcloSJ", long: map[string]bool{}},
	"":      {valued: "tSmog", long: map[string]bool{"target-directory": true, "suffix": true, "mode": true, "owner": true, "group": true, "recursive": false, "archive": false, "parents": false, "link": false, "symbolic-link": false, "symbolic": false, "directory": false}},
}

func (c call) copying() (options []option, operands []argument) {
	g, ok := copyGrammars[c.program]
	if !ok {
		g = copyGrammars[""]
	}
	return c.parse(g)
}

func move(r *reader, c call) {
	r.destructive(c.program)
	options, operands := c.copying()
	if !given(options, "t", "target-directory") && len(operands) > 1 {
		operands = operands[:len(operands)-1]
	}
	for _, a := range operands {
		r.word(a.word, c.program, true)
	}
	copyTo(r, c)
}

// copyTo notes the last operand, and the names that the others would have in it if it
// is a folder. A tree that is copied may overwrite all that is in the folder.
func copyTo(r *reader, c call) {
	options, operands := c.copying()
	if given(options, "d", "directory") && c.program == "install" {
		writesAll(r, call{"mkdir", operands})
		return
	}

	if namesTransport(c.program, options) {
		r.hide(c.all())
	}
	target, operands, ok := copyTarget(c.program, options, operands)
	if !ok {
		return
	}

	isLocal := c.program == "cp" || c.program == "mv" || !strings.Contains(target.text, ":")
	if isLocal {
		r.word(target.word, c.program, copiesTree(c.program, options))
	}
	links := makesLinks(c.program, options)
	for _, a := range operands {
		if given(options, "remove-source-files") {
			r.word(a.word, c.program, true)
		}
		if links {
			r.link(a, target, given(options, "s", "symbolic", "symbolic-link"))
		}
		r.intoFolder(c.program, a, target, copiesTree(c.program, options))
		if given(options, "parents") {
			r.hide(c.all())
		}
	}
}

// intoFolder notes the names that files have in a folder once they are copied there.
func (r *reader) intoFolder(program string, file, folder argument, tree bool) {
	for _, from := range r.each(file) {
		for _, to := range r.each(folder) {
			before := len(r.result.Writes)
			r.write(to.text+"/"+path.Base(from.text), program, tree, !from.pattern && !to.pattern)
			r.markInto(before)
		}
	}
}

// namesTransport reports whether an option names the program that connects to the other
// machine.
func namesTransport(program string, options []option) bool {
	switch program {
	case "rsync":
		return given(options, "e", "rsh")
	case "scp":
		return given(options, "S", "o")
	}
	return false
}

// copyTarget parts the operands of a copy into the target and the rest.
func copyTarget(program string, options []option, operands []argument) (target argument, rest []argument, ok bool) {
	into, given := find(options, "t", "target-directory")
	switch last := len(operands) - 1; {
	case given && into.value.word != nil:
		return into.value, operands, true
	case last > 0:
		return operands[last], operands[:last], true
	case last == 0 && program == "ln":
		return argument{literal("."), ".", true}, operands, true
	}
	return argument{}, nil, false
}

// copiesTree reports whether a folder is copied with all that is in it.
func copiesTree(program string, options []option) bool {
	if program == "rsync" {
		return true
	}
	return program != "ln" && given(options, "r", "R", "a", "recursive", "archive")
}

// makesLinks reports whether the copies are links to the originals.
func makesLinks(program string, options []option) bool {
	switch program {
	case "ln", "link":
		return true
	case "cp":
		return given(options, "l", "s", "link", "symbolic-link")
	}
	return false
}

// link notes that a file gets another name: a write to that name writes to the file. The
// target of a symbolic link is relative to the folder of the link.
func (r *reader) link(file, name argument, symbolic bool) {
	if !symbolic {
		r.word(file.word, "ln", false)
	}
	if !file.ok || !name.ok {
		return
	}
	target := file.text
	if symbolic && !path.IsAbs(target) {
		target = path.Join(path.Dir(name.text), target)
	}
	r.links[path.Clean(name.text)] = target
}

// markInto says of the writes from a place on that they happen only if their folder is there.
func (r *reader) markInto(from int) {
	for i := from; i < len(r.result.Writes); i++ {
		r.result.Writes[i].Into = true
	}
}

// cluster reports whether a short option, maybe of several letters, has one of these.
func cluster(option, letters string) bool {
	return len(option) > 1 &&
		option[0] == '-' &&
		option[1] != '-' &&
		strings.ContainsAny(option, letters)
}

func dd(r *reader, c call) {
	r.destructive(c.program)
	for _, a := range c.args {
		if name, ok := strings.CutPrefix(a.text, "of="); ok {
			r.word(literal(name), c.program, false)
		}
		if !a.ok {
			r.hide(c.all())
		}
	}
}

func fd(r *reader, c call) {
	if slices.ContainsFunc(c.args, func(a argument) bool {
		return cluster(a.text, "xX") ||
			strings.HasPrefix(a.text, "--exec")
	}) {
		r.hide(c.all())
	}
}
