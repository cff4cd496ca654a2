package agent

import (
	"encoding/json"
	"os"

	"governance.internal/functions/toolserver/work/dispatch"
)

// Runner runs the agent as a process of this program.
type Runner struct {
	Command   []string // this program with what makes it an agent
	Provider  Provider
	Tokens    int
	Workspace string // absolute
	DataDir   string // absolute
}

var _ dispatch.Runner = Runner{}

// Name implements dispatch.Runner.
func (Runner) Name() string { return "loop" }

// Stop implements dispatch.Runner.
func (Runner) Stop(status int) string { return StopOf(status) }

// role are the variables by which AWS gives a process its role.
var role = []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"}

// ahead is by how many seconds the agent ends before it would be ended for its time.
const ahead = 2

// Program implements dispatch.Runner. Only an agent that asks Bedrock gets the role.
func (r Runner) Program(j dispatch.Job) (p dispatch.Program, err error) {
	if r.Provider.API == "" || r.Provider.Name == "" {
		return p, &dispatch.Refused{
			Code:    "disabled",
			Message: "dispatch.runner is loop, and no model is configured. Set LLM_API (anthropic, openai or bedrock), LLM_MODEL and, where it needs one, LLM_KEY.",
		}
	}

	if r.Provider.API == Bedrock {
		for _, name := range role {
			if value, ok := os.LookupEnv(name); ok {
				p.Env = append(p.Env, name+"="+value)
			}
		}
	}

	p.Argv, p.Guarded = r.Command, true
	p.Unfenced = "our own agent starts no program, and each of its edits passes the guard"
	seconds := max(int(j.Timeout.Seconds())-ahead, 1)
	p.Input, err = json.Marshal(Assignment{
		Dispatch:  j.ID,
		Task:      j.Text,
		Turns:     j.MaxTurns,
		Tokens:    r.Tokens,
		Seconds:   seconds,
		Workspace: r.Workspace,
		DataDir:   r.DataDir,
		Provider:  r.Provider,
	})
	return p, err
}
