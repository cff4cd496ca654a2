package workspace

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// schema is a JSON Schema (dialect 2020-12), in this order.
type schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Maximum     *int               `json:"maximum,omitempty"`
	MaxLength   *int               `json:"maxLength,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"`
}

// Schema is the JSON Schema of governance.yaml, for editors. Parse checks more: what
// is in patterns, durations and sizes.
func Schema() []byte {
	s := describe(reflect.TypeFor[Config](), "")
	s.Dialect, s.Title = "https://json-schema.org/draft/2020-12/schema", FileName+", version 1"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // made of plain values
	}
	return append(text, '\n')
}

func describe(t reflect.Type, tag reflect.StructTag) *schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	s := &schema{Description: tag.Get("doc")}
	if _, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok {
		s.Type = "string"
		if t == reflect.TypeFor[Size]() { // a plain number of bytes is read, too
			s.Type, s.Pattern = "", sizePattern.String()
		}
		return s
	}

	switch t.Kind() {
	case reflect.Struct:
		s.Type, s.Additional, s.Properties = "object", false, map[string]*schema{}
		for field := range t.Fields() {
			if field.Tag.Get("unread") == "true" {
				continue
			}
			name := field.Tag.Get("yaml")
			s.Properties[name] = describe(field.Type, field.Tag)
			if field.Tag.Get("required") == "true" {
				s.Required = append(s.Required, name)
			}
		}
	case reflect.Map:
		s.Type, s.Additional = "object", describe(t.Elem(), "")
	case reflect.Slice:
		s.Type, s.Items = "array", describe(t.Elem(), reflect.StructTag(`enum:"`+tag.Get("enum")+`"`))
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Int:
		s.Type, s.Minimum, s.Maximum = "integer", limit(tag, "min"), limit(tag, "max")
	case reflect.String:
		s.Type, s.MaxLength = "string", limit(tag, "max")
		s.Enum = enum(tag)
	}

	return s
}

func limit(tag reflect.StructTag, name string) *int {
	if tag.Get(name) == "" {
		return nil
	}
	n := bound(tag, name, 0)
	return &n
}
