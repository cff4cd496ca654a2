package lint

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// commandLine is what a server's argv comes down to: the programs that really run, the variables
// set on the way, and code that is fetched or decoded and run at once. "cmd /c npx …",
// "env A=b timeout 60 npx …" and "sh -c 'npx …'" all start npx, and a check that looks only at
// the first word sees none of them.
type commandLine struct {
	calls    []*call
	assigned []assignment
	fetched  []fetched
}

// call is one program with its arguments.
type call struct {
	program string // normalised: base name, lower case, no ending
	args    []word // everything after the program
	own     int    // args[:own] are for the program itself, the rest is a nested command
	at      *place
	inside  bool       // runs in a container: its paths and addresses are not the host's
	inline  bool       // a shell that is given a script
	pkgs    []pkg      // packages this call fetches (runner.go)
	box     *container // of docker run (container.go)
}

func (c *call) options() []word {
	return c.args[:c.own]
}

// assignment is NAME=value on the command line, by env, by a shell or by docker -e.
type assignment struct {
	setting
	inside bool
}

// fetched is code from elsewhere that is run at once.
type fetched struct {
	at      *place
	decoded bool // from an encoding in the configuration, otherwise from the network
}

// maxUnwrap bounds the nesting of commands. Nobody nests six wrappers by hand.
const maxUnwrap = 6

func unwrap(argv []word) *commandLine {
	c := &commandLine{}
	c.add(argv, 0, false)
	return c
}

// add analyses one command of separate words.
func (c *commandLine) add(words []word, depth int, inside bool) {
	words = c.assignments(words, inside)
	if len(words) == 0 || depth > maxUnwrap {
		return
	}

	cl := &call{
		program: programName(words[0].text),
		args:    words[1:],
		own:     len(words) - 1,
		at:      words[0].at,
		inside:  inside,
	}
	c.calls = append(c.calls, cl)
	c.open(cl, depth)
}

// openers look inside the calls of the programs they know for the command that is wrapped there.
// The table is filled in init because openers open further commands, which look into it.
var openers map[string]func(*commandLine, *call, int)

func init() {
	openers = map[string]func(*commandLine, *call, int){
		"cmd":        (*commandLine).cmd,
		"powershell": (*commandLine).powershell,
		"pwsh":       (*commandLine).powershell,
		"env":        (*commandLine).env,
		"su":         (*commandLine).su,
	}
	for name := range shells {
		openers[name] = (*commandLine).shell
	}

	for name := range engines {
		openers[name] = (*commandLine).engine
	}

	for name, open := range runners() {
		openers[name] = open
	}

	for name := range wrappers {
		openers[name] = (*commandLine).wrapper
	}
}

func (c *commandLine) open(cl *call, depth int) {
	if open := openers[cl.program]; open != nil {
		open(c, cl, depth)
		return
	}
	c.tails(cl, depth)
}

// nest hands args[from:] of a call over as a command of its own.
func (c *commandLine) nest(cl *call, from, depth int) {
	if from < len(cl.args) {
		cl.own = from
		c.add(cl.args[from:], depth+1, cl.inside)
	}
}

// started adds the call of a program whose name is already known, such as a fetched package.
func (c *commandLine) started(cl *call, program string, from, depth int) {
	cl.own = min(from, len(cl.args))
	next := &call{
		program: program,
		args:    cl.args[cl.own:],
		own:     len(cl.args) - cl.own,
		at:      cl.at,
		inside:  cl.inside,
	}
	c.calls = append(c.calls, next)

	if depth < maxUnwrap {
		c.open(next, depth+1)
	}
}

// assignments takes the leading NAME=value words off.
func (c *commandLine) assignments(words []word, inside bool) []word {
	for len(words) > 0 {
		name, value, ok := assigns(words[0].text)
		if !ok {
			break
		}
		c.assigned = append(c.assigned, assignment{setting{name, value, words[0].at}, inside})
		words = words[1:]
	}
	return words
}

// assigns splits NAME=value when NAME can be the name of a variable.
func assigns(s string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(s, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", "", false
	}

	for i := 0; i < len(name); i++ {
		if c := name[i]; c != '_' &&
			!(c >= 'a' && c <= 'z') &&
			!(c >= 'A' && c <= 'Z') &&
			!(c >= '0' && c <= '9') {
			return "", "", false
		}
	}
	return name, value, true
}

