package amount

import (
	"errors"
	"fmt"
	"strings"
)

// Style is how a column writes numbers.
type Style struct {
	Decimal rune // '.' or ',', 0 where no cell has decimals
}

// Ambiguous says that the cells of a column do not tell which separator marks decimals.
type Ambiguous struct {
	Samples []string
	Detail  string
}

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%s: %s", e.Detail, strings.Join(e.Samples, ", "))
}

// Unknown is the number of decimals of a column whose currency is not known.
const Unknown = -1

// Infer decides for all cells of money of a file together. decimals is the number of minor-unit digits
// of its currency, or Unknown.
func Infer(cells []Cell, decimals int) (Style, error) {
	votes := map[rune]string{}
	unclear := map[rune]string{}

	for _, cell := range cells {
		decimal, clear := vote(cell.Body)
		if decimal == 0 {
			continue
		}

		if clear && votes[decimal] == "" {
			votes[decimal] = cell.Body
		}
		if !clear && unclear[decimal] == "" {
			unclear[decimal] = cell.Body
		}
	}

	if len(votes) == 2 {
		return Style{}, &Ambiguous{
			Samples: []string{votes['.'], votes[',']},
			Detail:  "the amounts use both the point and the comma for decimals",
		}
	}

	for decimal := range votes {
		return Style{decimal}, nil
	}
	return byCurrency(unclear, decimals)
}

// byCurrency decides a column in which every separator has three digits behind it.
func byCurrency(unclear map[rune]string, decimals int) (Style, error) {
	if len(unclear) == 0 {
		return Style{}, nil
	}

	samples := []string{}
	for _, separator := range []rune{'.', ','} {
		if unclear[separator] != "" {
			samples = append(samples, unclear[separator])
		}
	}

	if decimals == Unknown || len(unclear) == 2 {
		return Style{}, &Ambiguous{samples, "the amounts do not show whether the separator groups thousands or marks decimals"}
	}

	separator := '.'
	if unclear[','] != "" {
		separator = ','
	}
	if decimals == 3 {
		return Style{separator}, nil
	}
	return Style{other(separator)}, nil
}

func other(separator rune) rune {
	if separator == '.' {
		return ','
	}
	return '.'
}

// vote says which separator marks decimals in one body. A separator with three digits behind it may do
// either; it is then returned with clear false.
func vote(body string) (decimal rune, clear bool) {
	points, commas, last, behind := runesOf(body)

	if points+commas == 0 {
		return 0, false
	}
	if points > 0 && commas > 0 {
		return last, true
	}
	if points+commas > 1 {
		return other(last), true
	}
	if len(behind) != 3 || startsDecimals(body) {
		return last, true
	}
	return last, false
}

// startsDecimals reports whether what stands before the only separator is no group of thousands.
func startsDecimals(body string) bool {
	at := strings.IndexAny(body, ".,")
	before := body[:at]

	grouped := strings.IndexFunc(before, isGroup) >= 0
	return before == "" || before == "0" || len(before) > 3 || grouped
}

var (
	errGroups   = errors.New("has digits in groups that are no thousands")
	errDecimals = errors.New("has more decimals than its currency")
	errTooLarge = errors.New("is too large")
)

// Minor is the amount of a cell in minor units of a currency with so many decimals. The sign is that of
// the cell.
func (s Style) Minor(c Cell, decimals int) (int64, error) {
	whole, fraction, err := s.split(c.Body)
	if err != nil {
		return 0, err
	}

	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > decimals {
		return 0, errDecimals
	}
	digits := strings.TrimLeft(whole+fraction+strings.Repeat("0", decimals-len(fraction)), "0")

	const mostDigits = 17 // sums of many amounts must fit 64 bits
	if len(digits) > mostDigits {
		return 0, errTooLarge
	}

	minor := int64(0)
	for _, digit := range []byte(digits) {
		minor = minor*10 + int64(digit-'0')
	}
	if c.Negative {
		minor = -minor
	}
	return minor, nil
}

// split removes grouping.
func (s Style) split(body string) (whole, fraction string, err error) {
	whole = body
	if s.Decimal != 0 {
		before, behind, found := strings.Cut(body, string(s.Decimal))
		if found {
			whole, fraction = before, behind
		}
	}

	if strings.ContainsFunc(fraction, isSeparator) {
		return "", "", errGroups
	}

	groups := strings.FieldsFunc(whole, isSeparator)
	if !areThousands(groups) {
		return "", "", errGroups
	}
	return strings.Join(groups, ""), fraction, nil
}

// areThousands accepts groups of three digits, and of two before the last three as in India.
func areThousands(groups []string) bool {
	if len(groups) < 2 {
		return true
	}

	last := len(groups) - 1
	if len(groups[last]) != 3 || len(groups[0]) > 3 {
		return false
	}

	size := 0
	for _, group := range groups[1:last] {
		if size == 0 {
			size = len(group)
		}
		if len(group) != size || size != 3 && size != 2 {
			return false
		}
	}
	return true
}
