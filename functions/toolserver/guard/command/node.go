package command

import (
	"slices"
	"strings"
	"unicode"
)

// nodeModules are modules of Node whose members only compute or read.
var nodeModules = map[string]string{
	"path": "*", "os": "*", "util": "*", "url": "*", "querystring": "*", "assert": "*", "crypto": "*", "events": "*", "buffer": "*", "string_decoder": "*", "punycode": "*", "zlib": "*",
	"perf_hooks": "*", "timers": "*", "readline": "*",
	"fs": "readFileSync existsSync readdirSync statSync lstatSync realpathSync accessSync constants readFile readdir stat createReadStream",
}

// processMembers are those of process that only tell something.
var processMembers = setOf("version versions argv env platform arch cwd exit stdout stdin stderr uptime memoryUsage pid ppid exitCode hrtime nextTick on once title release execPath")

// nodeForbidden are names through which a program reaches more than it says.
var nodeForbidden = setOf(`eval Function constructor __proto__ prototype Reflect Proxy globalThis global window self module import export with mainModule binding dlopen
	_linkedBinding _load getBuiltinModule createRequire child_process vm worker_threads cluster inspector repl v8 net http https http2 dgram tls wasi
	WebAssembly defineProperty __defineGetter__ __lookupGetter__ getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors callee caller
	writeFileSync writeFile appendFileSync appendFile rmSync unlinkSync renameSync copyFileSync cpSync mkdirSync symlinkSync linkSync chmodSync truncateSync openSync createWriteStream promises`)

// nodeReads reports whether a program of JavaScript changes nothing. Any doubt says no.
func nodeReads(code string, _ func(file string) bool) bool {
	tokens, ok := nodeTokens(code, 0)
	n := nodeReader{tokens: tokens, modules: map[string]string{}}
	return ok && n.reads()
}

// nodeTokens parts a program into its tokens: words (w), numbers (0), texts ("), regular expressions (/)
// and signs.
func nodeTokens(code string, depth int) (all []awkToken, ok bool) {
	for i := 0; i < len(code); {
		c := rune(code[i])
		switch {
		case c >= 0x80 || depth > maxDepth:
			return nil, false
		case strings.HasPrefix(code[i:], "//"):
			i += lengthUntil(code[i:], '\n')
		case strings.HasPrefix(code[i:], "/*"):
			end := strings.Index(code[i+2:], "*/")
			if end < 0 {
				return nil, false
			}
			i += end + 4
		case c == '"' || c == '\'':
			text, n := quotedText(code[i:], code[i])
			if strings.Contains(text, `\`) && (strings.Contains(text, `\x`) || strings.Contains(text, `\u`)) {
				return nil, false
			}
			all, i = append(all, awkToken{'"', text}), i+n
		case c == '`':
			text, n := quotedText(code[i:], '`')
			parts, fine := nodeBraces(text, depth)
			if !fine {
				return nil, false
			}
			all, i = append(append(all, awkToken{'`', text}), parts...), i+n
		case c == '/' && nodeExpectsOperand(all):
			text, n := expression(code[i:])
			all, i = append(all, awkToken{'/', text}), i+n
		case c == '_' || c == '$' || unicode.IsLetter(c):
			n := nodeWord(code[i:])
			all, i = append(all, awkToken{'w', code[i : i+n]}), i+n
		case unicode.IsDigit(c):
			n := wordLength(code[i:])
			all, i = append(all, awkToken{'0', code[i : i+n]}), i+n
		case c == '\\':
			return nil, false
		case unicode.IsSpace(c):
			i++
		default:
			all, i = append(all, awkToken{c, string(c)}), i+1
		}
	}
	return all, true
}

func nodeWord(text string) int {
	for i, c := range text {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return i
		}
	}
	return len(text)
}

// nodeExpectsOperand reports whether a slash begins a regular expression.
func nodeExpectsOperand(before []awkToken) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	isKeyword := slices.Contains([]string{"return", "typeof", "case", "in", "of", "void"}, last.text)
	return strings.ContainsRune("(,=:[!&|?{};+-*%<>", last.kind) || last.kind == 'w' && isKeyword
}

// nodeBraces are the tokens of the expressions in a template.
func nodeBraces(text string, depth int) (all []awkToken, ok bool) {
	for {
		_, rest, found := strings.Cut(text, "${")
		if !found {
			return all, true
		}
		inside, after, closed := strings.Cut(rest, "}")
		parts, fine := nodeTokens(inside, depth+1)
		if !closed || !fine {
			return nil, false
		}
		all = append(append(append(all, awkToken{'(', "("}), parts...), awkToken{')', ")"})
		text = after
	}
}

