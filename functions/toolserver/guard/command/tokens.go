package command

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word (w), a number (0), a text ("), a regular expression (/), a template (`) or a sign of a
// program.
type token struct {
	kind rune
	text string
}

// scanner parts the program of a language into its tokens.
type scanner struct {
	text   string
	at     int
	tokens []token
	letter func(c rune, first bool) bool // of a word
}

// letter are the characters of words in most languages.
func letter(c rune, first bool) bool {
	return c == '_' || unicode.IsLetter(c) || !first && unicode.IsDigit(c)
}

func (s *scanner) ended() bool { return s.at >= len(s.text) }

// rest is what is still to be read.
func (s *scanner) rest() string { return s.text[s.at:] }

func (s *scanner) add(kind rune, text string, length int) {
	s.tokens = append(s.tokens, token{kind, text})
	s.at += length
}

// last is the token before, the zero value at the beginning.
func (s *scanner) last() token {
	if len(s.tokens) == 0 {
		return token{}
	}
	return s.tokens[len(s.tokens)-1]
}

// plain reads a word, a number, blanks or a sign.
func (s *scanner) plain() {
	c, size := utf8.DecodeRuneInString(s.rest())
	switch {
	case s.letter(c, true):
		n := lengthOf(s.rest(), s.letter)
		s.add('w', s.text[s.at:s.at+n], n)
	case unicode.IsDigit(c):
		n := lengthOf(s.rest(), numeral)
		s.add('0', s.text[s.at:s.at+n], n)
	case strings.ContainsRune(" \t\r", c):
		s.at++
	default:
		s.add(c, string(c), size)
	}
}

// numeral are the characters of numbers.
func numeral(c rune, _ bool) bool {
	return c == '.' || letter(c, false)
}

// lengthOf is how long the run of some characters at the beginning of a text is.
func lengthOf(text string, of func(c rune, first bool) bool) int {
	for i, c := range text {
		if !of(c, i == 0) {
			return i
		}
	}
	return len(text)
}

// comment skips to the end of the line.
func (s *scanner) comment() {
	s.at += lengthUntil(s.rest(), '\n')
}

func lengthUntil(text string, end byte) int {
	if at := strings.IndexByte(text, end); at >= 0 {
		return at
	}
	return len(text)
}

// quoted is what stands between two delimiters at the beginning of a text, and how long it is with
// them.
func quoted(text string, delimiter byte) (inside string, length int) {
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
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			i += bracketLength(text[i:]) - 1
		case '/', '\n':
			return text[1:i], i + 1
		}
	}
	return text[1:], len(text)
}

// bracketLength is how long the class of characters at the beginning of an expression is. A closing bracket
// is one of them if it comes first.
func bracketLength(text string) int {
	begin := 1
	if strings.HasPrefix(text, "[^") {
		begin = 2
	}
	for i := begin; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return i
		case ']':
			if i > begin {
				return i + 1
			}
		}
	}
	return len(text)
}

// bracedTokens are the tokens of the expressions in a text, each from open to a closing brace, as a
// language reads them. It is not ok if one does not end or cannot be read.
func bracedTokens(text, open string, depth int, read func(code string, depth int) ([]token, bool)) (all []token, ok bool) {
	for {
		_, rest, found := strings.Cut(text, open)
		if !found {
			return all, true
		}
		inside, after, closed := strings.Cut(rest, "}")
		parts, fine := read(inside, depth+1)
		if !closed || !fine {
			return nil, false
		}

		all = append(all, token{'(', "("})
		all = append(all, parts...)
		all = append(all, token{')', ")"})
		text = after
	}
}
