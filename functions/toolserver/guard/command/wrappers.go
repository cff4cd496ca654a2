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
	"strace": {valued: []string{"-o", "-qo", "-fo", "-ffo", "-e", "-p", "-s", "-E"}}, "ltrace": {valued: []string{"-o", "-e", "-p", "-s"}}, "valgrind": {}, "catchsegv": {}, "perf": {valued: []string{"-o", "-e"}, skip: 1},
	"taskset": {skip: 1}, "chrt": {skip: 1}, "numactl": {}, "linux64": {}, "eatmydata": {}, "prlimit": {}, "setpriv": {}, "cpulimit": {valued: []string{"-l"}},
	"unbuffer": {}, "chronic": {}, "rlwrap": {}, "fakeroot": {valued: []string{"-l", "-s", "-i"}}, "pkexec": {valued: []string{"--user"}}, "gosu": {skip: 1}, "su-exec": {skip: 1},
	"systemd-run": {valued: []string{"-p", "-u", "-E", "-t", "--unit", "--property"}, sets: true}, "systemd-inhibit": {}, "dbus-run-session": {}, "xvfb-run": {valued: []string{"-s", "-n"}},
	"noglob": {}, "nocorrect": {}, "-": {}, "caffeinate": {}, "npx": {valued: []string{"-p", "--package"}}, "bunx": {}, "uvx": {valued: []string{"--from", "--with", "--python"}}, "then": {},
}

// runners run the rest as a command behind one of these words.
var runners = map[string][]string{
	"poetry": {"run"}, "uv": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "rye": {"run"}, "hatch": {"run"}, "conda": {"run"}, "pipx": {"run"}, "bundle": {"exec"}, "npm": {"exec", "x"}, "pnpm": {"exec", "dlx"},
	"yarn": {"exec", "dlx"}, "bun": {"x"}, "mise": {"exec", "x"}, "asdf": {"exec"}, "rbenv": {"exec"}, "pyenv": {"exec"}, "direnv": {"exec"}, "doppler": {"run"}, "devbox": {"run"}, "nix": {"develop", "run", "shell"},
}

// ofThisShell are wrappers that run a command of the shell itself.
var ofThisShell = setOf("command builtin noglob nocorrect - then")

// wrap runs what a wrapper runs. What it changes for it ends with it.
func (r *reader) wrap(c call, w wrapper) {
	outside := r.place
	if !ofThisShell[c.program] {
		defer func() { r.place = outside }()
	}

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
			r.within(next)
		case hidesCommand(c.program, name):
			r.hide(c.all())
			return
		case writesReport(c.program, name):
			r.word(next.word, c.program, false)
		case attachesReport(c.program, name):
			r.write(strings.TrimLeft(a.text, "-")[1:], c.program, false, a.ok)
		case isOption:
			if joined {
				r.suspect(value)
			}
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
	case "npx", "bunx":
		return option == "-c" || option == "--call"
	}
	return false
}

// writesReport reports whether an option of a wrapper names a file that it writes.
func writesReport(program, option string) bool {
	switch program {
	case "time", "strace", "ltrace", "perf":
		isCluster := strings.HasSuffix(option, "o") && cluster(option, "o") && len(option) < 5
		return isCluster || option == "--output"
	}
	return false
}

// attachesReport reports whether an option is -o with the name of the file in the same word.
func attachesReport(program, option string) bool {
	isTracer := program == "strace" || program == "ltrace"
	return isTracer && strings.HasPrefix(option, "-o") && len(option) > 2
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
		runShell(r, call{"sh", rest})
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
			r.sets(args[0])
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
		switch option := rest[0]; option.text {
		case "-c", "--call": // a text for a shell
			return []argument{{word: option.word}}
		case "-n": // the name of an environment
			if c.program == "conda" {
				rest = rest[min(1, len(rest)-1):]
			}
		}
		rest = rest[1:]
	}
	return rest
}
