package adherence

import (
	"testing"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/transcript"
)

func TestBreaches(t *testing.T) {
	for name, c := range map[string]struct {
		rule, call string
		broken     bool
	}{
		"a command":            {"Never push to the remote.", "[tool_call] bash: git push origin main", true},
		"another command":      {"Never push to the remote.", "[tool_call] bash: git status", false},
		"a narrower rule":      {"Never push to main.", "[tool_call] bash: git push origin feature/a", false},
		"a flag":               {"Do not bypass the pre-commit hooks.", "[tool_call] bash: git commit --no-verify -m a", true},
		"a literal":            {"Never run `rm -rf`.", "[tool_call] bash: rm -rf build", true},
		"a file":               {"Never edit files in `gen/`.", `[tool_call] edit_file {"path":"gen/a.go"}`, true},
		"another file":         {"Never edit files in `gen/`.", `[tool_call] edit_file {"path":"src/a.go"}`, false},
		"reading is no change": {"Never edit files in `gen/`.", `[tool_call] read_file {"path":"gen/a.go"}`, false},
		"without approval":     {"Never commit without approval.", "[tool_call] bash: git commit -m a", true},
	} {
		rules := directive.Read(document.Read(document.NewSource("AGENTS.md", c.rule), document.Rules))
		spoken := transcript.Read(document.NewSource("a.txt", "User: go\n"+c.call+"\nAssistant: ok\n"))
		if got := len(Find(Standing(rules), spoken)) > 0; got != c.broken {
			t.Errorf("%s: broken %v, want %v", name, got, c.broken)
		}
	}
}

func TestAgreementLiftsARule(t *testing.T) {
	rules := directive.Read(document.Read(document.NewSource("AGENTS.md", "Never commit without approval."), document.Rules))
	spoken := transcript.Read(document.NewSource("a.txt", "User: fix it\nAssistant: Shall I commit?\nUser: yes\n[tool_call] bash: git commit -m a\n"))
	if got := Find(Standing(rules), spoken); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
