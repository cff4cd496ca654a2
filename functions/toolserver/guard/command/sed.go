package command

import "strings"

var sedGrammar = grammar{valued: "efl", long: map[string]bool{
	"expression": true, "file": true, "in-place": false, "line-length": true,
}}

// inPlace is sed: it writes its files with -i, and others by what its script says.
func inPlace(r *reader, c call) {
	options, files := c.parse(sedGrammar)
	scripts, fromFiles, files := sedScripts(options, files)

	writes := given(options, "i", "in-place")
	for _, a := range c.args {
		writes = writes || strings.HasPrefix(a.text, "-i") || strings.HasPrefix(a.text, "--in-place")
	}
	if writes {
		for _, a := range files {
			r.word(a.word, "sed -i", false)
		}
	}

	for _, a := range scripts {
		text, ok := r.roughly(a)
		r.sedScript(c, text, ok)
	}
	for _, a := range fromFiles {
		text, ok := r.scriptText(a)
		r.sedScript(c, text, ok)
	}
}

// sedScripts parts the scripts of sed from the files that it edits.
func sedScripts(options []option, operands []argument) (scripts, fromFiles, files []argument) {
	for _, o := range options {
		if o.value.word == nil {
			continue
		}
		switch o.name {
		case "e", "expression":
			scripts = append(scripts, o.value)
		case "f", "file":
			fromFiles = append(fromFiles, o.value)
		}
	}
	if len(scripts)+len(fromFiles) == 0 && len(operands) > 0 {
		return operands[:1], nil, operands[1:]
	}
	return scripts, fromFiles, operands
}

func (r *reader) sedScript(c call, text string, ok bool) {
	s := sedReader{text: text}
	if !ok || !s.read() {
		r.hide(c.all())
		return
	}
	for _, file := range s.files {
		r.write(file, "sed w", false, true)
	}
}

// sedReader reads a script of sed. Only commands that are known to change nothing pass.
type sedReader struct {
	text  string
	at    int
	files []string // that w writes
}

// read reports whether the script runs no program, and collects the files that it writes.
func (s *sedReader) read() bool {
	for {
		s.skip(" \t\n;{}")
		if s.at >= len(s.text) {
			return true
		}
		if !s.address() {
			return false
		}
		s.skip(" \t!")
		if s.at >= len(s.text) {
			return true
		}
		command := s.text[s.at]
		s.at++
		if !s.command(command) {
			return false
		}
	}
}

func (s *sedReader) skip(characters string) {
	for s.at < len(s.text) && strings.IndexByte(characters, s.text[s.at]) >= 0 {
		s.at++
	}
}

// address skips the lines that a command is for.
func (s *sedReader) address() bool {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case strings.IndexByte("0123456789$,~+ \t", c) >= 0:
			s.at++
		case c == '/':
			s.at++
			if !s.section('/') {
				return false
			}
			s.skip("IM")
		case c == '\\' && s.at+1 < len(s.text):
			delimiter := s.text[s.at+1]
			s.at += 2
			if !s.section(delimiter) {
				return false
			}
			s.skip("IM")
		default:
			return true
		}
	}
	return true
}

// section skips to behind a delimiter.
func (s *sedReader) section(delimiter byte) bool {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case delimiter:
			s.at++
			return true
		}
	}
	return false
}

func (s *sedReader) command(c byte) bool {
	switch c {
	case '{', '}':
	case '#', 'r', 'R', 'v':
		s.line()
	case 'a', 'i', 'c':
		s.insertion()
	case 'w', 'W':
		s.files = append(s.files, s.line())
	case 's':
		return s.substitution()
	case 'y':
		return s.sections()
	case 'b', 't', 'T', ':':
		s.label()
	case 'q', 'Q', 'l', 'L':
		s.skip(" \t0123456789")
	case 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', '=', 'F':
	default: // e runs a program, and others are not known
		return false
	}
	return true
}

// line is the rest of the line.
func (s *sedReader) line() string {
	line, _, _ := strings.Cut(s.text[s.at:], "\n")
	s.at += len(line)
	return strings.TrimSpace(line)
}

// insertion skips a text, which goes on behind a backslash at the end of a line.
func (s *sedReader) insertion() {
	for strings.HasSuffix(s.line(), `\`) && s.at < len(s.text) {
		s.at++
	}
}

func (s *sedReader) label() {
	for s.at < len(s.text) && s.text[s.at] != ';' && s.text[s.at] != '\n' && s.text[s.at] != '}' {
		s.at++
	}
}

// sections skips the two texts of s or y.
func (s *sedReader) sections() bool {
	if s.at >= len(s.text) {
		return false
	}
	delimiter := s.text[s.at]
	s.at++
	found := s.section(delimiter)
	replaced := found && s.section(delimiter)
	return replaced
}

func (s *sedReader) substitution() bool {
	if !s.sections() {
		return false
	}
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			s.at++
		case c == 'e':
			return false
		case c == 'w':
			s.at++
			s.files = append(s.files, s.line())
			return true
		default:
			return true
		}
	}
	return true
}