// nodeReader looks whether a program only reads.
type nodeReader struct {
	tokens  []awkToken
	modules map[string]string // names of modules in the program
}

func (n *nodeReader) is(i int, text string) bool {
	return i >= 0 && i < len(n.tokens) && n.tokens[i].kind != '"' && n.tokens[i].text == text
}

func (n *nodeReader) reads() bool {
	for name := range nodeModules { // Node puts its modules into names for a text of the command line
		n.modules[name] = name
	}
	for i, t := range n.tokens {
		switch {
		case t.kind == '"' && nodeForbidden[t.text], t.kind == '`' && nodeForbidden[t.text]:
			return false
		case t.kind == '[' && n.isAccess(i) && !n.plainAccess(i):
			return false
		case t.kind == 'w' && !n.word(i):
			return false
		}
	}
	return true
}

// isAccess reports whether a bracket takes a member and does not begin a list.
func (n *nodeReader) isAccess(i int) bool {
	if i == 0 {
		return false
	}
	before := n.tokens[i-1]
	isKeyword := slices.Contains([]string{"return", "of", "in", "case", "typeof", "const", "let", "var"}, before.text)
	isOptional := before.kind == '.' && i > 1 && n.tokens[i-2].kind == '?'
	return before.kind == 'w' && !isKeyword || isOptional || strings.ContainsRune(")]\"`", before.kind)
}

// plainAccess reports whether a member is taken by a text or a number that is written out.
func (n *nodeReader) plainAccess(i int) bool {
	isPlain := i+2 < len(n.tokens) && (n.tokens[i+1].kind == '0' || n.tokens[i+1].kind == '"') && n.is(i+2, "]")
	isSteered := n.tokens[i-1].text == "process" || n.tokens[i-1].text == "require" || n.modules[n.tokens[i-1].text] != ""
	return isPlain && !isSteered
}

func (n *nodeReader) word(i int) bool {
	text := n.tokens[i].text
	isMember := n.is(i-1, ".")
	isKey := n.is(i+1, ":") && !isMember
	switch {
	case nodeForbidden[text]:
		return false
	case text == "process":
		return n.is(i+1, ".") && i+2 < len(n.tokens) && processMembers[n.tokens[i+2].text]
	case text == "require":
		return !isMember && n.requires(i)
	case isMember || isKey:
		return true
	case n.modules[text] != "":
		return n.usesModule(i, n.modules[text])
	}
	return true
}

// requires judges require(...): a module that only reads, or a file of JSON.
func (n *nodeReader) requires(i int) bool {
	isText := n.is(i+1, "(") && i+3 < len(n.tokens) && n.tokens[i+2].kind == '"' && n.is(i+3, ")")
	if !isText {
		return false
	}
	name := strings.TrimPrefix(n.tokens[i+2].text, "node:")
	if strings.HasSuffix(name, ".json") {
		return true
	}
	members, known := nodeModules[name]
	if !known {
		return false
	}

	switch {
	case n.is(i+4, "."):
		return allowedOfNode(members, n.tokens[min(i+5, len(n.tokens)-1)].text)
	case n.is(i-1, "=") && i > 1 && n.tokens[i-2].kind == 'w':
		n.modules[n.tokens[i-2].text] = name
		return true
	case n.is(i-1, "=") && n.is(i-2, "}"):
		return n.takesAllowed(i-3, members)
	}
	return members == "*"
}

func allowedOfNode(members, name string) bool {
	return members == "*" || slices.Contains(strings.Fields(members), name)
}

// takesAllowed judges the names in { a, b } = require(...), from the last one back.
func (n *nodeReader) takesAllowed(i int, members string) bool {
	for ; i >= 0 && !n.is(i, "{"); i-- {
		if n.tokens[i].kind == ':' {
			return false
		}
		if n.tokens[i].kind == 'w' && !allowedOfNode(members, n.tokens[i].text) {
			return false
		}
	}
	return i >= 0
}

// usesModule judges what is used of a module. One that only computes may be handed on.
func (n *nodeReader) usesModule(i int, module string) bool {
	members := nodeModules[module]
	isAssigned := n.is(i+1, "=") && !n.is(i+2, "=")
	if members == "*" || isAssigned {
		return true
	}
	return n.is(i+1, ".") && i+2 < len(n.tokens) && allowedOfNode(members, n.tokens[i+2].text)
}
