// Package session holds the tools of the toolset session: the handoff to the next session,
// the worklog, and the check in which an agent reviews its own work.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/session/handoff"
)

// Deps is what the tools of a session work with.
type Deps struct {
	Workspace *workspace.Workspace
	Log       *violations.Log
	Gate      *preflight.Gate // that uses approvals up
	Running   func() (int, error)
	Started   time.Time // of the server
	Now       func() time.Time

	// Fetch returns the document of a feed. Redirects may lead only to the hosts.
	Fetch func(ctx context.Context, address string, hosts []string) ([]byte, error)
}

// maxHandoff is the size of a handoff, in bytes.
const maxHandoff = 256 << 10

type handoffInput struct {
	Action   string           `json:"action" enum:"read_example,get_template,get_best_practices,status,read,write" default:"status"`
	Content  string           `json:"content,omitempty" max:"64000" doc:"For write: the whole text. Or sections."`
	Sections handoff.Sections `json:"sections,omitempty"`
	IfSHA256 string           `json:"if_sha256,omitempty" pattern:"^[0-9a-f]{64}$"`
}

// Handoff is the answer of session_handoff.
type Handoff struct {
	Status    string   `json:"status,omitempty"` // fresh, stale or missing
	Path      string   `json:"path,omitempty"`
	Age       *int64   `json:"age_s,omitempty"`
	MaxAge    int64    `json:"max_age_s,omitempty"`
	Missing   []string `json:"missing_sections,omitempty"`
	Unfilled  []string `json:"untouched_placeholders,omitempty"`
	Content   string   `json:"content,omitempty"`
	SHA256    string   `json:"sha256,omitempty"`
	Previous  string   `json:"previous_sha256,omitempty"`
	Backup    string   `json:"backup,omitempty"`
	Entry     string   `json:"audit_entry,omitempty"`
	Template  string   `json:"template,omitempty"`
	Practices []string `json:"best_practices,omitempty"`
	Example   string   `json:"example,omitempty"`
}

// SessionHandoff keeps the handoff file of the workspace.
func SessionHandoff(d Deps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "session_handoff",
		Title:       "Session handoff",
		Toolset:     "session",
		Description: "The file that tells the next session where this one stopped: its age and gaps, reading, writing, a template.",
		Hints:       tool.Hints{},
	}, func(ctx context.Context, _ *tool.Call, in handoffInput) (Handoff, error) {
		switch in.Action {
		case "get_template":
			return Handoff{Template: handoff.Template}, nil
		case "get_best_practices":
			return Handoff{Practices: handoff.Practices}, nil
		case "read_example":
			return Handoff{Example: handoff.Example}, nil
		}

		state, err := load(d.Workspace)
		if err != nil {
			return Handoff{}, err
		}

		switch in.Action {
		case "read":
			return d.readHandoff(state)
		case "write":
			return d.writeHandoff(ctx, state, in)
		}

		return d.handoffStatus(ctx, state)
	})
}

