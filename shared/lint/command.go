package lint

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// commandLine is a server's argv unwrapped: the programs that run, the variables set for them, and
// code that is fetched or decoded and run at once. "cmd /c npx …",
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

// maxUnwrap bounds the nesting of commands. Real configurations nest fewer.
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

// nest adds args[from:] of a call as a command.
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

// assignments records and removes the leading NAME=value words.
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
	if !ok || !isVariableName(name) {
		return "", "", false
	}
	return name, value, true
}

func isVariableName(s string) bool {
	if s == "" || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && s[i] != '_' {
			return false
		}
	}
	return true
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

	switch base := withoutVersion(s); base {
	case "python", "pypy", "node", "perl", "ruby", "php", "pip":
		return base
	case "pythonw", "py":
		return "python"
	case "nodejs":
		return "node"
	}

	return s
}

// withoutVersion takes the version off a name such as python3.12.
func withoutVersion(s string) string {
	end := len(s)
	for end > 0 && (s[end-1] == '.' || isDigit(s[end-1])) {
		end--
	}
	return s[:end]
}

// bareWord reports whether a name needs no normalising: lower-case letters, digits and hyphens, as
// most names are.
func bareWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLower(c) && !isDigit(c) && c != '-' && c != '_' {
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
		folded := string(norm.NFKC.PropertiesString(s[i:]).Decomposition())
		switch {
		case folded != "" && ascii(folded):
			b.WriteString(folded)
		case printable(r):
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

// option is one flag before a command, with its value.
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

// splitCommand reads the command field. Some configurations put a whole command line there,
// others a path with spaces, and only a known program name distinguishes them.
func splitCommand(w word) []word {
	t := strings.TrimSpace(w.text)
	if !strings.ContainsAny(t, " \t\n") {
		return []word{{t, w.at}}
	}
	if _, _, ok := assigns(t); ok || t[0] == '"' || t[0] == '\'' {
		return splitWords(word{t, w.at})
	}

	if end := knownPath(t); end > 0 {
		return splitAt(t, end, w.at)
	}

	first, _, _ := strings.Cut(t, " ")
	if !strings.ContainsAny(first, `/\`) {
		return splitWords(word{t, w.at})
	}

	flag := strings.Index(t, " -")
	hasFlag := flag > 0 && flag+2 < len(t) && t[flag+2] != ' '
	if hasFlag && !knownProgram(programName(t)) {
		return splitAt(t, flag, w.at)
	}

	return []word{{t, w.at}}
}

// splitAt makes one word of the path before the end and splits the rest.
func splitAt(t string, end int, at *place) []word {
	return append([]word{{t[:end], at}}, splitWords(word{t[end:], at})...)
}

// knownPath returns the length of the path at the start of t that ends in a known program, or 0.
// The path may contain spaces.
func knownPath(t string) int {
	start, spaces := 0, 0
	for i := 0; i < len(t) && spaces < maxSpaces; i++ {
		if !isSpace(t[i]) {
			continue
		}

		last := t[start:i]
		endsFolder := spaces == 0 || strings.ContainsAny(plain(last), `/\`)
		if endsFolder && knownProgram(programName(last)) {
			return i
		}

		start = i + 1
		spaces++
	}
	return 0
}

// maxSpaces bounds the search for the end of a path with spaces.
const maxSpaces = 32

func knownProgram(name string) bool {
	return openers[name] != nil || interpreters[name]
}

// tails finds a command that a program starts: after "--", as one quoted argument, or as plain arguments that begin with a package runner.
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
	case "npx", "uvx", "bunx", "pnpx", "pipx", "dnx", "sudo":
		return next != ""
	case "docker", "podman", "nerdctl":
		return hasWord("run exec", next)
	case "uv":
		return hasWord("run tool x", next)
	case "npm", "bun", "pnpm", "yarn":
		return hasWord("exec x dlx", next)
	case "deno", "go":
		return next == "run"
	case "bash", "sh", "zsh":
		return strings.HasPrefix(next, "-") && strings.HasSuffix(next, "c")
	case "cmd":
		return strings.EqualFold(next, "/c")
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

	return hasWord("-y --yes run exec", next) || strings.ContainsAny(next, "@/")
}
