package command

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// call is a program with its arguments.
type call struct {
	program string
	args    []argument
}

// effect notes what a program does with its arguments.
type effect func(*reader, call)

// programs that write files or run others. It is filled at the start, since some of the
// functions look other programs up.
var programs map[string]effect

func init() {
	programs = map[string]effect{
		"rm":        remove,
		"rmdir":     remove,
		"unlink":    remove,
		"shred":     remove,
		"srm":       remove,
		"trash":     remove,
		"trash-put": remove,
		"rimraf":    remove,
		"del":       remove,
		"mv":        move,
		"cp":        copyTo,
		"install":   copyTo,
		"ln":        copyTo,
		"rsync":     copyTo,
		"scp":       copyTo,
		"link":      copyTo,
		"dd":        dd,
		"find":      findFiles,
		"fd":        fd,
		"fdfind":    fd,
		"git":       git,
		"cd":        changeDir,
		"pushd":     pushDir,
		"popd":      popDir,
		"patch":     patchTool,
		"history":   history,
		"cmake":     cmakeTool,
		"zip":       zipTool,
		"tar":       tarTool,
		"bsdtar":    tarTool,
		"gtar":      tarTool,
		"awk":       awk,
		"gawk":      awk,
		"mawk":      awk,
		"nawk":      awk,
		"sed":       inPlace,
		"gsed":      inPlace,
		"perl":      perl,
		"ruby":      perl,
		"source":    readIn,
		"eval":      evaluate,
		"set":       setShell,
		"shift":     shift,
		"mapfile":   readLines,
		"readarray": readLines,
		"read":      readLine,
		"printf":    formatInto,
		".":         readIn,
		"xargs":     xargs,
		"parallel":  xargs,
		"trap":      trap,
		"watch":     joined,
		"script":    scripted,
		"getopts":   forget,
		"unset":     forget,
		"curl":      curl,
		"wget":      wget,
		"sort":      sortFile,
		"uniq":      second,
		"xxd":       second,
		"split":     split,
		"go":        goTool,
		"alias":     alias,
		"openssl":   openssl,
		"crontab":   crontab,
		"gh":        hub,
		"view":      view,
		"docker":    container,
		"podman":    container,
		"nerdctl":   container,
		"aws":       transfer,
		"gsutil":    transfer,
		"gcloud":    transfer,
		"rclone":    transfer,
		"kubectl":   transfer,
		"make":      makeTool,
		"gmake":     makeTool,
		"npm":       packageScript,
		"yarn":      packageScript,
		"pnpm":      packageScript,
		"bun":       packageScript,
		"sqlite3":   database,
		"psql":      database,
		"mysql":     database,
		"mariadb":   database,
		"unzip":     unzip,
		"7z":        unzip,
		"7za":       unzip,
		"unrar":     unzip,
	}
	for name := range shells {
		programs[name] = runShell
	}

	for name := range setOf("tee touch mkdir mkfifo mknod sponge chmod chown chgrp chattr setfacl setfattr chcon fallocate dos2unix unix2dos mktemp gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress csplit rename truncate") {
		programs[name] = writesAll
	}

	for name, letters := range map[string]string{
		"shuf":       "o",
		"iconv":      "o",
		"tree":       "o",
		"base64":     "o",
		"pandoc":     "o",
		"ssh-keygen": "f",
	} {
		programs[name] = outputTo(letters)
	}

	for name := range setOf(`setarch ed ex vi vim nvim vimdiff emacs emacsclient nano pico micro joe tmux screen expect socat at batch su runuser sg newgrp
		irb ghci R cpio jar ar pax hash enable bind complete fc mount umount losetup fusermount mkfs swapon debugfs unshare nsenter chroot bwrap proot firejail systemd-nspawn pivot_root
		ssh mosh sudoedit visudo vipw gdb lldb entr watchexec nodemon uudecode shar ssh-agent setpci insmod`) {
		programs[name] = hidden
	}

	for name := range setOf("gcc cc clang g++ c++ clang++ ld as rustc javac gfortran") {
		programs[name] = compiler
	}

	for name, flags := range interpreters {
		programs[name] = interpreter(flags)
	}

	for name, f := range formatters {
		programs[name] = f.effect
	}
}

