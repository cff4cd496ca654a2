package pages

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// code is JavaScript after it was read.
type code struct {
	text    string
	texts   string // the texts in it, each between NULs
	asks    []ask  // in the order of their lines
	problem problem
	module  problem // why it must be a module, if it must
}

// problem is where the syntax of a script is wrong; line 0 stands for nowhere.
type problem struct {
	line int
	what string
}

// wrong is what is wrong with the script where it is loaded as a module or not.
func (c code) wrong(module bool) (line int, what string) {
	if c.problem.line > 0 {
		return c.problem.line, c.problem.what
	}
	if !module && c.module.line > 0 {
		return c.module.line, c.module.what
	}
	return 0, ""
}

// readCode reads a script, or the body of a function.
func readCode(text string, body bool) code {
	c := code{text: text}
	tree, source, err := parseCode(text, body)
	if err != nil {
		c.problem = problemOf(err, text)
		c.texts = quotes.Replace(text)
		c.asks = plainAsks(text)
		return c
	}

	r := &codeReader{
		source:   source,
		lines:    linesOf(source),
		known:    map[string]string{},
		sends:    set{},
		own:      set{},
		patterns: map[js.INode]bool{},
		body:     body,
	}

	js.Walk(r, tree)
	r.finish(&c)
	return c
}

// plainly finds requests in a script that cannot be parsed.
var plainly = regexp.MustCompile(`(?m)^[^/\n]*?\b(?:(fetch|axios(?:\.\w+)?|EventSource|getJSON)\(|\.open\(\s*["'][A-Z]+["'],|(import)\(|(from)\s)\s*["']([^"'\n]+)["']\s*([,;)]|$)`)

// plainAsks are the requests in a script that cannot be parsed, as far as they stand there
// plainly. They are wrong after the script is corrected, too.
func plainAsks(text string) []ask {
	var list []ask
	for _, m := range plainly.FindAllStringSubmatchIndex(text, -1) {
		at := m[8]
		a := ask{
			text: text[at:m[9]],
			line: 1 + strings.Count(text[:at], "\n"),
		}
		if m[4] >= 0 || m[6] >= 0 {
			a.kind = forModule
		}
		list = append(list, a)
	}
	return list
}

// quotes put NULs around the texts of a script that cannot be parsed.
var quotes = strings.NewReplacer(`"`, "\x00", `'`, "\x00", "`", "\x00")

// parseCode parses a script. What the parser does not know yet is taken out first.
func parseCode(text string, body bool) (*js.AST, []byte, error) {
	options := js.Options{Inline: body}
	tree, source, err := parseOnce(text, options)
	if err == nil {
		return tree, source, nil
	}
	if plain := withoutNews(text); plain != text {
		text = plain
		tree, source, err = parseOnce(text, options)
	}

	for range maxSemicolons {
		more, ok := withSemicolon(text, err)
		if !ok {
			break
		}

		text = more
		tree, source, err = parseOnce(text, options)
	}
	return tree, source, err
}

// maxSemicolons bounds the semicolons that are filled in.
const maxSemicolons = 50

// withSemicolon fills in the semicolon that may be left out where the body of an arrow
// function ends and the next line begins with a bracket.
func withSemicolon(text string, err error) (string, bool) {
	var bad *parse.Error
	if !errors.As(err, &bad) {
		return text, false
	}

	at := offsetOf(text, bad.Line, bad.Column)
	if at >= len(text) || text[at] != '[' && text[at] != '(' && text[at] != '`' {
		return text, false
	}

	before := strings.TrimRight(text[:at], " \t")
	end := strings.TrimRight(before, " \t\r\n")
	if len(before) == len(end) || !strings.HasSuffix(end, "}") {
		return text, false
	}
	return end + ";" + text[len(end):], true
}

// parseOnce parses a script as it is.
func parseOnce(text string, options js.Options) (*js.AST, []byte, error) {
	input := parse.NewInputString(text)
	source := input.Bytes()
	tree, err := js.Parse(input, options)
	return tree, source, err
}

// lineEnd finds the ends of lines as the parser counts them.
var lineEnd = regexp.MustCompile("\r\n|[\r\n\u2028\u2029]")

