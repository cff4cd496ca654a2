package lint

import "strings"

// wrapping describes a program that runs the command in its arguments.
type wrapping struct {
	valued  string // flags that take the next word
	under   string // subcommands under which it wraps; none means always
	skip    int    // operands before the command
	assigns bool   // NAME=value operands come first
	dashed  bool   // the command comes only after --
}

// wrappers are the programs between a client and its server.
var wrappers = map[string]wrapping{
	"sudo":     {valued: "-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir --close-from", assigns: true},
	"doas":     {valued: "-u -C"},
	"pkexec":   {valued: "--user"},
	"gsudo":    {valued: "-u -i --user --integrity"},
	"runas":    {},
	"timeout":  {valued: "-k -s --kill-after --signal", skip: 1},
	"gtimeout": {valued: "-k -s --kill-after --signal", skip: 1},
	"nice":     {valued: "-n --adjustment"},
	"ionice":   {valued: "-c -n --class --classdata"},
	"nohup":    {}, "setsid": {}, "command": {}, "builtin": {}, "winpty": {}, "unbuffer": {},
	"corepack": {}, "busybox": {}, "chronic": {}, "arch": {valued: "-e"}, "catchsegv": {},
	"exec":       {valued: "-a"},
	"time":       {valued: "-f -o"},
	"stdbuf":     {valued: "-i -o -e"},
	"caffeinate": {valued: "-t -w"},
	"taskset":    {skip: 1}, "chrt": {skip: 1},
	"xvfb-run":  {valued: "-n -s -f -e -p --server-num --server-args"},
	"cross-env": {assigns: true}, "cross-env-shell": {assigns: true},
	"dotenv": {valued: "-e -f -v -p -c --file"}, "dotenv-cli": {valued: "-e -f -v -p -c"},
	"dotenvx":   {valued: "-f -fk -e --env-file", under: "run"},
	"env-cmd":   {valued: "-f -e -r --file --environments"},
	"op":        {valued: "--env-file --account", under: "run", dashed: true},
	"doppler":   {valued: "-p -c -t --project --config --token --command", under: "run"},
	"infisical": {valued: "--env --projectId --path --token", under: "run"},
	"chamber":   {under: "exec", dashed: true}, "aws-vault": {under: "exec", dashed: true},
	"mise": {under: "exec x", dashed: true}, "rtx": {under: "exec x", dashed: true},
	"asdf": {under: "exec"}, "fnm": {valued: "--using", under: "exec"},
	"nvm": {under: "exec run", skip: 1}, "volta": {valued: "--node --npm --yarn --pnpm", under: "run"},
	"direnv": {under: "exec", skip: 1},
	"poetry": {valued: "-C -P --directory --project", under: "run"}, "pipenv": {under: "run"},
	"hatch": {under: "run", valued: "-e --env"}, "pdm": {valued: "-p --project", under: "run"}, "rye": {under: "run"},
	"conda": {valued: "-n -p --name --prefix --cwd", under: "run"}, "mamba": {valued: "-n -p --name --prefix", under: "run"},
	"micromamba": {valued: "-n -p -r --name --prefix", under: "run"}, "pixi": {valued: "-e --environment --manifest-path", under: "run"},
	"bundle": {under: "exec"}, "devbox": {valued: "-c --config", under: "run"},
	"flatpak-spawn": {}, "firejail": {}, "bwrap": {dashed: true}, "sandbox-exec": {valued: "-f -n -p -D"},
}

// wrapper opens a call of the table.
func (c *commandLine) wrapper(cl *call, depth int) {
	w := wrappers[cl.program]
	from := 0
	if w.under != "" {
		_, from = options(cl.args, w.valued)
		if from >= len(cl.args) || !hasWord(w.under, cl.args[from].text) {
			c.tails(cl, depth)
			return
		}
		from++
	}

	if w.dashed {
		for from < len(cl.args) && cl.args[from].text != "--" {
			from++
		}
		c.nest(cl, from+1, depth)
		return
	}

	_, operand := options(cl.args[from:], w.valued)
	from += operand + w.skip
	for from < len(cl.args) && isSeparator(cl.program, cl.args[from].text) {
		from++
	}

	c.nest(cl, from, depth)
}

// isSeparator recognises the words between the operands of a wrapper and the command: "--", and the
// options of runas.
func isSeparator(program, argument string) bool {
	if argument == "--" {
		return true
	}
	return program == "runas" && strings.HasPrefix(argument, "/")
}

// env opens env(1): options, assignments, and -S with a whole command line in one word.
func (c *commandLine) env(cl *call, depth int) {
	for i := 0; i < len(cl.args); i++ {
		t := cl.args[i].text
		if command, ok := gluedSplit(t); ok {
			c.split(cl, i, command, depth)
			return
		}

		switch {
		case envSplit[t] && i+1 < len(cl.args):
			c.split(cl, i+1, cl.args[i+1].text, depth)
			return
		case envValued[t]:
			i++
		case strings.HasPrefix(t, "-"):
		default:
			c.nest(cl, i, depth)
			return
		}
	}
}

// envSplit are the options of env that take a command line in the next word.
var envSplit = setOf("-S", "--split-string", "-vS", "-iS")

// envValued are the other options of env that take the next word.
var envValued = setOf("-u", "--unset", "-C", "--chdir", "-P")

// gluedSplit returns the command line of --split-string=… and -S….
func gluedSplit(t string) (command string, ok bool) {
	if command, ok = strings.CutPrefix(t, "--split-string="); ok {
		return command, true
	}
	if t == "-S" {
		return "", false
	}
	return strings.CutPrefix(t, "-S")
}

// split replaces args[i] by the words of s and opens the result.
func (c *commandLine) split(cl *call, i int, s string, depth int) {
	cl.own = i
	rest := splitWords(word{s, cl.args[i].at})
	c.add(append(rest, cl.args[i+1:]...), depth+1, cl.inside)
}

func (c *commandLine) su(cl *call, depth int) {
	for i, a := range cl.args {
		if (a.text == "-c" || a.text == "--command") && i+1 < len(cl.args) {
			cl.own = i + 1
			c.script(cl.args[i+1].text, cl.args[i+1].at, depth+1, cl.inside)
			return
		}
	}
}

// remote opens ssh and wsl, which pass their last words to a shell elsewhere.
func remote(valued string, hosts int) runner {
	return func(c *commandLine, cl *call, depth int) {
		_, from := options(cl.args, valued)
		from += hosts
		if from >= len(cl.args) {
			return
		}

		if from == len(cl.args)-1 && strings.ContainsAny(cl.args[from].text, " \t\n") {
			cl.own = from
			c.script(cl.args[from].text, cl.args[from].at, depth+1, cl.inside)
			return
		}

		c.nest(cl, from, depth)
	}
}
