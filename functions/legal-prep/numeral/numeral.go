// Package numeral reads numbers that are written in words.
package numeral

import "strings"

var small = map[string]int64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
	"fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var scales = map[string]int64{
	"thousand": 1_000,
	"million":  1_000_000,
	"billion":  1_000_000_000,
}

// Pattern matches a number in words, in lower case.
const Pattern = `\b(?:` + word + `)(?:(?:[ -]|, | and )(?:` + word + `))*\b`

const word = `zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion`

// Parse returns the value of a number in words; ok is false for other words.
func Parse(words string) (value int64, ok bool) {
	words = strings.ToLower(words)
	words = strings.NewReplacer("-", " ", ",", " ").Replace(words)

	var total, part int64
	for _, w := range strings.Fields(words) {
		if w == "and" {
			continue
		}
		if n, known := small[w]; known {
			part += n
			ok = true
			continue
		}
		if w == "hundred" {
			part = max(part, 1) * 100
			ok = true
			continue
		}
		scale, known := scales[w]
		if !known {
			return 0, false
		}
		total += max(part, 1) * scale
		part = 0
		ok = true
	}
	return total + part, ok
}
