package document_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/inspect/document"
)

// Each document holds the same thing: the version, and two members.
var documents = map[string]struct{ format, text string }{
	"json":           {"json", `{"version": "1.2.3", "list": [{"id": "a", "role": "x y"}, {"id":"b","role":"z"}], "n": 4}`},
	"json in lines":  {"json", "{\r\n  \"version\": \"1.2.3\",\r\n  \"list\": [\r\n    {\"id\": \"a\", \"role\": \"x y\"},\r\n    {\"id\": \"b\", \"role\": \"z\"}\r\n  ],\r\n  \"n\": 4\r\n}"},
	"json, comments": {"json", "\xef\xbb\xbf// top\n{\"version\": /* here */ \"1.2.3\", \"list\": [{\"id\": \"a\", \"role\": \"x y\",}, {\"id\": \"b\", \"role\": \"z\"},], \"n\": 4,}\n"},
	"yaml":           {"yaml", "# top\nversion: 1.2.3 # here\nlist:\n  - id: a\n    role: x y\n  - {id: b, role: z}\nn: 4\n"},
	"yaml, quoted":   {"yaml", "\xef\xbb\xbfversion: \"1.2.3\"\r\nlist:\r\n- id: 'a'\r\n  role: &role \"x y\"\r\n- id: !!str b\r\n  role: 'z'\r\nn: 4"},
	"yaml, ümlaut":   {"yaml", "ü: {ö: 1, version: 2}\nversion: 1.2.3\nlist: [{id: a, role: x y}, {id: b, role: z}]\nn: 4\n"},
	"toml":           {"toml", "version = \"1.2.3\" # here\nn = 4\n[[list]]\nid = 'a'\nrole = \"x y\"\n\n[[list]]\nid = \"b\"\nrole = \"z\"\n"},
	"toml, inline":   {"toml", "version = '1.2.3'\r\nlist = [\r\n  { id = \"a\", role = \"x y\" },\r\n  { id = \"b\", role = \"z\" },\r\n]\r\nn = 4\r\n"},
}

var values = map[string]string{
	"/version":     "1.2.3",
	"/list/0/id":   "a",
	"/list/0/role": "x y",
	"/list/1/id":   "b",
	"/list/1/role": "z",
	"/n":           "4",
}

func TestValuesAreFoundWhereTheyStand(t *testing.T) {
	for name, d := range documents {
		root, err := document.Parse(d.format, []byte(d.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		for pointer, want := range values {
			n, err := root.At(pointer)
			if err != nil || n == nil {
				t.Fatalf("%s: %s is missing (%v)", name, pointer, err)
			}
			if n.Text != want {
				t.Errorf("%s: %s is %q, not %q", name, pointer, n.Text, want)
			}
			if written := strings.Trim(d.text[n.Start:n.End], `"'`); written != want {
				t.Errorf("%s: %s stands at %q, not %q", name, pointer, written, want)
			}
			if line := 1 + strings.Count(d.text[:n.Start], "\n"); n.Line != line {
				t.Errorf("%s: %s is in line %d, not %d", name, pointer, n.Line, line)
			}
		}

		if list, err := root.At("/list"); err != nil || list.Kind != document.List || len(list.Items) != 2 {
			t.Errorf("%s: the list: %+v, %v", name, list, err)
		}
		if none, err := root.At("/nothing/here"); none != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, none, err)
		}
	}
}

