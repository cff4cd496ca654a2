package stateless

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// MaxDepth is the deepest nesting that a message may have.
const MaxDepth = 64

var (
	errNotJSON   = errors.New("not one JSON document in UTF-8")
	errTooDeep   = errors.New("nested too deeply")
	errDuplicate = errors.New("a member stands twice")
)

// check accepts one JSON document in UTF-8 that is nested at most MaxDepth deep.
// The functions below rely on it.
func check(document []byte) error {
	if !utf8.Valid(document) || !json.Valid(document) {
		return errNotJSON
	}

	depth := 0
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '"':
			i += stringEnd(document[i:]) - 1
		case '}', ']':
			depth--
		case '{', '[':
			depth++
			if depth > MaxDepth {
				return errTooDeep
			}
		}
	}

	return nil
}

// members are those of an object in their order. Unlike encoding/json it distinguishes
// "Method" from "method" and refuses a second "method", so that a proxy that inspects
// messages sees what is executed.
type members []member

type member struct {
	key   string
	value json.RawMessage
}

func (m members) get(key string) json.RawMessage {
	for _, each := range m {
		if each.key == key {
			return each.value
		}
	}
	return nil
}

// split takes a checked value apart; ok is false if it is no object.
func split(value []byte) (found members, ok bool, err error) {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 || value[0] != '{' {
		return nil, false, nil
	}

	found = make(members, 0, 4)
	for rest := value[1:]; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n,")
		if rest[0] == '}' {
			return found, true, nil
		}

		end := valueEnd(rest)
		key, err := unquote(rest[:end])
		if err != nil {
			return nil, true, err
		}
		if found.get(key) != nil {
			return nil, true, errDuplicate
		}

		rest = bytes.TrimLeft(rest[end:], " \t\r\n:")
		end = valueEnd(rest)
		found = append(found, member{key, json.RawMessage(rest[:end])})
		rest = rest[end:]
	}
}

// valueEnd returns the length of the value that a checked text begins with.
func valueEnd(text []byte) int {
	switch text[0] {
	case '"':
		return stringEnd(text)
	case '{', '[':
		return containerEnd(text)
	}

	end := bytes.IndexAny(text, ",]} \t\r\n")
	if end < 0 {
		return len(text)
	}
	return end
}

// stringEnd returns the length of the string that a valid text begins with.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++ // skips the escaped character
		case '"':
			return i + 1
		}
	}

	return len(text)
}

// containerEnd returns the length of the object or array that a valid text begins with.
func containerEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}

	return len(text)
}

func unquote(quoted []byte) (string, error) {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	var text string
	err := json.Unmarshal(quoted, &text)
	return text, err
}

// stringOf is the text of a JSON string; ok is false for any other value.
func stringOf(value json.RawMessage) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	text, err := unquote(value)
	return text, err == nil
}

func isNull(value json.RawMessage) bool {
	return len(value) == 0 || string(value) == "null"
}
