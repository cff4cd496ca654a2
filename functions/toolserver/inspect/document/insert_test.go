package document_test

import (
	"testing"

	"governance.internal/functions/toolserver/inspect/document"
)

// An item is added in the style of the last one, and every other byte stays.
func TestItemsAreAddedInTheStyleOfTheList(t *testing.T) {
	for _, c := range []struct{ name, format, before, after string }{
		{"json, one line", "json", `{"list": [{"id": "a", "role": "x"}]}`, `{"list": [{"id": "a", "role": "x"}, {"id": "new", "role": "tester"}]}`},
		{"json, no blanks", "json", `{"list":[{"id":"a","role":"x"},{"id":"b","role":"x"}]}`, `{"list":[{"id":"a","role":"x"},{"id":"b","role":"x"},{"id":"new","role":"tester"}]}`},
		{"json, an item a line", "json", "{\n  \"list\": [\n    { \"id\": \"a\", \"role\": \"x\" },\n    { \"id\": \"b\", \"role\": \"x\" }\n  ]\n}\n", "{\n  \"list\": [\n    { \"id\": \"a\", \"role\": \"x\" },\n    { \"id\": \"b\", \"role\": \"x\" },\n    { \"id\": \"new\", \"role\": \"tester\" }\n  ]\n}\n"},
		{"json, tabs and CR LF", "json", "{\r\n\t\"list\": [\r\n\t\t{\r\n\t\t\t\"role\": \"x\",\r\n\t\t\t\"id\": \"a\",\r\n\t\t\t\"other\": 1\r\n\t\t}\r\n\t]\r\n}", "{\r\n\t\"list\": [\r\n\t\t{\r\n\t\t\t\"role\": \"x\",\r\n\t\t\t\"id\": \"a\",\r\n\t\t\t\"other\": 1\r\n\t\t},\r\n\t\t{\r\n\t\t\t\"role\": \"tester\",\r\n\t\t\t\"id\": \"new\"\r\n\t\t}\r\n\t]\r\n}"},
		{"json, trailing comma", "json", "{\"list\": [\n  {\"id\": \"a\", \"role\": \"x\"}, // first\n]}\n", "{\"list\": [\n  {\"id\": \"a\", \"role\": \"x\"},\n  {\"id\": \"new\", \"role\": \"tester\"}, // first\n]}\n"},
		{"json, empty", "json", "{\n    \"list\": []\n}\n", "{\n    \"list\": [\n        {\n            \"id\": \"new\",\n            \"role\": \"tester\"\n        }\n    ]\n}\n"},
		{"json, empty on one line", "json", `{"list": []}`, `{"list": [{"id": "new", "role": "tester"}]}`},
		{"json, texts", "json", `{"list": ["a", "b"]}`, `{"list": ["a", "b", "new"]}`},
		{"json, mark", "json", "\xef\xbb\xbf{\"list\": [{\"id\": \"a\", \"role\": \"x\"}]}", "\xef\xbb\xbf{\"list\": [{\"id\": \"a\", \"role\": \"x\"}, {\"id\": \"new\", \"role\": \"tester\"}]}"},
		{"yaml", "yaml", "list:\n  - id: a\n    role: x # lead\n  # the end\nother: 1\n", "list:\n  - id: a\n    role: x # lead\n  - id: new\n    role: tester\n  # the end\nother: 1\n"},
		{"yaml, not indented", "yaml", "list:\n- id: 'a'\n  role: \"x\"\n- id: 'b'\n  role: \"x\"\n", "list:\n- id: 'a'\n  role: \"x\"\n- id: 'b'\n  role: \"x\"\n- id: 'new'\n  role: \"tester\"\n"},
		{"yaml, empty lines", "yaml", "list:\n  - id: a\n    role: x\n\n  - id: b\n    role: x\n\nother: 1\n", "list:\n  - id: a\n    role: x\n\n  - id: b\n    role: x\n\n  - id: new\n    role: tester\n\nother: 1\n"},
		{"yaml, no last line break", "yaml", "list:\r\n  -   id: a\r\n      role: x", "list:\r\n  -   id: a\r\n      role: x\r\n  -   id: new\r\n      role: tester"},
		{"yaml, braces", "yaml", "list:\n  - {id: a, role: x}\n  - {id: b, role: x}\n", "list:\n  - {id: a, role: x}\n  - {id: b, role: x}\n  - {id: new, role: tester}\n"},
		{"yaml, brackets", "yaml", "list: [{id: a, role: x}, {id: b, role: x}] # all\n", "list: [{id: a, role: x}, {id: b, role: x}, {id: new, role: tester}] # all\n"},
		{"yaml, texts", "yaml", "list:\n  - a\n  - b\n", "list:\n  - a\n  - b\n  - new\n"},
		{"yaml, empty", "yaml", "list: [] # none\n", "list: [{id: new, role: tester}] # none\n"},
		{"yaml, nothing", "yaml", "list:\nother: 1\n", "list:\n  - id: new\n    role: tester\nother: 1\n"},
		{"yaml, anchor", "yaml", "list:\n  - &first\n    id: a\n    role: x\n", "list:\n  - &first\n    id: a\n    role: x\n  - id: new\n    role: tester\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, err := document.Parse(c.format, []byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			added, err := document.Append(c.format, []byte(c.before), root.Member("list"), []document.Field{{Name: "id", Text: "new"}, {Name: "role", Text: "tester"}})
			if err != nil {
				t.Fatal(err)
			}

			after := c.before[:added.Start] + added.Text + c.before[added.End:]
			if after != c.after {
				t.Errorf("got\n%q, want\n%q", after, c.after)
			}
			again, err := document.Parse(c.format, []byte(after))
			if err != nil {
				t.Fatal(err)
			}
			list := again.Member("list")
			last := list.Items[len(list.Items)-1]
			if last.Text != "new" && last.Member("id").Text != "new" {
				t.Errorf("the new item does not read back: %+v", last)
			}
		})
	}
}
