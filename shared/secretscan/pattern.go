package secretscan

import (
	"strconv"
	"strings"
)

// pattern is what follows the mark of a token: pieces in sequence, each as long as
// possible. Matching never backtracks, so it takes one pass whatever the input.
type pattern []piece

// piece is a run of least to most characters of one set.
type piece struct {
	set         *[256]bool
	least, most int
}

// compile reads the notation of regular expressions as far as tokens need it: characters, sets in
// brackets, and {n}, {n,} and {n,m} after either. A "." is a plain dot.
func compile(expression string) pattern {
	var out pattern
	for i := 0; i < len(expression); {
		members := expression[i : i+1]
		i++
		if members == "[" {
			end := i + strings.IndexByte(expression[i:], ']')
			members = expression[i:end]
			i = end + 1
		}

		p := piece{charSet(members), 1, 1}
		if i < len(expression) && expression[i] == '{' {
			end := i + strings.IndexByte(expression[i:], '}')
			p.least, p.most = repetitions(expression[i+1 : end])
			i = end + 1
		}

		out = append(out, p)
	}

	return out
}

// repetitions reads the inside of {n}, {n,} or {n,m}.
func repetitions(s string) (least, most int) {
	from, to, ranged := strings.Cut(s, ",")
	least, _ = strconv.Atoi(from)

	switch {
	case !ranged:
		most = least
	case to == "":
		most = longestToken
	default:
		most, _ = strconv.Atoi(to)
	}
	return least, most
}

// charSet reads the inside of brackets: characters and ranges such as a-z; a "-" at the end stands
// for itself.
func charSet(members string) *[256]bool {
	set := new([256]bool)
	for i := 0; i < len(members); i++ {
		from := members[i]
		to := members[i]
		if i+2 < len(members) && members[i+1] == '-' {
			to = members[i+2]
			i += 2
		}

		for c := int(from); c <= int(to); c++ {
			set[c] = true
		}
	}
	return set
}

// match returns the length of the text at the start of s that the pattern covers, or -1.
func (p pattern) match(s string) int {
	size := 0
	for _, part := range p {
		n := 0
		for n < part.most && size+n < len(s) && part.set[s[size+n]] {
			n++
		}
		if n < part.least {
			return -1
		}
		size += n
	}
	return size
}
