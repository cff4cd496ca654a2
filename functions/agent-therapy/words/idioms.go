package words

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed idioms.txt
var idiomsFile string

// idiom is a run of words and what it says plainly.
type idiom struct {
	words []string
	plain []string
}

// idioms are those that begin with a word, the longest first.
var idioms = sync.OnceValue(func() map[string][]idiom {
	all := map[string][]idiom{}
	for line := range strings.Lines(idiomsFile) {
		phrase, plain, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(phrase)
		all[words[0]] = append(all[words[0]], idiom{words, strings.Fields(plain)})
	}

	for _, list := range all {
		slices.SortStableFunc(list, func(a, b idiom) int { return len(b.words) - len(a.words) })
	}
	return all
})

// inPlainWords replaces idioms. The plain words stand where the idiom stood.
func inPlainWords(tokens []Token) []Token {
	var plain []Token
	for at := 0; at < len(tokens); {
		if at > 0 {
			if verb := undone(tokens[at-1], tokens[at]); verb != "" {
				plain[len(plain)-1] = inPlace("are", tokens[at-1], tokens[at-1])
				plain = append(plain, inPlace("never", tokens[at], tokens[at]), inPlace(verb, tokens[at], tokens[at]))
				at++
				continue
			}
		}

		found, ok := idiomAt(tokens[at:])
		if !ok {
			plain = append(plain, tokens[at])
			at++
			continue
		}

		last := tokens[at+len(found.words)-1]
		for _, text := range found.plain {
			plain = append(plain, inPlace(text, tokens[at], last))
		}
		at += len(found.words)
	}
	return plain
}

// inPlace returns a word that stands for the tokens from the first to the last.
func inPlace(text string, first, last Token) Token {
	t := word(text, 0, len(text), false)
	t.Start, t.End = first.Start, last.End
	return t
}

// lasting are words behind which "unsigned" says that something is never signed.
var lasting = set("remain remains stay stays left")

// undone returns the verb that a word behind a lasting one says is never done: "disclosed" for
// "undisclosed"; empty if it says none.
func undone(before, after Token) string {
	rest, ok := strings.CutPrefix(after.Lower, "un")
	if !ok || after.Code || !lasting()[before.Lower] {
		return ""
	}
	if strings.HasSuffix(rest, "ed") || strings.HasSuffix(rest, "en") {
		return rest
	}
	return ""
}

// idiomAt returns the longest idiom with which the tokens begin.
func idiomAt(tokens []Token) (idiom, bool) {
	for _, i := range idioms()[tokens[0].Lower] {
		if i.begins(tokens) {
			return i, true
		}
	}
	return idiom{}, false
}

func (i idiom) begins(tokens []Token) bool {
	if len(tokens) < len(i.words) {
		return false
	}
	for at, text := range i.words {
		if tokens[at].Lower != text || tokens[at].Code {
			return false
		}
	}
	return true
}
