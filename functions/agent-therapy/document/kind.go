package document

import (
	"path"
	"strings"
)

// KindOf tells what a text is, by its name first and then by what it looks like.
func KindOf(name, text string) Kind {
	base := strings.ToLower(path.Base(name))
	trimmed := strings.TrimSpace(text)

	switch {
	case base == "skill.md":
		return Skill
	case strings.HasSuffix(base, ".jsonl"):
		return Transcript
	case IsJSON(trimmed):
		return kindOfJSON(trimmed)
	case looksSpoken(trimmed):
		return Transcript
	case isRulesName(name):
		return Rules
	case isSkillHeader(trimmed):
		return Skill
	}
	return Prompt
}

// IsJSON reports whether a text without white space around it begins as JSON, and not with a name in
// brackets: "[user] ...".
func IsJSON(text string) bool {
	if strings.HasPrefix(text, "{") {
		return true
	}
	rest, isList := strings.CutPrefix(text, "[")
	rest = strings.TrimSpace(rest)
	return isList && (rest == "" || strings.ContainsRune("{[\"]", rune(rest[0])))
}

// rulesNames are files that agents read as their instructions.
var rulesNames = []string{
	"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "codex.md",
	".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md", "conventions.md",
	"warp.md", "crush.md", "qwen.md", ".rules", ".goosehints", "contributing.md",
}

func isRulesName(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, known := range rulesNames {
		if base == known {
			return true
		}
	}
	return strings.HasSuffix(base, ".mdc") || strings.HasSuffix(base, ".instructions.md") ||
		strings.Contains(name, "rules/") || strings.HasPrefix(name, ".clinerules/")
}

// isSkillHeader reports whether the front matter has just what a skill needs.
func isSkillHeader(text string) bool {
	if !strings.HasPrefix(text, "---\n") {
		return false
	}
	header, _, ok := strings.Cut(text[4:], "\n---")
	return ok && strings.Contains("\n"+header, "\nname:") && strings.Contains("\n"+header, "\ndescription:")
}

// kindOfJSON tells lists of tools and conversations apart by the members that they have.
func kindOfJSON(text string) Kind {
	turns, descriptions := 0, 0
	walkStrings(text, func(key string, _ int, value string) {
		switch key {
		case "role", "type":
			turns += isRole(value)
		case "description":
			descriptions++
		}
	})

	isList := descriptions > 0 && turns == 0
	isDefinition := descriptions > 0 && turns < 2 && hasSchema(text)
	if isList || isDefinition {
		return Tools
	}
	return Transcript
}

// hasSchema reports whether JSON describes the input of tools.
func hasSchema(text string) bool {
	for _, member := range []string{`"inputSchema"`, `"input_schema"`, `"parameters"`} {
		if strings.Contains(text, member) {
			return true
		}
	}
	return false
}

// isRole returns 1 if a value names who speaks in a conversation, else 0.
func isRole(value string) int {
	switch value {
	case "user", "assistant", "system", "tool", "human", "model", "gemini", "developer", "response_item", "message":
		return 1
	}
	return 0
}

// speakers begin a line of a conversation.
var speakers = []string{"user", "assistant", "human", "ai", "agent", "customer", "bot", "claude", "chatgpt", "model", "me", "you", "operator", "codex", "gemini", "copilot"}

// looksSpoken reports whether at least two speakers take turns.
func looksSpoken(text string) bool {
	turns := 0
	heard := map[string]bool{}

	for line := range strings.Lines(text) {
		if speaker := knownSpeaker(line); speaker != "" {
			turns++
			heard[speaker] = true
		}
	}

	if turns >= 2 && len(heard) >= 2 {
		return true
	}
	person, agent := Speakers(text)
	return person != "" && agent != ""
}

// knownSpeaker returns who speaks in a line: "User: ...", "**Assistant**", "[user] ...", "### Human"; empty if
// the line names nobody.
func knownSpeaker(line string) string {
	marked := strings.TrimSpace(line)
	plain := strings.TrimLeft(strings.ToLower(marked), "#*->[ \t")
	isMarked := len(plain) < len(marked)

	for _, speaker := range speakers {
		rest, ok := strings.CutPrefix(plain, speaker)
		if !ok {
			continue
		}
		isClosed := strings.HasPrefix(rest, "]") || strings.Trim(rest, "* ") == ""
		if strings.HasPrefix(strings.TrimLeft(rest, "*]"), ":") || isMarked && isClosed {
			return speaker
		}
	}
	return ""
}
