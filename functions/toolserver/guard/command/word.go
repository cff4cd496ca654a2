package command

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// name is what a word becomes.
type name struct {
	text    string
	known   bool
	pattern bool // the shell replaces it by the files that match
}

// names are what a word becomes once its braces are chosen from.
func (r *reader) names(w *syntax.Word) []name {
	var all []name
	for _, choice := range choices(w) {
		text, known, pattern := r.parts(choice.Parts, false)
		all = append(all, name{text, known, pattern})
	}
	return all
}

// choices are the words that the braces of one make; the word itself if they are too many,
// which has no known value then.
func choices(w *syntax.Word) []*syntax.Word {
	var all []*syntax.Word
	for choice, err := range expand.BracesSeq(nil, &syntax.Word{Parts: splitBraces(w)}) {
		if err != nil || len(all) == maxFound {
			return []*syntax.Word{{Parts: splitBraces(w)}}
		}
		all = append(all, choice)
	}
	return all
}

func splitBraces(w *syntax.Word) []syntax.WordPart {
	copied := &syntax.Word{Parts: append([]syntax.WordPart{}, w.Parts...)}
	syntax.SplitBraces(copied)
	return copied.Parts
}

// known is the value of a word that has just one.
func (r *reader) known(w *syntax.Word) (string, bool) {
	text, known, _ := r.parts(w.Parts, false)
	return text, known
}

// parts joins the parts of a word. Inside of quotes no character is special.
func (r *reader) parts(parts []syntax.WordPart, quoted bool) (text string, known, pattern bool) {
	var b strings.Builder
	known = true
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			value := p.Value
			if !quoted {
				pattern = pattern || hasPattern(value)
			}
			b.WriteString(unescape(value, quoted))
		case *syntax.SglQuoted:
			value := p.Value
			ok := true
			if p.Dollar {
				value, ok = ansi(p.Value)
			}
			known = known && ok
			b.WriteString(value)
		case *syntax.DblQuoted:
			value, ok, _ := r.parts(p.Parts, true)
			known = known && ok
			b.WriteString(value)
		case *syntax.ParamExp:
			value, ok := r.parameter(p)
			if !quoted { // the shell splits the value and matches files by it
				ok, pattern = ok && !r.splits && !strings.ContainsAny(value, " \t\n"), pattern || hasPattern(value)
			}
			known = known && ok
			b.WriteString(value)
		default: // commands, arithmetic, processes, extended patterns
			known = false
		}
	}

	return b.String(), known, pattern
}

// parameter is the value of a variable that the command itself set.
func (r *reader) parameter(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || transforms(p) {
		return "", false
	}
	if p.Param.Value == "PWD" {
		return ".", r.dir == ""
	}

	value, ok := r.variables[p.Param.Value]
	return value, ok
}

// transforms reports whether an expansion gives something else than the plain value.
func transforms(p *syntax.ParamExp) bool {
	replaces := p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil
	counts := p.Length || p.Width || p.Names != 0
	return replaces || counts || p.Excl
}

// hasPattern reports whether a bare text has characters that the shell matches files by.
func hasPattern(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// unescape takes the backslashes away that the shell takes away.
func unescape(text string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' &&
			i+1 < len(text) &&
			(!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue
			}
		}

		b.WriteByte(text[i])
	}
	return b.String()
}

// ansi is the value of $'…'.
func ansi(text string) (string, bool) {
	value, _, err := expand.Format(nil, text, nil)
	return value, err == nil
}
