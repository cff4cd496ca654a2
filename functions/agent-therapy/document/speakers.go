package document

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// label matches a line that begins with who speaks: "Priya: ...", "**Priya**: ...", "BOT> ...",
// "09:41 <marek> ...", "Planner (14:02): ...", "OPERATOR | ...", "----- agent -----", "== Scribe ==".
var label = sync.OnceValue(func() *regexp.Regexp {
	const time = `(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]? )?`
	const name = `([\p{L}][\p{L}\d._ -]{0,24}?)`
	return regexp.MustCompile(`^` + time + `(?:` +
		`\*\*` + name + `:?\*\*:?` + `|` +
		`<` + name + `>` + `|` +
		`(?:-{3,}|={2,}) ` + name + ` (?:-{3,}|={2,})$` + `|` +
		name + `(?: \([\d: ]+\))?(?:>|:| \|)` +
		`)(?:\s|$)`)
})

// SpeakerOf returns the name with which a line begins, in lower case, and what follows it; empty for a line
// without one.
func SpeakerOf(line string) (name, rest string) {
	found := label().FindStringSubmatchIndex(line)
	if found == nil {
		return "", ""
	}
	for group := 2; group+1 < len(found); group += 2 {
		if found[group] >= 0 {
			name = line[found[group]:found[group+1]]
		}
	}
	return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(line[found[1]:])
}

// Speakers returns the two names that take turns in a text: the person and the agent. It returns none for a
// text that is no conversation: the first line names one of them, and each speaks at least twice.
func Speakers(text string) (person, agent string) {
	first := ""
	turns := map[string]int{}
	for line := range strings.Lines(text) {
		name, _ := SpeakerOf(strings.TrimRight(line, "\r\n"))
		if first == "" && strings.TrimSpace(line) != "" {
			if name == "" {
				return "", ""
			}
			first = name
		}
		if name != "" && !isTool(name) {
			turns[name]++
		}
	}

	second := secondSpeaker(turns, first)
	if turns[first] < 2 || second == "" {
		return "", ""
	}
	if isAgent(first) && !isAgent(second) {
		return second, first
	}
	return first, second
}

// secondSpeaker returns who speaks most beside the first, at least twice and often enough to take turns.
func secondSpeaker(turns map[string]int, first string) string {
	var others []string
	for name, n := range turns {
		if name != first && n >= 2 {
			others = append(others, name)
		}
	}
	slices.SortFunc(others, func(a, b string) int {
		if turns[a] != turns[b] {
			return turns[b] - turns[a]
		}
		return strings.Compare(a, b)
	})
	if len(others) == 0 || 3*turns[others[0]] < turns[first] {
		return ""
	}
	return others[0]
}

// toolNames are labels of lines about tools.
var toolNames = []string{"tool", "run", "out", "output", "result", "exec", "shell", "stdout", "stderr", "bash", "system", "observation", "action"}

func isTool(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.Contains(toolNames, strings.TrimRight(first, ":"))
}

// agentWords occur in names of agents.
var agentWords = []string{"bot", "assistant", "agent", "copilot", "helper", "claude", "gpt", "gemini", "codex", "model", "helfer"}

func isAgent(name string) bool {
	return name == "ai" || slices.ContainsFunc(agentWords, func(word string) bool { return strings.Contains(name, word) })
}
