package command

import (
	"path"
	"regexp"
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
	for _, a := range operands {
		r.word(a.word, c.program, given(options, "R", "recursive"))
	}
}

// copyGrammars are the options of what copies, moves and links.
var copyGrammars = map[string]grammar{
	"rsync": {valued: "efBTM", long: map[string]bool{"rsh": true, "archive": false, "recursive": false, "remove-source-files": false, "exclude": true, "include": true}},
	"scp":   {valued: "iFPcloSJ", long: map[string]bool{}},
	"":      {valued: "tSmog", long: map[string]bool{"target-directory": true, "suffix": true, "mode": true, "owner": true, "group": true, "recursive": false, "archive": false, "link": false, "symbolic-link": false, "symbolic": false, "directory": false}},
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
			r.link(a, target)
		}
		if a.ok && target.ok {
			r.write(target.text+"/"+path.Base(a.text), c.program, false, true)
			r.markInto()
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
func (r *reader) link(file, name argument) {
	r.word(file.word, "ln", false)
	if !file.ok || !name.ok {
		return
	}
	if !path.IsAbs(file.text) {
		r.write(path.Join(path.Dir(name.text), file.text), "ln", false, true)
	}
	r.links[path.Clean(name.text)] = file.text
}

// markInto says of the last write that it happens only if its folder is there.
func (r *reader) markInto() {
	if n := len(r.result.Writes); n > 0 {
		r.result.Writes[n-1].Into = true
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

func findFiles(r *reader, c call) {
	roots := []argument{}
	for _, a := range c.args {
		if a.ok && (strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!") {
			break
		}
		roots = append(roots, a)
	}

	if len(roots) == 0 {
		roots = []argument{{literal("."), ".", true}}
	}

	for i, a := range c.args {
		if i+1 == len(c.args) && a.text != "-delete" {
			break
		}
		switch a.text {
		case "-delete":
			r.destructive("find -delete")
			r.found(c, roots)
		case "-fprint", "-fls", "-fprintf", "-fprint0":
			r.word(c.args[i+1].word, "find "+a.text, false)
		case "-exec", "-execdir", "-ok", "-okdir":
			rest := c.args[i+1:]
			if end := slices.IndexFunc(rest, func(a argument) bool {
				return a.text == ";" ||
					a.text == "+"
			}); end > 0 {
				rest = rest[:end]
			}

			if !rest[0].ok || !r.isHarmless(rest) {
				r.found(c, roots)
				r.dispatch(rest)
			}
		}
	}
}

// found notes what find finds, by its pattern of names if there is one.
func (r *reader) found(c call, roots []argument) {
	name := slices.IndexFunc(c.args, func(a argument) bool {
		return a.text == "-name"
	})
	for _, root := range roots {
		if name >= 0 &&
			name+1 < len(c.args) &&
			c.args[name+1].ok &&
			c.args[name+1].text != "" &&
			root.ok &&
			!c.has("-o", "-or", "!", "-not", ",") {
			r.write(root.text+"/**/"+c.args[name+1].text, "find", true, false)
			continue
		}

		r.word(root.word, "find", true)
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

func changeDir(r *reader, c call) {
	options, files := c.parse(grammar{})
	if len(files) == 0 || !files[0].ok {
		r.lost = true
		return
	}

	folder := files[0].text
	if folder == "" { // the shell and git stay where they are
		return
	}

	special := strings.ContainsAny(folder[:1], "~+-")
	physical := given(options, "P") && strings.Contains(folder, "..")
	switch {
	case special, physical:
		r.lost = true
	case path.IsAbs(folder):
		r.dir, r.lost = folder, false
	default:
		r.dir = path.Join(r.dir, r.behind(folder))
	}
}

func pushDir(r *reader, c call) {
	r.stack = append(r.stack, folder{r.dir, r.lost})
	changeDir(r, c)
}

func popDir(r *reader, c call) {
	n := len(r.stack)
	if n == 0 || len(c.args) > 0 {
		r.lost = true
		return
	}
	r.dir, r.lost, r.stack = r.stack[n-1].dir, r.stack[n-1].lost, r.stack[:n-1]
}

// tarRuns are options through which tar runs a program or removes what it packs.
var tarRuns = []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--remove-files", "--new-volume-script", "--info-script"}

func tar(r *reader, c call) {
	args := c.args
	if len(args) > 0 &&
		args[0].ok &&
		!strings.HasPrefix(args[0].text, "-") { // tar xf
		args = append([]argument{{literal("-" + args[0].text), "-" + args[0].text, true}}, args[1:]...)
	}

	options, _ := call{c.program, args}.parse(grammar{
		valued: "fCTXIFgbHKLNV",
		long: map[string]bool{
			"file":      true,
			"directory": true,
			"extract":   false,
			"get":       false,
			"list":      false,
			"create":    false,
		},
	})

	runs := slices.ContainsFunc(c.args, func(a argument) bool {
		return !a.ok ||
			slices.ContainsFunc(tarRuns, func(begin string) bool {
				return strings.HasPrefix(a.text, begin)
			})
	})

	file, ok := find(options, "f", "file")
	switch {
	case runs, given(options, "x", "extract", "get", "I", "F"):
		r.hide(c.all())
	case ok &&
		!given(options, "t", "list", "d", "compare", "diff") &&
		file.value.text != "-":
		r.word(file.value.word, c.program, false)
	}
}

func unzip(r *reader, c call) {
	lists := len(c.args) > 0 && slices.Contains([]string{"l", "t", "v", "lb", "lt"}, c.args[0].text)
	if !lists && !c.has("-l", "-t", "-v", "-Z", "-p", "-z") {
		r.hide(c.all())
	}
}

// forget loses the values of variables that a program sets.
func forget(r *reader, c call) {
	for _, a := range c.args {
		r.forget(a.text)
	}
}

// sedRuns is the flag e of s, and the command of this name.
var sedRuns = regexp.MustCompile(`(^|[;{}\s])[0-9,$]*e(\s|$)|s([/|#,@!])[^\n]*[/|#,@!][gpIiMm0-9]*e[gpIiMm0-9w]*(\s*[;}\n]|\s*$)`)

// sedWrites is the command w, or the flag of s, which write to a file.
var sedWrites = regexp.MustCompile(`(^|[;{/0-9$gpI\s])[wW]\s+\S`)

func inPlace(r *reader, c call) {
	options, files := c.parse(grammar{
		valued: "efl",
		long: map[string]bool{
			"expression": true,
			"file":       true,
			"in-place":   false,
		},
	})

	scripts := []argument{}
	for _, o := range options {
		if (o.name == "e" || o.name == "expression" || o.name == "f" || o.name == "file") &&
			o.value.word != nil {
			scripts = append(scripts, o.value)
		}
	}

	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}

	if given(options, "i", "in-place") ||
		slices.ContainsFunc(c.args, func(a argument) bool { return strings.HasPrefix(a.text, "-i") }) {
		for _, a := range files {
			r.word(a.word, "sed -i", false)
		}
	}

	for _, a := range scripts {
		if !a.ok ||
			sedWrites.MatchString(a.text) ||
			sedRuns.MatchString(a.text) {
			r.hide(c.all())
			return
		}
	}
}

// awkWrites is output to a file or a program, input from one, or a command.
var awkWrites = regexp.MustCompile(`print[^;}\n]*(>|\|)|system\s*\(|inplace|\|\s*&?\s*getline|\|&|@load|@include`)

func awk(r *reader, c call) {
	for _, a := range c.args {
		if !a.ok || awkWrites.MatchString(a.text) {
			r.hide(c.all())
			return
		}
	}
}
