package textkit

// Word is one word of a text.
type Word struct {
	Span

	// Lower is the word in lower case, without a possessive ending.
	Lower string

	// Stem is what the forms of a word share: "approve", "approved" and "approving" have
	// one stem. Compare it with [Stem] of another word only.
	Stem string

	// Capital says that the word starts with a capital letter.
	Capital bool

	// Break is the punctuation between the word before and this one, without quotes: "", ",",
	// ";", ":", "-" for a dash between spaces, "(" or ")". A hyphen in a word is none.
	Break string

	// Quoted says that the word stands between double quotes.
	Quoted bool
}

// Words returns the words of a span. Hyphens, underscores and changes from a small to a capital
// letter separate words: "read-only", "read_only" and "readOnly" are two words each.
func (t *Text) Words(s Span) []Word {
	var words []Word
	quoted := false
	mark := ""

	for at := s.Start; at < s.End; {
		b := t.Plain[at]
		if !isWordByte(b) {
			if b == '"' {
				quoted = !quoted
			} else if m := t.mark(at, s); m != "" {
				mark = m
			}
			at++
			continue
		}
		end := t.endOfWord(at, s.End)
		word := t.word(Span{at, end})
		word.Break, word.Quoted = mark, quoted
		words = append(words, word)
		mark = ""
		at = end
	}
	return words
}

func isWordByte(b byte) bool {
	return isLetter(b) || isDigit(b) || b == Tick || b == Cross
}

// mark returns the punctuation at a place as [Word.Break] has it.
func (t *Text) mark(at int, s Span) string {
	switch b := t.Plain[at]; b {
	case ',', ';', ':', '(', ')', '/', '=', '|', '+', '[', ']':
		return string(b)
	case '-', '>':
		if t.isDash(at, s) {
			return "-"
		}
	case '.', '?', '!':
		if at+1 < s.End && isSpace(t.Plain[at+1]) {
			return string(b)
		}
	case Symbol, Bullet:
		return ","
	}
	return ""
}

// isDash reports whether a hyphen is a dash: it stands between spaces or is doubled.
func (t *Text) isDash(at int, s Span) bool {
	if at == s.Start || at+1 == s.End {
		return false
	}
	before, after := t.Plain[at-1], t.Plain[at+1]
	return before == '-' || isSpace(before) && isSpace(after)
}

func (t *Text) endOfWord(at, end int) int {
	if isVerdict(t.Plain[at]) {
		return at + 1
	}

	i := at + 1
	for i < end && t.goesOn(i, end) {
		i++
	}
	return i
}

func isVerdict(b byte) bool { return b == Tick || b == Cross }

// goesOn reports whether the character at a place belongs to the word before it.
func (t *Text) goesOn(i, end int) bool {
	b, before := t.Plain[i], t.Plain[i-1]
	if isVerdict(b) || isUpper(b) && isLower(before) {
		return false
	}
	if isWordByte(b) || i+1 >= end {
		return isWordByte(b)
	}

	switch after := t.Plain[i+1]; b {
	case '\'', '.':
		return isWordByte(after)
	case ',':
		return isDigit(before) && isDigit(after)
	}
	return false
}

func (t *Text) word(s Span) Word {
	lower := t.LowerOf(s)
	switch lower[0] {
	case Tick:
		lower = "yes"
	case Cross:
		lower = "no"
	}

	lower = withoutPossessive(lower)

	return Word{
		Span:    s,
		Lower:   lower,
		Stem:    Stem(lower),
		Capital: isUpper(t.Plain[s.Start]),
	}
}

func withoutPossessive(lower string) string {
	n := len(lower)
	if n > 2 && lower[n-2] == '\'' && lower[n-1] == 's' && !contracted[lower] {
		return lower[:n-2]
	}
	return lower
}

// contracted are the words in which 's stands for "is" or "has".
var contracted = map[string]bool{
	"it's": true, "that's": true, "there's": true, "he's": true, "she's": true, "what's": true, "who's": true, "here's": true, "let's": true,
}