// programName normalises the name of a program: the base name in lower case without the endings
// of Windows, and without characters that only serve to look different from a known name.
func programName(s string) string {
	if !bareWord(s) {
		s = strings.ToLower(strings.Trim(plain(s), "\"' \t"))
		s = s[strings.LastIndexAny(s, `/\`)+1:]
		for _, ending := range [...]string{".exe", ".cmd", ".ps1", ".bat", ".com"} {
			s = strings.TrimSuffix(s, ending)
		}
	}

	base := s
	for len(base) > 0 &&
		(base[len(base)-1] == '.' || base[len(base)-1] >= '0' && base[len(base)-1] <= '9') {
		base = base[:len(base)-1]
	}

	switch base {
	case "python", "pypy", "node", "perl", "ruby", "php", "pip":
		return base
	case "pythonw", "py":
		return "python"
	case "nodejs":
		return "node"
	}

	return s
}

// bareWord reports whether a name needs no normalising: lower-case letters, digits and hyphens, as
// most names are.
func bareWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') &&
			c != '-' &&
			c != '_' &&
			(c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// plain writes compatibility forms of ASCII characters (NFKC) as what they stand for and drops
// invisible characters. Other letters stay as they are: nothing here compares them.
func plain(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if folded := string(norm.NFKC.PropertiesString(s[i:]).Decomposition()); folded != "" &&
			ascii(folded) {
			b.WriteString(folded)
		} else if printable(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// option is one flag in front of a command, with its value.
type option struct {
	name     string
	value    word
	hasValue bool
}

// options reads flags up to the first operand. The flags in valued take the next word unless they
// have "=value"; all others stand alone. It returns the index of the first operand.
func options(args []word, valued string) (opts []option, operand int) {
	i := 0
	for ; i < len(args); i++ {
		t := args[i].text
		if t == "--" {
			return opts, i + 1
		}
		if len(t) < 2 || t[0] != '-' {
			break
		}

		name, value, ok := strings.Cut(t, "=")
		switch {
		case ok:
			opts = append(opts, option{name, word{value, args[i].at}, true})
		case hasWord(valued, t) && i+1 < len(args):
			i++
			opts = append(opts, option{t, args[i], true})
		default:
			opts = append(opts, option{name: t, value: word{"", args[i].at}})
		}
	}

	return opts, i
}

// hasWord reports whether a list of words separated by spaces has w.
func hasWord(list, w string) bool {
	for len(list) > 0 {
		var first string
		first, list, _ = strings.Cut(list, " ")
		if first == w {
			return true
		}
	}
	return false
}

// splitCommand reads the command field. Some configurations put a whole command line there, others
// a path with spaces, and only a known program name tells them apart.
func splitCommand(w word) []word {
	t := strings.TrimSpace(w.text)
	if !strings.ContainsAny(t, " \t\n") {
		return []word{{t, w.at}}
	}
	if _, _, ok := assigns(t); ok || t[0] == '"' || t[0] == '\'' {
		return splitWords(word{t, w.at})
	}

	start, spaces := 0, 0
	for i := 0; i < len(t) && spaces < 32; i++ {
		if t[i] != ' ' && t[i] != '\t' && t[i] != '\n' {
			continue
		}
		last := t[start:i] // of the path t[:i] the last word decides, if the folder ends in it
		if (spaces == 0 || strings.ContainsAny(plain(last), `/\`)) &&
			knownProgram(programName(last)) {
			return append([]word{{t[:i], w.at}}, splitWords(word{t[i:], w.at})...)
		}

		start = i + 1
		spaces++
	}

	first, _, _ := strings.Cut(t, " ")
	if !strings.ContainsAny(first, `/\`) {
		return splitWords(word{t, w.at})
	}

	if at := strings.Index(t, " -"); at > 0 &&
		at+2 < len(t) &&
		t[at+2] != ' ' &&
		!knownProgram(programName(t)) {
		return append([]word{{t[:at], w.at}}, splitWords(word{t[at:], w.at})...)
	}

	return []word{{t, w.at}}
}

func knownProgram(name string) bool {
	return openers[name] != nil || interpreters[name]
}

// tails finds a command that a program is to start for us: behind "--", as one quoted argument, or
// as plain arguments that begin with a package runner.
func (c *commandLine) tails(cl *call, depth int) {
	own := len(cl.args)
	for i, a := range cl.args {
		if i >= own {
			break
		}
		if a.text == "--" &&
			i+1 < len(cl.args) &&
			knownProgram(programName(cl.args[i+1].text)) {
			c.nest(cl, i+1, depth)
			return
		}

		if space := strings.IndexAny(a.text, " \t\n"); space > 0 && quotedRunner(a.text, space) {
			c.script(a.text, a.at, depth+1, cl.inside)
			continue
		}

		if name := programName(a.text); nested(name, cl.args, i) {
			c.nest(cl, i, depth)
			return
		}
	}
}

func quotedRunner(s string, space int) bool {
	first := programName(strings.TrimLeft(s[:space], "\"'"))
	rest := strings.TrimSpace(s[space:])
	return startsPackage(first, rest)
}

// startsPackage reports whether a program followed by this text fetches and runs something.
func startsPackage(name, next string) bool {
	next, _, _ = strings.Cut(next, " ")
	switch name {
	case "npx", "uvx", "bunx", "pnpx", "pipx", "dnx":
		return next != ""
	case "docker", "podman", "nerdctl":
		return next == "run" || next == "exec"
	case "uv":
		return next == "run" || next == "tool" || next == "x"
	case "npm", "bun", "pnpm", "yarn":
		return next == "exec" || next == "x" || next == "dlx"
	case "deno", "go":
		return next == "run"
	case "bash", "sh", "zsh":
		return strings.HasPrefix(next, "-") && strings.HasSuffix(next, "c")
	case "cmd":
		return strings.EqualFold(next, "/c")
	case "sudo":
		return next != ""
	}

	return false
}

// nested reports whether the argument at i begins a command. A runner's name as the value of a flag
// ("--package-manager npx") does not, unless what follows looks like the runner's own arguments.
func nested(name string, args []word, i int) bool {
	if i+1 >= len(args) || !startsPackage(name, args[i+1].text) {
		return false
	}
	next := args[i+1].text
	if i == 0 || !strings.HasPrefix(args[i-1].text, "-") {
		return true
	}

	return next == "-y" ||
		next == "--yes" ||
		next == "run" ||
		next == "exec" ||
		strings.ContainsAny(next, "@/")
}
