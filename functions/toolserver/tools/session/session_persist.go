package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/session/facts"
)

type persistInput struct {
	Category string   `json:"category" required:"true" enum:"research,decision,confirmation,credential,contact,deadline,partner,api_result"`
	Title    string   `json:"title" required:"true" max:"200"`
	Content  string   `json:"content" required:"true" max:"20000"`
	Source   string   `json:"source" max:"200" default:"chat"`
	Tags     []string `json:"tags,omitempty" max:"20" each:"100"`
}

// Persisted is the answer of session_persist.
type Persisted struct {
	Status  string     `json:"status"` // persisted or duplicate
	File    string     `json:"file"`
	Fact    facts.Fact `json:"fact"`
	Actions []string   `json:"auto_actions"`
	Message string     `json:"message"`
	Entry   string     `json:"audit_entry,omitempty"`
}

// PersistFact keeps a fact of the session in the workspace.
func PersistFact(d Deps) *tool.Tool {
	store := &facts.Store{
		Workspace: d.Workspace,
		Now:       d.Now,
		May: func(ctx context.Context, name string) error {
			return d.mayWrite(ctx, "session_persist", name)
		},
		Record: func(ctx context.Context, event string, detail map[string]any) (string, error) {
			entry, err := d.Log.Record(ctx, "session", event, detail)
			return entry.ID, err
		},
	}
	if d.Log != nil {
		store.Random = d.Log.Random
	}

	return tool.Define(tool.Tool{
		Name:        "session_persist",
		Title:       "Keep a fact",
		Toolset:     "session",
		Description: "Keeps a fact for later sessions; of a credential never the value.",
		Hints:       tool.Hints{Idempotent: true},
	}, func(ctx context.Context, call *tool.Call, in persistInput) (Persisted, error) {
		kept, err := store.Keep(ctx, facts.Note{
			SessionID: d.sessionOf(call),
			Category:  in.Category,
			Title:     in.Title,
			Content:   in.Content,
			Source:    in.Source,
			Tags:      in.Tags,
		})
		if err != nil {
			return Persisted{}, persistError(d.Workspace, err)
		}
		return answerOf(kept), nil
	})
}

// sessionOf identifies the session of a call, which is not told to others: who knows the id
// of a session may speak in it. Without one it is the run of the server.
func (d Deps) sessionOf(call *tool.Call) string {
	if id := call.Header.Get("Mcp-Session-Id"); id != "" {
		sum := sha256.Sum256([]byte(id))
		return "session-" + hex.EncodeToString(sum[:6])
	}
	return "run-" + d.Started.UTC().Format("20060102T150405Z")
}

func answerOf(kept facts.Kept) Persisted {
	answer := Persisted{
		Status:  kept.Status,
		File:    kept.File,
		Fact:    kept.Fact,
		Actions: []string{},
		Message: "The fact is kept.",
		Entry:   kept.Entry,
	}

	if kept.Status == facts.Duplicate {
		answer.Message = "The same was kept today already."
		return answer
	}
	if kept.Fact.Category == facts.Credential {
		answer.Message = "It is kept that there is this credential. Its value is not kept anywhere."
		answer.Actions = append(answer.Actions, "withheld the value of the credential")
	}
	if kept.Sink != "" {
		answer.Actions = append(answer.Actions, "added it to "+kept.Sink)
	}
	return answer
}

// persistError tells why a fact could not be kept. It repeats nothing of the fact.
func persistError(w *workspace.Workspace, err error) error {
	var known *tool.Error
	var file facts.FileError

	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, facts.ErrNoTitle):
		return &tool.Error{
			Code:    "invalid_argument",
			Field:   "/title",
			Message: "The title has no character that shows.",
		}
	case errors.Is(err, facts.ErrNoContent):
		return &tool.Error{
			Code:    "invalid_argument",
			Field:   "/content",
			Message: "The content has no character that shows.",
		}
	case errors.Is(err, facts.ErrTemplate):
		return &tool.Error{
			Code:    "not_configured",
			Message: "In " + workspace.FileName + " a name under session.sinks has braces that are neither {slug} nor {date}.",
			Hint:    "A person must repair " + workspace.FileName + ".",
		}
	case errors.Is(err, facts.ErrBusy):
		return &tool.Error{
			Code:    "unavailable",
			Message: "Another process keeps facts.",
			Hint:    "Try again.",
		}
	case errors.Is(err, facts.ErrUnfinished):
		return &tool.Error{
			Code:    "unavailable",
			Message: "The fact is written in part: its file or the audit chain cannot be written.",
			Hint:    "Call again when they can be written; the call completes it first, and answers duplicate.",
		}
	case errors.As(err, &file):
		return tool.FileError(file.Name, file.Err)
	}

	if _, problem := load(w); problem != nil {
		return problem
	}
	return err
}
