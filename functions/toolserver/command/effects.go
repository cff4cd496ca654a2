package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

func move(r *reader, c call) {
	r.destructive(c.program)
	files := c.files()
	if _, ok := c.option("-t", "--target-directory"); !ok && len(files) > 1 {
		files = files[:len(files)-1]
	}
	for _, a := range files {
		r.word(a.word, c.program, true)
	}
	copyTo(r, c)
}

// copyTo notes the last file, and the names that the others would have in it if it
// is a folder. A tree that is copied may overwrite all that is in the folder.
func copyTo(r *reader, c call) {
	files := c.files()
	target, ok := c.option("-t", "--target-directory")
	switch {
	case ok:
		files = slices.DeleteFunc(files, func(a argument) bool { return a.text == target.text })
	case len(files) > 1:
		target, files = files[len(files)-1], files[:len(files)-1]
	default:
		return
	}
	tree := c.program == "rsync" || slices.ContainsFunc(c.args, func(a argument) bool {
		return a.text == "--recursive" || a.text == "--archive" || cluster(a.text, "rRa")
	})
	r.word(target.word, c.program, tree)
	if !target.ok || strings.Contains(target.text, ":") && c.program != "cp" { // another machine
		return
	}
	for _, a := range files {
		if a.ok {
			r.write(target.text+"/"+path.Base(a.text), c.program, false, true)
			r.markInto()
		}
	}
}

// markInto says of the last write that it happens only if its folder is there.
func (r *reader) markInto() {
	if n := len(r.result.Writes); n > 0 {
		r.result.Writes[n-1].Into = true
	}
}

// cluster says whether a short option, maybe of several letters, has one of these.
func cluster(option, letters string) bool {
	return len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.ContainsAny(option, letters)
}

func dd(r *reader, c call) {
	r.destructive(c.program)
	for _, a := range c.args {
		if name, ok := strings.CutPrefix(a.text, "of="); ok {
			r.word(literal(name), c.program, false)
			if !a.ok {
				r.hide(c.all())
			}
		}
	}
}

// sedWrites is the command w of a script, or the flag of s, which write to a file.
var sedWrites = regexp.MustCompile(`(^|[;{/0-9$gpI\s])[wW]\s+\S`)

func inPlace(r *reader, c call) {
	files := c.files()
	if _, ok := c.option("-e", "-f", "--expression", "--file"); !ok && len(files) > 0 {
		files = files[1:] // the script
	}
	if slices.ContainsFunc(c.args, func(a argument) bool {
		return cluster(beforeSuffix(a.text), "i") || strings.HasPrefix(a.text, "--in-place")
	}) {
		for _, a := range files {
			r.word(a.word, "sed -i", false)
		}
	}
	for _, a := range c.args {
		if !a.ok || sedWrites.MatchString(a.text) {
			r.hide(c.all())
			return
		}
	}
}

// beforeSuffix cuts the suffix of a backup off: -i.bak, -ni.orig.
func beforeSuffix(option string) string {
	before, _, _ := strings.Cut(option, ".")
	return before
}

func perl(r *reader, c call) {
	code := false
	for i, a := range c.args {
		if cluster(beforeSuffix(a.text), "i") {
			for _, file := range c.files() {
				if i+1 >= len(c.args) || file.word != c.args[i+1].word {
					r.word(file.word, c.program+" -i", false)
				}
			}
		}
		code = code || cluster(a.text, "eE")
	}
	if code || r.fed() {
		r.hide(c.all())
	}
}

func find(r *reader, c call) {
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
		switch a.text {
		case "-delete":
			r.destructive("find -delete")
			r.found(c, roots)
		case "-fprint", "-fls", "-fprintf", "-fprint0":
			if i+1 < len(c.args) {
				r.word(c.args[i+1].word, "find "+a.text, false)
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			if i+1 < len(c.args) && r.writes(c.args[i+1]) {
				r.found(c, roots)
				r.dispatch(c.args[i+1:])
			}
		}
	}
}

// writes says whether a program is one that may write, or is not known at all.
func (r *reader) writes(a argument) bool {
	name := path.Base(a.text)
	_, program := programs[name]
	_, wrapper := wrappers[name]
	return !a.ok || program && name != "jq" || wrapper
}

// found notes what find finds, by its pattern of names if there is one.
func (r *reader) found(c call, roots []argument) {
	name, named := c.option("-name")
	for _, root := range roots {
		switch {
		case named && name.ok && root.ok && !c.has("-o", "-or", "!", "-not") && name.text != "":
			r.write(root.text+"/**/"+name.text, "find", true, false)
		default:
			r.word(root.word, "find", true)
		}
	}
}

