package scan

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed kinds.txt
var kindsText string

// kinds holds the number of the kind of each word: words of a kind mean something similar. The command
// "make train-therapy" makes them from the vectors of words.
var kinds = sync.OnceValue(func() map[string]string {
	numbers := map[string]string{}
	number := 0
	for line := range strings.Lines(kindsText) {
		number++
		name := strconv.Itoa(number)
		for word := range strings.FieldsSeq(line) {
			numbers[word] = name
		}
	}
	return numbers
})
