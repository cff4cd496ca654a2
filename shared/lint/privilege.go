package lint

import "strings"

// privilege is MCP006: a server that starts with more rights than it needs, through a wrapper that
// hides what runs, or with the client's own questions switched off.
func privilege(s *server, r *report) {
	for _, c := range s.run.calls {
		judgeElevation(r, c)
		if c.box != nil {
			judgeBox(r, c.box)
		}
		judgeInline(r, c)
		for _, a := range c.options() {
			judgeDangerousFlag(r, c, a)
		}
	}

	for _, v := range s.variables {
		judgePreload(r, v)
	}

	judgeApproval(s, r)
}

var elevators = setOf("sudo", "doas", "runas", "pkexec", "gsudo", "su")

func judgeElevation(r *report, c *call) {
	if elevators[c.program] {
		r.add(
			ruleElevatedUser,
			Error,
			c.at,
			say(shown(c.program), " starts the server with the rights of another user, as a rule of root"),
			say("start the program directly as your own user; give that user the one right it lacks"),
		)
	}
}

func judgeBox(r *report, b *container) {
	for _, f := range b.flags {
		value := strings.ToLower(f.value.text)
		at := f.value.at
		switch f.name {
		case "privileged":
			if value != "false" {
				r.add(
					rulePrivilegedContainer,
					Error,
					at,
					say("--privileged lifts the container's walls"),
					say("leave --privileged out; add the one device or capability the program needs"),
				)
			}
		case "cap-add":
			for one := range strings.SplitSeq(value, ",") {
				switch strings.TrimPrefix(one, "cap_") {
				case "all", "sys_admin", "sys_ptrace":
					r.add(
						ruleContainerCapability,
						Error,
						at,
						say("the capability ", shown(f.value.text), " is as good as root on the machine"),
						say("leave --cap-add out, or add only the capability the program needs"),
					)
				}
			}
		case "network", "net", "pid", "ipc", "uts", "userns", "cgroupns":
			if value == "host" {
				r.add(
					ruleHostNamespace,
					Warn,
					at,
					say("--"+f.name+" host shares a namespace of the machine with the container"),
					say("leave the option out; publish the one port you need on 127.0.0.1"),
				)
			}
		case "security-opt":
			if unconfined[strings.ReplaceAll(value, ":", "=")] {
				r.add(
					ruleUnconfinedContainer,
					Warn,
					at,
					say("--security-opt ", shown(f.value.text), " switches a protection of the container off"),
					say("leave the option out"),
				)
			}
		case "u", "user":
			if user, _, _ := strings.Cut(value, ":"); user == "root" || user == "0" {
				r.add(
					ruleContainerRoot,
					Warn,
					at,
					say("the container runs as root"),
					say("leave the option out, or name an ordinary user, for example --user 1000:1000"),
				)
			}
		}
	}
}

// unconfined are the values of --security-opt that switch a protection off.
var unconfined = setOf("seccomp=unconfined", "apparmor=unconfined", "label=disable", "systempaths=unconfined", "no-new-privileges=false")

// scriptRunners are the package runners whose -c takes a script.
var scriptRunners = setOf("npx", "npm", "pnpm", "pnpx", "yarn", "bunx")

func judgeInline(r *report, c *call) {
	switch {
	case c.inline && scriptRunners[c.program]:
		r.add(
			ruleShellWrapper,
			Warn,
			c.at,
			say(shown(c.program), " -c runs a shell, which gets around lists that allow only npx"),
			say("start the program directly: npx package@1.2.3 with its arguments as separate strings"),
		)
	case c.inline:
		r.add(
			ruleShellWrapper,
			Warn,
			c.at,
			say("the server is started through a script for ",
				shown(c.program), ", so what runs depends on quoting and on the environment"),
			say("name the program in command and its arguments as separate strings in args, or start a script file"),
		)
	}

	if _, at := inlineCode(c); at != nil {
		r.add(
			ruleInlineCode,
			Warn,
			at,
			say(shown(c.program), " gets its program as text in the arguments, where it escapes review"),
			say("put the code into a file and start that file"),
		)
	}

	if c.program == "powershell" || c.program == "pwsh" {
		judgePolicy(r, c)
	}

	if c.program == "deno" {
		for _, a := range c.options() {
			if a.text == "-A" || a.text == "--allow-all" {
				r.add(
					ruleAllPermissions,
					Warn,
					a.at,
					say("deno runs with every permission"),
					say("name the permissions the server needs, for example --allow-net=api.host.tld --allow-read=./data"),
				)
			}
		}
	}
}

func judgePolicy(r *report, c *call) {
	args := c.options()
	for i, a := range args {
		t := strings.ToLower(a.text)
		isPolicy := t == "-ep" || len(t) > 2 && strings.HasPrefix("-executionpolicy", t)
		if !isPolicy || i+1 >= len(args) {
			continue
		}

		switch strings.ToLower(args[i+1].text) {
		case "bypass", "unrestricted":
			r.add(
				rulePolicyBypass,
				Warn,
				args[i+1].at,
				say("the execution policy of PowerShell is switched off"),
				say("leave -ExecutionPolicy out and sign the script, or use RemoteSigned"),
			)
		}
	}
}

// codeFlags are the flags with which interpreters take a program as text, and the flags before
// it that take a value.
var codeFlags = map[string]struct{ code, valued string }{
	"node":    {"-e --eval -p --print -pe", nodeValued},
	"tsx":     {"-e --eval -p --print", nodeValued},
	"ts-node": {"-e --eval -p --print", "-P --project -r --require"},
	"bun":     {"-e --eval -p --print", "--cwd -c --config --env-file -r --preload"},
	"python":  {"-c", "-W -X --check-hash-based-pycs"},
	"ruby":    {"-e", "-I -r -C -E"},
	"perl":    {"-e -E", "-I"},
	"php":     {"-r", "-d -c"},
}

