package command

import (
	"slices"
	"strings"
	"unicode"
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

// awkToken is a word, a number, a text, a regular expression or a sign of a program.
type awkToken struct {
	kind rune // w, 0, ", / or the sign itself
	text string
}

// awkTokens parts a program into its tokens.
func awkTokens(program string) []awkToken {
	var all []awkToken
	for i := 0; i < len(program); {
		c := program[i]
		switch {
		case c == '\\' && i+1 < len(program) && program[i+1] == '\n':
			i += 2
		case c == '#':
			i += lengthUntil(program[i:], '\n')
		case c == '"':
			text, n := quotedText(program[i:], '"')
			all, i = append(all, awkToken{'"', text}), i+n
		case c == '/' && expectsOperand(all):
			text, n := expression(program[i:])
			all, i = append(all, awkToken{'/', text}), i+n
		case c == '_' || c == '@' || unicode.IsLetter(rune(c)):
			n := wordLength(program[i:])
			all, i = append(all, awkToken{'w', program[i : i+n]}), i+n
		case unicode.IsDigit(rune(c)):
			n := wordLength(program[i:])
			all, i = append(all, awkToken{'0', program[i : i+n]}), i+n
		case c == ' ' || c == '\t' || c == '\r':
			i++
		default:
			all, i = append(all, awkToken{rune(c), string(c)}), i+1
		}
	}
	return all
}

func lengthUntil(text string, end byte) int {
	if at := strings.IndexByte(text, end); at >= 0 {
		return at
	}
	return len(text)
}

// wordLength is how long a word or a number at the beginning of a text is.
func wordLength(text string) int {
	for i, c := range text {
		if i > 0 && c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return i
		}
	}
	return len(text)
}

// quotedText is what stands between two delimiters at the beginning of a text, and how long it is with
// them.
func quotedText(text string, delimiter byte) (inside string, length int) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case delimiter:
			return text[1:i], i + 1
		}
	}
	return text[1:], len(text)
}

// expression is a regular expression at the beginning of a text, and how long it is with its slashes. A
// slash in brackets does not end it.
func expression(text string) (inside string, length int) {
	bracket := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[' && !bracket:
			bracket = true
			if i+1 < len(text) && text[i+1] == '^' {
				i++
			}
			if i+1 < len(text) && text[i+1] == ']' {
				i++
			}
		case c == ']':
			bracket = false
		case c == '/' && !bracket, c == '\n':
			return text[1:i], i + 1
		}
	}
	return text[1:], len(text)
}

// expectsOperand reports whether a slash begins a regular expression and does not divide.
func expectsOperand(before []awkToken) bool {
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
	tokens    []awkToken
}

// read reports whether all that the program writes and runs is known, and notes it.
func (a *awkReader) read() bool {
	printing, depth := false, 0
	for i, t := range a.tokens {
		switch {
		case t.kind == '(':
			depth++
		case t.kind == ')':
			depth--
		case t.kind == '\n' && (a.is(i-1, ',') || a.is(i-1, '&') || a.is(i-1, '|')):
		case t.kind == ';' || t.kind == '\n' || t.kind == '}' || t.kind == '{':
			printing, depth = false, 0
		case t.kind == 'w' && (t.text == "print" || t.text == "printf"):
			printing, depth = true, 0
		case t.kind == 'w' && !a.plainWord(i):
			return false
		case t.kind == '>' && printing && depth == 0:
			if !a.prints(i + 1) {
				return false
			}
			printing = false
		case t.kind == '|' && !a.isOr(i):
			if !a.runs(i, printing) {
				return false
			}
		}
	}
	return true
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
	file, isPattern := "", false
	for ; i < len(a.tokens); i++ {
		t := a.tokens[i]
		value, set := a.variables[t.text]
		switch {
		case t.kind == ';' || t.kind == '}' || t.kind == '\n':
			a.write(file, "awk", false, !isPattern)
			return file != ""
		case t.kind == '"':
			file += awkText(t.text)
		case t.kind == '0':
			file += t.text
		case t.kind == '(' || t.kind == ')':
		case t.kind == 'w' && (t.text == "NR" || t.text == "NF" || t.text == "FNR"):
			file, isPattern = file+"*", true
		case t.kind == 'w' && set && !a.assigned(t.text):
			file += value
		default:
			return false
		}
	}
	a.write(file, "awk", false, !isPattern)
	return file != ""
}

// assigned reports whether the program itself changes a variable.
func (a *awkReader) assigned(variable string) bool {
	for i, t := range a.tokens {
		if t.kind == 'w' && t.text == variable && (a.is(i+1, '=') && !a.is(i+2, '=') || a.is(i-1, ',') || a.is(i-1, '(')) {
			return true
		}
	}
	return false
}

// runs reads the command of a pipe, before getline or behind print.
func (a *awkReader) runs(i int, printing bool) bool {
	at := i - 1
	if printing {
		at = i + 1
	}
	if !a.is(at, '"') || a.is(i+1, '&') {
		return false
	}
	ends := a.is(at+1, ';') || a.is(at+1, '}') || a.is(at+1, '\n') || at+1 == len(a.tokens) || !printing
	joins := !printing && (a.is(at-1, '"') || a.is(at-1, 'w') || a.is(at-1, '$'))
	return ends && !joins && a.reader.read(awkText(a.tokens[at].text)) == nil
}

// awkText is a text without its escapes.
func awkText(text string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t", `\/`, "/").Replace(text)
}