func git(r *reader, c call) {
	outside := r.dir
	defer func() { r.dir = outside }()
	args := c.args
	for len(args) > 1 && strings.HasPrefix(args[0].text, "-") {
		switch args[0].text {
		case "-C", "--work-tree":
			changeDir(r, call{"cd", args[1:2]})
			args = args[2:]
		case "-c", "--git-dir", "--namespace", "--exec-path":
			args = args[2:]
		default:
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return
	}
	r.gitCommand(call{"git " + args[0].text, args[1:]}, c)
}

func (r *reader) gitCommand(c, whole call) {
	switch c.program {
	case "git rm":
		if !c.has("--cached") {
			remove(r, c)
		}
	case "git mv":
		move(r, c)
	case "git restore":
		if !c.has("--staged", "-S") || c.has("--worktree", "-W") {
			all("")(r, c)
		}
	case "git checkout":
		r.checkout(c, whole)
	case "git clean", "git apply", "git am":
		if !c.has("-n", "--dry-run", "--check", "--stat") {
			r.destructive(c.program)
			r.hide(whole.all())
		}
	case "git reset":
		if c.has("--hard", "--merge", "--keep") {
			r.destructive("git reset")
			r.hide(whole.all())
		}
	case "git stash":
		if !c.has("list", "show", "drop", "clear", "create", "branch") {
			r.hide(whole.all())
		}
	}
}

// checkout changes files, or the branch and with it any file.
func (r *reader) checkout(c, whole call) {
	if c.has("-b", "-B", "--orphan") {
		return
	}
	if c.has("--") || len(c.files()) > 1 {
		for _, a := range c.files() {
			r.word(a.word, "git checkout", false)
		}
		return
	}
	r.hide(whole.all())
}

func changeDir(r *reader, c call) {
	files := c.files()
	switch {
	case len(files) == 0 || !files[0].ok || files[0].text == "-" || strings.HasPrefix(files[0].text, "~"):
		r.lost = true
	case path.IsAbs(files[0].text):
		r.dir, r.lost = files[0].text, false
	default:
		r.dir = path.Join(r.dir, files[0].text)
	}
}

func tar(r *reader, c call) {
	if len(c.args) == 0 {
		return
	}
	mode := c.args[0].text
	switch {
	case strings.Contains(strings.TrimLeft(mode, "-"), "x") && !strings.HasPrefix(mode, "--") || c.has("-x", "--extract", "--get"):
		r.hide(c.all())
	case strings.HasSuffix(mode, "f") && len(c.args) > 1 && !strings.Contains(mode, "t"):
		r.word(c.args[1].word, "tar", false)
	}
}

// awkWrites is output to a file or a program, or a command.
var awkWrites = regexp.MustCompile(`print[^;}\n]*(>|\|)|system\s*\(|inplace`)

func awk(r *reader, c call) {
	for _, a := range c.args {
		if !a.ok || awkWrites.MatchString(a.text) {
			r.hide(c.all())
			return
		}
	}
}

// interpreter hides what it is told to run on the command line or by its input: a
// text of the command line, or what is typed later into a session that stays open.
func interpreter(flags ...string) func(*reader, call) {
	return func(r *reader, c call) {
		_, inline := c.option(flags...)
		files := c.files()
		if inline || c.has(flags...) || c.has("-i") || len(files) == 0 && !c.has(asksOnly...) && !c.has("-m") || r.fed() && len(files) > 0 && files[0].text == "-" {
			r.hide(c.all())
		}
	}
}

// asksOnly are the options with which a program tells something and ends.
var asksOnly = []string{"--version", "-version", "-V", "-v", "--help", "-h"}

// fed says whether the command reads a text that the command line holds.
func (r *reader) fed() bool { return r.input != "" || r.piped != "" }

func shell(r *reader, c call) {
	for i, a := range c.args {
		if cluster(a.text, "c") && i+1 < len(c.args) {
			text := c.args[i+1]
			if !text.ok || r.read(text.text) != nil {
				r.hide(c.all())
			}
			return
		}
	}
	switch {
	case len(c.files()) > 0 && !c.has("-s", "-i"), c.has(asksOnly...): // a script; what it does is found later
	case r.input != "":
		if r.read(r.input) != nil {
			r.hide(c.all())
		}
	default: // fed by a pipe, or open for what is typed into it later
		r.hide(c.all())
	}
}

func xargs(r *reader, c call) {
	rest := unwrap(c, []string{"-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s"})
	if len(rest) > 0 && r.writes(rest[0]) {
		r.hide(c.all())
		r.dispatch(rest)
	}
}

func trap(r *reader, c call) {
	if len(c.args) > 0 && c.args[0].ok && r.read(c.args[0].text) != nil {
		r.hide(c.all())
	}
}

// forget loses the values of variables that a program sets.
func forget(r *reader, c call) {
	for _, a := range c.args {
		r.forget(a.text)
	}
}
