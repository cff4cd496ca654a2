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
	WebAssembly defineProperty __defineGetter__ __lookupGetter__ getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors callee caller setEngine
	writeFileSync writeFile appendFileSync appendFile rmSync unlinkSync renameSync copyFileSync cpSync mkdirSync symlinkSync linkSync chmodSync truncateSync openSync createWriteStream promises`)

// nodeReads reports whether a program of JavaScript changes nothing. Any doubt says no.
func nodeReads(code string, _ func(file string) bool) bool {
	tokens, ok := nodeTokens(code, 0)
	n := nodeReader{tokens: tokens, modules: map[string]string{}}
	return ok && n.reads()
}

// nodeTokens parts a program into its tokens. ok is false if it has letters beyond ASCII or escapes, which
// may spell a forbidden name.
func nodeTokens(code string, depth int) (tokens []token, ok bool) {
	isASCII := !strings.ContainsFunc(code, func(c rune) bool { return c > unicode.MaxASCII })
	escapes := strings.Contains(code, `\x`) || strings.Contains(code, `\u`)
	if !isASCII || escapes || depth > maxDepth {
		return nil, false
	}

	s := &scanner{text: code, letter: nodeLetter}
	for !s.ended() {
		if !s.nodeToken(depth) {
			return nil, false
		}
	}
	return s.tokens, true
}

func nodeLetter(c rune, first bool) bool {
	return c == '$' || letter(c, first)
}

func (s *scanner) nodeToken(depth int) bool {
	switch c := s.text[s.at]; {
	case strings.HasPrefix(s.rest(), "//"):
		s.comment()
	case strings.HasPrefix(s.rest(), "/*"):
		return s.longComment()
	case c == '"' || c == '\'':
		inside, n := quoted(s.rest(), c)
		s.add('"', inside, n)
	case c == '`':
		return s.template(depth)
	case c == '/' && nodeExpectsOperand(s.tokens):
		inside, n := expression(s.rest())
		s.add('/', inside, n)
	case c == '\\':
		return false
	case c == '\n':
		s.at++
	default:
		s.plain()
	}
	return true
}

func (s *scanner) longComment() bool {
	end := strings.Index(s.text[s.at+2:], "*/")
	s.at += end + 4
	return end >= 0
}

// template reads a text with expressions in it, whose tokens follow.
func (s *scanner) template(depth int) bool {
	inside, n := quoted(s.rest(), '`')
	s.add('`', inside, n)
	parts, ok := bracedTokens(inside, "${", depth, nodeTokens)
	s.tokens = append(s.tokens, parts...)
	return ok
}

// nodeExpectsOperand reports whether a slash begins a regular expression.
func nodeExpectsOperand(before []token) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	isKeyword := slices.Contains([]string{"return", "typeof", "case", "in", "of", "void"}, last.text)
	return strings.ContainsRune("(,=:[!&|?{};+-*%<>", last.kind) || last.kind == 'w' && isKeyword
}

// nodeReader looks whether a program only reads.
type nodeReader struct {
	tokens  []token
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
		fine := true
		switch t.kind {
		case '"', '`':
			fine = !nodeForbidden[t.text]
		case '[':
			fine = !n.isAccess(i) || n.plainAccess(i)
		case 'w':
			fine = n.word(i)
		}
		if !fine {
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
	kind, owner := n.kindAt(i+1), n.textAt(i-1)
	isPlain := (kind == '0' || kind == '"') && n.is(i+2, "]")
	isSteered := owner == "process" || owner == "require" || n.modules[owner] != ""
	return isPlain && !isSteered
}

func (n *nodeReader) word(i int) bool {
	text := n.tokens[i].text
	isMember := n.is(i-1, ".")
	switch {
	case nodeForbidden[text]:
		return false
	case text == "process":
		return n.is(i+1, ".") && processMembers[n.textAt(i+2)]
	case text == "require":
		return !isMember && n.requires(i)
	case isMember, n.is(i+1, ":"):
		return true
	}
	return n.usesModule(i, n.modules[text])
}

// textAt is the text of a token, "" behind the last one.
func (n *nodeReader) textAt(i int) string {
	if i < 0 || i >= len(n.tokens) {
		return ""
	}
	return n.tokens[i].text
}

// kindAt is the kind of a token, 0 behind the last one.
func (n *nodeReader) kindAt(i int) rune {
	if i < 0 || i >= len(n.tokens) {
		return 0
	}
	return n.tokens[i].kind
}

// requires judges require(...): a module that only reads, or a file of JSON.
func (n *nodeReader) requires(i int) bool {
	isText := n.is(i+1, "(") && n.kindAt(i+2) == '"' && n.is(i+3, ")")
	name := strings.TrimPrefix(n.textAt(i+2), "node:")
	if !isText {
		return false
	}
	if strings.HasSuffix(name, ".json") {
		return true
	}
	members, known := nodeModules[name]
	return known && n.requiresModule(i, name, members)
}

// requiresModule judges what is taken of a module: one member, a name for it, or some members by their
// names.
func (n *nodeReader) requiresModule(i int, name, members string) bool {
	isAssigned := n.is(i-1, "=")
	switch {
	case n.is(i+4, "."):
		return allowedOfNode(members, n.textAt(i+5))
	case isAssigned && n.kindAt(i-2) == 'w':
		n.modules[n.tokens[i-2].text] = name
		return true
	case isAssigned && n.is(i-2, "}"):
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
	if module == "" || members == "*" || isAssigned {
		return true
	}
	return n.is(i+1, ".") && allowedOfNode(members, n.textAt(i+2))
}
