package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/workspace"
)

// maxSettings is the size of an agent's settings that doctor reads, in bytes.
const maxSettings = 1 << 20

// workspaceFile reports whether the rules of the project can be read.
func (d doctor) workspaceFile() symptom {
	f := symptom{
		Name:  "workspace file",
		State: stateOK,
	}
	w, err := workspace.Open(d.workspace)
	if err != nil {
		f.State = stateBroken
		f.Found = fmt.Sprintf("--workspace %s cannot be opened", d.workspace)
		f.Do = "name the directory of the project with --workspace DIR"
		return f
	}
	defer w.Close()

	state, err := w.Load()
	switch {
	case err != nil:
		f.State = stateBroken
		f.Found = workspace.FileName + ": " + w.Hide(err.Error())
		f.Do = "repair the file; governance init --schema prints its JSON Schema"
	case !state.Configured:
		f.State = stateMissing
		f.Found = "there is no " + workspace.FileName + ", so no file is known to be safe"
		f.Do = "write one with governance init"
	case state.Config.Mode == workspace.Observe:
		f.State = stateWarn
		f.Found = state.Source + " is read, and the guard only rehearses: it refuses nothing"
		f.Do = "set mode: enforce when the record shows what you want"
	default:
		f.Found = state.Source + " is read"
	}
	return f
}

// hooks lists the agents for which the hook is installed in the project.
func (d doctor) hooks() []symptom {
	w, err := workspace.Open(d.workspace)
	if err != nil {
		return nil // the workspace file says so
	}
	defer w.Close()

	var findings []symptom
	for _, name := range hook.Names() {
		settings := hook.Agents[name].Settings
		text, err := w.ReadFile(settings, maxSettings)
		if err != nil {
			continue
		}
		if program := hook.ProgramIn(string(text), name); program != "" {
			f := d.installedHook(name, settings, program)
			if f.State == stateOK && !hook.Reports(string(text), name) {
				f.State = stateWarn
				f.Found = settings + " tells the hook of steps before, and not of what then happened"
				f.Do = "install the hook again: governance hook install --agent " + name
			}
			findings = append(findings, f)
		}
	}

	if len(findings) == 0 {
		findings = append(findings, symptom{
			Name:  "hooks",
			State: stateMissing,
			Found: "no agent has the hook in this project",
			Do:    "install it with: governance hook install --agent " + strings.Join(hook.Names(), "|"),
		})
	}
	return findings
}

func (d doctor) installedHook(agent, settings, program string) symptom {
	f := symptom{
		Name:  "hook of " + agent,
		State: stateOK,
		Found: fmt.Sprintf("%s starts %s", settings, program),
	}
	if _, err := d.lookPath(program); err != nil {
		f.State = stateBroken
		f.Found = fmt.Sprintf("%s starts %s, which cannot be started, so every step of the agent is refused", settings, program)
		f.Do = "build it with make programs, or install the hook again: governance hook install --agent " + agent
	}
	return f
}

// runnerPrograms are the programs of the agents that dispatch can start.
func runnerPrograms() []string {
	var programs []string
	for _, agent := range coder.Agents {
		if agent.Runner != nil {
			programs = append(programs, agent.Runner.Command[0])
		}
	}
	return programs
}

// controlGroups reports whether the service can put agents into control groups of their
// own, which the kernel ends at once.
func (d doctor) controlGroups() symptom {
	f := symptom{
		Name:  "cgroup v2",
		State: stateWarn,
		Found: "not delegated to this user, so the kill switch searches the process table instead",
		Do:    "start the service as a systemd service with Delegate=yes to let the kernel end agents at once",
	}
	if runtime.GOOS != "linux" {
		f.Found = "only Linux has it"
		f.Do = ""
		return f
	}

	groups, err := d.readFile("/proc/self/cgroup")
	if err != nil {
		return f
	}
	for line := range strings.Lines(string(groups)) {
		path, ours := strings.CutPrefix(strings.TrimSpace(line), "0::")
		folder := filepath.Join("/sys/fs/cgroup", path)
		if ours && isWritable(folder) {
			f.State = stateOK
			f.Found = "delegated: " + folder
			f.Do = ""
		}
	}
	return f
}

// isWritable reports whether this user may make control groups in a folder of the kernel.
func isWritable(folder string) bool {
	procs, err := os.OpenFile(filepath.Join(folder, "cgroup.procs"), os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	return procs.Close() == nil
}