const nodeValued = "-r --require --import --loader --experimental-loader --env-file --env-file-if-exists -C --conditions --title --tsconfig"

// inlineCode returns the program text in the arguments of an interpreter.
func inlineCode(c *call) (code string, at *place) {
	if c.program == "deno" {
		return denoCode(c)
	}

	flags, ok := codeFlags[c.program]
	if !ok {
		return "", nil
	}

	for i := 0; i < len(c.args); i++ {
		t := c.args[i].text
		name, value, hasValue := strings.Cut(t, "=")
		isLong := hasValue && strings.HasPrefix(name, "--")

		switch {
		case hasWord(flags.code, t) && i+1 < len(c.args):
			return c.args[i+1].text, c.args[i].at
		case isLong && hasWord(flags.code, name):
			return value, c.args[i].at
		case clustered(c.program, t):
			return strings.Join(texts(c.args[i:]), " "), c.args[i].at
		case hasWord(flags.valued, t):
			i++
		case t == "-m" || t == "-":
			return "", nil
		case !strings.HasPrefix(t, "-"):
			return "", nil
		}
	}

	return "", nil
}

// denoCode returns the program text of deno eval.
func denoCode(c *call) (code string, at *place) {
	if len(c.args) < 2 || c.args[0].text != "eval" {
		return "", nil
	}
	return c.args[len(c.args)-1].text, c.args[0].at
}

// clustered recognises -Ic, -uc and -c"code" for Python, where c must be the last letter that is a
// flag, and -ne for perl.
func clustered(program, t string) bool {
	if len(t) < 3 || t[0] != '-' || t[1] == '-' {
		return false
	}

	var at int
	switch program {
	case "python":
		at = strings.IndexByte(t, 'c')
	case "perl", "ruby":
		at = strings.IndexByte(t, 'e')
	}
	return at > 0 && strings.Trim(t[1:at], "IEsSuvbBdiOqxPnlpw0a") == ""
}

func judgeDangerousFlag(r *report, c *call, a word) {
	if !strings.HasPrefix(a.text, "--") {
		return
	}
	name, value, _ := strings.Cut(strings.ToLower(a.text), "=")
	if value == "false" || value == "0" || value == "no" {
		return
	}

	if strings.HasPrefix(name, "--dangerously") ||
		name == "--yolo" ||
		name == "--no-sandbox" {
		r.add(
			ruleDangerousFlag,
			Warn,
			a.at,
			say(shown(name), " switches a protection of ", shown(c.program), " off"),
			say("leave ", shown(name), " out"),
		)
	}
}

// judgePreload finds variables that load code into every process they reach.
func judgePreload(r *report, v assignment) {
	upper := strings.ToUpper(v.name)
	if v.value == "" {
		return
	}

	switch {
	case upper == "LD_PRELOAD", upper == "LD_AUDIT", strings.HasPrefix(upper, "DYLD_INSERT"), upper == "NODE_OPTIONS" && loads(v.value):
		r.add(
			rulePreloadedCode,
			Warn,
			v.at,
			say(shown(v.name), " loads further code into the server and all its children"),
			say("leave ", shown(v.name), " out; load the code in the program that needs it"),
		)
	case strings.HasPrefix(upper, "DANGEROUSLY_") && truthy(v.value):
		r.add(
			ruleDangerousFlag,
			Warn,
			v.at,
			say(shown(v.name), " switches a protection off"),
			say("leave ", shown(v.name), " out"),
		)
	}
}

func loads(options string) bool {
	for f := range strings.FieldsSeq(options) {
		name, _, _ := strings.Cut(f, "=")
		switch name {
		case "--require", "-r", "--import", "--loader", "--experimental-loader":
			return true
		}
	}
	return false
}

func truthy(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "false", "no", "off", "n", "f", "disabled", "none":
		return false
	}
	return !wholeReference(value)
}

// approvals are the fields that make a client skip its question before a tool runs.
var approvals = [...]string{"autoApprove", "alwaysAllow", "autoAllow", "auto_approve", "always_allow", "autoApproveAll", "autoApproveTools", "autoApprovedTools", "trust"}

// judgeApproval finds servers whose every tool runs without approval. A list of named tools is the
// intended use.
func judgeApproval(s *server, r *report) {
	for _, key := range approvals {
		n := s.node.get(key)
		if n == nil {
			continue
		}

		at := s.at.member(key, n)
		message := say(shown(key), " lets every tool of this server run without a question, also tools it adds later")
		hint := say("list the read-only tools by name: \"", shown(key), "\": [\"read_file\"]")

		if n.kind == boolean {
			hint = say(
				"leave ",
				shown(key),
				" out or set it to false; a client that asks shows what the tool is about to do",
			)
		}

		all := func(at *place) {
			r.add(ruleApproveEverything, Warn, at, message, hint)
		}

		switch t, ok := n.scalar(); {
		case ok && (t == "true" || everything(t)):
			all(at)
			if n.kind == boolean {
				r.repair(ruleApproveEverything, at, "true", "false")
			}
		case n.kind == list:
			for i, item := range n.items {
				if t, ok := item.scalar(); ok && everything(t) {
					all(at.item(i, item))
				}
			}
		}
	}
}

func everything(t string) bool {
	switch strings.ToLower(strings.TrimSpace(t)) {
	case "*", "**", ".*", "all", "*:*", "*/*":
		return true
	}
	return false
}
