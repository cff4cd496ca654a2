package command

import (
	"slices"
	"strings"
)

// wrapper runs the rest of its arguments as a command.
type wrapper struct {
	valued []string // options whose value is the next word
	skip   int      // operands before the command
	sets   bool     // name=value before the command sets the environment
}

var wrappers = map[string]wrapper{
	"sudo": {valued: []string{"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--chdir"}, sets: true}, "doas": {valued: []string{"-u", "-C"}, sets: true},
	"env": {valued: []string{"-u", "-C", "--unset", "--chdir"}, sets: true}, "cross-env": {sets: true}, "dotenv": {valued: []string{"-e", "-f"}, sets: true},
	"nohup": {}, "time": {valued: []string{"-o", "-f", "--output", "--format"}}, "nice": {valued: []string{"-n", "--adjustment"}}, "ionice": {valued: []string{"-c", "-n", "-p"}},
	"stdbuf": {valued: []string{"-i", "-o", "-e"}}, "setsid": {}, "exec": {valued: []string{"-a"}}, "command": {}, "builtin": {}, "busybox": {}, "toybox": {}, "shx": {},
	"timeout": {valued: []string{"-s", "-k", "--signal", "--kill-after"}, skip: 1}, "flock": {valued: []string{"-w", "-E", "--timeout"}, skip: 1},
	"strace": {valued: []string{"-o", "-e", "-p", "-s", "-E"}}, "ltrace": {valued: []string{"-o", "-e", "-p", "-s"}}, "valgrind": {}, "catchsegv": {}, "perf": {valued: []string{"-o", "-e"}, skip: 1},
	"taskset": {skip: 1}, "chrt": {skip: 1}, "numactl": {}, "setarch": {skip: 1}, "linux64": {}, "eatmydata": {}, "prlimit": {}, "setpriv": {}, "cpulimit": {valued: []string{"-l"}},
	"unbuffer": {}, "chronic": {}, "rlwrap": {}, "fakeroot": {valued: []string{"-l", "-s", "-i"}}, "pkexec": {valued: []string{"--user"}}, "gosu": {skip: 1}, "su-exec": {skip: 1},
	"systemd-run": {valued: []string{"-p", "-u", "-E", "-t", "--unit", "--property"}, sets: true}, "systemd-inhibit": {}, "dbus-run-session": {}, "xvfb-run": {valued: []string{"-s", "-n"}},
	"noglob": {}, "nocorrect": {}, "-": {}, "caffeinate": {}, "npx": {valued: []string{"-p", "--package"}}, "bunx": {}, "uvx": {valued: []string{"--from", "--with", "--python"}}, "then": {},
}

// runners run the rest as a command behind one of these words.
var runners = map[string][]string{
	"poetry": {"run"}, "uv": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "rye": {"run"}, "hatch": {"run"}, "conda": {"run"}, "pipx": {"run"}, "bundle": {"exec"}, "npm": {"exec", "x"}, "pnpm": {"exec", "dlx"},
	"yarn": {"exec", "dlx"}, "bun": {"x"}, "mise": {"exec", "x"}, "asdf": {"exec"}, "rbenv": {"exec"}, "pyenv": {"exec"}, "direnv": {"exec"}, "doppler": {"run"}, "devbox": {"run"}, "nix": {"develop", "run", "shell"},
}

// wrap runs what a wrapper runs. What it changes for it ends with it.
func (r *reader) wrap(c call, w wrapper) {
	outside, lost := r.dir, r.lost
	defer func() { r.dir, r.lost = outside, lost }()

	for i, a := range c.args {
		name, value, joined := strings.Cut(a.text, "=")
		next := argument{literal(value), value, a.ok}
		if !joined && i+1 < len(c.args) {
			next = c.args[i+1]
		}

		isOption := strings.HasPrefix(name, "-")
		isValue := slices.Contains(w.valued, before(c.args, i))
		switch {
		case entersFolder(c.program, name):
			changeDir(r, call{"cd", []argument{next}})
		case hidesCommand(c.program, name):
			r.hide(c.all())
			return
		case writesReport(c.program, name):
			r.word(next.word, c.program, false)
		case isOption:
			continue
		case !isValue && !joined:
			r.wrapped(c, w)
			return
		}
	}

	r.wrapped(c, w)
}

