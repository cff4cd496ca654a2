package framework

import (
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a piece of a program. Text is what it says, of a string without quotes.
type lexeme struct {
	kind string // "word", "text", "comment" or "sign"
	text string
}

// language says how a program is read.
type language struct {
	lines  []string // what begins a comment to the end of the line
	block  bool     // comments as in C
	silent bool     // only comments may change: its texts are not for people
	quotes string
	torn   []string // what a hunk may begin or end inside of, so that nothing is certain
	lex    func(string) ([]lexeme, bool)
}

var (
	cLike = &language{lines: []string{"//"}, block: true, quotes: `"'`, torn: []string{"`", `"""`, "/*", "*/"}}
	dash  = &language{lines: []string{"--"}, quotes: `"'`, torn: []string{"/*", "*/", "[[", "]]", "$$"}, silent: true}
	terms = &language{lines: []string{"#", "//"}, quotes: `"`, torn: []string{"/*", "*/", "<<"}, silent: true}
	hash  = &language{lines: []string{"#"}, quotes: `"'`, torn: []string{`"""`, "'''", "<<", "=begin"}}
)

// languages by the ending of a file name.
var languages = map[string]*language{
	".go": {torn: []string{"`", "/*", "*/"}, lex: lexGo},
	".js": cLike, ".mjs": cLike, ".cjs": cLike, ".ts": cLike, ".mts": cLike, ".cts": cLike, ".jsx": cLike, ".tsx": cLike, ".php": cLike, ".groovy": cLike, ".gradle": cLike, ".java": cLike, ".kt": cLike, ".swift": cLike, ".c": cLike, ".h": cLike, ".cc": cLike, ".cpp": cLike, ".cs": cLike, ".rs": cLike, ".scala": cLike, ".dart": cLike,
	".sh": {lex: lexShell}, ".bash": {lex: lexShell},
	".py": hash, ".rb": hash, ".yaml": hash, ".toml": hash, ".r": hash, "makefile": hash, ".tf": terms, ".hcl": terms, ".sql": dash, ".lua": dash, ".hs": dash,
}

// Words in comments that tools obey, and around texts that code decides by.
var (
	directive = regexp.MustCompile(`(?i)^\W*(go:|\+build|line |nolint|lint:|eslint|noqa|type:|pragma|pylint|mypy|ts-|@ts|prettier|istanbul|coverage|!/|-\*-|cgo|export |#|shellcheck|rubocop|swiftlint|biome|deno|c8 |v8 |nosec|nosem|fmt:|isort|ruff|pyright|yapf|tflint|tfsec|checkov|hadolint|yamllint|renovate|goose|migrate|changeset|liquibase|vim|encoding|coding|frozen|dart|jsx|flow|webpack|vite|region|endregion|requires |import .* from |!tex |\$omp|\$acc|dir\$|dec\$|synthesis |synopsys |verilator|verilint)`)
	// setting is a comment that begins with a key, as many tools want it.
	setting  = regexp.MustCompile(`^\W*[a-z][\w.-]*[:=]`)
	deciding = regexp.MustCompile(`(?i)prompt|system|instruction|query|sql|regex|pattern|schema|key|token|url|path|env|role|permission|case|import|require|include|format|sprintf|match|equal|contains|prefix|suffix|index|exec|eval`)
	display  = regexp.MustCompile(`(?i)^([fse]?print(ln|f)?|log|logf|info|infof|warn|warnf|warning|error|errorf|debug|debugf|fatal|fatalf|puts|echo|say|show|alert|toast|notify|message|msg|title|subtitle|label|caption|heading|headline|text|hint|tooltip|description|summary|greeting|placeholder|alt|footer|help|short|long|epilog|maketext|h[1-6])$`)
	says     = regexp.MustCompile(`^(puts|print|echo|say)$`)
	letters  = regexp.MustCompile(`^[\p{L}\p{N} .,;:!?'"()…–—-]+$`)
)

// codeLogic compares the programs before and after, piece by piece: only comments
// and sentences may differ.
func codeLogic(h hunk, l language) string {
	before, after := strings.Join(h.before, "\n"), strings.Join(h.after, "\n")
	for _, mark := range l.torn {
		if strings.Contains(before, mark) || strings.Contains(after, mark) {
			return "the change may lie inside of a longer text or comment, so it cannot be told from code"
		}
	}

	old, ok := l.read(before)
	fresh, fine := l.read(after)
	if !ok || !fine {
		return "the change cannot be read as a program"
	}
	if why := directives(old, fresh); why != "" {
		return why
	}

	old, fresh = withoutComments(old), withoutComments(fresh)
	if len(old) != len(fresh) {
		return "code is added or removed"
	}

	for i := range old {
		if old[i] == fresh[i] {
			continue
		}
		if old[i].kind != "text" || fresh[i].kind != "text" || l.silent {
			return "code changes at: " + shorten(old[i].text)
		}

		if !sentence(old[i].text) ||
			!sentence(fresh[i].text) ||
			!shown(old, i) ||
			decides(old, i) ||
			turns(old[i].text, fresh[i].text) {
			return "a text changes that code may decide by"
		}
	}

	return ""
}

var (
	// docstring is the text below the head of a function or a class of Python, whole or torn.
	docstring = regexp.MustCompile(`(?m)^(\s*(?:async\s+)?(?:def|class)\b[^\n]*:\s*\n\s*)[rR]?"""[^"]*(?:"""|\z)`)
	// blockComment is a comment that begins a line, whole or torn.
	blockComment = regexp.MustCompile(`(?m)^\s*/\*(?:[^*]|\*+[^*/])*(?:\*+/|\z)`)
	// inBlock is a line inside of such a comment.
	inBlock = text(`^\s*\*\s+(\p{L}[^*;=]* [^*;=]* [^*;=]*)$`)
	// agentTool says that a documentation is what an agent reads.
	agentTool = regexp.MustCompile(`@\w*\.?(tool|function_tool|kernel_function|mcp)\b`)
)

// undocumented is a hunk without documentation that only people read.
func undocumented(kind string, h hunk) hunk {
	before, after := strings.Join(h.before, "\n"), strings.Join(h.after, "\n")
	var texts *regexp.Regexp
	switch {
	case kind == ".py" && !agentTool.MatchString(before+after):
		texts = docstring
	case kind == ".go" || languages[kind] == cLike:
		texts = blockComment
		if wordingLogic(h, []shape{inBlock}) == "" {
			return hunk{}
		}
	default:
		return h
	}

	if obeyedIn(texts.FindAllString(before, -1)) || obeyedIn(texts.FindAllString(after, -1)) {
		return h
	}
	return hunk{
		before: strings.Split(texts.ReplaceAllString(before, "$1"), "\n"),
		after:  strings.Split(texts.ReplaceAllString(after, "$1"), "\n"),
		first:  h.first,
	}
}

// obeyedIn reports whether a line of some comments is one that a tool obeys.
func obeyedIn(comments []string) bool {
	for _, text := range comments {
		for line := range strings.Lines(text) {
			if obeyed(strings.TrimSpace(line)) {
				return true
			}
		}
	}
	return false
}

func (l language) read(text string) ([]lexeme, bool) {
	if l.lex != nil {
		return l.lex(text)
	}
	return l.lexLike(text)
}

// directives compares comments that tools obey.
func directives(old, fresh []lexeme) string {
	orders := func(list []lexeme) (found []string) {
		for _, x := range list {
			if x.kind == "comment" && obeyed(x.text) {
				found = append(found, x.text)
			}
		}
		return found
	}
	if !slices.Equal(orders(old), orders(fresh)) {
		return "a comment changes that a tool obeys"
	}
	return ""
}

// obeyed reports whether a tool obeys a comment.
func obeyed(comment string) bool {
	return directive.MatchString(strings.TrimLeft(comment, "/#*; ")) ||
		directive.MatchString(comment[min(len(comment), 1):]) ||
		setting.MatchString(comment)
}

func withoutComments(list []lexeme) []lexeme {
	return slices.DeleteFunc(slices.Clone(list), func(x lexeme) bool {
		return x.kind == "comment"
	})
}

// sentence reports whether a text is for people: words with blanks between them.
func sentence(text string) bool {
	return strings.Contains(strings.TrimSpace(text), " ") &&
		letters.MatchString(text) &&
		!logicWord.MatchString(text)
}

// shown reports whether a text is an argument of a function that shows it to people, or the
// value of a name for such texts. The use of other texts is unknown.
func shown(list []lexeme, at int) bool {
	if shownWithoutBrackets(list, at) {
		return true
	}

	depth := 0 // of brackets that close before the text
	for i := at - 1; i > 0 && at-i < farthest; i-- {
		if list[i].kind != "sign" {
			continue
		}

		sign := list[i].text
		switch {
		case strings.ContainsAny(sign, ")]}"):
			depth++
		case depth > 0:
			if strings.ContainsAny(sign, "([{") {
				depth--
			}
		case givesValue(sign):
			return isDisplay(nameBefore(list, i))
		case strings.ContainsAny(sign, "([{=!<>&|?;"):
			return false
		}
	}

	return false
}

// givesValue reports whether a sign follows the name of a function or of a value.
func givesValue(sign string) bool {
	switch sign {
	case "(", "=", ":", ":=":
		return true
	}
	return false
}

// farthest is how many lexemes before a text are looked at for what shows it.
const farthest = 40

// shownWithoutBrackets recognises `puts "text"` at the begin of a line.
func shownWithoutBrackets(list []lexeme, at int) bool {
	if at < 2 || !says.MatchString(list[at-1].text) {
		return false
	}
	return strings.HasPrefix(list[at-2].text, "\n")
}

// nameBefore is the lexeme before the one at i; of a macro of Rust, the one before its "!".
func nameBefore(list []lexeme, i int) lexeme {
	if list[i-1].text == "!" && i > 1 {
		return list[i-2]
	}
	return list[i-1]
}

// isDisplay reports whether a name stands for something that shows text to people.
func isDisplay(x lexeme) bool {
	return x.kind == "word" && display.MatchString(strings.TrimPrefix(x.text, "IDENT"))
}

// decides reports whether something around a text may use it for more than showing it.
func decides(list []lexeme, at int) bool {
	for i := max(0, at-6); i < min(len(list), at+3); i++ {
		x := list[i]
		if x.kind == "word" && deciding.MatchString(x.text) {
			return true
		}

		if x.kind != "sign" {
			continue
		}
		switch i {
		case at - 1:
			if comparesOrIndexes(x.text) {
				return true
			}
		case at + 1:
			if x.text == ":" || comparesOrIndexes(x.text) {
				return true
			}
		}
	}
	return false
}

// comparesOrIndexes reports whether a sign beside a text compares with it, or looks it up.
func comparesOrIndexes(sign string) bool {
	if sign == "[" || sign == "]" {
		return true
	}
	return strings.Contains(sign, "==") || strings.Contains(sign, "!=")
}

// lexGo reads Go with the scanner of the language.
func lexGo(text string) ([]lexeme, bool) {
	var list []lexeme
	fset := token.NewFileSet()
	var s scanner.Scanner
	fine := true
	s.Init(fset.AddFile("", fset.Base(), len(text)), []byte(text), func(token.Position, string) {
		fine = false
	}, scanner.ScanComments)

	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return list, fine
		case kind == token.COMMENT:
			list = append(list, lexeme{"comment", literal})
		case kind == token.STRING:
			list = append(list, lexeme{"text", strings.Trim(literal, `"`)})
		case kind == token.SEMICOLON && literal == "\n":
		case kind.IsKeyword() || kind == token.IDENT:
			list = append(list, lexeme{"word", kind.String() + literal})
		default:
			list = append(list, lexeme{"sign", kind.String() + literal})
		}
	}
}

