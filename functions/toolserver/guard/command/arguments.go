package command

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// argument is a word of a command with its value, if it has just one.
type argument struct {
	word *syntax.Word
	text string
	ok   bool
}

// argumentAt is one argument, the zero value behind the last one.
func (c call) argumentAt(i int) argument {
	if i >= len(c.args) {
		return argument{}
	}
	return c.args[i]
}

// expand are the arguments that words become.
func (r *reader) expand(words []*syntax.Word) []argument {
	var args []argument
	for _, w := range words {
		if several, is := r.several(w); is {
			args = append(args, several...)
			continue
		}
		for _, choice := range choices(w) {
			text, ok := r.only(choice)
			isNothing := ok && text == "" && isBare(choice) // braces may choose nothing
			if !isNothing {
				args = append(args, argument{choice, text, ok && len(args) < maxFound})
			}
		}
	}
	return args
}

// only is the value of a word that becomes just one argument of one value.
func (r *reader) only(w *syntax.Word) (string, bool) {
	values := r.parts(w.Parts, false)
	if len(values) != 1 {
		return "", false
	}
	return values[0].text, values[0].known
}

// several are the arguments of a word that is nothing but a list of them, or a value that the
// shell splits.
func (r *reader) several(w *syntax.Word) ([]argument, bool) {
	p, inQuotes := onlyVariable(w)
	if p == nil || transforms(p) {
		return nil, false
	}

	isSplit := !inQuotes && p.Index == nil && !r.splits
	switch p.Param.Value {
	case "@":
		return r.eachArgument()
	case "*":
		if !inQuotes {
			return r.eachArgument()
		}
	}
	if !isSplit {
		return nil, false
	}
	return r.splitUp(w, p)
}

// eachArgument are the arguments of the shell, one by one.
func (r *reader) eachArgument() ([]argument, bool) {
	return r.argumentsOf(r.arguments), r.arguments != nil && !r.shifted
}

// onlyVariable is the variable that a word is, nil if it is something else.
func onlyVariable(w *syntax.Word) (p *syntax.ParamExp, inQuotes bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	part := w.Parts[0]
	if q, is := part.(*syntax.DblQuoted); is && len(q.Parts) == 1 {
		part, inQuotes = q.Parts[0], true
	}
	p, _ = part.(*syntax.ParamExp)
	if p != nil && p.Param == nil {
		return nil, false
	}
	return p, inQuotes
}

// splitUp are the arguments into which the shell splits the one value of a variable.
func (r *reader) splitUp(w *syntax.Word, p *syntax.ParamExp) ([]argument, bool) {
	values := r.parameter(p, false)
	if len(values) != 1 || !values[0].known {
		return nil, false
	}
	fields := [][]name{}
	for _, field := range r.fields(w) {
		fields = append(fields, []name{field})
	}
	return r.argumentsOf(fields), true
}

// transforms reports whether an expansion gives something else than the plain value.
func transforms(p *syntax.ParamExp) bool {
	replaces := p.Exp != nil || p.Slice != nil || p.Repl != nil
	counts := p.Length || p.Width || p.Names != 0
	return replaces || counts || p.Excl
}

func (r *reader) argumentsOf(values [][]name) []argument {
	args := []argument{}
	for _, each := range values {
		args = append(args, r.argumentOf(each))
	}
	return args
}

// argumentOf is an argument that may have several values.
func (r *reader) argumentOf(values []name) argument {
	if len(values) == 1 && values[0].known && !values[0].pattern {
		return argument{literal(values[0].text), values[0].text, true}
	}

	w := r.variableOf(values)
	if len(values) == 1 {
		return argument{w, values[0].text, values[0].known}
	}
	return argument{w, "", false}
}

// variableOf is a word that stands for some values.
func (r *reader) variableOf(values []name) *syntax.Word {
	variable := fmt.Sprintf(" %d", len(r.values))
	r.hold(variable, values)
	expansion := &syntax.ParamExp{Param: &syntax.Lit{Value: variable}}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{expansion}}}}
}

// each are the values that an argument may have; none if one of them is unknown.
func (r *reader) each(a argument) []name {
	values := r.names(a.word)
	if !allKnown(values) {
		return nil
	}
	return values
}

// roughly is the text of an argument in which a word stands for each variable that is not known: a
// program of another language in which a value is filled in. ok is false if more is hidden.
func (r *reader) roughly(a argument) (text string, ok bool) {
	if a.ok {
		return a.text, true
	}
	if a.word == nil {
		return "", false
	}
	if len(a.word.Parts) == 1 && isVariable(a.word.Parts[0]) {
		return "", false
	}
	return r.filledIn(a.word.Parts, false)
}

// isVariable reports whether a part of a word is nothing but a variable, or the output of a command.
func isVariable(part syntax.WordPart) bool {
	switch p := part.(type) {
	case *syntax.DblQuoted:
		return len(p.Parts) == 1 && isVariable(p.Parts[0])
	case *syntax.ParamExp, *syntax.CmdSubst:
		return true
	}
	return false
}

func (r *reader) filledIn(parts []syntax.WordPart, quoted bool) (string, bool) {
	all := ""
	for _, part := range parts {
		values := []name{}
		switch p := part.(type) {
		case *syntax.DblQuoted:
			text, ok := r.filledIn(p.Parts, true)
			values = append(values, name{text, ok, false})
		case *syntax.ParamExp:
			values = r.parameter(p, true)
			if len(values) == 1 && !values[0].known && p.Param != nil {
				values = []name{{"value", true, false}}
			}
		default:
			values = r.part(part, quoted)
		}
		if len(values) != 1 || !values[0].known {
			return "", false
		}
		all += values[0].text
	}
	return all, true
}
