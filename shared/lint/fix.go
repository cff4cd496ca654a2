package lint

import (
	"encoding/json"
	"slices"
	"strings"
)

// Repair is one edit of a document: the new text of a JSON string or literal.
type Repair struct {
	Rule         string
	Server       string
	Line, Column int    // of the value, both from 1
	Before       string // as the document has it
	After        string // as it is now
}

// Fix repairs the findings that have one right answer and leaves every other byte as it is. It also
// reads JSON with comments and trailing commas. The repairs are in the order of the document; without
// any, the result is the document. The error is an *InputError.
//
// Repaired are: trust: true, switches and variables that turn certificate checks off, container
// ports that are published on every interface, and versions with a known fixed version. A repair that needs
// a decision is left alone: where a secret goes, which version to pin, which folder to hand over.
func Fix(doc []byte) ([]byte, []Repair, error) {
	r, _, err := judge(standardize(doc))
	if err != nil {
		return nil, nil, err
	}

	edits := slices.Clone(r.edits)
	slices.SortFunc(edits, func(a, b edit) int { return a.at.off - b.at.off })

	lines := newLineIndex(doc)
	var fixed []byte
	var repairs []Repair
	done := 0
	for _, e := range edits {
		token := tokenAt(doc, e.at.off)
		after, ok := e.apply(token)
		if !ok || e.at.off < done {
			continue
		}

		fixed = append(fixed, doc[done:e.at.off]...)
		fixed = append(fixed, after...)
		done = e.at.off + len(token)

		repair := Repair{
			Rule:   e.rule.Name,
			Server: e.server.name,
			Before: string(token),
			After:  string(after),
		}
		repair.Line, repair.Column = lines.position(e.at.off)
		repairs = append(repairs, repair)
	}

	return append(fixed, doc[done:]...), repairs, nil
}

// edit replaces old by new in the value at a place.
type edit struct {
	server   *server
	rule     *Rule
	at       *place
	old, new string
}

// repair records the one right answer to a finding.
func (r *report) repair(rule *Rule, at *place, old, new string) {
	r.edits = append(r.edits, edit{r.server, rule, at, old, new})
}

// apply returns the new token: a literal is replaced, in a string the old text must be all of it, the
// value of a flag, or the version of a package. Text that was split from a longer command line is
// left alone.
func (e edit) apply(token []byte) (after []byte, ok bool) {
	if string(token) == e.old {
		return []byte(e.new), true // true, false or a number
	}
	var text string
	if json.Unmarshal(token, &text) != nil {
		return nil, false
	}

	prefix, found := strings.CutSuffix(text, e.old)
	isWord := !strings.ContainsAny(prefix, " \t\r\n")
	isFlag := strings.HasPrefix(prefix, "-")
	isVersion := strings.HasPrefix(e.old, "@") || strings.HasPrefix(e.old, "==")
	if !found || !isWord || prefix != "" && !isFlag && !isVersion {
		return nil, false
	}

	after, err := json.Marshal(prefix + e.new)
	return after, err == nil
}

// tokenAt returns the string or literal that begins at an offset.
func tokenAt(doc []byte, off int) []byte {
	if off < len(doc) && doc[off] == '"' {
		return doc[off:endOfString(doc, off)]
	}
	end := off
	for end < len(doc) && strings.IndexByte(" \t\r\n,]}/", doc[end]) < 0 {
		end++
	}
	return doc[off:end]
}
