package main

import (
	"path/filepath"

	"governance.internal/functions/toolserver/guardtest"
)

// agent says how a coding agent is started and which tools it has.
type agent struct {
	settings string // file that local hook install writes
	args     []string
	env      func(address string) []string
	prepare  func(p project, address string) error
	steps    func(dir string) []step // each of them must be refused
	around   func(dir string) []step // a script that nobody looks into
}

var agents = map[string]agent{
	"claude-code": {
		settings: ".claude/settings.local.json",
		args:     []string{"-p", "go", "--allowedTools", "Bash", "Edit", "Write", "NotebookEdit", "Read"},
		env: func(address string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + address, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
		},
		steps: func(dir string) []step {
			file, notebook := filepath.Join(dir, "infra/prod/main.tf"), filepath.Join(dir, "infra/prod/a.ipynb")
			steps := []step{
				{"Write", object("file_path", filepath.Join(dir, "infra/prod/new.tf"), "content", "x")},
				{"Read", object("file_path", file)}, // an edit is refused before
				{"Edit", object("file_path", file, "old_string", "x", "new_string", "y")},
				{"Read", object("file_path", notebook)},
				{"NotebookEdit", object("notebook_path", notebook, "cell_id", "c1", "new_source", "y")},
			}
			for _, command := range guardtest.Bypasses {
				steps = append(steps, step{"Bash", object("command", command, "description", "try")})
			}
			return steps
		},
		around: func(dir string) []step {
			return []step{
				{"Write", object("file_path", filepath.Join(dir, "build.sh"), "content", script)},
				{"Bash", object("command", "sh build.sh", "description", "build")},
			}
		},
	},
}

// script does what the guard cannot see, since it does not run programs.
const script = "echo 'by the script' > infra/prod/main.tf\n"
