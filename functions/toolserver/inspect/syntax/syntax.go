// Package syntax parses texts with the parser of their language and reports syntax errors.
// It runs nothing. Languages without a parser are reported as such.
package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"path"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"
)

// mostProblems bounds the problems reported for a text.
const mostProblems = 20

var checks = map[string]struct {
	language string
	check    func([]byte) []string
}{
	".go":   {"Go", golang},
	".json": {"JSON", object},
	".yaml": {"YAML", documents}, ".yml": {"YAML", documents},
	".sh": {"shell", shell}, ".bash": {"shell", shell},
}

// Check reads a text in the language that its name ends with. The language is "" if none
// is known here. No problem means that all of the text was read.
func Check(name string, text []byte) (language string, problems []string) {
	c, ok := checks[path.Ext(name)]
	if !ok {
		return "", nil
	}
	return c.language, c.check(text)
}

func golang(text []byte) (problems []string) {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.AllErrors|parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) {
		for _, each := range list[:min(len(list), mostProblems)] {
			problems = append(problems, fmt.Sprintf("line %d: %s", each.Pos.Line, each.Msg))
		}
		return problems
	}

	if err != nil {
		return []string{"it is no Go"}
	}
	return nil
}

func object(text []byte) []string {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var value any
	err := decoder.Decode(&value)
	if err == nil {
		if _, more := decoder.Token(); more == io.EOF {
			return nil
		}
		err = errors.New("there is something after the value")
	}

	at := int(decoder.InputOffset())
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = int(bad.Offset)
	}

	return []string{fmt.Sprintf("line %d: %s", bytes.Count(text[:min(at, len(text))], []byte("\n"))+1, err)}
}

func documents(text []byte) []string {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var node yaml.Node
		switch err := decoder.Decode(&node); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return []string{err.Error()}
		}
	}
}

func shell(text []byte) []string {
	_, err := syntax.NewParser().Parse(bytes.NewReader(text), "")
	var at syntax.ParseError
	if errors.As(err, &at) {
		return []string{fmt.Sprintf("line %d: %s", at.Pos.Line(), at.Text)}
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}
