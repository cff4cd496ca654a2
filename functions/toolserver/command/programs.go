package command

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// argument is a word of a command with its value, if it is known.
type argument struct {
	word *syntax.Word
	text string
	ok   bool
}

// call is a program with its arguments.
type call struct {
	program string
	args    []argument
}

// programs that write files, by what they do with their arguments. It is filled at
// the start, since some of the functions look other programs up.
var programs map[string]func(*reader, call)

func init() {
	programs = map[string]func(*reader, call){
		"tee": all(""), "touch": all(""), "truncate": all("truncate"), "mkdir": all(""), "mkfifo": all(""), "split": last,
		"rm": remove, "rmdir": remove, "unlink": remove, "shred": remove, "srm": remove,
		"mv": move, "cp": copyTo, "install": copyTo, "ln": copyTo, "rsync": copyTo, "scp": copyTo,
		"chmod": skipFirst, "chown": skipFirst, "chgrp": skipFirst, "chattr": skipFirst, "setfacl": skipFirst,
		"dd": dd, "sed": inPlace, "perl": perl, "ruby": perl, "find": find, "git": git, "cd": changeDir, "pushd": changeDir, "popd": hidden,
		"eval": hidden, "source": hidden, ".": hidden, "patch": hidden, "ed": hidden, "ex": hidden, "vi": hidden, "vim": hidden, "nvim": hidden, "emacs": hidden,
		"tmux": hidden, "screen": hidden, "expect": hidden, "socat": hidden, "at": hidden, "batch": hidden, "crontab": hidden, "su": hidden, "runuser": hidden,
		"nano": hidden, "unzip": hidden, "7z": hidden, "cpio": hidden, "tar": tar, "awk": awk, "gawk": awk, "mawk": awk,
		"python": interpreter("-c"), "python3": interpreter("-c"), "node": interpreter("-e", "--eval", "-p", "--print"), "deno": interpreter("eval"), "bun": interpreter("-e", "--eval"),
		"php": interpreter("-r"), "lua": interpreter("-e"), "osascript": interpreter("-e"), "pwsh": interpreter("-c", "-Command", "-command", "-EncodedCommand"),
		"sh": shell, "bash": shell, "zsh": shell, "dash": shell, "ksh": shell, "fish": shell,
		"curl": outputTo("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"), "wget": outputTo("-O", "--output-document"), "sort": outputTo("-o", "--output"),
		"gcc": outputTo("-o"), "cc": outputTo("-o"), "go": outputTo("-o"), "jq": none, "xxd": last, "openssl": outputTo("-out"), "base64": outputTo("-o"),
		"xargs": xargs, "parallel": xargs, "trap": trap, "read": forget, "mapfile": forget, "readarray": forget, "getopts": forget, "printf": forget, "unset": forget,
	}
}

// wrappers run the rest of their arguments; of these options the next word is a value.
var wrappers = map[string][]string{
	"sudo": {"-u", "-g", "-h", "-p", "-C"}, "doas": {"-u"}, "env": {"-u", "-C", "-S"}, "nohup": nil, "time": {"-o", "-f"}, "nice": {"-n"}, "ionice": {"-c", "-n", "-p"},
	"stdbuf": {"-i", "-o", "-e"}, "setsid": nil, "exec": {"-a"}, "command": nil, "builtin": nil, "busybox": nil, "toybox": nil, "timeout": {"-s", "-k", "--signal", "--kill-after"},
	"chroot": nil, "unshare": nil, "script": {"-c"}, "watch": {"-n"}, "strace": {"-o", "-e", "-p"}, "flock": {"-w", "-E"}, "then": nil,
}

// run looks at a program with its arguments.
func (r *reader) run(words []*syntax.Word) {
	args := make([]argument, len(words))
	for i, w := range words {
		text, ok := r.known(w)
		args[i] = argument{w, text, ok}
	}
	r.dispatch(args)
}

func (r *reader) dispatch(args []argument) {
	if len(args) == 0 {
		return
	}
	if !args[0].ok {
		r.hide(args)
		return
	}
	c := call{path.Base(args[0].text), args[1:]}
	if options, ok := wrappers[c.program]; ok {
		r.dispatch(unwrap(c, options))
		return
	}
	name := c.program
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		name = "python"
	}
	if known, ok := programs[name]; ok {
		known(r, c)
	}
}

// unwrap takes the options and assignments of a wrapper away.
func unwrap(c call, options []string) []argument {
	args := c.args
	for len(args) > 0 && args[0].ok {
		switch text := args[0].text; {
		case slices.Contains(options, text) && len(args) > 1:
			args = args[2:]
		case strings.HasPrefix(text, "-") || strings.Contains(text, "=") && c.program == "env":
			args = args[1:]
		case (c.program == "timeout" || c.program == "flock" || c.program == "chroot") && len(args) > 1:
			return args[1:]
		default:
			return args
		}
	}
	return args
}

// hide notes a command whose effect is not known.
func (r *reader) hide(args []argument) {
	var texts []string
	for _, a := range args {
		texts = append(texts, source(a.word))
	}
	text := strings.Join(texts, " ")
	r.unresolved(text, text+" "+r.input+" "+r.piped)
}

func (c call) all() []argument {
	return append([]argument{{&syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: c.program}}}, c.program, true}}, c.args...)
}

// files are the arguments that are no options. After -- everything is a file.
func (c call) files() []argument {
	var files []argument
	for i, a := range c.args {
		if a.ok && a.text == "--" {
			return append(files, c.args[i+1:]...)
		}
		if !a.ok || !strings.HasPrefix(a.text, "-") || a.text == "-" {
			files = append(files, a)
		}
	}
	return files
}

// option finds the value of an option: its next word, or what is joined to it.
func (c call) option(names ...string) (argument, bool) {
	for i, a := range c.args {
		for _, name := range names {
			if a.text == name && i+1 < len(c.args) {
				return c.args[i+1], true
			}
			rest, joined := strings.CutPrefix(a.text, name)
			if joined && rest != "" && (!strings.HasPrefix(name, "--") || rest[0] == '=') {
				return argument{literal(strings.TrimPrefix(rest, "=")), strings.TrimPrefix(rest, "="), a.ok}, true
			}
		}
	}
	return argument{}, false
}

func (c call) has(names ...string) bool {
	return slices.ContainsFunc(c.args, func(a argument) bool { return slices.Contains(names, a.text) })
}

func literal(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
}

func none(*reader, call) {}

func hidden(r *reader, c call) { r.hide(c.all()) }

func all(destructive string) func(*reader, call) {
	return func(r *reader, c call) {
		if destructive == "truncate" {
			r.destructive(c.program)
		}
		for _, a := range c.files() {
			r.word(a.word, c.program, false)
		}
	}
}

func last(r *reader, c call) {
	if files := c.files(); len(files) > 1 {
		r.word(files[len(files)-1].word, c.program, false)
	}
}

func remove(r *reader, c call) {
	r.destructive(c.program)
	for _, a := range c.files() {
		r.word(a.word, c.program, true)
	}
}

func skipFirst(r *reader, c call) {
	if files := c.files(); len(files) > 1 {
		for _, a := range files[1:] {
			r.word(a.word, c.program, c.has("-R", "--recursive"))
		}
	}
}

func outputTo(options ...string) func(*reader, call) {
	return func(r *reader, c call) {
		if a, ok := c.option(options...); ok {
			r.word(a.word, c.program, false)
		}
		if c.program == "curl" && c.has("-O", "--remote-name", "-OL", "-LO") {
			r.hide(c.all())
		}
	}
}
