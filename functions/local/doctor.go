package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// States of what doctor looks at.
const (
	stateOK      = "ok"
	stateWarn    = "warn"    // works, with a risk or a limit
	stateMissing = "missing" // is not set up
	stateBroken  = "broken"  // must be repaired: exit status 1
)

// symptom is one line of doctor's page.
type symptom struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // what a person does about it
}

// doctor looks at one set-up.
type doctor struct {
	data, workspace string
	addr            string // on which the service listens
	lookPath        func(program string) (string, error)
	readFile        func(path string) ([]byte, error)
	getenv          func(name string) string
}

const doctorStatus = `  0  nothing is broken; something may be missing
  1  something is broken
  2  wrong usage
`

func doctorCommand(t terminal) *cobra.Command {
	d := doctor{
		lookPath: exec.LookPath,
		readFile: os.ReadFile,
		getenv:   os.Getenv,
	}
	var f *form
	c := command("doctor", "Say what works here, and what to do about the rest",
		examples(
			"governance doctor", "this folder and the default port",
			"governance doctor --workspace ~/project --data ~/project/.data", "a project",
			"governance doctor --format json", "for a program",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("doctor", args); err != nil {
				return err
			}
			return d.report(t, d.examine(ctx), f)
		})
	c.Annotations = map[string]string{exitStatusOf: doctorStatus}
	c.Flags().StringVar(&d.data, "data", defaultData, "data `directory` of the service")
	c.Flags().StringVar(&d.workspace, "workspace", ".", "`directory` of the governed project")
	c.Flags().StringVar(&d.addr, "addr", defaultAddr(), "`address` on which the service listens")
	f = addForm(c)
	return c
}

// examine makes all findings. It changes nothing.
func (d doctor) examine(ctx context.Context) []symptom {
	findings := []symptom{
		d.system(),
		d.controlGroups(),
		d.port(ctx),
		d.dataDirectory(),
		d.killSecret(),
		d.halt(),
	}
	findings = append(findings, d.chain(ctx)...)
	findings = append(findings, d.workspaceFile())
	findings = append(findings, d.hooks()...)
	findings = append(findings, d.agents())
	return append(findings, d.testTools()...)
}

// report prints the page. The exit status is 1 if something is broken.
func (d doctor) report(t terminal, findings []symptom, f *form) error {
	if f.isJSON() {
		if err := printJSON(t, map[string]any{"findings": findings}); err != nil {
			return err
		}
	} else if err := printFindings(t, findings); err != nil {
		return err
	}

	isBroken := func(f symptom) bool { return f.State == stateBroken }
	if slices.ContainsFunc(findings, isBroken) {
		return exit{1, nil}
	}
	return nil
}

func printFindings(t terminal, findings []symptom) error {
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.Name, printable(f.Found))
		if f.Do != "" {
			fmt.Fprintf(table, "\t\t-> %s\n", f.Do)
		}
	}
	return table.Flush()
}

// system is the program and the kernel. The kill switch finds processes in /proc.
func (d doctor) system() symptom {
	f := symptom{
		Name:  "system",
		State: stateOK,
		Found: fmt.Sprintf("%s, %s/%s, %d processors", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}
	if runtime.GOOS != "linux" {
		f.State = stateWarn
		f.Do = "use Linux to let the kill switch find processes that left their group; here it ends process groups only"
		return f
	}

	kernel, err := d.readFile("/proc/sys/kernel/osrelease")
	if err != nil {
		f.State = stateWarn
		f.Do = "mount /proc: without it the kill switch ends process groups only"
		return f
	}
	f.Found += ", kernel " + strings.TrimSpace(string(kernel))
	return f
}

// agents are the coding agents that dispatch can start.
func (d doctor) agents() symptom {
	f := symptom{
		Name:  "agents",
		State: stateOK,
	}
	var found []string
	for _, name := range runnerPrograms() {
		if _, err := d.lookPath(name); err == nil {
			found = append(found, name)
		}
	}

	f.Found = "on PATH: " + strings.Join(found, ", ")
	if len(found) == 0 {
		f.State = stateMissing
		f.Found = "no coding agent is on PATH"
		f.Do = "install one of " + strings.Join(runnerPrograms(), ", ") + " if dispatch_to_llm is to start it, or use runner: loop"
	}
	return f
}

// testTools are needed by the tests of this repository alone.
func (d doctor) testTools() []symptom {
	module, err := d.readFile("go.mod")
	if err != nil || !strings.HasPrefix(string(module), "module governance.internal\n") {
		return nil
	}

	var findings []symptom
	for _, tool := range []struct {
		name     string
		programs []string
		purpose  string
	}{
		{"test: node", []string{"node"}, "the official clients"},
		{"test: java", []string{"java"}, "DynamoDB Local"},
		{"test: browser", []string{"chromium", "chromium-browser", "google-chrome"}, "the console and the payment page"},
	} {
		f := symptom{
			Name:  tool.name,
			State: stateMissing,
			Found: "not on PATH; the tests of " + tool.purpose + " are skipped",
			Do:    "run make setup as root on Debian, or install it",
		}
		for _, program := range tool.programs {
			if path, err := d.lookPath(program); err == nil {
				f = symptom{
					Name:  tool.name,
					State: stateOK,
					Found: path,
				}
				break
			}
		}
		findings = append(findings, f)
	}
	return findings
}