// A value that is replaced reads back as the new text, and nothing else has changed.
func TestAReplacedValueReadsBack(t *testing.T) {
	for name, d := range documents {
		root, err := document.Parse(d.format, []byte(d.text))
		if err != nil {
			t.Fatal(err)
		}

		for pointer := range values {
			for _, text := range []string{"12", "two words", `a "quote" and 'another'`, "true", "# no comment", "a: b", "ü", "line\nbreak", "", "- x", "*a", "[x]"} {
				n, err := root.At(pointer)
				if err != nil {
					t.Fatal(err)
				}
				spelled, err := n.Spell(text)
				if err != nil {
					if pointer != "/n" {
						t.Errorf("%s: %s cannot be %q: %v", name, pointer, text, err)
					}
					continue
				}

				changed := d.text[:n.Start] + spelled + d.text[n.End:]
				again, err := document.Parse(d.format, []byte(changed))
				if err != nil {
					t.Fatalf("%s: %s as %q: %v\n%s", name, pointer, text, err, changed)
				}
				for other, want := range values {
					if other == pointer {
						want = text
					}
					if got, err := again.At(other); err != nil || got.Text != want {
						t.Errorf("%s: after %s became %q, %s is %q\n%s", name, pointer, text, other, got.Text, changed)
					}
				}
			}
		}
	}
}

// A value keeps its type where the new one fits it.
func TestAValueKeepsItsType(t *testing.T) {
	for _, c := range []struct{ format, text, new, want string }{
		{"json", `{"a": true}`, "false", `{"a": false}`},
		{"json", `{"a": 1.5}`, "2", `{"a": 2}`},
		{"json", `{"a": "1"}`, "2", `{"a": "2"}`},
		{"json", `{"a": null}`, "x", `{"a": "x"}`},
		{"yaml", "a: true\n", "false", "a: false\n"},
		{"yaml", "a: \"1\"\n", "2", "a: \"2\"\n"},
		{"yaml", "a: 1.9\n", "1.10", "a: 1.10\n"},
		{"yaml", "a: word\n", "true", "a: \"true\"\n"},
		{"toml", "a = true\n", "false", "a = false\n"},
		{"toml", "a = 1\n", "2", "a = 2\n"},
	} {
		root, err := document.Parse(c.format, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		n := root.Member("a")
		spelled, err := n.Spell(c.new)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.text[:n.Start] + spelled + c.text[n.End:]; got != c.want {
			t.Errorf("%q with %q is %q, want %q", c.text, c.new, got, c.want)
		}
	}
}

func TestWhatCannotBeReplacedSaysWhy(t *testing.T) {
	for text, pointer := range map[string]string{
		"a: &x v\nb: *x\n":       "/b",
		"a: |\n  one\n  two\n":   "/a",
		"a: one\n  two\nb: 1\n":  "/a",
		"a: >-\n  folded\nb: 1":  "/a",
		"a: [1, 2]\nb: {c: d}\n": "/a",
	} {
		root, err := document.Parse(document.YAML, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		n, err := root.At(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Spell("x"); err == nil {
			t.Errorf("%q: %s can be replaced", text, pointer)
		}
	}
}

func TestBrokenDocumentsAreRefused(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for _, d := range []struct{ format, text string }{
		{"json", "{"}, {"json", ""}, {"json", deep}, {"json", `{"a" "b"}`},
		{"yaml", "a: [1"}, {"yaml", "a: 1\n\tb: 2"}, {"yaml", deep},
		{"toml", "a = "}, {"toml", "a = 1\na = 2\n"}, {"toml", "a = " + deep},
		{"text", "a"},
	} {
		if _, err := document.Parse(d.format, []byte(d.text)); err == nil {
			t.Errorf("%s %.20q is read", d.format, d.text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, d := range documents {
		f.Add(d.format, []byte(d.text))
	}

	f.Fuzz(func(t *testing.T, format string, text []byte) {
		root, err := document.Parse(format, text)
		if err != nil {
			return
		}
		check(t, root, len(text))
	})
}

// check holds every place against the length of the text.
func check(t *testing.T, n *document.Node, size int) {
	if n.Start < 0 || n.End < n.Start || n.End > size {
		t.Fatalf("a value stands at %d to %d of %d bytes", n.Start, n.End, size)
	}
	for _, m := range n.Members {
		check(t, m.Value, size)
	}
	for _, item := range n.Items {
		check(t, item, size)
	}
}