// run looks at a program with its arguments.
func (r *reader) run(words []*syntax.Word) {
	for _, w := range words {
		for _, part := range w.Parts {
			bare, is := part.(*syntax.Lit)
			if is && strange(bare.Value) {
				r.unresolved("characters that only look like blanks", bare.Value)
			}
			if is && strings.Contains(bare.Value, `\`) { // between folders, for a shell of another system
				r.suspect(strings.ReplaceAll(bare.Value, `\`, "/"))
			}
		}
	}

	r.dispatch(r.expand(words))
}

func (r *reader) dispatch(args []argument) {
	if len(args) == 0 {
		return
	}
	if !args[0].ok || strange(args[0].text) {
		r.hide(args)
		return
	}
	if _, is := r.functions[args[0].text]; is {
		r.function(args[0].text, args[1:])
		return
	}

	c := call{path.Base(args[0].text), args[1:]}
	if w, ok := wrappers[c.program]; ok {
		r.wrap(c, w)
		return
	}
	if rest := running(c); rest != nil {
		r.dispatch(rest)
		return
	}
	r.effectOf(c, args[0])
}

// effectOf notes what a program does that runs no other.
func (r *reader) effectOf(c call, program argument) {
	known, ok := programs[programName(c.program)]
	switch {
	case ok:
		r.manifests(c)
		known(r, c)
	case strings.Contains(program.text, "/") && !path.IsAbs(program.text):
		r.shellScript(program, c.args)
	case !c.reads() || c.has(writers[c.program]...):
		r.named(c)
	default:
		r.namedByOptions(c)
	}
}

// programName is a program without what its file is called on another system, or by the version
// of an interpreter.
func programName(program string) string {
	name := strings.ToLower(strings.TrimSuffix(program, ".exe"))
	before, version, _ := strings.Cut(strings.TrimRight(name, "0123456789."), "-")
	if interpreters[before] != (runtime{}) && version == "" {
		return before
	}
	return name
}

// isBare reports whether a word has no quotes, so that it is no argument if it is empty.
func isBare(w *syntax.Word) bool {
	return !slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		_, literal := part.(*syntax.Lit)
		return !literal
	})
}

// strange reports whether a text without quotes has characters that only look like blanks,
// or that is not seen.
func strange(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return c > unicode.MaxASCII && (unicode.IsSpace(c) || unicode.In(c, unicode.Cf))
	})
}

// inputs are options whose value a program reads.
var inputs = setOf("--config --conf --config-file --configuration --settings --env-file --var-file --input --input-file --schema --project --tsconfig --rootdir --values --manifest --manifest-path --source --from-file --data --kubeconfig --inventory")

// named notes the files that an unknown program names: it counts if it is on a list.
func (r *reader) named(c call) {
	for i, a := range c.args {
		if name, _, _ := strings.Cut(a.text, "="); inputs[name] || inputs[before(c.args, i)] {
			continue
		}
		r.namedBy(c.program, a)
	}
}

func (r *reader) namedBy(program string, a argument) {
	for _, n := range r.names(a.word) {
		switch {
		case !n.known:
			r.suspect(source(a.word))
		case n.pattern:
			r.result.Named = append(r.result.Named, r.places(n.text, program)...)
		default:
			r.suspect(n.text)
		}
	}
}

// suspect notes the words of a text that may be names of files.
func (r *reader) suspect(text string) {
	words := append([]string{text}, strings.FieldsFunc(text, parts)...)
	for _, word := range words {
		if word == "" ||
			len(r.result.Named) >= maxFound ||
			len(word) > 1024 {
			continue
		}
		r.result.Named = append(r.result.Named, r.places(word, "")...)
		if rest := strings.TrimLeft(word, "-@"); rest != word && rest != "" {
			r.result.Named = append(r.result.Named, r.places(rest, "")...)
			r.result.Named = append(r.result.Named, r.places(rest[1:], "")...)
		}
	}
}

// parts are the characters between names in a text.
func parts(c rune) bool {
	return strings.ContainsRune(" \t\n\"'`()[]{}<>|&;,=:$*?!\\", c)
}

// places are where a name leads from the folders where the command may be.
func (r *reader) places(file, how string) []Write {
	w := Write{Path: file, How: how}
	if path.IsAbs(file) {
		return []Write{w}
	}
	var all []Write
	for _, dir := range r.dirs {
		all = append(all, r.from(dir, w))
	}
	return all
}

// hide notes a command of unknown effect.
func (r *reader) hide(args []argument) {
	var texts []string
	for _, a := range args {
		texts = append(texts, source(a.word))
	}
	text := strings.Join(texts, " ")
	r.unresolved(text, text+" "+r.input+" "+r.piped)
}

// runsText reports whether a program would run a text in which an operand is filled in.
func runsText(args []argument) bool {
	fills := func(a argument) bool { return strings.Contains(a.text, "{}") }
	return isInterpreted(args[0]) && slices.ContainsFunc(args, fills)
}

// isInterpreted reports whether a program reads other programs.
func isInterpreted(program argument) bool {
	name := programName(path.Base(program.text))
	_, isInterpreter := interpreters[name]
	return isInterpreter || shells[name] || name == "eval" || name == "perl" || name == "ruby"
}

var shells = setOf("sh bash zsh dash ksh ash mksh fish")

// isHarmless reports whether a command changes nothing, whatever operands are added to it.
func (r *reader) isHarmless(args []argument) bool {
	if runsText(args) {
		return false
	}
	apart := newReader(Scene{})
	apart.depth = r.depth + 1
	apart.dispatch(append(slices.Clone(args), argument{literal("an-operand"), "an-operand", true}))
	name := path.Base(args[0].text)
	_, known := programs[name]
	_, wrapper := wrappers[name]
	found := apart.result

	return (known || wrapper || pureReaders[name] || builtReaders[name]) &&
		apart.depth <= maxDepth &&
		len(found.Writes)+len(found.Unresolved)+len(found.Scripts)+len(found.Named)+len(found.Trees)+len(found.Below) == 0
}

// namedByOptions notes the values of the options of a program that only reads its operands: an option
// may name a file that it writes.
func (r *reader) namedByOptions(c call) {
	if pureReaders[c.program] {
		return
	}
	for i, a := range c.args {
		isOption := strings.HasPrefix(a.text, "-") && len(a.text) > 1
		isValue := !isOption && saysOutput(before(c.args, i))
		if isValue || isOption && holdsOutput(a.text) {
			r.namedBy(c.program, a)
		}
	}
}

// holdsOutput reports whether an option has a value in the same word that may be a file which is written.
func holdsOutput(option string) bool {
	name, _, joined := strings.Cut(option, "=")
	if inputs[name] {
		return false
	}
	return joined || saysOutput(option[:2])
}

// outputOptions are parts of the names of options whose value is a file that a program writes.
var outputOptions = []string{"out", "dest", "log", "report", "save", "dump", "export", "target", "trace", "prof", "cov", "cache", "tmp", "xml", "html", "record", "write", "dir"}

// saysOutput reports whether the name of an option says that its value is written.
func saysOutput(option string) bool {
	if option == "-o" || option == "-O" || option == "-B" {
		return true
	}
	lower := strings.ToLower(option)
	return strings.HasPrefix(option, "-") && slices.ContainsFunc(outputOptions, func(part string) bool { return strings.Contains(lower, part) })
}

func (c call) all() []argument {
	return append([]argument{{&syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: c.program}}}, c.program, true}}, c.args...)
}

// files are the arguments that are no options. After -- everything is a file.
func (c call) files() []argument {
	_, operands := c.parse(grammar{})
	return operands
}

func (c call) has(names ...string) bool {
	return slices.ContainsFunc(c.args, func(a argument) bool {
		return slices.Contains(names, a.text)
	})
}

func literal(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
}

func hidden(r *reader, c call) {
	if !c.has(asksOnly...) || len(c.args) > 1 {
		r.hide(c.all())
	}
}

// view is an editor; alone it is only a word.
func view(r *reader, c call) {
	if len(c.args) > 0 {
		r.hide(c.all())
	}
}
