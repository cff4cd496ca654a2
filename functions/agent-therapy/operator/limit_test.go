package operator

import (
	"fmt"
	"strings"
	"testing"

	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/transcript"
)

// talk is a conversation as Claude Code keeps it: what a person says, and the file that the agent
// edits then, "" for none.
func talk(turns ...[2]string) string {
	var b strings.Builder
	for _, turn := range turns {
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":%q}}`+"\n", turn[0])
		if turn[1] != "" {
			fmt.Fprintf(&b, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":%q}}]}}`+"\n", turn[1])
		}
	}
	return b.String()
}

func TestChangesBeyondALimitAreScopeCreep(t *testing.T) {
	tests := []struct {
		name  string
		turns [][2]string
		found bool
	}{
		{"another file", [][2]string{{"Fix the login test. Only touch auth.py.", "db.py"}}, true},
		{"that file", [][2]string{{"Fix the login test. Only touch auth.py.", "src/auth.py"}}, false},
		{"one of two", [][2]string{{"Please only change a.go and b.go", "b.go"}}, false},
		{"none of two", [][2]string{{"Please only change a.go and b.go", "c.go"}}, true},
		{"nothing but", [][2]string{{"Do not change anything but `site/index.html`", "site/style.css"}}, true},
		{"no limit", [][2]string{{"Fix auth.py", "db.py"}}, false},
		{"a later limit", [][2]string{{"Only touch auth.py.", "auth.py"}, {"Now only edit db.py", "db.py"}}, false},
		{"only said of something else", [][2]string{{"The test only fails on Mondays, see auth.py", "db.py"}}, false},
	}
	for _, test := range tests {
		found := false
		for _, p := range Find(transcript.Read(document.NewSource("t.jsonl", talk(test.turns...)))) {
			found = found || p.Code == ScopeCreep
		}
		if found != test.found {
			t.Errorf("%s: found %v", test.name, found)
		}
	}
}
