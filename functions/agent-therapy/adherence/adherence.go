// Package adherence holds what an agent did against the rules that were in force.
package adherence

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/transcript"
	"governance.internal/functions/agent-therapy/words"
)

// Breach is a use of a tool that a rule forbids.
type Breach struct {
	Rule document.Quote   `json:"rule"`
	Turn transcript.Quote `json:"turn"` // Line is the number of the turn
	Why  string           `json:"why"`
}

// Rule is a directive and the turn behind which it is in force; 0 for the whole conversation.
type Rule struct {
	*directive.Directive
	Since int
}

// Standing returns directives that are in force from the beginning.
func Standing(directives []*directive.Directive) []Rule { return Since(0, directives) }

// Since returns directives that a turn says.
func Since(turn int, directives []*directive.Directive) []Rule {
	rules := make([]Rule, 0, len(directives))
	for _, d := range directives {
		rules = append(rules, Rule{d, turn})
	}
	return rules
}

// Find returns the breaches of some rules in a conversation, in its order; for each use of a tool and
// each answer the first.
func Find(rules []Rule, t *transcript.Transcript) []Breach {
	breaches := []Breach{}
	s := state{t: t}
	acts, manners := actRules(rules), mannerRules(rules)

	for i := range t.Turns {
		turn := &t.Turns[i]
		switch turn.Role {
		case transcript.User:
			s.agreed = agrees(turn.Text) || s.isLimitedYes(i)
		case transcript.Assistant:
			for _, m := range manners {
				if turn.Number > m.Since && m.isBroken(turn.Text) {
					breaches = append(breaches, Breach{m.Quote(), t.Quote(turn, turn.Text), "The rule says how to answer, and the answer is another."})
					break
				}
			}
		}
		for _, call := range turn.Calls {
			u := useOf(call)
			if b, ok := s.breach(acts, turn, u); ok {
				breaches = append(breaches, b)
			}
			s.note(u)
		}
	}
	return breaches
}

// state is what was done so far in a conversation.
type state struct {
	t      *transcript.Transcript
	agreed bool     // the last words of a person let the agent go on
	done   []string // commands since the last change of a file
}

// actRule is a rule about what is done, with what is compared with each use of a tool.
type actRule struct {
	Rule
	command string   // that it names in backticks
	named   []string // its words that say something
}

// actRules returns the rules that a use of a tool can break.
func actRules(rules []Rule) []actRule {
	var acts []actRule
	for _, r := range rules {
		isBan := r.Negative && r.Strength == directive.Must
		isOrder := !r.Negative && len(r.Before) > 0
		if isBan || isOrder {
			acts = append(acts, actRule{r, namedCommand(r.Directive), namedWords(r.Directive)})
		}
	}
	return acts
}

// use is a use of a tool as it is compared with rules.
type use struct {
	transcript.Call
	text     string     // name and arguments as one line in lower case, with a space behind
	commands [][]string // of a shell, each as its words
	isShell  bool
	changes  bool // changes files
}

func useOf(call transcript.Call) use {
	u := use{
		Call:    call,
		text:    strings.ToLower(call.Name + " " + flat(call.Arguments) + " "),
		isShell: isShell(call),
		changes: changes(call),
	}
	if u.isShell {
		u.commands = commandsOf(call)
	}
	return u
}

// breach returns the first rule that a use of a tool breaks.
func (s *state) breach(rules []actRule, turn *transcript.Turn, u use) (Breach, bool) {
	for _, d := range rules {
		if turn.Number <= d.Since {
			continue
		}
		if forbids(d.Directive, s.agreed) {
			if what := broken(d, u); what != "" {
				return Breach{d.Quote(), s.t.Quote(turn, what), "The rule forbids it, and the tool " + u.Name + " was used for it."}, true
			}
		}
		if what := s.skipped(d.Directive, u); what != "" {
			return Breach{d.Quote(), s.t.Quote(turn, what), "The rule wants something else before, and it was not done."}, true
		}
	}
	return Breach{}, false
}

// agrees reports whether a person lets the agent go on.
func agrees(text string) bool {
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, yes := range []string{"yes", "ok", "sure", "go ahead", "please do", "approved", "do it", "push", "commit"} {
		if strings.HasPrefix(lower, yes) || strings.Contains(lower, "please "+yes) {
			return true
		}
	}
	return false
}

