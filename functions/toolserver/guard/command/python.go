package command

import (
	"slices"
	"strings"
	"unicode"
)

// pythonModules are modules of Python whose named members only compute or read; * stands for all that
// do not begin with a line and are no modules themselves.
var pythonModules = map[string]string{
	"json": "*", "re": "*", "math": "*", "cmath": "*", "datetime": "*", "time": "*", "collections": "*", "itertools": "*", "functools": "*", "random": "*",
	"secrets": "*", "base64": "*", "hashlib": "*", "hmac": "*", "statistics": "*", "decimal": "*", "fractions": "*", "textwrap": "*", "urllib.parse": "*",
	"platform": "*", "struct": "*", "uuid": "*", "ipaddress": "*", "html": "*", "csv": "*", "enum": "*", "operator": "*", "bisect": "*", "heapq": "*", "calendar": "*",
	"unicodedata": "*", "difflib": "*", "pprint": "*", "copy": "*", "binascii": "*", "zlib": "*", "glob": "*", "fnmatch": "*", "pathlib": "Path PurePath PosixPath",
	"tomllib": "*", "shlex": "*", "keyword": "*", "colorsys": "*", "array": "*", "numbers": "*", "ast": "parse literal_eval dump walk unparse",
	"string": "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace hexdigits printable Template capwords",
	"typing": "Any Dict List Optional Tuple Set Union Callable Iterable Iterator", "dataclasses": "dataclass field asdict astuple",
	"sys": "argv stdin stdout stderr version version_info platform exit maxsize executable byteorder getsizeof implementation getdefaultencoding maxunicode",
	"os":  "environ getcwd listdir path sep linesep getenv cpu_count getpid stat lstat scandir walk name uname access R_OK W_OK X_OK F_OK pathsep getuid getloadavg",
	"os.path": `exists isfile isdir islink join basename dirname abspath realpath relpath splitext split expanduser expandvars getsize getmtime getctime
		normpath commonpath commonprefix isabs samefile lexists sep`,
	"importlib.metadata": "version metadata distributions PackageNotFoundError", "xml.etree.ElementTree": "parse fromstring tostring iterparse", "collections.abc": "*",
}

// pythonForbidden are names and members through which a program reaches more than it says.
var pythonForbidden = setOf(`exec eval compile getattr setattr delattr globals locals vars input breakpoint memoryview help
	os sys io codecs subprocess shutil builtins importlib imp ctypes socket tempfile pickle marshal inspect linecache tokenize runpy code pdb posix nt
	gi_frame gi_code cr_frame cr_code ag_frame f_globals f_builtins f_locals f_back f_code tb_frame tb_next func_globals
	types copyreg attrgetter methodcaller Formatter get_type_hints make_dataclass modules NamedTemporaryFile`)

// pythonChanges are members of paths, trees and folders that write.
var pythonChanges = setOf(`write write_text write_bytes unlink rename replace mkdir touch rmdir chmod lchmod symlink_to hardlink_to link_to open copy move
	copy_into move_into`)

// pythonReads reports whether a program of Python changes nothing: every module and member in it is
// known to only compute or read, and files are opened for reading. A file here that bears the name of a
// module would be run in its place. Any doubt says no.
func pythonReads(code string, isThere func(file string) bool) bool {
	tokens, ok := pythonTokens(code, 0)
	p := pythonReader{tokens: tokens, modules: map[string]string{}}
	isShadowed := func(module string) bool { return shadows(module, isThere) }
	return ok && p.reads() && !slices.ContainsFunc(p.imported, isShadowed)
}

// shadows reports whether a file here would be run in the place of a module.
func shadows(module string, isThere func(file string) bool) bool {
	name, _, _ := strings.Cut(module, ".")
	return isThere(name+".py") || isThere(name+"/__init__.py")
}

// pythonTokens parts a program into its tokens. What stands in the braces of an f-string is among them. ok is
// false if it has letters beyond ASCII, which may look like others.
func pythonTokens(code string, depth int) (tokens []token, ok bool) {
	isASCII := !strings.ContainsFunc(code, func(c rune) bool { return c > unicode.MaxASCII })
	if !isASCII || depth > maxDepth {
		return nil, false
	}

	s := &scanner{text: code, letter: letter}
	for !s.ended() {
		switch s.text[s.at] {
		case '#':
			s.comment()
		case '"', '\'':
			if !s.pythonText(depth) {
				return nil, false
			}
		case '\\':
			s.at++
		default:
			s.plain()
		}
	}
	return s.tokens, true
}

