package lint

import "strings"

// wrapping describes a program that runs the command in its arguments.
type wrapping struct {
	ok      bool
	valued  string // flags that take the next word
	under   string // subcommands under which it wraps; none means always
	skip    int    // operands before the command
	assigns bool   // NAME=value operands come first
	dashed  bool   // the command comes only after --
}

func (w wrapping) known() bool { return w.ok }

// wrappers are the programs between a client and the server it means to start.
var wrappers = map[string]wrapping{
	"sudo":     {ok: true, valued: "-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir --close-from", assigns: true},
	"doas":     {ok: true, valued: "-u -C"},
	"pkexec":   {ok: true, valued: "--user"},
	"gsudo":    {ok: true, valued: "-u -i --user --integrity"},
	"runas":    {ok: true},
	"timeout":  {ok: true, valued: "-k -s --kill-after --signal", skip: 1},
	"gtimeout": {ok: true, valued: "-k -s --kill-after --signal", skip: 1},
	"nice":     {ok: true, valued: "-n --adjustment"},
	"ionice":   {ok: true, valued: "-c -n --class --classdata"},
	"nohup":    {ok: true}, "setsid": {ok: true}, "command": {ok: true}, "builtin": {ok: true}, "winpty": {ok: true}, "unbuffer": {ok: true},
	"corepack": {ok: true}, "busybox": {ok: true}, "chronic": {ok: true}, "arch": {ok: true, valued: "-e"}, "catchsegv": {ok: true},
	"exec":       {ok: true, valued: "-a"},
	"time":       {ok: true, valued: "-f -o"},
	"stdbuf":     {ok: true, valued: "-i -o -e"},
	"caffeinate": {ok: true, valued: "-t -w"},
	"taskset":    {ok: true, skip: 1}, "chrt": {ok: true, skip: 1},
	"xvfb-run":  {ok: true, valued: "-n -s -f -e -p --server-num --server-args"},
	"cross-env": {ok: true, assigns: true}, "cross-env-shell": {ok: true, assigns: true},
	"dotenv": {ok: true, valued: "-e -f -v -p -c --file"}, "dotenv-cli": {ok: true, valued: "-e -f -v -p -c"},
	"dotenvx":   {ok: true, valued: "-f -fk -e --env-file", under: "run"},
	"env-cmd":   {ok: true, valued: "-f -e -r --file --environments"},
	"op":        {ok: true, valued: "--env-file --account", under: "run", dashed: true},
	"doppler":   {ok: true, valued: "-p -c -t --project --config --token --command", under: "run"},
	"infisical": {ok: true, valued: "--env --projectId --path --token", under: "run"},
	"chamber":   {ok: true, under: "exec", dashed: true}, "aws-vault": {ok: true, under: "exec", dashed: true},
	"mise": {ok: true, under: "exec x", dashed: true}, "rtx": {ok: true, under: "exec x", dashed: true},
	"asdf": {ok: true, under: "exec"}, "fnm": {ok: true, valued: "--using", under: "exec"},
	"nvm": {ok: true, under: "exec run", skip: 1}, "volta": {ok: true, valued: "--node --npm --yarn --pnpm", under: "run"},
	"direnv": {ok: true, under: "exec", skip: 1},
	"poetry": {ok: true, valued: "-C -P --directory --project", under: "run"}, "pipenv": {ok: true, under: "run"},
	"hatch": {ok: true, under: "run", valued: "-e --env"}, "pdm": {ok: true, valued: "-p --project", under: "run"}, "rye": {ok: true, under: "run"},
	"conda": {ok: true, valued: "-n -p --name --prefix --cwd", under: "run"}, "mamba": {ok: true, valued: "-n -p --name --prefix", under: "run"},
	"micromamba": {ok: true, valued: "-n -p -r --name --prefix", under: "run"}, "pixi": {ok: true, valued: "-e --environment --manifest-path", under: "run"},
	"bundle": {ok: true, under: "exec"}, "devbox": {ok: true, valued: "-c --config", under: "run"},
	"flatpak-spawn": {ok: true}, "firejail": {ok: true}, "bwrap": {ok: true, dashed: true}, "sandbox-exec": {ok: true, valued: "-f -n -p -D"},
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
	for from < len(cl.args) && (cl.args[from].text == "--" || cl.program == "runas" && strings.HasPrefix(cl.args[from].text, "/")) {
		from++
	}
	c.nest(cl, from, depth)
}

// env opens env(1): options, assignments, and -S with a whole command line in one word.
func (c *commandLine) env(cl *call, depth int) {
	for i := 0; i < len(cl.args); i++ {
		t := cl.args[i].text
		split, ok := strings.CutPrefix(t, "--split-string=")
		if !ok && strings.HasPrefix(t, "-S") && len(t) > 2 {
			split, ok = t[2:], true
		}
		switch {
		case ok:
			c.split(cl, i, split, depth)
			return
		case (t == "-S" || t == "--split-string" || t == "-vS" || t == "-iS") && i+1 < len(cl.args):
			c.split(cl, i+1, cl.args[i+1].text, depth)
			return
		case t == "-u" || t == "--unset" || t == "-C" || t == "--chdir" || t == "-P":
			i++
		case strings.HasPrefix(t, "-"):
		default:
			c.nest(cl, i, depth)
			return
		}
	}
}

// split replaces args[i] by the words of s and goes on behind it.
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

// remote opens ssh and wsl, which hand their last words to a shell elsewhere.
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
