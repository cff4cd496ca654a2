package command

import (
	"slices"
	"strings"
)

var awkGrammar = grammar{valued: "vFfEeiloW", long: map[string]bool{
	"assign": true, "field-separator": true, "file": true, "exec": true, "source": true, "include": true, "load": true,
}}

// awk reads a program of awk for the files that it writes and the commands that it runs.
func awk(r *reader, c call) {
	options, operands := c.parse(awkGrammar)
	if given(options, "i", "l", "include", "load", "E", "exec", "o", "W") {
		r.hide(c.all())
		return
	}

	variables := map[string]string{}
	var programs []string
	complete := true
	for _, o := range options {
		switch o.name {
		case "v", "assign":
			if name, value, ok := strings.Cut(o.value.text, "="); ok && o.value.ok {
				variables[name] = value
			}
		case "f", "file":
			text, ok := r.scriptText(o.value)
			programs, complete = append(programs, text), complete && ok
		case "e", "source":
			text, ok := r.roughly(o.value)
			programs, complete = append(programs, text), complete && ok
		}
	}
	if len(programs) == 0 && len(operands) > 0 {
		text, ok := r.roughly(operands[0])
		programs, complete = append(programs, text), ok
	}

	a := awkReader{reader: r, variables: variables, tokens: awkTokens(strings.Join(programs, "\n"))}
	if !complete || !a.read() {
		r.hide(c.all())
	}
}

// awkTokens parts a program into its tokens.
func awkTokens(program string) []token {
	s := &scanner{text: program, letter: awkLetter}
	for !s.ended() {
		switch c := s.text[s.at]; {
		case strings.HasPrefix(s.rest(), "\\\n"):
			s.at += 2
		case c == '#':
			s.comment()
		case c == '"':
			inside, n := quoted(s.rest(), '"')
			s.add('"', inside, n)
		case c == '/' && expectsOperand(s.tokens):
			inside, n := expression(s.rest())
			s.add('/', inside, n)
		default:
			s.plain()
		}
	}
	return s.tokens
}

// awkLetter are the characters of words; @ begins the names of directives.
func awkLetter(c rune, first bool) bool {
	return c == '@' && first || letter(c, first)
}

// expectsOperand reports whether a slash begins a regular expression and does not divide.
func expectsOperand(before []token) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	switch last.kind {
	case '0', '"', ')', ']', '$':
		return false
	case 'w':
		return slices.Contains([]string{"print", "return", "case", "in", "getline", "printf"}, last.text)
	}
	return true
}

// awkReader looks at what a program writes and runs.
type awkReader struct {
	*reader
	variables map[string]string
	tokens    []token
	printing  bool // in a print statement
	depth     int  // of brackets in it
}

// read reports whether all that the program writes and runs is known, and notes it.
func (a *awkReader) read() bool {
	for i, t := range a.tokens {
		known := true
		switch t.kind {
		case '(':
			a.depth++
		case ')':
			a.depth--
		case ';', '\n', '}', '{':
			a.endStatement(i)
		case 'w':
			known = a.word(i)
		case '>':
			known = a.redirects(i)
		case '|':
			known = a.isOr(i) || a.runs(i)
		}
		if !known {
			return false
		}
	}
	return true
}

// endStatement ends a statement, unless a line goes on behind a comma or an operator.
func (a *awkReader) endStatement(i int) {
	goesOn := a.is(i-1, ',') || a.is(i-1, '&') || a.is(i-1, '|')
	if a.is(i, '\n') && goesOn {
		return
	}
	a.printing, a.depth = false, 0
}

func (a *awkReader) word(i int) bool {
	text := a.tokens[i].text
	if text == "print" || text == "printf" {
		a.printing, a.depth = true, 0
		return true
	}
	return a.plainWord(i)
}

// redirects notes the file behind > in a print statement; elsewhere > compares.
func (a *awkReader) redirects(i int) bool {
	if !a.printing || a.depth != 0 {
		return true
	}
	a.printing = false
	return a.prints(i + 1)
}

// plainWord reports whether a word loads nothing and runs nothing that is not known.
func (a *awkReader) plainWord(i int) bool {
	switch text := a.tokens[i].text; {
	case strings.HasPrefix(text, "@"):
		return false
	case text == "system":
		isText := a.is(i+1, '(') && a.is(i+2, '"') && a.is(i+3, ')')
		return isText && a.reader.read(awkText(a.tokens[i+2].text)) == nil
	}
	return true
}

func (a *awkReader) is(i int, kind rune) bool {
	return i >= 0 && i < len(a.tokens) && a.tokens[i].kind == kind
}

// isOr reports whether a stroke belongs to ||.
func (a *awkReader) isOr(i int) bool {
	return a.is(i-1, '|') || a.is(i+1, '|')
}

// prints notes the file behind > and reports whether its name is known.
func (a *awkReader) prints(i int) bool {
	if a.is(i, '>') {
		i++
	}
	file := name{known: true}
	for ; i < len(a.tokens) && !a.ends(i); i++ {
		part := a.partOfName(a.tokens[i])
		file = product([]name{file}, []name{part})[0]
	}
	if !file.known || file.text == "" {
		return false
	}
	a.write(file.text, "awk", false, !file.pattern)
	return true
}

// ends reports whether a statement ends at a place.
func (a *awkReader) ends(i int) bool {
	return i >= len(a.tokens) || a.is(i, ';') || a.is(i, '}') || a.is(i, '\n')
}

// partOfName is what one token adds to the name of a file.
func (a *awkReader) partOfName(t token) name {
	switch t.kind {
	case '"':
		return name{text: awkText(t.text), known: true}
	case '0':
		return name{text: t.text, known: true}
	case '(', ')':
		return name{known: true}
	case 'w':
		return a.valueOf(t.text)
	}
	return name{}
}

// valueOf is the value of a variable.
func (a *awkReader) valueOf(variable string) name {
	switch variable {
	case "NR", "NF", "FNR":
		return number
	}
	value, set := a.variables[variable]
	return name{text: value, known: set && !a.assigned(variable)}
}

// assigned reports whether the program itself changes a variable.
func (a *awkReader) assigned(variable string) bool {
	for i, t := range a.tokens {
		isSet := a.is(i+1, '=') && !a.is(i+2, '=')
		isHandedOn := a.is(i-1, ',') || a.is(i-1, '(')
		if t.kind == 'w' && t.text == variable && (isSet || isHandedOn) {
			return true
		}
	}
	return false
}

// runs reads the command of a pipe, before getline or behind print.
func (a *awkReader) runs(i int) bool {
	if a.is(i+1, '&') {
		return false
	}
	at, isAlone := i-1, !a.joins(i-2)
	if a.printing {
		at, isAlone = i+1, a.ends(i+2)
	}
	if !isAlone || !a.is(at, '"') {
		return false
	}

	feed, input := a.feed, a.input
	if a.printing { // it reads what is printed
		a.feed, a.input = nil, ""
	}
	err := a.reader.read(awkText(a.tokens[at].text))
	a.feed, a.input = feed, input
	return err == nil
}

// joins reports whether a text is put together with what stands at a place.
func (a *awkReader) joins(i int) bool {
	return a.is(i, '"') || a.is(i, 'w') || a.is(i, '$')
}

// awkText is a text without its escapes, which are those of $'…' and an escaped slash.
func awkText(text string) string {
	text = strings.ReplaceAll(text, `\/`, "/")
	if value, ok := ansi(text); ok {
		return value
	}
	return text
}
