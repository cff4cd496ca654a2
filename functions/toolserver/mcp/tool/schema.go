package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// schema describes a Go type as JSON Schema. The fields are written in this order.
type schema struct {
	Type        string             `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Format      string             `json:"format,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	Minimum     *int64             `json:"minimum,omitempty"`
	Maximum     *int64             `json:"maximum,omitempty"`
	MinLength   *int64             `json:"minLength,omitempty"`
	MaxLength   *int64             `json:"maxLength,omitempty"`
	MinItems    *int64             `json:"minItems,omitempty"`
	MaxItems    *int64             `json:"maxItems,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
	Properties  map[string]*schema `json:"properties,omitzero"` // there also for an object without any: clients look for it
	Required    []string           `json:"required,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"` // false, or the schema of a map's values

	pattern *regexp.Regexp
	names   []string // of the properties, in the order of the struct
	absent  []string // properties that a value may lack
}

var (
	textType = reflect.TypeFor[encoding.TextMarshaler]()
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// describe derives the schema of a type with the tags of its field.
func describe(t reflect.Type, tag reflect.StructTag) *schema {
	s := &schema{Description: tag.Get("doc")}
	switch {
	case t == timeType:
		s.Type, s.Format = "string", "date-time"
	case t == rawType:
		s.Type = "object"
	case t.Kind() == reflect.Pointer:
		return s.nullable(describe(t.Elem(), tag))
	case t.Implements(textType), t.Kind() == reflect.String:
		s.text(tag)
	case t.Kind() == reflect.Bool:
		s.Type = "boolean"
	case t.Kind() == reflect.Float64:
		s.Type = "number"
	case t.ConvertibleTo(reflect.TypeFor[int64]()):
		s.Type, s.Minimum, s.Maximum = "integer", bound(tag, "min"), bound(tag, "max")
		if s.Minimum == nil &&
			t.ConvertibleTo(reflect.TypeFor[uint64]()) &&
			strings.HasPrefix(t.Kind().String(), "uint") {
			s.Minimum = new(int64)
		}
	case t.Kind() == reflect.Slice:
		s.Type, s.Items, s.MinItems, s.MaxItems = "array", describe(t.Elem(), tagOfItems(tag)), bound(tag, "min"), bound(tag, "max")
	case t.Kind() == reflect.Map:
		s.Type, s.Additional = "object", describe(t.Elem(), "")
	case t.Kind() == reflect.Struct:
		s.object(t)
	default:
		panic(fmt.Sprintf("no schema for %s", t))
	}

	s.setDefault(tag)
	return s
}

// tagOfItems are the tags of a list that are about its items: enum, and each for their
// longest length.
func tagOfItems(tag reflect.StructTag) reflect.StructTag {
	var items []string
	if list := tag.Get("enum"); list != "" {
		items = append(items, "enum:"+strconv.Quote(list))
	}
	if length := tag.Get("each"); length != "" {
		items = append(items, "max:"+strconv.Quote(length))
	}
	return reflect.StructTag(strings.Join(items, " "))
}

// nullable avoids a list of types, which some clients cannot read.
func (s *schema) nullable(inner *schema) *schema {
	inner.Description = ""
	s.AnyOf = []*schema{inner, {Type: "null"}}
	return s
}

func (s *schema) text(tag reflect.StructTag) {
	s.Type, s.MinLength, s.MaxLength = "string", bound(tag, "min"), bound(tag, "max")
	if list := tag.Get("enum"); list != "" {
		s.Enum = strings.Split(list, ",")
	}
	if s.Pattern = tag.Get("pattern"); s.Pattern != "" {
		s.pattern = regexp.MustCompile(s.Pattern)
	}
}

// object describes the fields of a struct; those of an embedded one belong to it.
func (s *schema) object(t reflect.Type) {
	s.Type, s.Additional = "object", false
	if s.Properties == nil {
		s.Properties = map[string]*schema{}
	}

	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			s.object(field.Type)
			continue
		case !field.IsExported() || name == "-":
			continue
		case name == "":
			panic(fmt.Sprintf("%s.%s has no json name", t, field.Name))
		}

		s.Properties[name] = describe(field.Type, field.Tag)
		s.names = append(s.names, name)
		if strings.HasPrefix(options, "omit") {
			s.absent = append(s.absent, name)
		}
		if field.Tag.Get("required") == "true" {
			s.Required = append(s.Required, name)
		}
	}
}

// ofResult is the outline of a result: the names of the members that every result has. Their
// types are left out, since every model pays for each word of the list of tools; other
// members may come.
func (s *schema) ofResult() *schema {
	s.Additional = nil
	for name := range s.Properties {
		s.Properties[name] = &schema{}
	}
	for _, name := range s.absent {
		delete(s.Properties, name)
	}
	return s
}

func (s *schema) setDefault(tag reflect.StructTag) {
	text, ok := tag.Lookup("default")
	if !ok {
		return
	}
	s.Default = json.RawMessage(text)
	if s.Type == "string" {
		s.Default = json.RawMessage(strconv.Quote(text))
	}
}

func bound(tag reflect.StructTag, name string) *int64 {
	text := tag.Get(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("tag %s is %q", name, text))
	}
	return &n
}

func (s *schema) render() json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // made of plain values
	}
	return text
}
