package lint

import "strings"

// runner opens a program that fetches a package and starts it.
type runner func(*commandLine, *call, int)

// runners returns the table of the programs that fetch packages or start others.
func runners() map[string]runner {
	return map[string]runner{
		"npx":        npx(0),
		"pnpx":       npx(0),
		"bunx":       npx(0),
		"npx-cli.js": npx(0),
		"npm": subcommand("-C --prefix --registry --workspace -w --loglevel --cache --userconfig", map[string]runner{
			"exec": npx(1),
			"x":    npx(1),
		}),
		"pnpm": subcommand("-C --dir --filter -F --package --reporter --loglevel --registry", map[string]runner{
			"dlx":  npx(1),
			"exec": passOn,
			"run":  nil,
		}),
		"yarn": subcommand("--cwd", map[string]runner{"dlx": npx(1), "exec": passOn}),
		"bun":  subcommand("--cwd -c --config --env-file", map[string]runner{"x": npx(1)}),
		"uvx":  uvx(0),
		"uv":   uv,
		"pipx": subcommand("", map[string]runner{"run": pipx}),
		"deno": subcommand("", map[string]runner{
			"run":   denoRun,
			"x":     denoRun,
			"serve": denoRun,
			"eval":  nil,
		}),
		"go":     subcommand("-C", map[string]runner{"run": goRun}),
		"dnx":    dnx(0),
		"dotnet": subcommand("", map[string]runner{"dnx": dnx(1), "tool": dotnetTool}),
		"nix": subcommand("--option --extra-experimental-features --experimental-features --log-format", map[string]runner{
			"run":     nixRun,
			"shell":   nixRun,
			"develop": nixRun,
		}),
		"node":    script,
		"python":  module,
		"tsx":     script,
		"ts-node": script,
		"ssh":     remote("-p -i -l -o -F -J -L -R -D -b -c -E -e -I -m -Q -S -W -w -B", 1),
		"wsl":     remote("-d -u --distribution --user --cd --shell-type", 0),
	}
}

// subcommand finds the verb after a program's own flags and opens the call with its runner.
func subcommand(valued string, verbs map[string]runner) runner {
	return func(c *commandLine, cl *call, depth int) {
		_, at := options(cl.args, valued)
		if at < len(cl.args) {
			if open := verbs[cl.args[at].text]; open != nil {
				open(c, cl, depth)
				return
			}
		}

		c.tails(cl, depth)
	}
}

// verbIndex returns the index of the first operand, which is the verb.
func verbIndex(args []word, valued string) int {
	_, at := options(args, valued)
	return at
}

// passOn opens "pnpm exec cmd": the command comes from the project, and nothing is fetched.
func passOn(c *commandLine, cl *call, depth int) {
	at := verbIndex(cl.args, "-C --dir --filter -F --cwd") + 1
	_, operand := options(cl.args[min(at, len(cl.args)):], "")
	c.nest(cl, at+operand, depth)
}

const npxValued = "-p --package -c --call --registry --cache --prefix -w --workspace --userconfig -n --node-arg --node-options --shell --loglevel --script-shell -C --dir --allow-build --cwd --reporter"

// npx opens npx and everything shaped like it. Verbs is the number of words before its own flags.
func npx(verbs int) runner {
	return func(c *commandLine, cl *call, depth int) {
		from := 0
		var opts []option
		if verbs > 0 {
			opts, from = options(cl.args, npxValued)
			from += verbs
		}

		more, operand := options(cl.args[min(from, len(cl.args)):], npxValued)
		opts = append(opts, more...)
		operand = min(from+operand, len(cl.args))
		cl.own = operand
		offline := false
		named := false
		script := word{}
		for _, o := range opts {
			switch o.name {
			case "-p", "--package":
				named = true
				cl.pkgs = append(cl.pkgs, npmPackage(o.value))
			case "-c", "--call":
				script = o.value
			case "--no-install", "--no", "--offline":
				offline = !o.hasValue || o.value.text == "true"
			}
		}

		if script.at != nil {
			cl.inline = true
			c.script(script.text, script.at, depth+1, cl.inside)
		}

		if operand < len(cl.args) && !named && script.at == nil {
			p := npmPackage(cl.args[operand])
			cl.pkgs = append(cl.pkgs, p)
			c.started(cl, p.program(), operand+1, depth)
		} else if operand < len(cl.args) {
			c.nest(cl, operand, depth)
		}

		if offline { // it refuses to fetch: what runs is what the project has locked
			cl.pkgs = nil
		}
	}
}

