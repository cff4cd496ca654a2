package bank

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// FuzzRead gives foreign bytes to all readers. What is read must be consistent; the rest is a refusal.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"dialects.txt", "adversarial.txt"} {
		raw, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split("\n"+string(raw), "\n## ")[1:] {
			c := parseCase(strings.Split(block, "\n"))
			for _, source := range c.sources {
				f.Add(source.Data)
			}
		}
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(Source{Name: "f", Data: data}, Settings{})
		if err != nil {
			var refusal *Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}

		lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r")
		for _, row := range file.Rows {
			if row.Line < 1 || row.Line > lines || row.Currency == "" || row.Raw == "" {
				t.Fatalf("%+v", row)
			}
		}
	})
}