// isLimitedYes reports whether turn i answers a question by a limit: "only those older than 30 days".
func (s *state) isLimitedYes(i int) bool {
	wasAsked := i > 0 && strings.Contains(s.t.Turns[i-1].Text, "?")
	first, _, _ := strings.Cut(strings.ToLower(s.t.Turns[i].Text), " ")
	return wasAsked && (first == "only" || first == "just")
}

// forbids reports whether a directive is a prohibition that holds now. One with a condition or an
// exception holds only where the exception is the agreement of a person who has not agreed.
func forbids(d *directive.Directive, agreed bool) bool {
	if !d.Negative || d.Strength != directive.Must || len(d.When) > 0 {
		return false
	}
	if len(d.Except) == 0 {
		return true
	}
	asks := slices.Contains(d.Except, "ask") || slices.Contains(d.Except, "approval") || slices.Contains(d.Except, "approve")
	return asks && !agreed
}

// commands are the commands of actions.
var commands = map[string][]string{
	"push":      {"git push"},
	"forcepush": {"push --force", "push -f"},
	"commit":    {"git commit"},
	"merge":     {"git merge", "gh pr merge"},
	"rebase":    {"git rebase"},
	"tag":       {"git tag"},
	"amend":     {"--amend"},
	"bypass":    {"--no-verify"},
	"publish":   {"npm publish", "cargo publish", "twine upload"},
	"reset":     {"git reset"},
	"stash":     {"git stash"},
}

// broken returns the words of a use that break a prohibition; empty if none do.
func broken(d actRule, u use) string {
	for _, command := range commands[d.Action] {
		if strings.Contains(u.text, command) && narrows(d.Directive, u.text, command) {
			return command
		}
	}

	if d.command != "" && u.isShell && strings.Contains(u.text, d.command) {
		return d.command
	}
	if isEdit(d.Action) && u.changes {
		return namedFile(d.Directive, u.text)
	}
	return forbiddenProgram(d, u)
}

// flat makes arguments in JSON readable as a command: a list of words becomes words.
func flat(arguments string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`","`, " ", `"`, " ", `[`, " ", `]`, " ", `\n`, " ").Replace(arguments)), " ")
}

// narrows reports whether everything that the prohibition names beyond the action stands in the call.
func narrows(d *directive.Directive, text, command string) bool {
	for _, thing := range d.Things {
		isLabel := !slices.ContainsFunc(d.Core, func(t words.Token) bool { return t.Form == thing })
		if isLabel {
			continue
		}
		if strings.Contains(command, thing) || words.Broad(thing) || strings.Contains(text, thing) || ambient[thing] {
			continue
		}
		return false
	}
	return true
}

// ambient things are meant by the command itself.
var ambient = map[string]bool{"remot": true, "branch_": true, "hook": true, "repository": true, "user": true, "agent": true, "history": true}

// namedCommand returns the command that a prohibition names in backticks; empty without.
func namedCommand(d *directive.Directive) string {
	var parts []string
	for _, t := range d.Core {
		if t.Code && !t.Mark {
			parts = append(parts, strings.ToLower(t.Text))
		}
	}
	return strings.Join(parts, " ")
}

// isShell reports whether a call runs a command.
func isShell(call transcript.Call) bool {
	name := strings.ToLower(call.Name)
	for _, word := range []string{"bash", "shell", "exec", "run", "terminal", "command"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func isEdit(action string) bool {
	return slices.Contains([]string{"edit", "write", "delete", "rename", "move", "update", "fix", "create"}, action)
}

func changes(call transcript.Call) bool {
	name := strings.ToLower(call.Name)
	for _, verb := range []string{"edit", "write", "patch", "replace", "delete", "remove", "create", "bash", "shell"} {
		if strings.Contains(name, verb) {
			return !strings.Contains(name, "bash") && !strings.Contains(name, "shell") || shellChanges(call.Arguments)
		}
	}
	return false
}

// shellChanges reports whether a command writes files.
func shellChanges(arguments string) bool {
	for _, verb := range []string{"rm ", "mv ", "sed -i", "> ", "tee ", "truncate"} {
		if strings.Contains(arguments, verb) {
			return true
		}
	}
	return false
}

// namedFile returns the file that a prohibition names and a call changes.
func namedFile(d *directive.Directive, text string) string {
	for _, literal := range d.Literal {
		name := strings.Trim(literal, "*")
		if strings.ContainsAny(literal, "./") && len(name) > 2 && strings.Contains(text, name) {
			return name
		}
		if !strings.Contains(literal, ".") && strings.Contains(text, literal+"/") {
			return literal
		}
	}
	return ""
}
