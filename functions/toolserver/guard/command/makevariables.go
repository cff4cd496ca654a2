package command

import (
	"strconv"
	"strings"
)

// expand writes out the variables of a text. What is not known becomes a variable of the shell
// that nobody sets. $(shell ...) runs at once.
func (m *makefile) expand(text string) string {
	return m.expandWithin(text, 0)
}

func (m *makefile) expandWithin(text string, depth int) string {
	if m.expanded += len(text) + 1; m.expanded > maxRead {
		return unknownOfMake
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}

		i++
		switch text[i] {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			end := closing(text, i)
			if end < 0 || depth > maxDepth {
				return b.String() + unknownOfMake
			}
			b.WriteString(m.reference(text[i+1:end], depth+1))
			i = end
		default:
			b.WriteString(m.valueOf(text[i:i+1], depth+1))
		}
	}
	return b.String()
}

// unknownOfMake stands for a text of make that is not known.
const unknownOfMake = "${MAKE_UNKNOWN}"

// closing is where the bracket at a place is closed, -1 if it is not.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// reference is the value of $(...).
func (m *makefile) reference(inside string, depth int) string {
	function, rest, hasArguments := strings.Cut(inside, " ")
	if variable, change, changes := strings.Cut(inside, ":"); changes && !strings.Contains(variable, " ") {
		return changedEnds(m.valueOf(variable, depth), change)
	}
	if !hasArguments {
		return m.valueOf(inside, depth)
	}

	switch function {
	case "shell":
		command := m.expandWithin(rest, depth)
		m.child("sh", nil, func() { m.softly(command) })
		return unknownOfMake
	case "wildcard", "strip", "abspath", "realpath", "sort":
		return m.expandWithin(rest, depth)
	case "info", "warning", "error":
		return ""
	case "file":
		m.fileFunction(m.expandWithin(rest, depth))
		return ""
	case "call":
		return m.called(m.expandWithin(rest, depth), depth)
	case "eval":
		m.parse(m.expandWithin(rest, depth))
		return ""
	}
	text := m.expandWithin(rest, depth)
	if m.inRecipe { // what the function makes of its arguments is run
		m.soft++
		m.unresolved("make", text)
		m.soft--
	}
	return unknownOfMake
}

// changedEnds are the words of a value with another ending, as $(NAME:.c=.o) gives them.
func changedEnds(value, change string) string {
	from, to, _ := strings.Cut(change, "=")
	words := strings.Fields(value)
	for i, word := range words {
		if before, ok := strings.CutSuffix(word, strings.TrimPrefix(from, "%")); ok {
			words[i] = before + strings.TrimPrefix(to, "%")
		}
	}
	return strings.Join(words, " ")
}

// fileFunction notes the file that $(file >name,text) writes.
func (m *makefile) fileFunction(text string) {
	target, _, _ := strings.Cut(text, ",")
	if name := strings.TrimLeft(target, "> "); name != strings.TrimSpace(target) {
		m.write(strings.TrimSpace(name), "make", false, true)
	}
}

// called is the value of a variable with arguments.
func (m *makefile) called(text string, depth int) string {
	parts := strings.Split(text, ",")
	for i, part := range parts[1:] {
		m.variables[strconv.Itoa(i+1)] = strings.TrimSpace(part)
	}
	return m.valueOf(strings.TrimSpace(parts[0]), depth+1)
}

func (m *makefile) valueOf(name string, depth int) string {
	value, known := m.variables[name]
	if !known || depth > maxDepth {
		return unknownOfMake
	}
	return m.expandWithin(value, depth)
}