// pythonText reads a text, with the letters before it that say how it is meant.
func (s *scanner) pythonText(depth int) bool {
	inside, n := pythonText(s.rest())
	if n == 0 {
		return false
	}

	prefix := ""
	isAttached := s.at > 0 && s.text[s.at-1] != ' '
	if last := s.last(); isAttached && last.kind == 'w' && isPythonPrefix(last.text) {
		prefix = strings.ToLower(last.text)
		s.tokens = s.tokens[:len(s.tokens)-1]
	}
	s.add('"', inside, n)
	if !strings.Contains(prefix, "f") {
		return true
	}

	inside = strings.NewReplacer("{{", "", "}}", "").Replace(inside)
	parts, ok := bracedTokens(inside, "{", depth, pythonTokens)
	s.tokens = append(s.tokens, parts...)
	return ok
}

func isPythonPrefix(word string) bool {
	return len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbfu") == ""
}

// pythonText is the text at the beginning, and how long it is with its quotes; 0 if it does not end.
func pythonText(code string) (inside string, length int) {
	quote := code[:1]
	if strings.HasPrefix(code, quote+quote+quote) {
		quote = code[:3]
	}
	for i := len(quote); i < len(code); i++ {
		if code[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(code[i:], quote) {
			return code[len(quote):i], i + len(quote)
		}
	}
	return "", 0
}

// pythonReader looks whether a program only reads.
type pythonReader struct {
	tokens   []token
	modules  map[string]string // names of modules in the program
	imported []string          // modules by the first part of their names
	paths    bool              // there may be paths or trees, whose members write
}

func (p *pythonReader) reads() bool {
	p.paths = slices.ContainsFunc(p.tokens, func(t token) bool { return t.text == "pathlib" || t.text == "xml" || t.text == "scandir" })
	for i := 0; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if t.kind != 'w' {
			continue
		}
		next, ok := p.word(i)
		if !ok {
			return false
		}
		i = max(i, next)
	}
	return true
}

// word judges the word at a place, and returns up to where it has read.
func (p *pythonReader) word(i int) (last int, ok bool) {
	text := p.tokens[i].text
	switch {
	case p.is(i-1, "."):
		return i, p.memberOfValue(text)
	case text == "import":
		return p.imports(i)
	case text == "from":
		return p.fromWord(i)
	case p.modules[text] != "":
		return p.member(i, p.modules[text])
	case text == "open":
		return i, p.opensForReading(i)
	}
	isForbidden := pythonForbidden[text] || isHiddenName(text)
	return i, !isForbidden || p.isNamedArgument(i)
}

// isNamedArgument reports whether a word is the name of an argument.
func (p *pythonReader) isNamedArgument(i int) bool {
	return p.is(i+1, "=") && !p.is(i+2, "=")
}

// fromWord reads an import; elsewhere from belongs to yield or raise.
func (p *pythonReader) fromWord(i int) (last int, ok bool) {
	if !p.beginsStatement(i) {
		return i, true
	}
	return p.importsFrom(i)
}

// memberOfValue judges a member of something that is no module.
func (p *pythonReader) memberOfValue(name string) bool {
	if strings.HasPrefix(name, "_") || pythonForbidden[name] {
		return false
	}
	return !p.paths || !pythonChanges[name]
}

// isHiddenName reports whether a name begins with a line, as those do through which a program reaches more than
// it says.
func isHiddenName(name string) bool {
	switch name {
	case "_", "__name__", "__file__":
		return false
	}
	return strings.HasPrefix(name, "_")
}

func (p *pythonReader) is(i int, text string) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].kind != '"' && p.tokens[i].text == text
}

func (p *pythonReader) beginsStatement(i int) bool {
	return i == 0 || p.is(i-1, "\n") || p.is(i-1, ";") || p.is(i-1, ":")
}