// offsetOf is the place of a line and a column of the parser, both counted from 1.
func offsetOf(text string, line, column int) int {
	at := 0
	for range line - 1 {
		end := lineEnd.FindStringIndex(text[at:])
		if end == nil {
			return len(text)
		}
		at += end[1]
	}
	for range column - 1 {
		if at < len(text) {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
	}
	return at
}

var (
	attributed = regexp.MustCompile(`((?:from|import|\*)\s*(?:"[^"\n]*"|'[^'\n]*'))\s*(?:with|assert)\s*\{[^{}]*\}`)
	phased     = regexp.MustCompile(`\bimport\s+(?:defer|source)\s+([\w*{])`)
	using      = regexp.MustCompile(`(?m)(^|[;{}(]\s*|^\s+)(?:await[ \t]+)?using[ \t]+([A-Za-z_$][\w$]*\s*(?:=|of\b))`)
	octal      = regexp.MustCompile(`\b0([0-7]+)\b`)
)

// withoutNews writes what the parser does not know in the words of today: attributes and
// phases of imports, and using. It also takes out octal numbers. Lines stay.
func withoutNews(text string) string {
	text = attributed.ReplaceAllStringFunc(text, func(match string) string {
		kept := attributed.FindStringSubmatch(match)[1]
		return kept + strings.Repeat("\n", strings.Count(match, "\n")-strings.Count(kept, "\n"))
	})
	text = phased.ReplaceAllString(text, "import $1")
	text = using.ReplaceAllString(text, "${1}let $2")
	return octal.ReplaceAllString(text, "1$1")
}

// templated are the marks of a generator that did not fill in a script yet.
var templated = regexp.MustCompile(`\{%[^%]*%\}|<%[^%]*%>|<\?(php|=)|\{\{[^{}]*\}\}|\[\[\$`)

// problemOf is where the parser stopped. In a line that a generator fills in later there is
// none.
func problemOf(err error, text string) problem {
	var bad *parse.Error
	if !errors.As(err, &bad) {
		return problem{}
	}
	at := offsetOf(text, bad.Line, bad.Column)
	if templated.MatchString(lineAt(text, at)) {
		return problem{}
	}
	return problem{1 + strings.Count(text[:at], "\n"), bad.Message}
}

// makes reports whether the script gives an element this id: a text of it is the id, or
// holds an element with it.
func (c code) makes(id string) bool {
	if strings.Contains(c.texts, "\x00"+id+"\x00") {
		return true
	}

	for _, quote := range []string{`"`, `'`, ""} {
		if strings.Contains(c.texts, "id="+quote+id+quote) {
			return true
		}
	}
	return false
}

// uses reports whether the script looks elements up by a selector: #id, .class or
// [attribute.
func (c code) uses(selector string) bool {
	if holdsName(c.texts, selector) {
		return true
	}
	name := selector[1:]
	switch selector[0] {
	case '#':
		return c.holdsText(name) || c.fillsMember(name)
	case '.':
		return c.holdsText(name) && strings.Contains(c.text, "ClassName")
	}
	rest, ok := strings.CutPrefix(name, "data-")
	return ok && holdsName(c.text, "dataset."+camel(rest))
}

// holdsText reports whether a text of the script is exactly this one.
func (c code) holdsText(text string) bool {
	return strings.Contains(c.texts, "\x00"+text+"\x00")
}

// filling are members of an element through which a script fills it.
var filling = []string{"innerHTML", "textContent", "innerText", "append", "replaceChildren", "insertAdjacentHTML"}

// fillsMember reports whether the script fills an element by the name of its id, which is a
// variable in browsers.
func (c code) fillsMember(name string) bool {
	if !strings.Contains(c.text, name+".") {
		return false
	}
	for _, member := range filling {
		if strings.Contains(c.text, name+"."+member) {
			return true
		}
	}
	return false
}

// camel is the name of an attribute as a member: last-seen is lastSeen.
func camel(name string) string {
	words := strings.Split(name, "-")
	for i, word := range words {
		if i > 0 && word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// holdsName reports whether a text holds a name, and not only a longer one that begins with
// it.
func holdsName(text, name string) bool {
	for {
		at := strings.Index(text, name)
		if at < 0 {
			return false
		}

		text = text[at+len(name):]
		if text == "" || !isNamePart(text[0]) {
			return true
		}
	}
}

func isNamePart(c byte) bool {
	if c == '-' || c == '_' || c >= utf8.RuneSelf {
		return true
	}
	return isDigit(c) || isLetter(c)
}

func isLetter(c byte) bool {
	lower := c | 0x20
	return lower >= 'a' && lower <= 'z'
}
