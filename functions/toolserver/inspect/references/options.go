package references

import "strings"

// operands are the arguments that are no options. Those after an option named in valued
// are its values.
func operands(args []word, valued map[string]bool) (list []word) {
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case valued[text]:
			i++
		case text == "--":
			return append(list, args[i+1:]...)
		case strings.HasPrefix(text, "-") && text != "-", assignment.MatchString(text) && args[i].known:
		default:
			list = append(list, args[i])
		}
	}

	return list
}

// values are those of options, as in -C DIR, -C=DIR, or -CDIR for a single letter.
func values(args []word, names ...string) (list []word) {
	for i, arg := range args {
		next := word{}
		if i+1 < len(args) {
			next = args[i+1]
		}
		for _, name := range names {
			if value, ok := valueOf(arg, next, name); ok {
				list = append(list, value)
			}
		}
	}

	return list
}

// valueOf is the value of an option, in its argument or the next one.
func valueOf(arg, next word, name string) (value word, ok bool) {
	rest, isOption := strings.CutPrefix(arg.text, name)
	isShort := len(name) == 2
	switch {
	case !isOption:
		return word{}, false
	case rest == "":
		return next, next.text != ""
	case rest[0] == '=':
		return word{rest[1:], arg.known}, true
	}

	return word{rest, arg.known}, isShort
}