// entersFolder reports whether an option of a wrapper names the folder in which the rest
// runs.
func entersFolder(program, option string) bool {
	switch program {
	case "env":
		return option == "-C" || option == "--chdir"
	case "sudo":
		return option == "-D" || option == "--chdir"
	}
	return false
}

// hidesCommand reports whether an option of a wrapper makes a command of text, or opens an
// editor.
func hidesCommand(program, option string) bool {
	switch program {
	case "env":
		return strings.HasPrefix(option, "-S") || strings.HasPrefix(option, "--split")
	case "sudo":
		return option == "-e" || option == "--edit"
	}
	return false
}

// writesReport reports whether an option of a wrapper names a file that it writes.
func writesReport(program, option string) bool {
	switch program {
	case "time", "strace", "ltrace", "perf":
		return option == "-o" || option == "--output"
	}
	return false
}

func before(args []argument, i int) string {
	if i == 0 {
		return ""
	}
	return args[i-1].text
}

// wrapped runs the rest; without one a shell may wait for what is typed.
func (r *reader) wrapped(c call, w wrapper) {
	if c.program == "command" && c.has("-v", "-V") {
		return // it only says where the program is
	}
	rest := r.unwrap(c, w)
	if len(rest) == 0 {
		if opensShell(c) {
			r.hide(c.all())
		}
		return
	}

	first := rest[0].text
	if c.program == "flock" && (first == "-c" || first == "--command") {
		shell(r, call{"sh", rest})
		return
	}
	r.dispatch(rest)
}

// opensShell reports whether a wrapper without a command starts a shell that waits for
// input.
func opensShell(c call) bool {
	switch c.program {
	case "sudo":
		return c.has("-s", "-i", "--shell", "--login")
	case "doas":
		return c.has("-s")
	}
	return false
}

// unwrap takes the options, assignments and own operands of a wrapper away.
func (r *reader) unwrap(c call, w wrapper) []argument {
	args, skip := c.args, w.skip
	for len(args) > 0 {
		switch text := args[0].text; {
		case slices.Contains(w.valued, text) && len(args) > 1:
			args = args[2:]
		case text == "--":
			args = args[1:]
		case strings.HasPrefix(text, "-") && len(text) > 1:
			args = args[1:]
		case w.sets && strings.Contains(text, "="):
			name, value, _ := strings.Cut(text, "=")
			r.set(name, value, args[0].ok)
			args = args[1:]
		case skip > 0:
			args, skip = args[1:], skip-1
			if c.program == "flock" {
				return args
			}
		default:
			return args
		}
	}

	return args
}

// running are the arguments behind the word of a runner; nil if it is another command.
func running(c call) []argument {
	if len(c.args) == 0 || !slices.Contains(runners[c.program], c.args[0].text) {
		return nil
	}

	rest := c.args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		namesEnvironment := c.program == "conda" && rest[0].text == "-n"
		rest = rest[1:]
		if namesEnvironment && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return rest
}

// programSettings are variables that make other programs run something.
var programSettings = setOf(`BASH_ENV ENV PROMPT_COMMAND PS0 PS1 PS2 PS4 LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP
	PYTHONINSPECT GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH
	GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR EDITOR VISUAL FCEDIT PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER SHELL MAKEFLAGS
	GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS TAR_OPTIONS RSYNC_RSH JAVA_TOOL_OPTIONS _JAVA_OPTIONS CDPATH SHELLOPTS BASHOPTS EXINIT VIMINIT ZDOTDIR`)

// harmlessPrograms are values of such variables that change nothing.
var harmlessPrograms = setOf(`cat true false less more head : /bin/cat /bin/true /usr/bin/true /usr/bin/cat /bin/sh /bin/bash /usr/bin/bash`)

// set notes that a variable is set which other programs obey.
func (r *reader) set(name, value string, known bool) {
	switch {
	case name == "IFS":
		r.splits = true
	case runsThrough(name, value, known):
		r.unresolved(name+"=…", value)
	}

	if known {
		r.suspect(value)
	}
}

// runsThrough reports whether a variable makes other programs run something.
func runsThrough(name, value string, known bool) bool {
	if programSettings[name] {
		harmless := value == "" || harmlessPrograms[value]
		return !known || !harmless
	}
	if name != "NODE_OPTIONS" {
		return false
	}

	loads := func(option string) bool { return strings.Contains(value, option) }
	return !known || slices.ContainsFunc([]string{"require", "import", "-r"}, loads)
}
