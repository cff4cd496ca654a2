package lint

// standardize turns JSON with comments and trailing commas, as VS Code, Zed and opencode
// write it, into JSON. It overwrites both with spaces, so that offsets, lines and columns stay
// the same. The parser reports any other error.
func standardize(doc []byte) []byte {
	out := append([]byte(nil), doc...)
	comma := -1 // offset of a comma that nothing but space and comments follows yet
	value := false

	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i = endOfString(out, i)
			comma = -1
			value = true
		case c == '/' &&
			i+1 < len(out) &&
			(out[i+1] == '/' || out[i+1] == '*'):
			end, closed := endOfComment(out, i)
			if !closed {
				return out
			}
			blank(out[i:end])
			i = end
		case c == ',':
			if value {
				comma = i
			}
			value = false
			i++
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
			value = true
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		default:
			comma = -1
			value = c != '{' && c != '[' && c != ':'
			i++
		}
	}

	return out
}

// endOfString returns the offset after the string that begins at i.
func endOfString(doc []byte, i int) int {
	for i++; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(doc)
}

// endOfComment returns the offset after the comment that begins at i, and whether it ends.
func endOfComment(doc []byte, i int) (end int, closed bool) {
	if doc[i+1] == '/' {
		for i < len(doc) && doc[i] != '\n' {
			i++
		}
		return i, true
	}

	for i += 2; i+1 < len(doc); i++ {
		if doc[i] == '*' && doc[i+1] == '/' {
			return i + 2, true
		}
	}
	return len(doc), false
}

// blank overwrites text with spaces and keeps its line breaks.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
