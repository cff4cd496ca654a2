package dispatch

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/coder"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/shared/config"
)

// Job is a task and the identity of its dispatch.
type Job struct {
	Task
	ID   string
	File string // the text of the task as a file, absolute
}

// Program is what does a job.
type Program struct {
	Argv    []string // no shell
	Fenced  []string // the same behind a fence; nil for Argv
	Env     []string // name=value
	Input   []byte   // on standard input
	Guarded bool     // each change that it makes is checked first

	// Unfenced is why no fence of the kernel stands around the program; "" if one should.
	Unfenced string
}

// Runner knows a kind of agents.
type Runner interface {
	// Name is how people know it.
	Name() string
	// Program is what to start for a job. The error is *[Refused] if it is not there.
	Program(j Job) (Program, error)
	// Stop returns the reason to stop that an exit status stands for, "" for none.
	Stop(status int) string
}

// Exec runs a third-party agent by its command line.
type Exec struct {
	Preset  string       // name of one of [Presets], "" for a command of the workspace file
	Command []string     // program and arguments; {task}, {task_file}, {max_turns} and {hook} are filled in. Without a task among them it comes on standard input
	Fenced  []string     // the same behind a fence of the kernel; nil for Command
	Agent   string       // name of its hook in [hook.Agents], "" for none
	Guard   *hook.Launch // its start with the hook; nil for none
	Env     []string     // names of variables that the agent inherits
	Stops   map[int]string
	Lookup  func(name string) (string, bool) // of the environment
}

// Presets are the agents of [coder.Agents] that can be started for one task. A task never
// is an argument of its own where it could be taken for a flag.
var Presets = presets()

func presets() (all []Exec) {
	for _, known := range coder.Agents {
		if known.Runner == nil {
			continue
		}
		preset := Exec{
			Preset:  known.Runner.Name,
			Command: known.Runner.Command,
			Fenced:  known.Runner.Fenced,
			Env:     known.Runner.Env,
			Stops:   known.Runner.Stops,
		}

		if known.Hook != nil {
			preset.Agent = known.Name
		}

		all = append(all, preset)
	}

	return all
}

// PresetNames are the names of the presets, in the order in which they are looked for.
func PresetNames() []string { return coder.RunnerNames() }

// FindPreset is the preset of a name, or with "" the first one whose program is on PATH.
func FindPreset(name string) (Exec, bool) {
	at := slices.IndexFunc(Presets, func(p Exec) bool {
		if name != "" {
			return p.Preset == name
		}
		_, err := exec.LookPath(p.Command[0])
		return err == nil
	})
	if at < 0 {
		return Exec{}, false
	}

	found := Presets[at]
	found.Env = append([]string{"PATH", "HOME", "LANG"}, found.Env...)
	return found, true
}

// Name implements Runner.
func (e Exec) Name() string {
	return cmp.Or(e.Preset, "exec")
}

// Stop implements Runner.
func (e Exec) Stop(status int) string {
	return e.Stops[status]
}

// Program implements Runner.
func (e Exec) Program(j Job) (Program, error) {
	if len(e.Command) == 0 {
		return Program{}, &Refused{
			Code:    "disabled",
			Message: "dispatch.runner is exec, and there is no dispatch.command in governance.yaml.",
		}
	}

	for _, name := range e.Env {
		if slices.Contains(config.Secrets, name) {
			return Program{}, &Refused{
				Code:    "disabled",
				Message: "dispatch.env in governance.yaml names " + name + ", a secret of this server that no agent gets. Take it out.",
			}
		}
	}

	program, err := exec.LookPath(e.Command[0])
	if err != nil {
		return Program{}, &Refused{
			Code:    "command_not_found",
			Message: fmt.Sprintf("The program of the agent is not there: %s. Install it, or choose another with dispatch.command or dispatch.runner in governance.yaml.", filepath.Base(e.Command[0])),
		}
	}

	out := Program{Input: []byte(j.Text)}
	for _, name := range e.Env {
		if value, ok := e.Lookup(name); ok {
			out.Env = append(out.Env, name+"="+value)
		}
	}

	var hooked []string
	if e.Guard != nil {
		out.Guarded, out.Env, hooked = true, append(out.Env, e.Guard.Env...), e.Guard.Args
	}

	out.Argv = filled(program, e.Command[1:], j, hooked)
	if len(e.Fenced) > 0 {
		out.Fenced = filled(program, e.Fenced[1:], j, hooked)
	}
	if namesTask(e.Command) {
		out.Input = nil
	}
	return out, nil
}

// namesTask reports whether a task is among the arguments.
func namesTask(command []string) bool {
	return slices.ContainsFunc(command[1:], func(part string) bool {
		return strings.Contains(part, "{task}") || strings.Contains(part, "{task_file}")
	})
}

// filled is a command line with what stands for a job filled in.
func filled(program string, arguments []string, j Job, hooked []string) []string {
	argv := []string{program}
	places := strings.NewReplacer("{max_turns}", strconv.Itoa(j.MaxTurns), "{task_file}", j.File, "{task}", j.Text)
	for _, part := range arguments {
		if part == "{hook}" {
			argv = append(argv, hooked...)
			continue
		}
		argv = append(argv, places.Replace(part))
	}
	return argv
}
