package fabrication

import "testing"

// Settings come from files that anybody may have written.
func FuzzValues(f *testing.F) {
	for _, text := range []string{`{"a":{"b":[1,"x"]}}`, "a: {b: [1, x]}\n---\nc: *d\n", "[a.b]\nc = 'd'\n", "{", "a: &a [*a]", "\"x\": 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.json", "a.yaml", "a.toml"} {
			for at, v := range values(name, text) {
				if v.line < 0 {
					t.Errorf("%s %q: line %d", name, at, v.line)
				}
			}
		}
		if how := jaccard(shingles(text), shingles(text+" more")); how < 0 || how > 1 {
			t.Errorf("similarity %v", how)
		}
	})
}
