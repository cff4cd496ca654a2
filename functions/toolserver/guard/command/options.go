package command

import "strings"

// grammar says how a program reads its options.
type grammar struct {
	valued string          // short options with a value: the rest of the word, or the next one
	long   map[string]bool // long options that matter, and whether they have a value
}

// option is one option of a call. Its value has no word if there is none.
type option struct {
	name  string // a letter, or a whole word of a long option
	value argument
}

// parse parts the options from the operands, as getopt_long does: short options may stand
// in one word, long ones may be shortened, and after -- everything is an operand.
func (c call) parse(g grammar) (options []option, operands []argument) {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		switch {
		case a.ok && a.text == "--":
			return options, append(operands, c.args[i+1:]...)
		case strings.HasPrefix(a.text, "--"):
			name, value, joined := strings.Cut(a.text[2:], "=")
			o := option{name: g.whole(name)}
			switch {
			case joined:
				o.value = argument{literal(value), value, a.ok}
			case g.long[o.name] && i+1 < len(c.args):
				i++
				o.value = c.args[i]
			}

			options = append(options, o)
		case len(a.text) > 1 && a.text[0] == '-':
			at := strings.IndexAny(a.text[1:], g.valued) + 1
			if at == 0 || g.valued == "" {
				at = len(a.text)
			}

			for _, letter := range a.text[1:min(at, len(a.text))] {
				options = append(options, option{name: string(letter)})
			}

			if at == len(a.text) {
				continue
			}
			o := option{
				name:  a.text[at : at+1],
				value: argument{literal(a.text[at+1:]), a.text[at+1:], a.ok},
			}

			if at+1 == len(a.text) && i+1 < len(c.args) {
				i++
				o.value = c.args[i]
			}

			options = append(options, o)
		default:
			operands = append(operands, a)
		}
	}

	return options, operands
}

// whole is a long option written out, if it was shortened.
func (g grammar) whole(name string) string {
	if _, exact := g.long[name]; exact || len(name) < 2 {
		return name
	}
	for full := range g.long {
		if strings.HasPrefix(full, name) {
			return full
		}
	}
	return name
}

// find is the last option of one of these names.
func find(options []option, names ...string) (option, bool) {
	for i := len(options) - 1; i >= 0; i-- {
		for _, name := range names {
			if options[i].name == name {
				return options[i], true
			}
		}
	}
	return option{}, false
}

func given(options []option, names ...string) bool {
	_, ok := find(options, names...)
	return ok
}
