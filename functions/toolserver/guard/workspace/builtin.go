package workspace

import (
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/policy"
)

// Files of git decide what the next git command runs. A person's commit needs none of them
// to be written by an agent: git itself writes them. What an agent may write are messages,
// and it may remove a lock that a crash left behind.
var (
	gitFiles = policy.Rule{
		List:    policy.Untouchable,
		Pattern: "**/.git/**",
		Except:  "**/.git/**/{index.lock,COMMIT_EDITMSG,MERGE_MSG,SQUASH_MSG,TAG_EDITMSG}",
	}
	// A folder without a file HEAD is no repository for git, whatever else is in it.
	gitHead = policy.Rule{List: policy.Untouchable, Pattern: "**/HEAD"}
)

// ownState is what the service keeps about a workspace.
var ownState = policy.Rule{List: policy.Untouchable, Pattern: StateDir + "/**"}

// builtIn hold without being written down: an agent that changes these files lifts its own
// limits, or runs something that was not looked into.
var builtIn = slices.Concat(
	[]policy.Rule{
		ownState,
		{List: policy.Untouchable, Pattern: FileName},
		gitFiles,
		gitHead,
	},
	settings(),
)

// settings are the files through which the hooks of agents are called, in any folder: an
// agent may be started there.
func settings() (rules []policy.Rule) {
	for _, agent := range coder.Agents {
		for _, pattern := range agent.Settings {
			rules = append(rules, policy.Rule{
				List:    policy.Untouchable,
				Pattern: "**/" + pattern,
			})
		}
	}
	return rules
}

// builtInProtected are programs that git runs. They hold once the workspace is configured.
var builtInProtected = []policy.Rule{
	{List: policy.ProtectedList, Pattern: "**/.{husky,githooks}/**"},
}

// elsewhere are the rules for files anywhere on the machine. Names below the home directory
// of the user begin with ~/, all others at the root of the machine.
func elsewhere() []policy.Rule {
	rules := []policy.Rule{
		gitFiles,
		gitHead,
		{List: policy.Untouchable, Pattern: "~/{.gitconfig,.config/git}"},
		{List: policy.Untouchable, Pattern: "etc/gitconfig"},
	}
	for _, agent := range coder.Agents {
		for _, folder := range agent.Home {
			rule := policy.Rule{List: policy.Untouchable, Pattern: "~/" + folder}
			if agent.Notes != "" {
				rule.Except = "~/" + agent.Notes
			}
			rules = append(rules, rule)
		}

		for _, folder := range agent.System {
			rules = append(rules, policy.Rule{
				List:    policy.Untouchable,
				Pattern: folder,
			})
		}
	}

	return append(rules, settings()...)
}

// beyond are further rules for files outside the workspace: other projects that are
// governed.
var beyond = []policy.Rule{
	{List: policy.Untouchable, Pattern: "**/" + FileName},
	{List: policy.Untouchable, Pattern: "**/" + StateDir + "/**"},
}

// OfGit reports whether a rule is about what git itself keeps.
func OfGit(rule *policy.Rule) bool {
	return rule != nil && (*rule == gitFiles || *rule == gitHead)
}

// literalPattern matches just one name.
func literalPattern(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", "{", "?", "}", "?").Replace(name)
}
