// Package secretscan recognises credentials in single string values.
//
// A value is one of three things. A reference ("${GITHUB_TOKEN}", "op://vault/item") names a
// place where the secret lives. A placeholder ("<your key>", "changeme", "sk-xxxx") marks where
// a reader must put one. Everything else is literal text, and literal text is a secret when it
// has a provider's shape, when it sits in a connection string, or when the name beside it says
// so. The package answers those questions for one value at a time; what follows from the answer
// (a severity, a message, an exit code) is up to the caller.
//
// Every function is deterministic: no clock, no locale, no floating point. Nothing here keeps
// or logs the values it is given.
package secretscan

import (
	"cmp"
	"slices"
	"strings"
)

// Match is one secret found inside a value. Start and End are byte offsets of the secret
// itself, without the text that led to it: of a connection string only the password, of a PEM
// block only the body.
type Match struct {
	Provider string // stable kebab name, for example "github-token" or "connection-string-password"
	Start    int
	End      int
	Public   int // length of the fixed beginning that every token of the provider has ("github_pat_")
}

// Names of the matches that do not come from the provider table.
const (
	PrivateKey         = "private-key"
	ConnectionPassword = "connection-string-password"
)

// Scan returns the secrets whose shape alone gives them away: provider tokens, PEM private keys
// and passwords in connection strings. Masked and example tokens are left out. The matches are
// sorted by Start and do not overlap.
func Scan(value string) []Match {
	if len(value) < minSecret {
		return nil
	}
	found := append(scanPrivateKeys(value), scanProviders(value)...)
	found = append(found, scanConnections(value)...)
	if len(found) < 2 {
		return found
	}

	slices.SortStableFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept := found[:1]
	for _, m := range found[1:] {
		if m.Start >= kept[len(kept)-1].End {
			kept = append(kept, m)
		}
	}

	return kept
}

// minSecret is shorter than every provider pattern and than any "a://b:c@d".
const minSecret = 8

const pemHead, pemTail, pemDashes = "-----BEGIN ", "PRIVATE KEY", "-----"

// scanPrivateKeys finds PEM blocks. A key pasted into JSON often has literal "\n" or no line
// breaks at all, so only the armour is parsed.
func scanPrivateKeys(value string) []Match {
	var found []Match
	for from := 0; ; {
		start := strings.Index(value[from:], pemHead)
		if start < 0 {
			return found
		}

		from += start + len(pemHead)
		label, _, ok := strings.Cut(value[from:min(len(value), from+60)], pemDashes)
		if !ok || !strings.Contains(label, pemTail) {
			continue
		}

		start = from + len(label) + len(pemDashes)
		end := len(value)
		if at := strings.Index(value[start:], pemDashes); at >= 0 {
			end = start + at
		}

		if !emptyBody(value[start:end]) {
			found = append(found, Match{
				Provider: PrivateKey,
				Start:    start,
				End:      end,
			})
		}

		from = end
	}
}

// emptyBody reports whether the text inside the armour of a key is none: nothing, dots, a
// reference, or words that tell the reader to put the key there. A short body is a key all the same.
func emptyBody(body string) bool {
	body = lineBreaks.Replace(body)
	return !credentialRun(body) && Placeholder(body)
}

// lineBreaks are the ways in which the lines of a key are joined.
var lineBreaks = strings.NewReplacer("\r", " ", "\n", " ", `\\r`, " ", `\\n`, " ", `\r`, " ", `\n`, " ", `\`, " ")

// TokenLike reports whether a literal is long and varied enough to be a generated credential:
// at least 16 characters and 3 bits of entropy for each.
func TokenLike(literal string) bool {
	return len(literal) >= 16 && EntropyMilli(literal) >= 3000
}

// Opaque reports whether a value looks like a generated credential although nothing around it
// says so: one run of at least 32 letters and digits with lower case, upper case, several
// digits and 4.3 bits of entropy. Paths, UUIDs, digests and hyphenated words are not opaque.
func Opaque(value string) bool {
	if len(value) < 32 || len(value) > 4096 || EntropyMilli(value) < 4300 {
		return false
	}

	s, ok := shapeOf(value)
	return ok && s.lower && s.upper && s.digits >= 3 && s.longest >= 16
}

// shape is what a value is made of.
type shape struct {
	lower, upper bool
	digits       int
	run, longest int // letters and digits in a row
}

// shapeOf reports false for a value with a character that generated credentials do not have. The
// slash is one only beside other characters of base64.
func shapeOf(value string) (s shape, ok bool) {
	base64 := strings.ContainsAny(value, "+=")

	for i := range len(value) {
		switch c := value[i]; c {
		case '+', '=':
		case '-', '_':
			s.run = 0
		case '/':
			if !base64 {
				return s, false
			}
		default:
			if !isWordByte(c) {
				return s, false
			}
			s.add(c)
		}
	}

	return s, true
}

func (s *shape) add(c byte) {
	switch {
	case isLower(c):
		s.lower = true
	case isUpper(c):
		s.upper = true
	default:
		s.digits++
	}

	s.run++
	s.longest = max(s.longest, s.run)
}

func distinctBytes(s string) int {
	var seen [256]bool
	n := 0
	for i := 0; i < len(s); i++ {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}
