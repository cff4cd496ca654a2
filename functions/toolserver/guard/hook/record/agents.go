package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// agent says how a coding agent is started and which tools it has.
type agent struct {
	settings string // file that governance hook install writes
	args     []string
	env      func(address string) []string
	prepare  func(p project, address string) error
	steps    func(dir string) []step // each of them must be refused
	around   func(dir string) []step // a script that the guard does not read
	allowed  func(dir string) []step // nothing of it is refused; some of it fails
}

var agents = map[string]agent{
	"claude-code": {
		settings: ".claude/settings.local.json",
		args:     []string{"-p", "go", "--allowedTools", "Bash", "Edit", "Write", "NotebookEdit", "Read", "Monitor"},
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
				{"Monitor", object("description", "watch", "timeout_ms", 1000, "command", "echo x > infra/prod/main.tf")},
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
		allowed: func(dir string) []step {
			file := filepath.Join(dir, "src/b.go")
			return []step{
				{"Write", object("file_path", file, "content", "package a\n")},
				{"Edit", object("file_path", file, "old_string", "package a", "new_string", "package b")},
				{"Edit", object("file_path", file, "old_string", "nowhere", "new_string", "x")},
				{"Read", object("file_path", filepath.Join(dir, "missing.go"))},
				{"Bash", object("command", "echo ok", "description", "try")},
				{"Bash", object("command", "echo Exit code 0; exit 3", "description", "try")},
				{"Agent", object("description", "look", "prompt", "look", "subagent_type", "general-purpose", "run_in_background", false)},
				{"Bash", object("command", "echo by a subagent", "description", "try")},
			}
		},
	},
	"codex": {
		settings: ".codex/hooks.json",
		args:     []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "go"},
		env:      func(string) []string { return nil },
		prepare: func(p project, address string) error {
			return write(filepath.Join(p.home, ".codex/config.toml"), fmt.Sprintf(codexSettings, address, p.dir), 0o600)
		},
		steps: func(string) []step {
			steps := []step{
				{"apply_patch", object("patch", "*** Begin Patch\n*** Add File: infra/prod/new.tf\n+x\n*** End Patch\n")},
				{"apply_patch", object("patch", "*** Begin Patch\n*** Update File: infra/prod/main.tf\n@@\n-x\n+y\n*** End Patch\n")},
				{"apply_patch", object("patch", "*** Begin Patch\n*** Update File: src/a.go\n*** Move to: infra/prod/a.go\n@@\n-package a\n+package b\n*** End Patch\n")},
				{"apply_patch", object("patch", "*** Begin Patch\n*** Delete File: infra/prod/main.tf\n*** End Patch\n")},
			}
			for _, command := range guardtest.Bypasses {
				steps = append(steps, step{"exec_command", object("cmd", command)})
			}
			// Input to an open session reaches no hook, so none may be opened.
			return append(steps, step{"exec_command", object("cmd", "bash", "tty", true)}, step{"exec_command", object("cmd", "python3 -i", "tty", true)})
		},
		around: func(string) []step {
			return []step{
				{"apply_patch", object("patch", "*** Begin Patch\n*** Add File: build.sh\n"+added(script)+"*** End Patch\n")},
				{"exec_command", object("cmd", "sh build.sh")},
			}
		},
		allowed: func(string) []step {
			return []step{
				{"apply_patch", object("patch", "*** Begin Patch\n*** Add File: src/b.go\n+package a\n*** End Patch\n")},
				{"apply_patch", object("patch", "*** Begin Patch\n*** Update File: src/b.go\n@@\n-nowhere\n+x\n*** End Patch\n")},
				{"exec_command", object("cmd", "echo ok")},
				{"exec_command", object("cmd", "echo Process exited with code 0; exit 3")},
			}
		},
	},
	"gemini": {
		settings: ".gemini/settings.json",
		args:     []string{"--approval-mode", "yolo", "-m", "gemini-2.5-pro", "-p", "go"},
		env: func(address string) []string {
			return []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + address}
		},
		prepare: func(p project, _ string) error {
			trusted := textOf(object(p.dir, "TRUST_FOLDER")) // in other folders it ignores hooks
			return errors.Join(
				write(filepath.Join(p.home, ".gemini/settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}`, 0o600),
				write(filepath.Join(p.home, ".gemini/trustedFolders.json"), trusted, 0o600))
		},
		steps: func(dir string) []step {
			file := filepath.Join(dir, "infra/prod/main.tf")
			steps := []step{
				{"write_file", object("file_path", filepath.Join(dir, "infra/prod/new.tf"), "content", "x")},
				{"replace", object("file_path", file, "instruction", "change it", "old_string", "x", "new_string", "y")},
			}
			for _, command := range guardtest.Bypasses {
				steps = append(steps, step{"run_shell_command", object("command", command, "description", "try")})
			}
			return steps
		},
		around: func(dir string) []step {
			return []step{
				{"write_file", object("file_path", filepath.Join(dir, "build.sh"), "content", script)},
				{"run_shell_command", object("command", "sh build.sh", "description", "build")},
			}
		},
		allowed: func(dir string) []step {
			file := filepath.Join(dir, "src/b.go")
			return []step{
				{"write_file", object("file_path", file, "content", "package a\n")},
				{"replace", object("file_path", file, "instruction", "change it", "old_string", "nowhere", "new_string", "x")},
				{"read_file", object("file_path", filepath.Join(dir, "missing.go"))},
				{"run_shell_command", object("command", "echo ok", "description", "try")},
				{"run_shell_command", object("command", "echo Exit Code: 0; exit 3", "description", "try")},
			}
		},
	},
}

// codexSettings choose the model at an address, and trust the project.
const codexSettings = `model = "gpt-5.5"
model_provider = "script"
[model_providers.script]
name = "script"
base_url = "%s/v1"
wire_api = "responses"
[projects."%s"]
trust_level = "trusted"
`

// script computes the name of the file that it writes. The guard runs no program, so it cannot
// know that name.
const script = "dir=$(printf cebq | tr a-z n-za-m)\necho 'by the script' > infra/$dir/main.tf\n"

// added is a text as a patch adds it.
func added(text string) string {
	return "+" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+") + "\n"
}
