package day

import (
	"strings"
	"unicode"
)

// Order is the order of year, month and day in a column.
type Order string

// The orders.
const (
	YMD Order = "YMD"
	DMY Order = "DMY"
	MDY Order = "MDY"
)

// Cell is a date before the order of its numbers is known.
type Cell struct {
	Text    string
	numbers [3]int
	digits  [3]int // how many digits each number was written with
	month   int    // from its name, 0 without one; then numbers[0] and numbers[1] are day and year
	Dots    bool   // points stand between the numbers, which no month-first country writes
}

// Read takes a cell apart. A time behind the date is left out; the day stays as it is written, whatever
// the time zone. It returns false for what is no date with a year.
func Read(text string) (Cell, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 60 {
		return Cell{}, false
	}

	c := Cell{Text: text}
	tokens := tokensOf(text)
	tokens = withoutWeekday(tokens)

	if len(tokens) == 0 {
		return Cell{}, false
	}
	if compact := tokens[0].digits; compact == 8 {
		return c.readCompact(tokens)
	}
	if len(tokens) < 3 {
		return Cell{}, false
	}
	if named, ok := c.readNamed(tokens); ok {
		return named, true
	}
	return c.readNumbers(tokens, text)
}

// token is a number or a word of a date.
type token struct {
	word   string
	number int
	digits int
	behind byte // the byte that follows the token
}

func tokensOf(text string) []token {
	var out []token
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})

	at := 0
	for _, field := range fields {
		start := at + strings.Index(text[at:], field)
		at = start + len(field)

		for _, part := range splitDigits(field) {
			out = append(out, newToken(part))
		}
		if at < len(text) {
			out[len(out)-1].behind = text[at]
		}
	}
	return out
}

// splitDigits parts 4Mar2025 and 04T10 into numbers and words.
func splitDigits(field string) []string {
	var parts []string
	start := 0
	wasDigit := false
	for i, r := range field {
		digit := unicode.IsDigit(r)
		if i > start && digit != wasDigit {
			parts = append(parts, field[start:i])
			start = i
		}
		wasDigit = digit
	}
	return append(parts, field[start:])
}

func newToken(part string) token {
	t := token{word: strings.ToLower(part)}
	for _, r := range part {
		if r < '0' || r > '9' {
			return t
		}
	}

	t.word = ""
	t.digits = len(part)
	if t.digits > 8 {
		return token{word: part}
	}
	for _, r := range part {
		t.number = t.number*10 + int(r-'0')
	}
	return t
}

func withoutWeekday(tokens []token) []token {
	if len(tokens) > 3 && tokens[0].word != "" && monthOf(tokens[0].word) == 0 {
		return tokens[1:]
	}
	return tokens
}

// readCompact reads 20250304, and 04032025 as three numbers.
func (c Cell) readCompact(tokens []token) (Cell, bool) {
	if len(tokens) > 1 && !startsTime(tokens[1:]) {
		return Cell{}, false
	}

	n := tokens[0].number
	if year := n / 10_000; year >= 1970 && year <= 2099 && n/100%100 <= 12 {
		c.numbers = [3]int{year, n / 100 % 100, n % 100}
		c.digits = [3]int{4, 2, 2}
		return c, true
	}

	c.numbers = [3]int{n / 1_000_000, n / 10_000 % 100, n % 10_000}
	c.digits = [3]int{2, 2, 4}
	return c, true
}

// readNamed reads a date whose month is a word.
func (c Cell) readNamed(tokens []token) (Cell, bool) {
	tokens = withoutFiller(tokens)
	if len(tokens) < 3 {
		return Cell{}, false
	}

	first, second, third := tokens[0], tokens[1], tokens[2]
	if month := monthOf(second.word); month > 0 {
		return c.named(month, first, third)
	}

	isTime := second.behind == ':'
	if month := monthOf(first.word); month > 0 && !isTime {
		return c.named(month, second, third)
	}
	return Cell{}, false
}

// named is a date of a month by its name, with day and year in either order.
func (c Cell) named(month int, one, two token) (Cell, bool) {
	if one.digits == 0 || two.digits == 0 {
		return Cell{}, false
	}

	c.month = month
	c.numbers = [3]int{one.number, two.number}
	c.digits = [3]int{one.digits, two.digits}
	if one.digits == 4 {
		c.swap()
	}
	return c, c.hasYear()
}

// fillers stand between the parts of a date.
var fillers = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "de": true, "of": true, "del": true, "er": true}

func withoutFiller(tokens []token) []token {
	var kept []token
	for _, t := range tokens {
		if !fillers[t.word] {
			kept = append(kept, t)
		}
	}
	return kept
}

func (c *Cell) swap() {
	c.numbers[0], c.numbers[1] = c.numbers[1], c.numbers[0]
	c.digits[0], c.digits[1] = c.digits[1], c.digits[0]
}

func (c Cell) hasYear() bool { return c.digits[1] == 4 || c.digits[1] == 2 }

// readNumbers reads three numbers.
func (c Cell) readNumbers(tokens []token, text string) (Cell, bool) {
	for i, t := range tokens[:3] {
		if t.digits == 0 || t.digits > 4 || t.digits == 3 {
			return Cell{}, false
		}
		c.numbers[i] = t.number
		c.digits[i] = t.digits
	}

	between := tokens[0].behind
	if tokens[1].behind != between || between == ':' || between == ',' {
		return Cell{}, false
	}
	if len(tokens) > 3 && !startsTime(tokens[3:]) {
		return Cell{}, false
	}

	years := 0
	for i, digits := range c.digits {
		if digits == 4 {
			years++
			if i == 1 {
				return Cell{}, false
			}
		}
	}

	c.Dots = between == '.'
	return c, years <= 1
}

// startsTime reports whether what stands behind a date looks like a time.
func startsTime(tokens []token) bool {
	first := tokens[0]
	if first.word == "t" && len(tokens) > 1 {
		first = tokens[1]
	}
	return first.digits > 0 && first.digits <= 2 || first.digits == 6 || first.digits == 4 || first.word == "utc"
}

// In reads the cell in an order.
func (c Cell) In(order Order) (Day, bool) {
	if c.month > 0 {
		return New(fullYear(c.numbers[1], c.digits[1]), c.month, c.numbers[0])
	}

	yearAt, monthAt, domAt := 2, 1, 0
	switch order {
	case YMD:
		yearAt, monthAt, domAt = 0, 1, 2
	case MDY:
		monthAt, domAt = 0, 1
	}

	yearDigits := c.digits[yearAt]
	if yearDigits != 4 && (yearDigits != 2 || c.hasLongYear()) {
		return Day{}, false
	}
	return New(fullYear(c.numbers[yearAt], yearDigits), c.numbers[monthAt], c.numbers[domAt])
}

func (c Cell) hasLongYear() bool { return c.digits[0] == 4 || c.digits[2] == 4 }

// fullYear completes a year of two digits.
func fullYear(year, digits int) int {
	if digits == 4 {
		return year
	}
	if year >= 70 {
		return 1900 + year
	}
	return 2000 + year
}
