package ops

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/dependencies"
	"governance.internal/functions/toolserver/inspect/syntax"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/host"
	"governance.internal/functions/toolserver/work/managed"
)

type deploymentInput struct {
	Path string `json:"filepath" required:"true" min:"1" max:"1024"`
}

// Deployment is the answer of test_deployment.
type Deployment struct {
	Status   string       `json:"status"` // pass, fail, or incomplete: nothing failed, and not everything was looked at
	Path     string       `json:"filepath"`
	Steps    []DeployStep `json:"steps"`
	ExitCode int          `json:"exit_code"` // 0, 1 or 2, in the order of the statuses
}

// DeployStep is one of the five steps.
type DeployStep struct {
	Step    string   `json:"step"`   // preflight, syntax, dependencies, ports or memory
	Status  string   `json:"status"` // pass, fail, or skip with its reason
	MS      int64    `json:"ms"`
	Details []string `json:"details"`
}

// DeploymentDeps are what test_deployment reads.
type DeploymentDeps struct {
	Workspace *workspace.Workspace
	Host      host.Reader
	States    func(context.Context) ([]managed.Status, error)
}

// verdict is the status of a step, and why.
type verdict struct {
	status  string
	details []string
}

func pass(details ...string) verdict { return verdict{"pass", details} }
func fail(details ...string) verdict { return verdict{"fail", details} }
func skip(reason string) verdict     { return verdict{"skip", []string{reason}} }

// TestDeployment checks a file in five steps, without running it.
func TestDeployment(d DeploymentDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "test_deployment",
		Title:       "Test a deployment",
		Toolset:     "ops",
		Description: "Tries a file before it is deployed: preflight, syntax, dependencies, ports, memory.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, _ *tool.Call, in deploymentInput) (Deployment, error) {
		state, err := d.Workspace.Load()
		if err != nil {
			return Deployment{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
			}
		}

		p, err := d.Workspace.Locate(".", in.Path)
		if err != nil ||
			p.Name == "" ||
			p.Name == "." ||
			p.Real == "" {
			return Deployment{}, &tool.Error{
				Code:    "path_outside_workspace",
				Field:   "/filepath",
				Message: "This is no file of the workspace.",
				Hint:    "Give a path from the root of the workspace.",
			}
		}

		if p.Info == nil || !p.Info.Mode().IsRegular() {
			return Deployment{}, &tool.Error{
				Code:    "not_found",
				Field:   "/filepath",
				Message: "There is no such file.",
			}
		}

		out := Deployment{
			Path:   p.Name,
			Status: "pass",
			Steps:  []DeployStep{},
		}
		for _, step := range []struct {
			name string
			try  func() verdict
		}{
			{"preflight", func() verdict { return allowed(state, p) }},
			{"syntax", func() verdict { return d.syntax(state, p) }},
			{"dependencies", func() verdict { return d.needs(p) }},
			{"ports", func() verdict { return d.ports(ctx, state, p) }},
			{"memory", d.memory},
		} {
			began := time.Now()
			v := step.try()
			out.add(DeployStep{step.name, v.status, time.Since(began).Milliseconds(), append([]string{}, v.details...)})
		}

		return out, nil
	})
}

func (d *Deployment) add(s DeployStep) {
	d.Steps = append(d.Steps, s)
	switch {
	case s.Status == "fail":
		d.Status, d.ExitCode = "fail", 1
	case s.Status == "skip" && d.Status == "pass":
		d.Status, d.ExitCode = "incomplete", 2
	}
}

// allowed checks each name of the file against the lists.
func allowed(state workspace.State, p workspace.Path) verdict {
	for _, name := range []string{p.Name, p.Real} {
		if decision, rule := state.Policy.Decide(name); decision != policy.OK {
			return fail(rule.List + ": " + rule.Pattern)
		}
	}

	if !state.Configured {
		return skip("there is no " + workspace.FileName + " that says what is governed")
	}
	return pass()
}

func (d DeploymentDeps) syntax(state workspace.State, p workspace.Path) verdict {
	text, err := d.Workspace.ReadFile(p.Name, int64(state.Config.Limits.MaxFileBytes))
	if err != nil {
		return fail("the file cannot be read: " + err.Error())
	}

	language, problems := syntax.Check(p.Name, text)
	switch {
	case language == "":
		return skip("this server has no parser for " + strings.TrimPrefix(path.Ext(p.Name)+" files", " "))
	case len(problems) > 0:
		return fail(problems...)
	}
	return pass(language)
}

func (d DeploymentDeps) needs(p workspace.Path) verdict {
	if !dependencies.Reads(p.Name) {
		return skip("imports of this language are not read")
	}
	g := dependencies.Of(treeOf(d.Workspace), p.Name)
	var problems []string
	for _, name := range g.Missing() {
		problems = append(problems, "missing: "+name)
	}

	for _, name := range g.Unresolved {
		problems = append(problems, "unresolved: "+name)
	}

	switch {
	case len(problems) > 0:
		return fail(problems...)
	case len(g.Unread) > 0 || g.Cut:
		return skip("not all files could be read: " + strings.Join(g.Unread, "; "))
	}

	return pass(fmt.Sprintf("%d files", len(g.Files)))
}

// ports checks the ports of the processes that run the file: they must be free, or held by
// the process that is replaced.
func (d DeploymentDeps) ports(ctx context.Context, state workspace.State, p workspace.Path) verdict {
	wanted := map[int][]string{}
	mine := map[string]bool{}
	for _, each := range state.Config.Processes.Expected {
		for _, port := range each.Ports {
			wanted[port] = append(wanted[port], each.Name)
		}
		mine[each.Name] = scriptOf(d.Workspace, each) == p.Name
	}

	listening, err := d.Host.Listening()
	if err != nil {
		return skip("the open ports cannot be read on this system")
	}

	running := d.running(ctx)
	var problems, fine []string
	for port, names := range wanted {
		if !slices.ContainsFunc(names, func(name string) bool { return mine[name] }) {
			continue
		}
		text := "port " + strconv.Itoa(port)

		switch held := listening[port]; {
		case len(names) > 1:
			problems = append(problems, text+" is wanted by "+strings.Join(names, " and "))
		case held && !running[names[0]]:
			problems = append(problems, text+" is in use, and "+names[0]+" does not run")
		case held:
			fine = append(fine, text+" is in use while "+names[0]+" runs")
		default:
			fine = append(fine, text+" is free")
		}
	}

	slices.Sort(problems)
	slices.Sort(fine)
	switch {
	case len(problems) > 0:
		return fail(problems...)
	case len(fine) == 0:
		return skip("no process of the workspace file begins with this file and has ports")
	}

	return pass(fine...)
}

func (d DeploymentDeps) running(ctx context.Context) map[string]bool {
	states, _ := d.States(ctx) // who cannot be seen does not run, for this
	running := map[string]bool{}
	for _, s := range states {
		running[s.Name] = s.State == managed.Running
	}
	return running
}

func (d DeploymentDeps) memory() verdict {
	m, err := d.Host.Memory()
	if err != nil {
		return skip("the memory cannot be read on this system")
	}
	text := fmt.Sprintf("%d MB are free, %d are needed", m.AvailableMB, dispatch.LeastFreeMB)
	if m.AvailableMB < dispatch.LeastFreeMB {
		return fail(text)
	}
	return pass(text)
}
