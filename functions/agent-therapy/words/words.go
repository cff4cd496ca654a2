// Package words turns a sentence of instructions into tokens: words in a normal form, where words
// of the same meaning are equal. "committing", "commits" and "make a commit" share one form.
//
// The meanings stand in concepts.txt. Text in backticks is taken literally, since there a word such
// as `any` is a name.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word or a punctuation mark of a sentence.
type Token struct {
	Text  string // as written, without backticks
	Lower string // in lower case
	Form  string // normal form, equal for words of the same meaning; of a mark the mark itself
	Start int    // first byte in the sentence
	End   int    // byte after the last
	Code  bool   // stands in backticks
	Mark  bool   // is punctuation
	Act   bool   // may be what is done: a verb, or the noun of one
}

// Read returns the tokens of a sentence.
func Read(sentence string) []Token {
	return merge(inPlainWords(split(sentence)))
}

// split cuts a sentence into words and marks.
func split(sentence string) []Token {
	var tokens []Token
	code := false

	for at := 0; at < len(sentence); {
		r, size := utf8.DecodeRuneInString(sentence[at:])

		switch {
		case r == '`':
			code = !code
			tokens = append(tokens, mark("`", at, at+size))
			at += size

		case unicode.IsSpace(r):
			at += size

		case isWordStart(r, sentence[at+size:]):
			end := wordEnd(sentence, at, code)
			tokens = append(tokens, word(sentence, at, end, code))
			at = end

		default:
			tokens = append(tokens, mark(string(r), at, at+size))
			at += size
		}
	}

	return tokens
}

func mark(text string, start, end int) Token {
	return Token{Text: text, Lower: text, Form: text, Start: start, End: end, Mark: true}
}

// word makes the token of sentence[start:end].
func word(sentence string, start, end int, code bool) Token {
	text := sentence[start:end]
	lower := strings.ReplaceAll(strings.ToLower(text), "’", "'")

	if !code {
		lower = strings.Trim(lower, "_'")
	}

	return Token{
		Text:  text,
		Lower: lower,
		Form:  normal(lower, code),
		Start: start,
		End:   end,
		Code:  code,
	}
}

// isWordStart reports whether a word may begin with r. Options begin with a hyphen, paths and
// patterns with a dot, a slash, an asterisk or a tilde.
func isWordStart(r rune, rest string) bool {
	if isLetterOrDigit(r) {
		return true
	}

	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '!':
		return unicode.IsLetter(next)
	case '*':
		return strings.ContainsRune("./", next)
	case '.', '/', '~', '-', '@', '$', '#', '_', '<':
		return isLetterOrDigit(next) || strings.ContainsRune("/-*", next)
	}
	return false
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordEnd returns the end of the word that begins at a byte. A dot, a comma or a slash belongs to a
// word if the word goes on behind it.
func wordEnd(sentence string, at int, code bool) int {
	end := at

	for end < len(sentence) {
		r, size := utf8.DecodeRuneInString(sentence[end:])
		if r == '`' || unicode.IsSpace(r) {
			break
		}
		if !isWordRune(r, code) && !goesOn(sentence[end+size:], r) {
			break
		}
		end += size
	}

	if end == at {
		_, size := utf8.DecodeRuneInString(sentence[at:])
		return at + size
	}
	return end
}

func isWordRune(r rune, code bool) bool {
	if isLetterOrDigit(r) || strings.ContainsRune("_$@/~-+%#'’", r) {
		return true
	}
	return code && strings.ContainsRune("<>{}[]=|&!", r)
}

// goesOn reports whether a mark stands inside a word, as the dots of "config.yml" and the comma of
// "1,000".
func goesOn(rest string, r rune) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '.':
		return isLetterOrDigit(next) || next == '*'
	case ':', '\\':
		return isLetterOrDigit(next)
	case '*':
		return strings.ContainsRune("/.*", next)
	case ',':
		return unicode.IsDigit(next)
	}
	return false
}

// normal returns the normal form of a word.
func normal(lower string, code bool) string {
	if code || isName(lower) {
		return strings.Trim(lower, "./*<>:,()")
	}

	plain := strings.ReplaceAll(lower, "-", "")
	if plain == "" {
		return lower
	}
	return Stem(plain)
}

// isName reports whether a word is a path, a pattern, an option or another name of machines.
func isName(word string) bool {
	if strings.HasPrefix(word, "-") && len(word) > 1 {
		return true
	}
	return strings.ContainsAny(strings.Trim(word, ".,:"), "/._*$@\\<>")
}

// merge replaces words by concepts; the longest phrase wins.
func merge(tokens []Token) []Token {
	known := lexicon()
	var merged []Token

	for at := 0; at < len(tokens); {
		c, length := known.longest(tokens[at:])
		if length == 0 {
			merged = append(merged, tokens[at])
			at++
			continue
		}

		t := tokens[at]
		last := tokens[at+length-1]
		t.Form = c.name
		t.Act = c.act
		t.End = last.End
		if length > 1 {
			t.Lower = phrase(tokens[at : at+length])
			t.Text = t.Lower
		}
		merged = append(merged, t)
		at += length
	}

	return merged
}

func phrase(tokens []Token) string {
	parts := make([]string, 0, len(tokens))
	for _, t := range tokens {
		parts = append(parts, t.Lower)
	}
	return strings.Join(parts, " ")
}
