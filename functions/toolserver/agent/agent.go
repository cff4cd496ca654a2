package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"governance.internal/functions/toolserver/agent/anthropic"
	"governance.internal/functions/toolserver/agent/bedrock"
	"governance.internal/functions/toolserver/agent/chat"
	"governance.internal/functions/toolserver/agent/endpoint"
	"governance.internal/functions/toolserver/agent/openai"
	approvals "governance.internal/functions/toolserver/guard/approval"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/session"
	"governance.internal/functions/toolserver/work/killswitch"
	"governance.internal/functions/toolserver/work/processes"
	"governance.internal/shared/wiring/environment"
)

// Wire formats of a provider.
const (
	Anthropic = "anthropic"
	OpenAI    = "openai"
	Bedrock   = "bedrock"
)

// Provider says which model is asked, and where.
type Provider struct {
	API  string `json:"api"`   // a wire format; "" for no provider
	Name string `json:"model"` // of the model, or of the inference profile
	URL  string `json:"url"`   // "" for the provider's own
	Key  string `json:"key"`   // "" for Bedrock, which uses the role, and for servers that want none
}

// Assignment is what the process of an agent reads from its standard input. There no other process
// else sees the key: arguments and environments are for everybody of the same user.
type Assignment struct {
	Dispatch  string   `json:"dispatch"` // its id
	Task      string   `json:"task"`
	Turns     int      `json:"turns"`
	Tokens    int      `json:"tokens"`
	Seconds   int      `json:"seconds"`
	Workspace string   `json:"workspace"` // folder
	DataDir   string   `json:"data_dir"`  // of the server: the flag of the kill switch
	Provider  Provider `json:"provider"`
}

const mostAssignment = 1 << 20 // bytes

// Main is the agent process: it reads its assignment, works, and returns the reason to stop
// as its exit status; see [StopOf]. The end of ctx means that it was killed.
func Main(ctx context.Context, in io.Reader, out io.Writer) int {
	stop, err := run(ctx, in, out)
	if err != nil {
		fmt.Fprintln(out, "agent:", err)
	}
	fmt.Fprintln(out, "stopped:", stop)
	return slices.Index(stops, stop)
}

// StopOf returns the reason to stop of an exit status, "" for none.
func StopOf(status int) string {
	if status < 0 || status >= len(stops) {
		return ""
	}
	return string(stops[status])
}

func run(ctx context.Context, in io.Reader, out io.Writer) (Stop, error) {
	if err := processes.Conceal(); err != nil { // the assignment holds the key of the provider
		return Failed, errors.New("the key cannot be concealed from other agents")
	}
	var a Assignment
	if err := json.NewDecoder(io.LimitReader(in, mostAssignment)).Decode(&a); err != nil {
		return Failed, errors.New("the assignment on standard input cannot be read; the tool server starts this process")
	}

	ctx, cancel := context.WithTimeout(ctx, time.Duration(a.Seconds)*time.Second)
	defer cancel()

	governed, err := workspace.Open(a.Workspace, a.DataDir)
	if err != nil {
		return Failed, errors.New("the workspace cannot be opened")
	}
	defer governed.Close()

	model, err := a.Provider.open()
	if err != nil {
		return Failed, err
	}

	return a.loop(governed, model, out).Run(ctx, a.Task), nil
}

func (a Assignment) loop(w *workspace.Workspace, m chat.Model, out io.Writer) *Loop {
	halt := killswitch.Open(
		a.DataDir,
		nil,
		nil,
		time.Now,
		rand.Reader,
		killswitch.Stops{},
	) // its flag is only read here
	return &Loop{
		Model:  m,
		Tools:  a.tools(w),
		Turns:  a.Turns,
		Tokens: a.Tokens,
		Log: &Log{
			Out:  out,
			Hide: w.Hide,
		},
		Used:     a.noteUse,
		IsHalted: func() bool { return halt.Halted() != nil },
		Pause:    pause,
	}
}

// noteUse appends what an answer cost to the file that usage_report reads.
func (a Assignment) noteUse(input, output int) {
	line, _ := json.Marshal(map[string]any{ // of texts and numbers
		"ts":            time.Now().UTC().Format(time.RFC3339),
		"bot":           "dispatch",
		"model":         a.Provider.Name,
		"input_tokens":  input,
		"output_tokens": output,
	})

	f, err := os.OpenFile(
		filepath.Join(a.DataDir, "dispatches", a.Dispatch, "usage.jsonl"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY,
		0o600,
	)
	if err != nil {
		return // no work ends for its accounts
	}

	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}

func (p Provider) open() (chat.Model, error) {
	client := endpoint.Client()
	server := endpoint.Server{
		URL:  p.URL,
		Key:  p.Key,
		Name: p.Name,
		HTTP: client,
	}

	switch p.API {
	case Anthropic:
		server.URL = cmp.Or(p.URL, anthropic.DefaultURL)
		return &anthropic.Model{Server: server}, nil
	case OpenAI:
		server.URL = cmp.Or(p.URL, openai.DefaultURL)
		return &openai.Model{Server: server}, nil
	case Bedrock:
		account, err := environment.OpenAccount("")
		if err != nil {
			return nil, err
		}
		return bedrock.Open(p.Name, p.URL, account.Region, account.Credentials, client), nil
	}

	return nil, fmt.Errorf("LLM_API must be %s, %s or %s", Anthropic, OpenAI, Bedrock)
}

// tools returns the tools of the agent. Refusals of the guard and worklog entries are
// spooled in the workspace for the server, which has the audit chain.
func (a Assignment) tools(w *workspace.Workspace) []*tool.Tool {
	log := &violations.Log{
		Workspace: w,
		Now:       time.Now,
		Random:    rand.Reader,
	}
	book := &approvals.Book{
		Workspace: w,
		Now:       time.Now,
		Random:    rand.Reader,
		Record:    log.Note,
	}
	gate := &preflight.Gate{
		Workspace: w,
		Log:       log,
		Approvals: book,
		Enforces:  true,
		Installed: true, // a workspace file switched dispatches on
	}
	desk := session.Deps{
		Workspace: w,
		Log:       log,
		Gate:      gate,
		Now:       time.Now,
	}
	return append(
		files{w, gate, "dispatch " + a.Dispatch}.tools(),
		session.KeepWorklog(desk),
		session.SessionHandoff(desk),
	)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
