package adherence

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/transcript"
	"governance.internal/functions/agent-therapy/words"
)

// acting are words of commands that do what an action says, by its normal form.
var acting = map[string][]string{
	"commit":  commands["commit"],
	"push":    commands["push"],
	"merge":   commands["merge"],
	"delete":  {"rm ", "git rm", " prune", "drop table", " delete", "truncate ", "unlink "},
	"apply":   {" apply"},
	"deploy":  {"deploy", "kubectl apply", "helm upgrade"},
	"restart": {"restart"},
	"install": {" install ", "pip install", "npm i ", " add "},
	"send":    {"send"},
	"publish": {"publish"},
}

// showing are words of commands that do what must come before, by the normal form.
var showing = map[string][]string{
	"test":   tests,
	"test_":  tests,
	"lint":   {"lint", "ruff", "flake8", "vet", "check"},
	"build":  {"build", "make", "compile"},
	"backup": {"backup", "dump", "snapshot"},
}

// tests are words of commands that run tests; a check of the format is none.
var tests = []string{"test", "spec", "make check", "run check", "just check", "task check", "tox", "nox", "verify"}

// note remembers a command. What was shown before a change of a file no longer counts.
func (s *state) note(u use) {
	if u.changes {
		s.done = nil
	}
	s.done = append(s.done, u.text)
}

// skipped returns the words of a use that come too early: a rule wants to be asked, or something to be
// run, before. It returns nothing if the rule is about something else.
func (s *state) skipped(d *directive.Directive, u use) string {
	if d.Negative || d.Strength < directive.Should || len(d.Before) == 0 {
		return ""
	}
	what := does(d.Before, u)
	if what == "" {
		return ""
	}
	if d.Action == "ask" {
		if s.agreed {
			return ""
		}
		return what
	}

	wanted := wantedBefore(d)
	if len(wanted) == 0 || s.wasDone(wanted) {
		return ""
	}
	return what
}

// does returns the words by which a command does one of some actions; empty if it does none.
func does(actions []string, u use) string {
	if !u.isShell {
		return ""
	}
	for _, action := range actions {
		for _, part := range acting[action] {
			if strings.Contains(u.text, part) {
				return strings.TrimSpace(part)
			}
		}
	}
	return ""
}

// wantedBefore returns words of the commands that a rule wants first: what it names in backticks, or what
// shows that its action was done.
func wantedBefore(d *directive.Directive) []string {
	if len(d.Codes) > 0 {
		return d.Codes
	}
	if command := commandBehindRun(d); command != "" {
		return []string{command}
	}
	for _, form := range append([]string{d.Action}, d.Things...) {
		if parts := showing[form]; parts != nil {
			return parts
		}
	}
	return nil
}

// commandBehindRun returns the two words behind "run" if they are a command: "run make check".
func commandBehindRun(d *directive.Directive) string {
	for i, t := range d.Core {
		if t.Lower != "run" || i+2 >= len(d.Core) {
			continue
		}
		program, argument := d.Core[i+1], d.Core[i+2]
		if program.Mark || argument.Mark || words.Empty(program.Lower) || words.Empty(argument.Lower) {
			return ""
		}
		return program.Lower + " " + argument.Lower
	}
	return ""
}

// wasDone reports whether a command since the last change has one of some words.
func (s *state) wasDone(wanted []string) bool {
	return slices.ContainsFunc(s.done, func(command string) bool {
		return slices.ContainsFunc(wanted, func(part string) bool { return strings.Contains(command, strings.ToLower(part)) })
	})
}

// forbiddenProgram returns the program that a use runs though a rule forbids it: "never npm or yarn".
func forbiddenProgram(d actRule, u use) string {
	for _, command := range u.commands {
		program := command[0]
		isAlone := running[d.Action] && slices.Contains(d.named, program)
		isWhole := len(d.named) > 1 && program == d.named[0] && isWithin(d.named, command)
		if isAlone || isWhole {
			return strings.Join(command[:min(2, len(command))], " ")
		}
	}
	return ""
}

// namedWords returns the words of a rule that say something, in lower case.
func namedWords(d *directive.Directive) []string {
	var named []string
	for _, t := range d.Core {
		if !t.Mark && !words.Empty(t.Lower) && !directive.IsModal(t.Lower) {
			named = append(named, t.Lower)
		}
	}
	return named
}

func isWithin(words, others []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(others, word) })
}

// running are actions of rules about which programs are run.
var running = map[string]bool{directive.Use: true, "run": true, "install": true, "call": true}

// separators stand between the commands of a line.
var separators = strings.NewReplacer("&&", "\n", "||", "\n", ";", "\n", "|", "\n", "$(", "\n")

// commandsOf returns the commands of a line in lower case, each as its words.
func commandsOf(call transcript.Call) [][]string {
	var commands [][]string
	for command := range strings.Lines(separators.Replace(flat(call.Arguments))) {
		command = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(command), "{command:"))
		if fields := strings.Fields(command); len(fields) > 0 {
			commands = append(commands, fields)
		}
	}
	return commands
}
