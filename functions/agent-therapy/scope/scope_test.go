package scope

import (
	"testing"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
)

func TestFilesThatAreLoadedTogether(t *testing.T) {
	read := func(name, text string) *document.Document {
		return document.Read(document.NewSource(name, text), document.KindOf(name, text))
	}
	globs := func(list string) string { return "---\nglobs: " + list + "\n---\nUse tabs.\n" }

	for name, c := range map[string]struct {
		a, b *document.Document
		want bool
	}{
		"nested":                    {read("AGENTS.md", "a"), read("web/AGENTS.md", "b"), true},
		"side by side":              {read("api/AGENTS.md", "a"), read("web/AGENTS.md", "b"), false},
		"names that begin the same": {read("web/AGENTS.md", "a"), read("website/AGENTS.md", "b"), false},
		"two agents' files":         {read("CLAUDE.md", "a"), read(".github/copilot-instructions.md", "b"), true},
		"other endings":             {read(".cursor/rules/a.mdc", globs("**/*.py")), read(".cursor/rules/b.mdc", globs("**/*.ts")), false},
		"endings in common":         {read(".cursor/rules/a.mdc", globs("*.{ts,tsx}")), read(".cursor/rules/b.mdc", globs("src/**/*.ts")), true},
		"other folders":             {read(".cursor/rules/a.mdc", globs("api/**")), read(".cursor/rules/b.mdc", globs("web/**")), false},
		"always and for some":       {read("AGENTS.md", "a"), read(".cursor/rules/b.mdc", globs("web/**")), true},
		"two skills":                {read("a/SKILL.md", "a"), read("b/SKILL.md", "b"), false},
		"a skill and the rules":     {read("AGENTS.md", "a"), read(".claude/skills/b/SKILL.md", "b"), true},
	} {
		if _, got := Together(c.a, c.b); got != c.want {
			t.Errorf("%s: together %v, want %v", name, got, c.want)
		}
		if _, got := Together(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way: together %v, want %v", name, got, c.want)
		}
	}
}

func TestCircumstancesThatExcludeEachOther(t *testing.T) {
	of := func(text string) Circumstances {
		d := document.Read(document.NewSource("AGENTS.md", text), document.Rules)
		return new(Reader).Of(directive.Read(d)[0])
	}

	for name, c := range map[string]struct {
		a, b string
		want bool
	}{
		"environments":        {"Use verbose logs in production.", "Use verbose logs in staging.", true},
		"headings with modes": {"# Plan mode\n\n- Write no files.", "# Act mode\n\n- Write files.", true},
		"tags with modes":     {"<plan_mode>\nWrite no files.\n</plan_mode>", "<act_mode>\nWrite files.\n</act_mode>", true},
		"languages":           {"## Python\n\n- Use tabs.", "## TypeScript\n\n- Use spaces.", true},
		"the same language":   {"Use tabs in Python.", "Use spaces in Python.", false},
		"one for all":         {"Use tabs.", "Use spaces in Python.", false},
	} {
		if got := of(c.a).Exclude(of(c.b), ""); got != c.want {
			t.Errorf("%s: exclude %v, want %v", name, got, c.want)
		}
	}
}
