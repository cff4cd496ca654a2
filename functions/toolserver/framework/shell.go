package framework

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// span is a part of a script with what it is.
type span struct {
	from, to uint
	lexemes  []lexeme
}

// lexShell reads a script with a parser of the shell. Quoted arguments are texts, with
// the program that gets them as the name of a call; all else is compared as it stands.
func lexShell(text string) ([]lexeme, bool) {
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}

	var spans []span
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl: // programs read what is printed in them
			return false
		case *syntax.BinaryCmd:
			return n.Op != syntax.Pipe && n.Op != syntax.PipeAll
		case *syntax.Stmt:
			return len(n.Redirs) == 0
		case *syntax.Comment:
			spans = append(spans, span{n.Pos().Offset(), n.End().Offset(), []lexeme{{"comment", "#" + n.Text}}})
		case *syntax.CallExpr:
			spans = append(spans, quotedArguments(n)...)
		}
		return true
	})

	slices.SortFunc(spans, func(a, b span) int { return int(a.from) - int(b.from) })
	var list []lexeme
	at := uint(0)
	for _, s := range spans {
		if s.from < at { // in a part that is compared as a whole
			continue
		}
		list = append(append(list, lexeme{"sign", text[at:s.from]}), s.lexemes...)
		at = s.to
	}

	return append(list, lexeme{"sign", text[at:]}), true
}

// quotedArguments are the arguments of a call that are nothing but a quoted text.
func quotedArguments(n *syntax.CallExpr) (spans []span) {
	for i, word := range n.Args {
		value, ok := quotedText(word)
		if i == 0 || !ok {
			continue
		}
		call := []lexeme{{"word", n.Args[0].Lit()}, {"sign", "("}, {"text", value}, {"sign", ")"}}
		spans = append(spans, span{word.Pos().Offset(), word.End().Offset(), call})
	}
	return spans
}

func quotedText(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 && !part.Dollar {
			if literal, ok := part.Parts[0].(*syntax.Lit); ok {
				return literal.Value, !strings.Contains(literal.Value, `\`)
			}
		}
	}
	return "", false
}
