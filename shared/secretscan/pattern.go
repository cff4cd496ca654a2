package secretscan

import (
	"strconv"
	"strings"
)

// pattern is what follows the mark of a token: pieces one after the other, each as long as it can
// be. A token never needs a way back, so matching is one pass, which no input can slow down.
type pattern []piece

// piece is a run of characters of one set, of a length between least and most.
type piece struct {
	set         *[256]bool
	least, most int
}

// compile reads the notation of regular expressions as far as tokens need it: characters, sets in
// brackets, and {n}, {n,} and {n,m} behind either. A "." is a plain dot.
func compile(expression string) pattern {
	var out pattern
	for i := 0; i < len(expression); {
		members := expression[i : i+1]
		if i++; members == "[" {
			end := i + strings.IndexByte(expression[i:], ']')
			members, i = expression[i:end], end+1
		}

		p := piece{charSet(members), 1, 1}
		if i < len(expression) && expression[i] == '{' {
			end := i + strings.IndexByte(expression[i:], '}')
			least, most, ranged := strings.Cut(expression[i+1:end], ",")
			p.least, _ = strconv.Atoi(least)
			if p.most = p.least; ranged {
				p.most = longestToken
			}
			if most != "" {
				p.most, _ = strconv.Atoi(most)
			}
			i = end + 1
		}

		out = append(out, p)
	}

	return out
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
