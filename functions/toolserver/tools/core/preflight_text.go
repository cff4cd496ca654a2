package core

// texts are the answers of the actions of preflight_check that check nothing.
var texts = map[string]string{
	"get_script": `#!/bin/sh
# Refuses to go on when a file must not be changed. Usage: preflight.sh FILE...
# 0 OK, 1 PROTECTED, 2 BLOCKED, 3 UNKNOWN. Nothing but 0 means that the change may be made.
exec governance check "$@"
`,
	"get_pattern": `Before every change:
1. Call preflight_check with all files of the change, or with the command.
2. OK: make the change. PROTECTED: request_approval, and wait for a person. BLOCKED: stop and say so. UNKNOWN: ask.
3. Never try another way after a refusal. Each attempt is recorded.
Where the agent has hooks, governance hook install makes this check without being asked.
`,
	"get_untouchable_template": `# governance.yaml: what agents may do in this project
version: 1
untouchable:            # never, by no way
  - "**/.env"
  - "**/*.pem"
  - "infra/prod/**"
protected:              # after a person approved
  - "go.mod"
  - ".github/workflows/**"
allow: []               # exceptions from protected
`,
}
