package lint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"governance.internal/shared/secretscan"
)

// place is the place of a value in the document: the parent's place, the key or index, and the
// offset. It becomes a JSON pointer only when a finding needs one.
type place struct {
	parent *place
	key    string
	index  int // of an array item; -1 for a member
	off    int
}

func (p *place) member(key string, n *node) *place {
	return &place{
		parent: p,
		key:    key,
		index:  -1,
		off:    n.off,
	}
}

func (p *place) item(i int, n *node) *place {
	return &place{parent: p, index: i, off: n.off}
}

// token returns the last reference token.
func (p *place) token() string {
	if p.index >= 0 {
		return strconv.Itoa(p.index)
	}
	return p.key
}

// comparePlaces orders places as their JSON pointers are ordered, without writing those: keys may be
// long, and thousands of places may share them.
func comparePlaces(a, b *place) int {
	var chainA, chainB [2 * maxDepth]*place
	fromRoot := func(p *place, chain []*place) []*place {
		i := len(chain)
		for ; p.parent != nil; p = p.parent {
			i--
			chain[i] = p
		}
		return chain[i:]
	}
	as := fromRoot(a, chainA[:])

	bs := fromRoot(b, chainB[:])
	for i := 0; i < len(as) && i < len(bs); i++ {
		if as[i] == bs[i] {
			continue
		}
		if x, y := as[i].token(), bs[i].token(); x != y {
			x = escapeToken.Replace(x)
			y = escapeToken.Replace(y)
			return strings.Compare(x+slash(len(as) > i+1), y+slash(len(bs) > i+1))
		}
	}

	return len(as) - len(bs)
}

func slash(follows bool) string {
	if follows {
		return "/"
	}
	return ""
}

// keys returns the reference tokens from the root down.
func (p *place) keys() []string {
	if p == nil || p.parent == nil {
		return nil
	}
	return append(p.parent.keys(), p.token())
}

// pointer writes reference tokens as a JSON pointer (RFC 6901).
func pointer(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteByte('/')
		b.WriteString(escapeToken.Replace(masked(k)))
	}
	return b.String()
}

// mask stands for text that may hold a secret.
const mask = "[redacted]"

// masked replaces a key or name that may itself hold a secret: for example a token in the
// wrong column.
func masked(name string) string {
	if len(secretscan.Scan(name)) > 0 || generated(name) {
		return mask
	}
	return name
}

// generated reports whether a name has a run that looks like a credential rather than like words:
// 12 or more letters and digits that change class often.
func generated(name string) bool {
	start := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && isAlphanumeric(name[i]) {
			continue
		}
		if i-start >= 12 && mixed(name[start:i]) {
			return true
		}
		start = i + 1
	}
	return false
}

func mixed(run string) bool {
	changes, digits := 0, 0
	for i := 0; i < len(run); i++ {
		digit := run[i] <= '9'
		if digit {
			digits++
		}
		if i > 0 && digit != (run[i-1] <= '9') {
			changes++
		}
	}

	if len(run) >= 24 {
		return digits >= 2 || secretscan.EntropyMilli(run) >= 4200
	}
	return digits >= 3 && changes >= 4
}

// display makes a name safe to print: control, bidirectional, zero-width and other invisible
// characters are written as \u escapes, so that a name cannot rewrite the line it is printed on.
func display(s string) string {
	clean := true
	for _, r := range s {
		if !printable(r) {
			clean = false
			break
		}
	}

	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case printable(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}

	return b.String()
}

// printable excludes what unicode.IsPrint lets through but terminals and browsers hide or reorder.
func printable(r rune) bool {
	return unicode.IsPrint(r) &&
		!unicode.Is(unicode.Cf, r) &&
		r != 0x115f &&
		r != 0x1160 &&
		r != 0x3164 &&
		r != 0xffa0 &&
		!(r >= 0xfe00 && r <= 0xfe0f)
}

// bounded cuts s to at most limit bytes at a character border and marks the cut.
func bounded(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
