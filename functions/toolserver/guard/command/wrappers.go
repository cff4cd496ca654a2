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

		switch {
		case c.program == "env" && (name == "-C" || name == "--chdir"), c.program == "sudo" && (name == "-D" || name == "--chdir"):
			changeDir(r, call{"cd", []argument{next}})
		case c.program == "env" && (strings.HasPrefix(name, "-S") || strings.HasPrefix(name, "--split")), c.program == "sudo" && (name == "-e" || name == "--edit"):
			r.hide(c.all())
			return
		case slices.Contains([]string{"time", "strace", "ltrace", "perf"}, c.program) &&
			(name == "-o" || name == "--output"):
			r.word(next.word, c.program, false)
		case strings.HasPrefix(name, "-"):
			continue
		case !slices.Contains(w.valued, before(c.args, i)) && !joined:
			r.wrapped(c, w)
			return
		}
	}

	r.wrapped(c, w)
}

func before(args []argument, i int) string {
	if i == 0 {
		return ""
	}
	return args[i-1].text
}

// wrapped runs the rest; without one a shell may wait for what is typed.
func (r *reader) wrapped(c call, w wrapper) {
	asks := c.program == "command" && c.has("-v", "-V")
	rest := r.unwrap(c, w)
	switch {
	case asks, len(rest) == 0 && !(c.program == "sudo" && c.has("-s", "-i", "--shell", "--login") || c.program == "doas" && c.has("-s")):
	case len(rest) == 0:
		r.hide(c.all())
	case c.program == "flock" && (rest[0].text == "-c" || rest[0].text == "--command"):
		shell(r, call{"sh", rest})
	default:
		r.dispatch(rest)
	}
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
	words, ok := runners[c.program]
	if !ok || len(c.args) == 0 || !slices.Contains(words, c.args[0].text) {
		return nil
	}

	rest := c.args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		if c.program == "conda" && rest[0].text == "-n" && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
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
	case programSettings[name] && !(known && (value == "" || harmlessPrograms[value])),
		name == "NODE_OPTIONS" && (!known || strings.Contains(value, "require") || strings.Contains(value, "import") || strings.Contains(value, "-r")):
		r.unresolved(name+"=…", value)
	}

	if known {
		r.suspect(value)
	}
}