const uvValued = "-p --python --from --with -w --with-editable --with-requirements --index --index-url -i --extra-index-url --default-index -f --find-links --index-strategy --keyring-provider --resolution --prerelease --fork-strategy --exclude-newer --link-mode -C --config-setting --config-settings --cache-dir --directory --project --config-file --color --allow-insecure-host --env-file --refresh-package -P --upgrade-package -c --constraints --constraint -b --build-constraints --overrides --override --python-platform --torch-backend --no-build-package --no-binary-package --reinstall-package --extra --group --only-group --no-group --no-extra --package --no-build-isolation-package -m --module"

// uvx opens uvx and "uv tool run".
func uvx(verbs int) runner {
	return func(c *commandLine, cl *call, depth int) {
		from := min(verbs, len(cl.args))
		opts, operand := options(cl.args[from:], uvValued)
		operand = min(from+operand, len(cl.args))
		cl.own = operand
		named := false
		for _, o := range opts {
			switch o.name {
			case "--from":
				named = true
				cl.pkgs = append(cl.pkgs, pythonPackage(o.value, true))
			case "--with", "-w":
				cl.pkgs = append(cl.pkgs, withPackages(o.value)...)
			}
		}

		if operand >= len(cl.args) {
			return
		}
		if named {
			c.nest(cl, operand, depth)
			return
		}

		p := pythonPackage(cl.args[operand], true)
		cl.pkgs = append(cl.pkgs, p)
		c.started(cl, p.program(), operand+1, depth)
	}
}

// withPackages reads --with, which takes a list.
func withPackages(w word) []pkg {
	var out []pkg
	for _, s := range strings.Split(w.text, ",") {
		if s = strings.TrimSpace(s); s != "" &&
			!strings.HasPrefix(s, "<") &&
			!strings.HasPrefix(s, ">") {
			out = append(out, pythonPackage(word{s, w.at}, true))
		}
	}
	return out
}

// uv opens "uv run" and "uv tool run". What uv run starts comes from the project's lock file; only
// what --with adds is fetched by name.
func uv(c *commandLine, cl *call, depth int) {
	at := verbIndex(cl.args, uvValued)
	if at >= len(cl.args) {
		return
	}

	switch cl.args[at].text {
	case "tool":
		if at+1 < len(cl.args) && cl.args[at+1].text == "run" {
			uvx(at+2)(c, cl, depth)
		}
	case "x":
		uvx(at+1)(c, cl, depth)
	case "run":
		opts, operand := options(cl.args[at+1:], uvValued)
		operand = min(at+1+operand, len(cl.args))
		cl.own = operand
		for _, o := range opts {
			if o.name == "--with" || o.name == "-w" {
				cl.pkgs = append(cl.pkgs, withPackages(o.value)...)
			}
			if o.name == "-m" || o.name == "--module" {
				c.started(cl, "python", operand, depth)
				return
			}
		}

		if operand < len(cl.args) && scheme(cl.args[operand].text) != "" {
			cl.pkgs = append(cl.pkgs, pkg{
				ecosystem: "python",
				name:      cl.args[operand].text,
				spec:      cl.args[operand].text,
				state:     floatingSource,
				at:        cl.args[operand].at,
			})
		}

		c.nest(cl, operand, depth)
	}
}

func pipx(c *commandLine, cl *call, depth int) {
	const valued = "--spec --python -i --index-url --pip-args --backend --with"
	from := verbIndex(cl.args, "") + 1
	opts, operand := options(cl.args[from:], valued)
	operand = min(from+operand, len(cl.args))
	cl.own = operand
	named := false
	for _, o := range opts {
		if o.name == "--spec" {
			named = true
			cl.pkgs = append(cl.pkgs, pythonPackage(o.value, false))
		}
	}

	if operand >= len(cl.args) {
		return
	}
	if named {
		c.nest(cl, operand, depth)
		return
	}

	p := pythonPackage(cl.args[operand], false)
	cl.pkgs = append(cl.pkgs, p)
	c.started(cl, p.program(), operand+1, depth)
}

