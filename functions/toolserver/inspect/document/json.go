package document

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/tailscale/hujson"
)

func parseJSON(text []byte) (*Node, error) {
	if nestedDeep(text) {
		return nil, errDeep
	}
	value, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}

	counted := &lines{text: text}
	return fromJSON(&value, counted), nil
}

// nestedDeep reports whether brackets nest deeper than allowed. Brackets inside of texts
// count as well: no real document comes near the limit.
func nestedDeep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

func fromJSON(v *hujson.Value, counted *lines) *Node {
	n := &Node{
		Start: v.StartOffset,
		End:   v.EndOffset,
		Line:  counted.line(v.StartOffset),
	}

	switch value := v.Value.(type) {
	case *hujson.Object:
		n.Kind = Object
		for i := range value.Members {
			m := &value.Members[i]
			n.Members = append(n.Members, Member{
				Name:  m.Name.Value.(hujson.Literal).String(),
				Start: m.Name.StartOffset,
				Value: fromJSON(&m.Value, counted),
			})
		}
	case *hujson.Array:
		n.Kind = List
		for i := range value.Elements {
			n.Items = append(n.Items, fromJSON(&value.Elements[i], counted))
		}
	case hujson.Literal:
		n.Text = textOfJSON(value)
		n.spell = spellJSON(value.Kind())
	}

	return n
}

// textOfJSON is the content of a string, and any other literal as it is written.
func textOfJSON(l hujson.Literal) string {
	if l.Kind() == '"' {
		return l.String()
	}
	return string(l)
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// spellJSON keeps a number a number, a truth value one, and a text a text.
func spellJSON(kind hujson.Kind) func(string) (string, error) {
	return func(text string) (string, error) {
		isTruth := text == "true" || text == "false"
		switch {
		case kind == '0' && !jsonNumber.MatchString(text):
			return "", errors.New("a number stands there, and the new value is none")
		case kind == '0', (kind == 't' || kind == 'f') && isTruth:
			return text, nil
		}
		return quoteJSON(text), nil
	}
}

// quoteJSON writes a string as a person would: without escapes for HTML.
func quoteJSON(text string) string {
	var out quoted
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // a string always encodes
	}
	return string(out[:len(out)-1]) // without the line break
}

type quoted []byte

func (q *quoted) Write(p []byte) (int, error) {
	*q = append(*q, p...)
	return len(p), nil
}
