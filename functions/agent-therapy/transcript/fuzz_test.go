package transcript

import (
	"testing"

	"governance.internal/functions/agent-therapy/document"
)

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"User: a\nAssistant: b\n[tool_call] bash: x\n[tool_result] y\n",
		"**Human:** a\n### AI\nb\n[12:30] User: c\nTool (bash): d\n",
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`,
		`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","name":"Edit","input":{}}]}}` + "\n{",
		`[{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"text":"a"}]}]`,
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		read := Read(document.NewSource("a.txt", text))
		for i := range read.Turns {
			turn := &read.Turns[i]
			if turn.Number != i+1 || turn.start < 0 || turn.end > len(text) || turn.start > turn.end {
				t.Fatalf("turn %d is [%d,%d) of %d bytes", turn.Number, turn.start, turn.end, len(text))
			}
			read.Quote(turn, turn.Text)
		}
	})
}