func denoRun(c *commandLine, cl *call, depth int) {
	from := verbIndex(cl.args, "") + 1
	_, operand := options(cl.args[from:], "-c --config --import-map --lock -L --log-level --cert --seed --location --preload --import --require")
	operand = min(from+operand, len(cl.args))
	cl.own = operand
	if operand < len(cl.args) {
		p := denoPackage(cl.args[operand])
		cl.pkgs = append(cl.pkgs, p)
		c.started(cl, p.program(), operand+1, depth)
	}
}

func goRun(c *commandLine, cl *call, depth int) {
	from := verbIndex(cl.args, "-C") + 1
	_, operand := options(cl.args[from:], "-C -mod -modfile -tags -ldflags -gcflags -asmflags -exec -overlay -p -pkgdir")
	operand = min(from+operand, len(cl.args))
	cl.own = operand
	if operand < len(cl.args) {
		p := goPackage(cl.args[operand])
		cl.pkgs = append(cl.pkgs, p)
		c.started(cl, p.program(), operand+1, depth)
	}
}

const dnxValued = "--version -v --source --add-source --configfile --verbosity --framework"

// dnx opens .NET's package runner, also as "dotnet dnx" and "dotnet tool exec".
func dnx(verbs int) runner {
	return func(c *commandLine, cl *call, depth int) {
		from := min(verbs, len(cl.args))
		opts, operand := options(cl.args[from:], dnxValued)
		operand = from + operand
		if operand >= len(cl.args) {
			return
		}

		p := nugetPackage(cl.args[operand])
		more, _ := options(cl.args[operand+1:], dnxValued) // dnx also takes flags after the name
		for _, o := range append(opts, more...) {
			if o.name == "--version" && o.hasValue {
				p = nugetPackage(word{p.name + "@" + o.value.text, p.at})
			}
		}

		cl.pkgs = append(cl.pkgs, p)
		c.started(cl, p.program(), operand+1, depth)
	}
}

func dotnetTool(c *commandLine, cl *call, depth int) {
	if len(cl.args) > 1 && (cl.args[1].text == "exec" || cl.args[1].text == "execute") {
		dnx(2)(c, cl, depth)
	}
}

func nixRun(c *commandLine, cl *call, depth int) {
	const valued = "--option --extra-experimental-features --experimental-features --override-input --log-format --inputs-from"
	from := verbIndex(cl.args, valued) + 1
	_, operand := options(cl.args[from:], valued)
	operand += from
	if operand >= len(cl.args) {
		return
	}

	cl.pkgs = append(cl.pkgs, flakeOf(cl.args[operand]))
	for i := operand; i+1 < len(cl.args); i++ {
		if t := cl.args[i].text; t == "--" ||
			t == "-c" ||
			t == "--command" {
			if knownProgram(programName(cl.args[i+1].text)) {
				c.nest(cl, i+1, depth)
			}
			return
		}
	}
}

// script opens node: npx started through npm's own script is still npx.
func script(c *commandLine, cl *call, depth int) {
	_, at := options(cl.args, nodeValued)
	if at < len(cl.args) && programName(cl.args[at].text) == "npx-cli.js" {
		c.nest(cl, at, depth)
		return
	}
	c.tails(cl, depth)
}

// module opens python: "python -m uv tool run" and "python -m pipx run" are runners.
func module(c *commandLine, cl *call, depth int) {
	for i, a := range cl.args {
		if a.text == "-m" && i+1 < len(cl.args) {
			if next := cl.args[i+1].text; next == "pipx" ||
				next == "uv" ||
				next == "uvx" {
				c.nest(cl, i+1, depth)
				return
			}

			break
		}

		if !strings.HasPrefix(a.text, "-") {
			break
		}
	}

	c.tails(cl, depth)
}
