package lint

import (
	"slices"
	"strings"
)

// The shells whose -c takes a script.
var shells = setOf("sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "rbash")

// interpreters run code from a file, an argument or their input.
var interpreters = setOf("node", "python", "deno", "bun", "perl", "ruby", "php", "tsx", "ts-node", "java", "dotnet")

// downloaders write what they fetch to their output.
var downloaders = setOf("curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "xh", "iwr", "irm", "invoke-webrequest", "invoke-restmethod", "lwp-request")

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// shell opens a shell: with -c (also in a cluster such as -lc) the next operand is a script,
// otherwise the operand is a file and the rest its arguments.
func (c *commandLine) shell(cl *call, depth int) {
	script := false
	for i := 0; i < len(cl.args); i++ {
		t := cl.args[i].text
		switch {
		case shellValued[t]:
			i++
		case takesScript(t):
			script = true
		case strings.HasPrefix(t, "--command="):
			cl.inline = true
			cl.own = i
			c.script(t[len("--command="):], cl.args[i].at, depth+1, cl.inside)
			return
		case strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+"):
		case script:
			cl.inline = true
			cl.own = i
			c.script(t, cl.args[i].at, depth+1, cl.inside)
			return
		default:
			c.tails(cl, depth)
			return
		}
	}
}

// shellValued are the options of shells that take the next word.
var shellValued = setOf("-o", "+o", "-O", "--rcfile", "--init-file")

// takesScript recognises --command, -c and clusters with a c.
func takesScript(t string) bool {
	if t == "--command" {
		return true
	}
	isCluster := len(t) > 1 && t[0] == '-' && t[1] != '-'
	return isCluster && strings.IndexByte(t, 'c') > 0
}

// cmd opens the shell of Windows. Its /c is the normal way to start npx there.
func (c *commandLine) cmd(cl *call, depth int) {
	for i, a := range cl.args {
		t := strings.ToLower(a.text)
		if !strings.HasPrefix(t, "/") {
			continue
		}

		isGlued := len(t) > 2 && (t[1] == 'c' || t[1] == 'k') && t[2] != '/'
		switch {
		case t == "/c" || t == "/k" || t == "/r":
		case isGlued:
			cl.own = i
			c.script(a.text[2:], a.at, depth+1, cl.inside)
			return
		default:
			continue
		}

		cl.own = i + 1
		rest := cl.args[i+1:]
		if len(rest) == 1 && strings.ContainsAny(rest[0].text, " \t") {
			c.script(rest[0].text, rest[0].at, depth+1, cl.inside)
			return
		}

		c.separated(rest, depth, cl.inside)
		return
	}
}

// separated opens words among which operators of a shell stand alone.
func (c *commandLine) separated(words []word, depth int, inside bool) {
	var p pipe
	start, piped := 0, false
	for i := 0; i <= len(words); i++ {
		if i < len(words) && !shellOperators[words[i].text] {
			continue
		}

		feeds := i < len(words) && words[i].text == "|"
		if i > start {
			c.add(words[start:i], depth+1, inside)
			c.judgePipe(&p, stage{
				words: words[start:i],
				piped: piped,
				feeds: feeds,
			})

			piped = true
		}

		piped = piped && feeds
		start = i + 1
	}
}

var shellOperators = setOf("&&", "&", "||", "|")

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

// script analyses a shell script: every simple command is opened, and pipelines and substitutions
// are searched for code that is fetched or decoded and run.
func (c *commandLine) script(s string, at *place, depth int, inside bool) {
	c.commands(s, at, depth, inside, false)
}

// source is where the text that a command prints comes from.
type source int

const (
	elsewhere source = iota
	network
	encoding
)

// commands opens the commands of a script. When the script is a substitution whose output is run,
// it is watched, and the result is the source of the first text that is fetched or decoded there.
func (c *commandLine) commands(s string, at *place, depth int, inside, watched bool) source {
	found := elsewhere
	if depth > maxUnwrap && !watched {
		return found
	}
	if bareWord(s) && !downloaders[s] && inert([]word{{s, at}}) {
		return found
	}

	var p pipe
	eachCommand(s, at, func(st stage) {
		if watched && found == elsewhere {
			found = prints(leader(st.words))
		}
		if depth > maxUnwrap {
			return
		}

		c.judgePipe(&p, st)
		if words := skipKeywords(st.words); !inert(words) {
			c.add(slices.Clone(words), depth, inside)
		}

		runs := len(st.subs) > 0 && runsSubstitution(st)
		for _, sub := range st.subs {
			if from := c.commands(sub, at, depth+1, inside, runs); from != elsewhere {
				c.fetch(at, from == encoding)
				runs = false
			}
		}
	})

	return found
}

// prints returns the source of a program's output.
func prints(program string, args []word) source {
	switch {
	case downloaders[program]:
		return network
	case decodes(program, args):
		return encoding
	}
	return elsewhere
}

// inert reports whether a command is a single word that no check reads.
func inert(words []word) bool {
	return len(words) == 1 &&
		strings.IndexByte(words[0].text, '=') < 0 &&
		!knownProgram(programName(words[0].text))
}

var keywords = setOf("if", "then", "else", "elif", "do", "while", "until", "!", "{", "export", "fi", "done")

func skipKeywords(words []word) []word {
	for len(words) > 0 && keywords[words[0].text] {
		words = words[1:]
	}
	return words
}

// pipe is the state of a pipeline up to a stage.
type pipe struct{ downloaded, decoded, found bool }

// carriesCode reports whether a stage so far downloads or decodes.
func (p pipe) carriesCode() bool {
	return p.downloaded || p.decoded
}

// judgePipe looks for a download or a decoding before an interpreter that reads its input.
func (c *commandLine) judgePipe(p *pipe, st stage) {
	if !st.piped {
		*p = pipe{}
		if !st.feeds {
			return
		}
	}
	if p.found {
		return
	}

	program, args := leader(st.words)
	if p.carriesCode() && readsCode(program, args) {
		c.fetch(st.words[0].at, p.decoded && !p.downloaded)
		p.found = true
	}

	switch prints(program, args) {
	case network:
		p.downloaded = true
	case encoding:
		p.decoded = true
	}
}

// fetch records code that is run at once. A repetition is one of the last two records, because a
// place has at most two.
func (c *commandLine) fetch(at *place, decoded bool) {
	f := fetched{at, decoded}
	last := c.fetched[max(0, len(c.fetched)-2):]
	if !slices.Contains(last, f) {
		c.fetched = append(c.fetched, f)
	}
}

// runsSubstitution recognises the commands that run the output of a substitution: eval "$(curl …)",
// bash <(curl …) and $(curl …) itself.
func runsSubstitution(st stage) bool {
	program, _ := leader(st.words)
	if evaluators[program] {
		return true
	}
	if st.process && (shells[program] || interpreters[program]) {
		return true
	}

	first := st.words[0].text
	return strings.HasPrefix(first, "$(") || strings.HasPrefix(first, "`")
}

// evaluators run their arguments or the file they name in the shell itself.
var evaluators = setOf("eval", "source", ".", "iex", "invoke-expression")

// leader returns the program of a simple command, after the wrappers that pass their input on, and
// its arguments.
func leader(words []word) (program string, args []word) {
	for i, w := range words {
		if _, _, ok := assigns(w.text); ok || strings.HasPrefix(w.text, "-") {
			continue
		}
		if name := programName(w.text); !transparent[name] {
			return name, words[i+1:]
		}
	}
	return "", nil
}

// transparent are the words before a program that pass their input on to it.
var transparent = setOf("sudo", "doas", "env", "command", "exec", "nohup", "time", "busybox",
	"if", "then", "else", "elif", "do", "while", "until", "!", "{", "export", "fi", "done")

// readsCode reports whether a program runs its input.
func readsCode(program string, args []word) bool {
	switch program {
	case "iex", "invoke-expression":
		return true
	case "powershell", "pwsh":
	default:
		if !shells[program] && !interpreters[program] {
			return false
		}
	}

	for _, w := range args {
		switch a := w.text; {
		case namesInput(program, a):
			return true
		case namesCode(program, a):
			return false
		case !strings.HasPrefix(a, "-"):
			return a == "run" && program == "deno"
		}
	}

	return true
}

// namesInput reports whether an argument makes a program read its code from its input.
func namesInput(program, argument string) bool {
	switch argument {
	case "-", "/dev/stdin":
		return true
	case "-s":
		return shells[program]
	}
	return false
}

// namesCode reports whether an argument makes a program take its code from an argument, and its
// input as data.
func namesCode(program, argument string) bool {
	switch argument {
	case "-c", "-m", "-e", "-p", "--eval", "--print":
		return true
	case "-r":
		return program == "php"
	case "-n":
		return program == "perl"
	}
	return false
}

func decodes(program string, args []word) bool {
	switch program {
	case "base64", "base32", "gbase64":
		return slices.ContainsFunc(args, func(a word) bool {
			return hasWord("-d -D --decode -di", a.text)
		})
	case "openssl":
		return slices.ContainsFunc(args, func(a word) bool { return a.text == "-d" })
	case "xxd":
		return slices.ContainsFunc(args, func(a word) bool {
			return strings.HasPrefix(a.text, "-r")
		})
	}

	return false
}

// powershell opens -Command and -EncodedCommand, which may be abbreviated.
func (c *commandLine) powershell(cl *call, depth int) {
	for i, a := range cl.args {
		t := strings.ToLower(strings.Replace(a.text, "/", "-", 1))
		switch {
		case encodedCommandFlag(t):
			cl.inline = true
			cl.own = i + 1
			c.fetch(a.at, true)
			return
		case commandFlag(t):
			cl.inline = true
			cl.own = i + 1
			if i+1 < len(cl.args) {
				c.powershellScript(cl.args[i+1:], depth, cl.inside)
			}
			return
		case t == "-file" || t == "-f":
			return
		}
	}

	c.tails(cl, depth)
}

func encodedCommandFlag(t string) bool {
	if t == "-e" || t == "-ec" {
		return true
	}
	return len(t) > 2 && strings.HasPrefix("-encodedcommand", t)
}

func commandFlag(t string) bool {
	if t == "-c" || t == "-commandwithargs" {
		return true
	}
	return len(t) > 3 && strings.HasPrefix("-command", t)
}

func (c *commandLine) powershellScript(words []word, depth int, inside bool) {
	joined := strings.Join(texts(words), " ")
	lower := strings.ToLower(joined)

	if wordIn(lower, "iex", "invoke-expression") {
		downloads := strings.Contains(lower, "downloadstring") ||
			wordIn(lower, "irm", "iwr", "curl", "wget", "invoke-restmethod", "invoke-webrequest")
		switch {
		case downloads:
			c.fetch(words[0].at, false)
		case strings.Contains(lower, "frombase64string"):
			c.fetch(words[0].at, true)
		}
	}

	if len(words) > 1 {
		c.separated(words, depth, inside)
		return
	}

	c.script(strings.TrimPrefix(strings.TrimSpace(joined), "& "), words[0].at, depth+1, inside)
}

// wordIn reports whether s has one of the words, not as part of a longer one.
func wordIn(s string, words ...string) bool {
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r == '-') }) {
		for _, w := range words {
			if f == w {
				return true
			}
		}
	}
	return false
}
