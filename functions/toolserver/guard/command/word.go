package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// name is what a word may become.
type name struct {
	text    string
	known   bool
	pattern bool // the shell replaces it by the files that match, or it stands for several texts
}

// number stands for any number.
var number = name{text: "[0-9]*", known: true, pattern: true}

// something stands for any text without a slash.
var something = name{text: "*", known: true, pattern: true}

// mostValues is how many values a word may have before it is unknown.
const mostValues = 64

// longestValue is how long a value may be, in bytes, before it is unknown: a short text can double one many
// times.
const longestValue = 64 << 10

// names are what a word may become, once its braces are chosen from.
func (r *reader) names(w *syntax.Word) []name {
	var all []name
	for _, choice := range choices(w) {
		all = append(all, r.fields(choice)...)
		if len(all) > maxFound {
			return []name{{}}
		}
	}
	return all
}

// fields are what a word without braces may become. The shell splits the value of a variable
// without quotes at blanks.
func (r *reader) fields(w *syntax.Word) []name {
	if len(w.Parts) != 1 {
		return r.parts(w.Parts, false)
	}

	var values []name
	switch p := w.Parts[0].(type) {
	case *syntax.ParamExp:
		values = r.parameter(p, false)
	case *syntax.CmdSubst:
		values = r.substitute(p)
	default:
		return r.parts(w.Parts, false)
	}

	var all []name
	for _, value := range values {
		if !value.known || r.splits {
			return []name{{}}
		}
		for field := range strings.FieldsSeq(value.text) {
			all = append(all, name{field, true, value.pattern || hasPattern(field)})
		}
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
	values := r.parts(w.Parts, false)
	if len(values) != 1 {
		return "", false
	}
	return values[0].text, values[0].known
}

// parts are the texts that the parts of a word may make together. Inside of quotes no character
// is special.
func (r *reader) parts(parts []syntax.WordPart, quoted bool) []name {
	all := []name{{known: true}}
	for _, part := range parts {
		all = product(all, r.part(part, quoted))
		if len(all) > mostValues {
			return []name{{}}
		}
	}
	return all
}

// unsplitParts are the texts of a word that the shell does not split, such as a value that is assigned.
func (r *reader) unsplitParts(w *syntax.Word) []name {
	all := []name{{known: true}}
	for _, part := range w.Parts {
		_, isVariable := part.(*syntax.ParamExp)
		_, isOutput := part.(*syntax.CmdSubst)
		all = product(all, r.part(part, isVariable || isOutput))
		if len(all) > mostValues {
			return []name{{}}
		}
	}
	return all
}

// product are all values of one list with all of another behind them.
func product(a, b []name) []name {
	all := make([]name, 0, len(a)*len(b))
	for _, before := range a {
		for _, after := range b {
			if len(before.text)+len(after.text) > longestValue {
				all = append(all, name{})
				continue
			}
			all = append(all, name{
				text:    before.text + after.text,
				known:   before.known && after.known,
				pattern: before.pattern || after.pattern,
			})
		}
	}
	return all
}

// part are the texts that one part of a word may make.
func (r *reader) part(part syntax.WordPart, quoted bool) []name {
	switch p := part.(type) {
	case *syntax.Lit:
		return []name{r.bare(p, quoted)}
	case *syntax.SglQuoted:
		return []name{r.inSingleQuotes(p)}
	case *syntax.DblQuoted:
		return r.parts(p.Parts, true)
	case *syntax.ParamExp:
		return r.unsplit(r.parameter(p, quoted), quoted)
	case *syntax.CmdSubst:
		return r.unsplit(r.substitute(p), quoted)
	case *syntax.ArithmExp:
		return []name{number}
	}
	return []name{{}} // processes, extended patterns
}

func (r *reader) bare(p *syntax.Lit, quoted bool) name {
	isPattern := hasPattern(p.Value) && (!quoted || r.patterned)
	return name{unescape(p.Value, quoted), true, isPattern}
}

func (r *reader) inSingleQuotes(p *syntax.SglQuoted) name {
	text, ok := p.Value, true
	if p.Dollar {
		text, ok = ansi(p.Value)
	}
	return name{text, ok, r.patterned && hasPattern(text)}
}

// unsplit are values inside of a word. Without quotes the shell splits them at blanks, and matches
// files by them.
func (r *reader) unsplit(values []name, quoted bool) []name {
	if quoted {
		return values
	}
	values = slices.Clone(values)
	for i, value := range values {
		values[i].known = value.known && !r.splits && !strings.ContainsAny(value.text, " \t\n")
		values[i].pattern = value.pattern || hasPattern(value.text)
	}
	return values
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
