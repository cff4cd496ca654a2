package risks

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"governance.internal/functions/legal-prep/text"
)

// pattern is an expression with the words that a match cannot do without: one of each group.
type pattern struct {
	*regexp.Regexp
	groups [][]string
}

func compile(expression string) pattern {
	p := pattern{Regexp: regexp.MustCompile(expression)}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err == nil {
		p.groups = groupsOf(tree)
	}
	return p
}

// groupsOf returns groups of literals, one of each of which is part of every match.
func groupsOf(tree *syntax.Regexp) [][]string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return [][]string{{string(tree.Rune)}}
	case syntax.OpConcat:
		var all [][]string
		for _, part := range tree.Sub {
			all = append(all, groupsOf(part)...)
		}
		return all
	case syntax.OpAlternate:
		return eitherOf(tree.Sub)
	case syntax.OpCapture, syntax.OpPlus:
		return groupsOf(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return groupsOf(tree.Sub[0])
		}
	}
	return nil
}

// eitherOf joins the best group of each branch; a branch without one leaves none.
func eitherOf(branches []*syntax.Regexp) [][]string {
	var joined []string
	for _, branch := range branches {
		var best []string
		for _, group := range groupsOf(branch) {
			if shortest(group) > shortest(best) {
				best = group
			}
		}
		if best == nil {
			return nil
		}
		joined = append(joined, best...)
	}
	return [][]string{joined}
}

func shortest(group []string) int {
	if len(group) == 0 {
		return 0
	}

	length := len(group[0])

	for _, literal := range group {
		length = min(length, len(literal))
	}
	return length
}

// prefilter knows in which sentences a literal stands.
type prefilter struct {
	text  string
	owner []int32 // byte of the text -> sentence, -1 between sentences
	count int
	known map[string][]bool
}

func newPrefilter(t *text.Text, sentences []text.Span) *prefilter {
	f := &prefilter{
		text:  t.Lower,
		owner: make([]int32, len(t.Lower)),
		count: len(sentences),
		known: map[string][]bool{},
	}

	for i := range f.owner {
		f.owner[i] = -1
	}

	for n, s := range sentences {
		for i := s.Start; i < s.End; i++ {
			f.owner[i] = int32(n)
		}
	}
	return f
}

// with returns the sentences in which a literal starts.
func (f *prefilter) with(literal string) []bool {
	if marks, ok := f.known[literal]; ok {
		return marks
	}

	marks := make([]bool, f.count)

	for at := 0; ; {
		next := strings.Index(f.text[at:], literal)
		if next < 0 {
			break
		}
		at += next
		if owner := f.owner[at]; owner >= 0 {
			marks[owner] = true
		}
		at++
	}

	f.known[literal] = marks

	return marks
}

// candidates returns the sentences that may match a pattern.
func (f *prefilter) candidates(p pattern) []bool {
	possible := make([]bool, f.count)
	for i := range possible {
		possible[i] = true
	}

	for _, group := range p.groups {
		if shortest(group) < 2 {
			continue // a letter stands everywhere
		}
		either := make([]bool, f.count)
		for _, literal := range group {
			for i, here := range f.with(literal) {
				either[i] = either[i] || here
			}
		}
		for i := range possible {
			possible[i] = possible[i] && either[i]
		}
	}
	return possible
}
