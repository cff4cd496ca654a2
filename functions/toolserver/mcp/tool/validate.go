package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode validates arguments, fills in the defaults and decodes into in.
func (s *schema) decode(arguments json.RawMessage, in any) *Error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}

	reader := json.NewDecoder(bytes.NewReader(arguments))
	reader.UseNumber()
	var value any
	if reader.Decode(&value) != nil || !ended(reader) {
		return invalid("", "The arguments are not JSON.", nil)
	}

	if at, found := duplicate(arguments, value); found {
		return invalid(at, "This member stands twice. Who reads the first sees another call than who reads the last, so give it once.",
			nil)
	}

	if e := s.check("", value); e != nil {
		return e
	}
	object := value.(map[string]any) // checked: the schema of an input is an object
	complete := false
	for _, name := range s.names {
		if p := s.Properties[name]; p.Default != nil && object[name] == nil {
			object[name], complete = p.Default, true
		}
	}

	if complete {
		var err error
		if arguments, err = json.Marshal(object); err != nil {
			return invalid("", "The arguments cannot be read.", nil)
		}
	}

	if err := json.Unmarshal(arguments, in); err != nil {
		return invalid("", "The arguments cannot be read.", nil)
	}
	return nil
}

// duplicate gives the pointer to a member that stands twice in its object, at any depth of
// a valid document, which was decoded to value. For a document without duplicates, the
// usual case, it only counts members.
func duplicate(document []byte, value any) (at string, found bool) {
	if written(document) == kept(value) {
		return "", false
	}
	reader := json.NewDecoder(bytes.NewReader(document))
	reader.UseNumber()
	return duplicateIn(reader, "")
}

// written counts the members in the text of a valid document: each has one colon outside of
// texts.
func written(document []byte) (members int) {
	quoted := false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			members++
		}
	}
	return members
}

// kept counts the members of a decoded value: of two with one name the last one is left.
func kept(value any) (members int) {
	switch v := value.(type) {
	case map[string]any:
		members = len(v)
		for _, each := range v {
			members += kept(each)
		}
	case []any:
		for _, each := range v {
			members += kept(each)
		}
	}
	return members
}

// duplicateIn reads one value.
func duplicateIn(reader *json.Decoder, at string) (where string, found bool) {
	token, err := reader.Token()
	if err != nil {
		return "", false
	}
	switch token {
	case json.Delim('{'):
		return duplicateInObject(reader, at)
	case json.Delim('['):
		return duplicateInList(reader, at)
	}
	return "", false
}

func duplicateInObject(reader *json.Decoder, at string) (where string, found bool) {
	seen := map[string]bool{}
	for reader.More() {
		token, err := reader.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return "", false
		}

		member := at + "/" + pointer(name)
		if seen[name] {
			return member, true
		}

		seen[name] = true
		if where, found = duplicateIn(reader, member); found {
			return where, true
		}
	}

	_, _ = reader.Token() // the end of the object
	return "", false
}

func duplicateInList(reader *json.Decoder, at string) (where string, found bool) {
	for i := 0; reader.More(); i++ {
		if where, found = duplicateIn(reader, at+"/"+strconv.Itoa(i)); found {
			return where, true
		}
	}

	_, _ = reader.Token() // the end of the list
	return "", false
}

// ended reports whether nothing follows the document.
func ended(reader *json.Decoder) bool {
	_, err := reader.Token()
	return errors.Is(err, io.EOF)
}

func invalid(field, message string, allowed any) *Error {
	return &Error{
		Code:    "invalid_argument",
		Message: message,
		Field:   field,
		Allowed: allowed,
		Hint:    "Correct the argument and call again; the inputSchema in tools/list says what is allowed.",
	}
}

// check compares a decoded value with the schema of an input.
func (s *schema) check(at string, value any) *Error {
	switch s.Type {
	case "object":
		return s.checkObject(at, value)
	case "array":
		return s.checkArray(at, value)
	case "string":
		return s.checkText(at, value)
	case "integer":
		return s.checkInteger(at, value)
	case "boolean":
		if _, ok := value.(bool); !ok {
			return s.wrongType(at, value)
		}
	}

	return nil
}

func (s *schema) wrongType(at string, value any) *Error {
	got := "null"
	switch value.(type) {
	case map[string]any:
		got = "object"
	case []any:
		got = "array"
	case string:
		got = "string"
	case bool:
		got = "boolean"
	case json.Number:
		got = "number"
	}
	return invalid(at, fmt.Sprintf("%s must be of type %s, not %s.", named(at), s.Type, got), nil)
}

func named(at string) string {
	if at == "" {
		return "arguments"
	}
	return at
}

func (s *schema) checkObject(at string, value any) *Error {
	object, ok := value.(map[string]any)
	if !ok {
		return s.wrongType(at, value)
	}
	if s.Additional != false {
		return nil // a free object; its reader judges it
	}

	for _, name := range slices.Sorted(maps.Keys(object)) { // the same error every time
		p, known := s.Properties[name]
		if !known {
			return invalid(at+"/"+pointer(name), "There is no argument of this name.", s.names)
		}
		if e := p.check(at+"/"+name, object[name]); e != nil {
			return e
		}
	}

	for _, name := range s.Required {
		if _, there := object[name]; !there {
			return invalid(at+"/"+name, at+"/"+name+" is missing.", nil)
		}
	}

	return nil
}

// pointer escapes a foreign name for a JSON pointer and keeps it short.
func pointer(name string) string {
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "") + "…"
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func (s *schema) checkArray(at string, value any) *Error {
	list, ok := value.([]any)
	if !ok {
		return s.wrongType(at, value)
	}
	if e := between(at, "items", int64(len(list)), s.MinItems, s.MaxItems); e != nil {
		return e
	}

	for i, item := range list {
		if e := s.Items.check(at+"/"+strconv.Itoa(i), item); e != nil {
			return e
		}
	}
	return nil
}

func (s *schema) checkText(at string, value any) *Error {
	text, ok := value.(string)
	if !ok {
		return s.wrongType(at, value)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		return invalid(at, at+" is none of the allowed values.", s.Enum)
	}
	if s.pattern != nil && !s.pattern.MatchString(text) {
		return invalid(at, at+" does not match "+s.Pattern+".", nil)
	}
	return between(at, "characters", int64(utf8.RuneCountInString(text)), s.MinLength, s.MaxLength)
}

// checkInteger accepts an integer without a fraction or an exponent. It refuses 3.0, which
// JSON Schema allows.
func (s *schema) checkInteger(at string, value any) *Error {
	number, ok := value.(json.Number)
	if !ok {
		return s.wrongType(at, value)
	}
	n, err := number.Int64()
	if err != nil {
		return invalid(at, at+" must be an integer, written without a fraction or an exponent.", nil)
	}
	return between(at, "as its value", n, s.Minimum, s.Maximum)
}

func between(at, unit string, n int64, low, high *int64) *Error {
	if low != nil && n < *low {
		return invalid(at, fmt.Sprintf("%s has %d %s; the minimum is %d.", at, n, unit, *low), nil)
	}
	if high != nil && n > *high {
		return invalid(at, fmt.Sprintf("%s has %d %s; the maximum is %d.", at, n, unit, *high), nil)
	}
	return nil
}
