package repair

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"governance.internal/functions/agent-therapy/skill"
)

// Skill is a file that keeps findings from coming back, to be put where agents find their skills.
type Skill struct {
	Name    string   `json:"name"`
	Path    string   `json:"path"`
	Content string   `json:"content"`
	SHA256  string   `json:"sha256"`
	Install []string `json:"install"`
}

// skillName is the name of the skill and of its folder.
const skillName = "instruction-repair"

// Habit is one thing that the skill teaches: what to do, and why.
type Habit struct {
	Title string
	Do    string
	Why   string
}

// mostHabits is how many habits of a part the skill holds.
const mostHabits = 40

// Write returns the skill for some habits: those about instructions, boundaries, and work. The
// error says which rule of Agent Skills it would break.
func Write(conflicts, boundaries, work []Habit) (*Skill, error) {
	var b strings.Builder
	b.WriteString("---\nname: " + skillName + "\n")
	b.WriteString("description: Gives one reading of this project's instructions where they were ambiguous, and sets limits for the work. Use when starting a task in this project, before committing or deleting anything, and before reporting success.\n")
	b.WriteString("---\n\n# Instruction repair\n\nRead this before the task. Where it differs from older instructions, this page holds.\n")

	part(&b, "Which instruction holds", conflicts)
	part(&b, "Boundaries", boundaries)
	part(&b, "Habits of work", work)

	content := b.String()
	if problems := skill.Problems(skillName, content); len(problems) > 0 {
		return nil, fmt.Errorf("the repair skill is not valid: %s", strings.Join(problems, " "))
	}

	sum := sha256.Sum256([]byte(content))
	return &Skill{
		Name:    skillName,
		Path:    skillName + "/SKILL.md",
		Content: content,
		SHA256:  hex.EncodeToString(sum[:]),
		Install: installs(),
	}, nil
}

func part(b *strings.Builder, title string, habits []Habit) {
	if len(habits) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for i, h := range habits {
		if i == mostHabits {
			fmt.Fprintf(b, "%d. There are %d more; see the diagnosis.\n", i+1, len(habits)-i)
			break
		}
		fmt.Fprintf(b, "%d. **%s** %s", i+1, oneLine(h.Title), oneLine(h.Do))
		if h.Why != "" {
			fmt.Fprintf(b, " Why: %s", oneLine(h.Why))
		}
		b.WriteString("\n")
	}
}

// longestText is how many characters of a text one habit holds.
const longestText = 400

func oneLine(text string) string {
	points := []rune(strings.Join(strings.Fields(text), " "))
	if len(points) > longestText {
		return string(points[:longestText]) + "..."
	}
	return string(points)
}

// installs are commands that put the skill where agents look, run beside SKILL.md.
func installs() []string {
	var commands []string
	for _, folder := range []string{".claude/skills/", ".agents/skills/"} {
		commands = append(commands, fmt.Sprintf("mkdir -p %s%s && cp SKILL.md %s%s/SKILL.md", folder, skillName, folder, skillName))
	}
	return append(commands, "sed '1,/^---$/{//!d;};/^---$/d' SKILL.md >> AGENTS.md")
}
