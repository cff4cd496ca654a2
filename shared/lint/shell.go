package lint

import "strings"

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
		case t == "-o" || t == "+o" || t == "-O" || t == "--rcfile" || t == "--init-file":
			i++
		case t == "--command" || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t, 'c') > 0:
			script = true
		case strings.HasPrefix(t, "--command="):
			cl.inline, cl.own = true, i
			c.script(t[len("--command="):], cl.args[i].at, depth+1, cl.inside)
			return
		case strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+"):
		case script:
			cl.inline, cl.own = true, i
			c.script(t, cl.args[i].at, depth+1, cl.inside)
			return
		default:
			c.tails(cl, depth)
			return
		}
	}
}

// cmd opens the shell of Windows. Its /c is the normal way to start npx there.
func (c *commandLine) cmd(cl *call, depth int) {
	for i, a := range cl.args {
		t := strings.ToLower(a.text)
		if !strings.HasPrefix(t, "/") {
			continue
		}
		if t != "/c" && t != "/k" && t != "/r" {
			if len(t) > 2 && (t[1] == 'c' || t[1] == 'k') && t[2] != '/' {
				cl.own = i
				c.script(a.text[2:], a.at, depth+1, cl.inside)
				return
			}
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
	var stages []stage
	start := 0
	for i := 0; i <= len(words); i++ {
		if i < len(words) && words[i].text != "&&" && words[i].text != "&" && words[i].text != "||" && words[i].text != "|" {
			continue
		}
		if i > start {
			c.add(words[start:i], depth+1, inside)
			stages = append(stages, stage{words: texts(words[start:i])})
			c.judgePipe(stages, words[start].at)
		}
		if i < len(words) && words[i].text != "|" {
			stages = nil
		}
		start = i + 1
	}
}

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
	if depth > maxUnwrap {
		return
	}
	for _, pipeline := range parseScript(s) {
		c.judgePipe(pipeline, at)
		for _, st := range pipeline {
			words := make([]word, 0, len(st.words))
			for _, t := range st.words {
				words = append(words, word{t, at})
			}
			c.add(skipKeywords(words), depth, inside)
			c.judgeSubstitutions(st, at)
			for _, sub := range st.subs {
				c.script(sub, at, depth+1, inside)
			}
		}
	}
}

var keywords = setOf("if", "then", "else", "elif", "do", "while", "until", "!", "{", "export", "fi", "done")

func skipKeywords(words []word) []word {
	for len(words) > 0 && keywords[words[0].text] {
		words = words[1:]
	}
	return words
}

// judgePipe looks for a download or a decoding in front of an interpreter that reads its input.
func (c *commandLine) judgePipe(stages []stage, at *place) {
	downloaded, decoded := false, false
	for _, st := range stages {
		program, args := leader(st.words)
		if (downloaded || decoded) && readsCode(program, args) {
			c.fetched = append(c.fetched, fetched{at, decoded && !downloaded})
			return
		}
		downloaded = downloaded || downloaders[program]
		decoded = decoded || decodes(program, args)
	}
}

// judgeSubstitutions looks for eval "$(curl …)", bash <(curl …) and $(curl …) run as a command.
func (c *commandLine) judgeSubstitutions(st stage, at *place) {
	if len(st.subs) == 0 {
		return
	}
	program, _ := leader(st.words)
	runs := program == "eval" || program == "source" || program == "." || program == "iex" || program == "invoke-expression" ||
		(shells[program] || interpreters[program]) && st.process ||
		len(st.words) > 0 && (strings.HasPrefix(st.words[0], "$(") || strings.HasPrefix(st.words[0], "`"))
	if !runs {
		return
	}
	for _, sub := range st.subs {
		for _, pipeline := range parseScript(sub) {
			for _, inner := range pipeline {
				name, args := leader(inner.words)
				if downloaders[name] || decodes(name, args) {
					c.fetched = append(c.fetched, fetched{at, !downloaders[name]})
					return
				}
			}
		}
	}
}

// leader returns the program of a simple command behind the wrappers that keep its input, and its
// arguments.
func leader(words []string) (program string, args []string) {
	for i, w := range words {
		if _, _, ok := assigns(w); ok || strings.HasPrefix(w, "-") {
			continue
		}
		switch name := programName(w); {
		case name == "sudo" || name == "doas" || name == "env" || name == "command" || name == "exec" || name == "nohup" || name == "time" || name == "busybox" || keywords[name]:
		default:
			return name, words[i+1:]
		}
	}
	return "", nil
}

// readsCode reports whether a program runs what comes in on its input.
func readsCode(program string, args []string) bool {
	switch {
	case program == "iex" || program == "invoke-expression":
		return true
	case program == "xargs" || !shells[program] && !interpreters[program] && program != "powershell" && program != "pwsh":
		return false
	}
	for _, a := range args {
		switch {
		case a == "-" || a == "/dev/stdin" || a == "-s" && shells[program]:
			return true
		case a == "-c" || a == "-m" || a == "-e" || a == "-p" || a == "--eval" || a == "--print" || a == "-r" && program == "php" || a == "-n" && program == "perl":
			return false
		case !strings.HasPrefix(a, "-"):
			return a == "run" && program == "deno"
		}
	}
	return true
}

func decodes(program string, args []string) bool {
	for _, a := range args {
		switch {
		case (program == "base64" || program == "base32" || program == "gbase64") && (a == "-d" || a == "-D" || a == "--decode" || a == "-di"),
			program == "openssl" && a == "-d", program == "xxd" && strings.HasPrefix(a, "-r"):
			return true
		}
	}
	return false
}

// powershell opens -Command and -EncodedCommand, which may be abbreviated.
func (c *commandLine) powershell(cl *call, depth int) {
	for i, a := range cl.args {
		t := strings.ToLower(strings.Replace(a.text, "/", "-", 1))
		switch {
		case t == "-e" || t == "-ec" || len(t) > 2 && strings.HasPrefix("-encodedcommand", t):
			cl.inline = true
			cl.own = i + 1
			c.fetched = append(c.fetched, fetched{a.at, true})
			return
		case t == "-c" || len(t) > 3 && strings.HasPrefix("-command", t) || t == "-commandwithargs":
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

func (c *commandLine) powershellScript(words []word, depth int, inside bool) {
	joined := strings.Join(texts(words), " ")
	lower := strings.ToLower(joined)
	if wordIn(lower, "iex", "invoke-expression") && (wordIn(lower, "irm", "iwr", "curl", "wget", "invoke-restmethod", "invoke-webrequest") || strings.Contains(lower, "downloadstring")) {
		c.fetched = append(c.fetched, fetched{words[0].at, false})
	} else if strings.Contains(lower, "frombase64string") && wordIn(lower, "iex", "invoke-expression") {
		c.fetched = append(c.fetched, fetched{words[0].at, true})
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
