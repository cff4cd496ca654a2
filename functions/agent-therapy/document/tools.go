package document

import (
	"bytes"
	"encoding/json"
	"strings"
)

// readTools reads the tools of a list as a server or a provider of models takes it: objects with a
// name and a description. The statements are those of the descriptions.
func (d *Document) readTools() {
	walkStrings(d.Text, func(key string, at int, raw string) {
		switch key {
		case "name":
			d.Tools = append(d.Tools, Tool{Name: raw, At: at})
		case "description", "instructions":
			d.addDescription(at, raw)
		}
	})
}

// addDescription reads the statements of a description, whose first byte is at.
func (d *Document) addDescription(at int, raw string) {
	under := ""
	if n := len(d.Tools); n > 0 {
		d.Tools[n-1].Description += " " + raw
		under = d.Tools[n-1].Name
	}

	for _, s := range statements(readBlocks(withoutEscapes(raw), 0)) {
		s.Start += at
		s.End += at
		s.Under = append([]string{"tool " + under}, s.Under...)
		d.Statements = append(d.Statements, s)
	}
}

// withoutEscapes replaces the escapes of a JSON string by text of the same length.
func withoutEscapes(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}

	text := []byte(raw)
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		plain := escaped(text[i+1])
		text[i], text[i+1] = ' ', plain
		i++
	}
	return string(text)
}

func escaped(code byte) byte {
	switch code {
	case 'n', 'r':
		return '\n'
	case '"', '\\', '/':
		return code
	}
	return ' '
}

// walkStrings calls visit for each string that is a member of an object: with the name of the
// member, the first byte of the string and its raw text without quotes. It stops at an error.
func walkStrings(text string, visit func(key string, at int, raw string)) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	var stack []jsonLevel

	for {
		token, err := d.Token()
		if err != nil {
			return
		}

		switch t := token.(type) {
		case json.Delim:
			stack = nest(stack, t)
		case string:
			top := len(stack) - 1
			if top < 0 {
				continue
			}
			if stack[top].takesKey() {
				stack[top].key, stack[top].hasKey = t, true
				continue
			}
			end := int(d.InputOffset()) - 1
			visitString(text, end, stack[top], visit)
			stack[top].hasKey = false
		default:
			if top := len(stack) - 1; top >= 0 {
				stack[top].hasKey = false
			}
		}
	}
}

// jsonLevel is an object or a list that is being read.
type jsonLevel struct {
	object bool
	key    string
	hasKey bool
}

func (l jsonLevel) takesKey() bool { return l.object && !l.hasKey }

// nest enters or leaves a level.
func nest(stack []jsonLevel, d json.Delim) []jsonLevel {
	if d == '{' || d == '[' {
		if n := len(stack); n > 0 {
			stack[n-1].hasKey = false
		}
		return append(stack, jsonLevel{object: d == '{'})
	}
	return stack[:len(stack)-1]
}

// visitString finds the first quote of the string that ends at a byte.
func visitString(text string, end int, level jsonLevel, visit func(key string, at int, raw string)) {
	if !level.object {
		return
	}

	start := end - 1
	for start >= 0 && (text[start] != '"' || isEscapedQuote(text, start)) {
		start--
	}
	visit(level.key, start+1, text[start+1:end])
}

func isEscapedQuote(text string, at int) bool {
	slashes := 0
	for at-1-slashes >= 0 && text[at-1-slashes] == '\\' {
		slashes++
	}
	return slashes%2 == 1
}