// load reads the workspace file for a tool.
func load(w *workspace.Workspace) (workspace.State, error) {
	state, err := w.Load()
	if err != nil {
		return state, &tool.Error{
			Code:    "not_configured",
			Message: "The workspace file cannot be read: " + err.Error(),
			Hint:    "A person must repair " + workspace.FileName + ".",
		}
	}
	return state, nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (d Deps) age(name string) *int64 {
	info, err := fs.Stat(d.Workspace.Files(), name)
	if err != nil {
		return nil
	}
	age := int64(max(d.Now().Sub(info.ModTime()), 0) / time.Second)
	return &age
}

func (d Deps) handoffStatus(ctx context.Context, state workspace.State) (Handoff, error) {
	name := state.Config.Session.Handoff
	limit := time.Duration(state.Config.Rules.HandoffMaxAge)
	answer := Handoff{
		Status: "missing",
		Path:   name,
		MaxAge: int64(limit / time.Second),
	}

	text, err := d.Workspace.ReadFile(name, maxHandoff)
	if errors.Is(err, fs.ErrNotExist) {
		return answer, nil
	} else if err != nil {
		return Handoff{}, tool.FileError(name, err)
	}

	answer.Status, answer.Age = "fresh", d.age(name)
	answer.Missing, answer.Unfilled = handoff.Check(string(text))
	if answer.Age != nil && *answer.Age > answer.MaxAge {
		answer.Status = "stale"
		answer.Entry, err = d.noteStale(ctx, name, digest(text), *answer.Age, limit)
	}

	return answer, err
}

// staleFile remembers which old handoff was reported, and when.
const staleFile = workspace.StateDir + "/stale-handoff.json"

// noteStale records an old handoff once in each window.
func (d Deps) noteStale(ctx context.Context, name, sum string, age int64, window time.Duration) (string, error) {
	var last struct {
		Digest string    `json:"digest"`
		At     time.Time `json:"at"`
	}
	if text, err := d.Workspace.ReadFile(staleFile, 4096); err == nil &&
		json.Unmarshal(text, &last) == nil &&
		last.Digest == sum &&
		d.Now().Sub(last.At) < window {
		return "", nil
	}

	entry, err := d.Log.Record(
		ctx,
		"guard",
		violations.StaleHandoff,
		map[string]any{
			"path":  name,
			"age_s": age,
		},
	)
	if err != nil {
		return "", err
	}

	last.Digest, last.At = sum, d.Now().UTC()
	text, err := json.Marshal(last)
	if err != nil {
		return "", err
	}

	return entry.ID, d.Workspace.WriteFile(staleFile, text)
}

func (d Deps) readHandoff(state workspace.State) (Handoff, error) {
	name := state.Config.Session.Handoff
	text, err := d.Workspace.ReadFile(name, maxHandoff)
	if err != nil {
		return Handoff{}, tool.FileError(name, err)
	}
	return Handoff{
		Path:    name,
		Content: mask.Text(string(text)),
		SHA256:  digest(text),
		Age:     d.age(name),
	}, nil
}

func (d Deps) writeHandoff(ctx context.Context, state workspace.State, in handoffInput) (Handoff, error) {
	if (in.Content == "") == in.Sections.Empty() {
		return Handoff{}, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/content",
			Message: "write needs either content or sections.",
		}
	}

	if !in.Sections.Empty() {
		in.Content = in.Sections.Markdown(d.Now())
	}

	if mask.Holds(in.Content) {
		return Handoff{}, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/content",
			Message: "The text holds something that looks like a secret.",
			Hint:    "Say where the secret is kept instead.",
		}
	}

	name := state.Config.Session.Handoff
	answer := Handoff{Path: name, SHA256: digest([]byte(in.Content))}
	before, err := d.Workspace.ReadFile(name, maxHandoff)
	switch {
	case err == nil:
		answer.Previous = digest(before)
		answer.Backup = workspace.StateDir + "/backups/" + d.Now().UTC().Format("20060102T150405.000000000Z") + "-handoff.md"
	case !errors.Is(err, fs.ErrNotExist):
		return Handoff{}, tool.FileError(name, err)
	}

	if in.IfSHA256 != "" && in.IfSHA256 != answer.Previous {
		return Handoff{}, &tool.Error{
			Code:    "conflict",
			Field:   "/if_sha256",
			Message: "The handoff has changed since you read it.",
			Hint:    "Read it again.",
		}
	}

	if err := d.mayWrite(ctx, "session_handoff", name); err != nil {
		return Handoff{}, err
	}
	if answer.Backup != "" {
		if err := d.Workspace.WriteFile(answer.Backup, before); err != nil {
			return Handoff{}, tool.FileError(answer.Backup, err)
		}
	}

	own := outcome.Own{
		Boundary:  "tools",
		Tool:      "session_handoff",
		Path:      name,
		Operation: preflight.Edit,
	}
	err = outcome.Around(d.Log, own, func() error {
		return d.Workspace.WriteFile(name, []byte(in.Content))
	})
	if err != nil {
		return Handoff{}, tool.FileError(name, err)
	}

	entry, err := d.Log.Record(
		ctx,
		"session",
		"HANDOFF_WRITTEN",
		map[string]any{
			"path":   name,
			"sha256": answer.SHA256,
		},
	)
	answer.Entry = entry.ID
	answer.Missing, answer.Unfilled = handoff.Check(in.Content)
	return answer, err
}

// mayWrite asks the guard about a file of the session. It uses up an approval of a
// protected file, with the tool as the agent.
func (d Deps) mayWrite(ctx context.Context, tool, name string) error {
	report, err := d.Gate.Check(ctx, preflight.Action{
		Agent:     tool,
		Tool:      tool,
		Operation: preflight.Edit,
		Dir:       ".",
		Paths:     []string{name},
	})
	if err != nil {
		return err
	}
	return refusal(tool, name, report.Decision)
}

func refusal(name, file string, decision policy.Decision) error {
	switch decision {
	case policy.Protected:
		return &tool.Error{
			Code:    "approval_required",
			Message: file + " is protected, so it is not written without an approval.",
			Hint:    "Ask with request_approval: agent " + name + ", paths [" + file + "]. Or a person chooses another file in " + workspace.FileName + " (session).",
		}
	case policy.Blocked:
		return &tool.Error{
			Code:    "approval_required",
			Message: file + " is untouchable, and no approval lifts that.",
			Hint:    "A person must choose another file in " + workspace.FileName + " (session).",
		}
	}

	return nil
}
