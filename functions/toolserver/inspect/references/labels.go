package references

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

var labelStart = regexp.MustCompile(`^[A-Za-z]`)

var labelled = regexp.MustCompile(`^\]\[([A-Za-z][\w .:/-]*)?\]`)

// addUndefined adds the label of a link [text][label] whose text ends at an offset.
func (p *page) addUndefined(end int) {
	match := labelled.FindSubmatch(p.source[end:])
	if match == nil {
		return
	}
	from := max(0, end-mostAround)
	start := from + bytes.LastIndexByte(p.source[from:end], '[')
	if start < from || bytes.ContainsAny(p.source[start:end], "\n`") {
		return
	}
	if start > 0 && !bytes.ContainsAny(p.source[start-1:start], " \t\n(*_|>!\"'") {
		return // it is an index: a[0][n]
	}

	words := p.source[start+1 : end]
	label := match[1]
	if len(label) == 0 {
		label = words
	} else if bytes.EqualFold(label, words) {
		return // these are keys: [tab][tab]
	}

	if len(label) > 1 && labelStart.Match(label) {
		p.labels = append(p.labels, target{string(label), end})
	}
}

var definition = regexp.MustCompile(`(?m)^[ \t>*+-]*\[([^\[\]\n]{1,999})\]:[ \t]*(?:\n[ \t>]*)?(<[^>\n]*>|\S+)`)

// definitions adds what the labels of the page stand for, used or not.
func (p *page) definitions(context parser.Context, code map[int]bool) {
	for _, m := range definition.FindAllSubmatchIndex(p.source, -1) {
		label := p.source[m[2]:m[3]]
		known, ok := context.Reference(util.ToLinkReference(label))
		if !ok || code[p.line(m[2])] {
			continue
		}

		offset := m[4]
		written := p.source[offset:m[5]]
		destination := bytes.TrimPrefix(written, []byte("<"))
		destination = bytes.TrimSuffix(destination, []byte(">"))
		if bytes.Equal(destination, known.Destination()) {
			p.links = append(p.links, target{plain(destination), offset})
		}
	}
}

// looksDefined reports whether a line looks like the definition of a label, even if it is not one
// where it stands: some generators are less strict.
func (p *page) looksDefined(label string) bool {
	if p.defs == nil {
		p.defs = map[string]bool{}
		for _, m := range definition.FindAllSubmatch(p.source, -1) {
			p.defs[normal(string(m[1]))] = true
		}
	}
	return p.defs[normal(label)]
}

func normal(label string) string {
	return strings.ToLower(strings.TrimSpace(label))
}
