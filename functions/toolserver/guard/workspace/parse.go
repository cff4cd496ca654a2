package workspace

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"governance.internal/functions/toolserver/guard/coder"
)

// maxConfig is the size of the workspace file, in bytes.
const maxConfig = 256 << 10

// Problem is something wrong with the workspace file.
type Problem struct {
	Line    int // 0 if it concerns the whole file
	Message string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return FileName + ": " + p.Message
	}
	return fmt.Sprintf("%s line %d: %s", FileName, p.Line, p.Message)
}

// Parse reads governance.yaml. It is strict: a member that does not exist, that is
// there twice or has a wrong value is an error. All of them are reported, each with its
// line, joined as [Problem]s.
func Parse(text []byte) (Config, error) {
	if len(text) > maxConfig {
		return Config{}, Problem{0, fmt.Sprintf("the file has more than %d KiB", maxConfig>>10)}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Config{}, syntaxProblem(err)
	}

	var c Config
	if len(document.Content) == 0 {
		return c.withDefaults(), nil // nothing but comments
	}

	k := &checker{}
	k.check(document.Content[0], reflect.TypeFor[Config](), "")
	if len(k.problems) > 0 {
		return Config{}, errors.Join(k.problems...)
	}
	if err := document.Content[0].Decode(&c); err != nil {
		return Config{}, syntaxProblem(err)
	}
	if c.Project.Root != "" && c.Project.Root != "." {
		return Config{}, Problem{0, "project.root must be . : the file stands in the folder that it governs"}
	}

	for _, check := range c.Checks {
		if (check.Command == "") == (check.Pattern.Regexp == nil) {
			return Config{}, Problem{0, fmt.Sprintf("checks: %s needs a command or a pattern, and not both", check.Name)}
		}
	}

	return c.withDefaults(), nil
}

// syntaxProblem takes the line from a message of the YAML library.
func syntaxProblem(err error) Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, what, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			return Problem{line, what}
		}
	}
	return Problem{0, message}
}

// checker compares a document with the type that it is decoded into.
type checker struct{ problems []error }

// maxProblems is how many are reported at once.
const maxProblems = 20

func (k *checker) fail(node *yaml.Node, format string, args ...any) {
	if len(k.problems) < maxProblems {
		k.problems = append(k.problems, Problem{node.Line, fmt.Sprintf(format, args...)})
	}
}

func (k *checker) check(node *yaml.Node, t reflect.Type, at string) {
	k.value(node, t, at, "")
}

func (k *checker) value(node *yaml.Node, t reflect.Type, at string, tag reflect.StructTag) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		k.fail(node, "%s uses an anchor; write the value out", named(at))
		return
	}

	if _, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok {
		k.text(node, t, at)
		return
	}

	switch t.Kind() {
	case reflect.Struct:
		k.object(node, t, at)
	case reflect.Map:
		if k.is(node, yaml.MappingNode, at, "members with names") {
			k.members(node, at, func(key, value *yaml.Node) {
				k.value(value, t.Elem(), at+"."+key.Value, "")
			})
		}
	case reflect.Slice:
		if k.is(node, yaml.SequenceNode, at, "a list") {
			for i, item := range node.Content {
				k.value(item, t.Elem(), fmt.Sprintf("%s[%d]", at, i), tag)
			}
		}
	default:
		k.scalar(node, t, at, tag)
	}
}

func named(at string) string {
	if at == "" {
		return "the document"
	}
	return strings.TrimPrefix(at, ".")
}

func (k *checker) is(node *yaml.Node, kind yaml.Kind, at, want string) bool {
	if node.Kind != kind {
		k.fail(node, "%s must be %s", named(at), want)
	}
	return node.Kind == kind
}

// members visits the members of a mapping, which have different names.
func (k *checker) members(node *yaml.Node, at string, visit func(key, value *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		value := node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			k.fail(key, "%s has a member whose name is no plain text", named(at))
			continue
		}

		if line := seen[key.Value]; line > 0 {
			k.fail(key, "%s is there already, in line %d", named(at+"."+key.Value), line)
			continue
		}

		seen[key.Value] = key.Line
		visit(key, value)
	}
}

func (k *checker) object(node *yaml.Node, t reflect.Type, at string) {
	if !k.is(node, yaml.MappingNode, at, "members with names") {
		return
	}
	fields := map[string]reflect.StructField{}
	names := []string{}
	for field := range t.Fields() {
		fields[field.Tag.Get("yaml")] = field
		names = append(names, field.Tag.Get("yaml"))
	}

	there := map[string]bool{}
	k.members(node, at, func(key, value *yaml.Node) {
		field, ok := fields[key.Value]
		if !ok {
			k.fail(key, "%s is no member; there are %s", named(at+"."+key.Value), strings.Join(names, ", "))
			return
		}

		there[key.Value] = true
		k.value(value, field.Type, at+"."+key.Value, field.Tag)
	})

	for _, name := range names {
		if fields[name].Tag.Get("required") == "true" && !there[name] {
			k.fail(node, "%s is missing", named(at+"."+name))
		}
	}
}

// text checks a value that reads itself.
func (k *checker) text(node *yaml.Node, t reflect.Type, at string) {
	if !k.is(node, yaml.ScalarNode, at, "a text") {
		return
	}
	if err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(node.Value)); err != nil {
		k.fail(node, "%s: %v", named(at), err)
	}
}

func (k *checker) scalar(node *yaml.Node, t reflect.Type, at string, tag reflect.StructTag) {
	if !k.is(node, yaml.ScalarNode, at, "a single value") {
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		if node.Tag != "!!bool" {
			k.fail(node, "%s must be true or false", named(at))
		}
	case reflect.Int:
		n, err := strconv.Atoi(node.Value)
		low := bound(tag, "min", 0)
		high := bound(tag, "max", 1<<40)
		if err != nil ||
			node.Tag != "!!int" ||
			n < low ||
			n > high {
			k.fail(node, "%s must be a whole number from %d to %d", named(at), low, high)
		}
	case reflect.String:
		k.plain(node, at, tag)
	}
}

func (k *checker) plain(node *yaml.Node, at string, tag reflect.StructTag) {
	if node.Tag == "!!null" {
		k.fail(node, "%s has no value", named(at))
	}
	if limit := bound(tag, "max", 2000); utf8.RuneCountInString(node.Value) > limit {
		k.fail(node, "%s has more than %d characters", named(at), limit)
	}
	if list := enum(tag); len(list) > 0 && !slices.Contains(list, node.Value) {
		k.fail(node, "%s must be one of %s", named(at), strings.Join(list, ", "))
	}
}

// enum are the values that a tag allows. @runners stands for the runners of the table of
// agents, @providers for the table of [Providers].
func enum(tag reflect.StructTag) []string {
	switch list := tag.Get("enum"); list {
	case "":
		return nil
	case "@runners":
		return append([]string{"exec", "loop"}, coder.RunnerNames()...)
	case "@providers":
		return providerNames()
	default:
		return strings.Split(list, ",")
	}
}

func bound(tag reflect.StructTag, name string, otherwise int) int {
	if n, err := strconv.Atoi(tag.Get(name)); err == nil {
		return n
	}
	return otherwise
}
