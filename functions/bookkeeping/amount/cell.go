// Package amount reads amounts of money as people and banks write them. A cell alone is often
// ambiguous, so the meaning of commas and points is decided for whole columns.
package amount

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"governance.internal/functions/bookkeeping/currency"
)

// Cell is an amount before it is known which separator marks decimals.
type Cell struct {
	Body     string // digits and separators
	Negative bool
	Signed   bool   // a sign or a mark was written
	Mark     string // "debit" or "credit" where letters say so
	Currency string // ISO 4217, empty where the cell names none
	Dollar   bool   // the currency is a dollar sign, which several countries use
	Empty    bool
}

// minus are the signs that people write for minus.
var minus = map[rune]bool{'-': true, '−': true, '–': true, '‒': true, '﹣': true, '－': true}

// Read takes a cell apart. It returns false for what is no amount. A cell without anything, or with a
// dash alone, is empty.
func Read(text string) (Cell, bool) {
	text = strings.TrimFunc(text, isSpace)
	if isNothing(text) {
		return Cell{Empty: true}, true
	}

	var c Cell
	text, inParentheses := cutParentheses(text)
	text, marked := c.cutMark(text)

	first, last := numberIn(text)
	if first < 0 {
		return Cell{}, false
	}
	if !c.takeAround(text[:first], text[last:]) {
		return Cell{}, false
	}

	c.Body = text[first:last]
	if inParentheses && marked {
		return Cell{}, false
	}
	if inParentheses {
		c.Negative, c.Signed = true, true
	}
	return c, isBody(c.Body)
}

func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200e' || r == '\u200f' || r == '\ufeff'
}

// isNothing reports whether a cell stands for no amount.
func isNothing(text string) bool {
	for _, r := range text {
		if !minus[r] && r != '—' {
			return false
		}
	}
	return true
}

func cutParentheses(text string) (inner string, cut bool) {
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return strings.TrimFunc(text[1:len(text)-1], isSpace), true
	}
	return text, false
}

// marks are letters behind an amount that stand for a sign.
var marks = []struct {
	letters, meaning string
}{
	{"CR", "credit"}, {"DR", "debit"}, {"DB", "debit"}, {"CR.", "credit"}, {"DR.", "debit"},
	{"H", "credit"}, {"S", "debit"}, {"D", "debit"}, {"C", "credit"},
}

// cutMark takes a mark such as DR off the end.
func (c *Cell) cutMark(text string) (rest string, cut bool) {
	upper := strings.ToUpper(text)
	if len(upper) != len(text) {
		return text, false
	}

	for _, mark := range marks {
		if !strings.HasSuffix(upper, mark.letters) {
			continue
		}
		rest := strings.TrimRightFunc(text[:len(text)-len(mark.letters)], isSpace)
		if rest == "" || !endsWithDigit(rest) {
			continue
		}

		c.Mark = mark.meaning
		c.Signed = true
		c.Negative = mark.meaning == "debit"
		return rest, true
	}
	return text, false
}

func endsWithDigit(text string) bool {
	last := text[len(text)-1]
	return last >= '0' && last <= '9'
}

// numberIn finds the bytes from the first to the last digit, with a leading decimal separator.
func numberIn(text string) (first, end int) {
	first = strings.IndexFunc(text, isDigit)
	if first < 0 {
		return -1, -1
	}
	end = strings.LastIndexFunc(text, isDigit) + 1

	if first > 0 && (text[first-1] == '.' || text[first-1] == ',') {
		before := strings.TrimFunc(text[:first-1], isSpace)
		_, isSign := currency.Of(before + ".")
		if !isSign {
			first--
		}
	}
	return first, end
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// takeAround reads the signs and the currency on both sides of the digits.
func (c *Cell) takeAround(before, behind string) bool {
	signs := 0
	for _, side := range []string{before, behind} {
		word, negative, count := withoutSigns(side)
		signs += count
		c.Negative = c.Negative || negative
		c.Signed = c.Signed || count > 0

		if !c.takeCurrency(word) {
			return false
		}
	}
	contradiction := c.Mark == "credit" && c.Negative
	return signs <= 1 && !contradiction
}

// withoutSigns removes plus and minus from the text beside a number.
func withoutSigns(side string) (word string, negative bool, count int) {
	word = strings.Map(func(r rune) rune {
		if minus[r] {
			negative = true
			count++
			return -1
		}
		if r == '+' {
			count++
			return -1
		}
		return r
	}, side)
	return strings.TrimFunc(word, isSpace), negative, count
}

func (c *Cell) takeCurrency(word string) bool {
	if word == "" {
		return true
	}

	code, ok := currency.Of(word)
	if !ok || c.Currency != "" && c.Currency != code {
		return false
	}
	c.Currency = code
	c.Dollar = word == "$"
	return true
}

// isBody reports whether only digits and separators stand between the first and the last digit, and no
// two separators beside each other.
func isBody(body string) bool {
	wasSeparator := false
	for _, r := range body {
		separator := isSeparator(r)
		if !separator && !isDigit(r) || separator && wasSeparator {
			return false
		}
		wasSeparator = separator
	}
	return !wasSeparator
}

func isSeparator(r rune) bool { return r == '.' || r == ',' || isGroup(r) }

// isGroup reports whether a separator can only group digits.
func isGroup(r rune) bool {
	return r == '\'' || r == '’' || r == '`' || isSpace(r)
}

// runesOf counts the separators that may mark decimals.
func runesOf(body string) (points, commas int, last rune, behind string) {
	points = strings.Count(body, ".")
	commas = strings.Count(body, ",")

	at := strings.LastIndexAny(body, ".,")
	if at < 0 {
		return points, commas, 0, ""
	}
	last, _ = utf8.DecodeRuneInString(body[at:])
	return points, commas, last, body[at+1:]
}