// imports reads: import a.b as c, d.
func (p *pythonReader) imports(i int) (last int, ok bool) {
	for i++; i < len(p.tokens); i++ {
		module := p.dotted(&i)
		if _, known := pythonModules[module]; !known {
			return i, false
		}
		name, _, _ := strings.Cut(module, ".")
		p.imported = append(p.imported, name)
		target := name
		if p.is(i, "as") && i+1 < len(p.tokens) {
			name, target = p.tokens[i+1].text, module
			i += 2
		}
		p.modules[name] = target
		if !p.is(i, ",") {
			return i - 1, true
		}
	}
	return i, false
}

// dotted reads a name with dots, and leaves the place behind it.
func (p *pythonReader) dotted(i *int) string {
	name := ""
	for *i < len(p.tokens) && (p.tokens[*i].kind == 'w' || p.is(*i, ".")) && !p.is(*i, "as") && !p.is(*i, "import") {
		name += p.tokens[*i].text
		*i++
	}
	return name
}

// importsFrom reads: from a.b import c as d, e.
func (p *pythonReader) importsFrom(i int) (last int, ok bool) {
	i++
	module := p.dotted(&i)
	members, known := pythonModules[module]
	first, _, _ := strings.Cut(module, ".")
	p.imported = append(p.imported, first)
	if !known || !p.is(i, "import") {
		return i, false
	}
	for i++; i < len(p.tokens); i++ {
		t := p.tokens[i]
		switch {
		case t.text == "(" || t.text == ")":
		case t.kind != 'w' || !allowedMember(members, module, t.text):
			return i, false
		default:
			name := t.text
			if p.is(i+1, "as") && i+2 < len(p.tokens) {
				i += 2
			}
			if _, is := pythonModules[module+"."+name]; is {
				p.modules[p.tokens[i].text] = module + "." + name
			}
			if !p.is(i+1, ",") {
				return i, true
			}
			i++
		}
	}
	return i, true
}

func allowedMember(members, module, name string) bool {
	if members != "*" {
		return slices.Contains(strings.Fields(members), name)
	}
	return !strings.HasPrefix(name, "_") && !pythonForbidden[name]
}

// member judges what is used of a module: a.b.c. A module that is handed on could be anything.
func (p *pythonReader) member(i int, module string) (last int, ok bool) {
	for {
		if !p.is(i+1, ".") || i+2 >= len(p.tokens) {
			return i, false
		}
		name := p.tokens[i+2].text
		if _, is := pythonModules[module+"."+name]; is {
			module, i = module+"."+name, i+2
			continue
		}
		members, known := pythonModules[module]
		isText := name == "path" && module == "os"
		return i + 2, known && !isText && allowedMember(members, module, name)
	}
}

// opensForReading reports whether open is called for reading: without a mode, or with one that says
// so.
func (p *pythonReader) opensForReading(i int) bool {
	if !p.is(i+1, "(") {
		return false
	}
	depth, commas := 0, 0
	for at := i + 1; at < len(p.tokens); at++ {
		depth += p.opens(at)
		if depth == 0 {
			return true
		}
		if depth > 1 {
			continue
		}
		if p.is(at, ",") {
			commas++
		}
		if !p.opensWith(at, commas) {
			return false
		}
	}
	return false
}

// opens is 1 for an opening bracket, -1 for a closing one, and 0 for all else.
func (p *pythonReader) opens(i int) int {
	if p.tokens[i].kind == '"' {
		return 0
	}
	switch p.tokens[i].text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// opensWith judges one token of the arguments of open: the second argument is the mode.
func (p *pythonReader) opensWith(at, commas int) bool {
	t := p.tokens[at]
	switch {
	case p.is(at, "*"), t.text == "opener":
		return false
	case p.is(at, ",") && commas == 1:
		isNamed := p.is(at+2, "=")
		return isNamed || p.isReadMode(at+1)
	case t.kind == 'w' && t.text == "mode" && p.is(at+1, "="):
		return p.isReadMode(at + 2)
	}
	return true
}

func (p *pythonReader) isReadMode(i int) bool {
	isText := i+1 < len(p.tokens) && p.tokens[i].kind == '"' && (p.is(i+1, ")") || p.is(i+1, ","))
	return isText && slices.Contains([]string{"r", "rb", "rt", "br", "tr", "U"}, p.tokens[i].text)
}
