package framework

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// plainly are reasons that leave no doubt: what changes is no text.
var plainly = []string{
	"code is added or removed", "code changes at", "a key is added", "tags ", "a file is added", "the file steers", "columns are", "the names of the columns", "an instruction changes",
	"a comment changes that a tool obeys", "what a program fills", "a property is added",
}

// sureOfLogic returns the confidence that a hunk is not plain data. It is low for text that
// looks like wording and for an unknown format.
func (f changedFile) sureOfLogic(h hunk, why string) string {
	if f.whole || strings.HasPrefix(why, "the file steers") {
		return High
	}
	if why == unreadable || resemblesWording(h) {
		return Low
	}
	if slices.ContainsFunc(plainly, func(reason string) bool { return strings.HasPrefix(why, reason) }) {
		return High
	}
	return Medium
}

// sureOfData says how sure it is that a hunk is plain data: of a file that holds nothing but
// texts more than of a text in a program, and of that more than of a sentence in a list.
func (f changedFile) sureOfData(h hunk) string {
	kind := kindOf(f.name)
	gone, fresh := h.changed()
	inList := kind == ".json" && slices.ContainsFunc(slices.Concat(gone, fresh), listed.MatchString)
	documented := kind == ".py" &&
		strings.Contains(strings.Join(h.after, "\n"), `"""`) // some of it is for models
	switch {
	case kind == ".ipynb", inList, documented, f.name == "":
		return Low
	case slices.Contains(prose, kind), kind == "plain", kind == ".po", translated.MatchString(f.name):
		return High
	}
	return Medium
}

// sentences are runs of words as people write them.
var sentences = regexp.MustCompile(`[\p{L}'’]+(?:[ ,]+[\p{L}'’]+){2,}`)

// resemblesWording reports whether what changes in a line lies in a run of words.
func resemblesWording(h hunk) bool {
	gone, fresh := h.changed()
	if len(gone) != len(fresh) {
		return slices.ContainsFunc(slices.Concat(gone, fresh), func(line string) bool {
			return len(words(sentences.FindString(line))) > 3
		})
	}

	for i := range gone {
		from, to := difference(gone[i], fresh[i])
		for _, run := range sentences.FindAllStringIndex(fresh[i], -1) {
			if run[0] <= from && to <= run[1] {
				return true
			}
		}
	}

	return false
}

// difference is where the second text differs from the first, in whole words.
func difference(old, now string) (from, to int) {
	from = commonPrefix(old, now)
	to = len(now) - commonSuffix(old[from:], now[from:])

	isOfWord := func(c byte) bool { return c >= 0x80 || unicode.IsLetter(rune(c)) }
	for from > 0 && isOfWord(now[from-1]) {
		from--
	}
	for to < len(now) && isOfWord(now[to]) {
		to++
	}

	return from, to
}

// commonPrefix is the number of bytes with which both texts begin.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// commonSuffix is the number of bytes with which both texts end.
func commonSuffix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
