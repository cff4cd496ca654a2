package references

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shells are the languages of blocks that hold commands; dialogs those that show commands
// after a prompt, among what they answer.
var (
	shells  = words("sh bash zsh shell ksh")
	dialogs = words("console shell-session shellsession sh-session terminal session bash-session")
)

func isShell(tag string) bool {
	return shells[tag] || dialogs[tag]
}

var (
	dollar  = regexp.MustCompile(`^\s*(?:\([\w.-]+\) ?)?(?:[\w.-]+@[\w.-]+[:~\w/.-]* ?)?[$%❯] +`)
	angle   = regexp.MustCompile(`^\s*> +`)
	blank   = regexp.MustCompile(`^\s*$`)
	anyName = regexp.MustCompile(`<[A-Za-z](?:[\w .:/|-]*\w)?>`)
)

// script is the commands of a block, and the line of the page that each of its lines is on.
type script struct {
	text  string
	lines []int
}

// scriptOf reads a block. One without a language holds commands only if each of its lines
// begins with a prompt.
func scriptOf(it item) (script, bool) {
	lines := strings.Split(strings.TrimSuffix(it.text, "\n"), "\n")
	prompt := promptOf(lines)
	if prompt == nil {
		return script{it.text, it.lines}, shells[it.tag]
	}

	isDialog := isShell(it.tag) || it.tag == "" && areAll(lines, prompt)
	return prompted(it, lines, prompt), isDialog
}

// areAll reports whether all lines that are not blank begin with a prompt.
func areAll(lines []string, prompt *regexp.Regexp) bool {
	for _, line := range lines {
		if !blank.MatchString(line) && !prompt.MatchString(line) {
			return false
		}
	}
	return true
}

// promptOf is the prompt that a block uses, nil for none. The sign > begins output, too, and
// is a prompt only if the block begins with it.
func promptOf(lines []string) *regexp.Regexp {
	for _, line := range lines {
		if dollar.MatchString(line) {
			return dollar
		}
	}

	for _, line := range lines {
		if !blank.MatchString(line) && angle.MatchString(line) {
			return angle
		}
		if !blank.MatchString(line) {
			return nil
		}
	}
	return nil
}

// prompted are the lines after a prompt, and those that continue them.
func prompted(it item, lines []string, prompt *regexp.Regexp) (s script) {
	continued := false
	for i, line := range lines {
		begin := prompt.FindString(line)
		if begin == "" && !continued {
			continue
		}

		command := line[len(begin):]
		if continued {
			command = angle.ReplaceAllString(command, "")
		}
		s.text += command + "\n"
		s.lines = append(s.lines, it.lines[min(i, len(it.lines)-1)])
		continued = strings.HasSuffix(command, `\`)
	}

	return s
}

// statements parses as much of a script as is shell. A line that is none is left out.
func (s script) statements(visit func(*syntax.Stmt, func(syntax.Pos) int)) {
	lines := strings.SplitAfter(masked(s.text), "\n")
	first := 0
	for failures := 0; first < len(lines) && failures < mostFailures; failures++ {
		parsed, failed := parse(lines[first:])
		at := func(pos syntax.Pos) int {
			return s.line(first + int(pos.Line()) - 1)
		}
		for _, statement := range parsed {
			visit(statement, at)
		}

		if failed < 0 {
			return
		}
		first += failed + 1
	}
}

// Bounds of reading what is no shell.
const (
	mostFailures = 50 // lines left out of a script
	mostTries    = 10 // lines before one that cannot be read, which may be a part of it
)

// line is the line of the page that a line of the script is on.
func (s script) line(index int) int {
	last := len(s.lines) - 1
	return s.lines[max(0, min(index, last))]
}

// masked has variables in the place of <names>, which the shell would read as files.
func masked(text string) string {
	return anyName.ReplaceAllStringFunc(text, func(name string) string {
		return "$" + strings.Repeat("_", len(name)-1)
	})
}

// parse reads lines up to the first that cannot be read, and tells which that is: -1 for none.
func parse(lines []string) (statements []*syntax.Stmt, failed int) {
	statements, err := parseAll(lines)
	if err == nil {
		return statements, -1
	}

	var wrong syntax.ParseError
	if errors.As(err, &wrong) {
		failed = int(wrong.Pos.Line()) - 1
	}
	failed = max(0, min(failed, len(lines)-1))
	for until := failed; until > max(0, failed-mostTries); until-- {
		if statements, err = parseAll(lines[:until]); err == nil {
			return statements, failed
		}
	}

	return nil, failed
}

func parseAll(lines []string) ([]*syntax.Stmt, error) {
	text := strings.NewReader(strings.Join(lines, ""))
	reader := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := reader.Parse(text, "")
	if err != nil {
		return nil, err
	}

	return file.Stmts, nil
}

// word is an argument. One that the shell would change is not known.
type word struct {
	text  string
	known bool
}

func wordOf(w *syntax.Word) word {
	text, known := partsOf(w.Parts, false)
	if strings.HasPrefix(text, "~") {
		known = false
	}
	return word{text, known}
}

func partsOf(parts []syntax.WordPart, quoted bool) (text string, known bool) {
	known = true
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += strings.ReplaceAll(part.Value, `\`, "")
			if !quoted && strings.ContainsAny(part.Value, "*?[]{}…") {
				known = false
			}
		case *syntax.SglQuoted:
			text += part.Value
		case *syntax.DblQuoted:
			inner, ok := partsOf(part.Parts, true)
			text += inner
			known = known && ok
		default:
			known = false
		}
	}

	return text, known
}