// lexLike reads what most languages share. Blanks at the beginning of a line count,
// since some languages decide by them.
func (l language) lexLike(text string) ([]lexeme, bool) {
	var list []lexeme
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		list = append(list, lexeme{"sign", "\n" + line[:indent]})
		rest := strings.TrimRight(line[indent:], "\r\n")
		for rest != "" {
			x, n := l.next(rest)
			if n < 0 {
				return nil, false
			}
			if x.kind != "" {
				list = append(list, x)
			}
			rest = rest[n:]
		}
	}

	return list, true
}

// next reads one piece of a line; a negative length means that a quote is not closed.
func (l language) next(rest string) (lexeme, int) {
	for _, mark := range l.lines {
		if strings.HasPrefix(rest, mark) {
			return lexeme{"comment", rest}, len(rest)
		}
	}

	if strings.IndexByte(l.quotes, rest[0]) >= 0 {
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case rest[0]:
				return lexeme{"text", rest[1:i]}, i + 1
			}
		}
		return lexeme{}, -1
	}

	end := strings.IndexFunc(rest, func(c rune) bool {
		return !unicode.IsLetter(c) &&
			!unicode.IsDigit(c) &&
			c != '_'
	})
	switch {
	case end < 0:
		return lexeme{"word", rest}, len(rest)
	case end > 0:
		return lexeme{"word", rest[:end]}, end
	case rest[0] == ' ' || rest[0] == '\t':
		return lexeme{}, 1
	}

	end = strings.IndexFunc(rest, func(c rune) bool {
		return !strings.ContainsRune("=!<>&|+-*/%", c)
	})
	if end < 1 {
		_, end = utf8.DecodeRuneInString(rest)
		if len(rest) == strings.Count(rest, string(rest[0])) &&
			strings.IndexByte("=!<>&|+-*/%", rest[0]) >= 0 {
			end = len(rest)
		}
	}

	return lexeme{"sign", rest[:end]}, end
}
