package session

import (
	"context"
	"errors"
	"io/fs"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/session/worklog"
)

type worklogInput struct {
	Action  string   `json:"action" enum:"get_template,get_format,get_best_practices,append,tail" default:"get_template"`
	Session string   `json:"session,omitempty" max:"200"`
	Did     []string `json:"did,omitempty" max:"50"`
	Files   []string `json:"files_changed,omitempty" max:"200"`
	State   string   `json:"state,omitempty" max:"2000"`
	Lines   int64    `json:"lines" default:"50" min:"1" max:"500"`
}

// Worklog is the answer of worklog.
type Worklog struct {
	Path      string          `json:"path,omitempty"`
	Entry     string          `json:"entry,omitempty"`
	Line      int             `json:"line,omitempty"`
	Rewritten bool            `json:"history_rewritten,omitempty"` // older entries are not as they were, or are gone
	Unchecked string          `json:"history_unchecked,omitempty"` // why that is unknown
	Audit     string          `json:"audit_entry,omitempty"`
	Entries   []worklog.Entry `json:"entries,omitempty"`
	Text      string          `json:"text,omitempty"`
	Practices []string        `json:"best_practices,omitempty"`
}

// KeepWorklog appends to the worklog of the workspace and shows its last entries.
func KeepWorklog(d Deps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "worklog",
		Title:       "Worklog",
		Toolset:     "session",
		Description: "The append-only log of what was done: append after each step, or show the end. Notices changed history.",
		Hints:       tool.Hints{},
	}, func(ctx context.Context, _ *tool.Call, in worklogInput) (Worklog, error) {
		switch in.Action {
		case "get_template":
			return Worklog{Text: worklog.Template}, nil
		case "get_format":
			return Worklog{Text: worklog.Format}, nil
		case "get_best_practices":
			return Worklog{Practices: worklog.Practices}, nil
		}

		state, err := load(d.Workspace)
		if err != nil {
			return Worklog{}, err
		}

		book := worklog.Book{
			Workspace: d.Workspace,
			Name:      state.Config.Session.Worklog,
		}
		if in.Action == "tail" {
			return showTail(book, int(in.Lines))
		}

		if len(in.Did) == 0 {
			return Worklog{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/did",
				Message: "append needs did: what was done.",
			}
		}

		if err := d.mayWrite(ctx, "worklog", book.Name); err != nil {
			return Worklog{}, err
		}
		return d.appendEntry(ctx, book, in)
	})
}

// showTail shows the last entries, and whether older ones were changed.
func showTail(book worklog.Book, limit int) (Worklog, error) {
	answer := Worklog{Path: book.Name}
	changed, err := book.Rewritten()
	if err != nil {
		answer.Unchecked = "Cannot verify the older entries: " + err.Error() + "."
	}

	answer.Rewritten = changed

	entries, err := book.Tail(limit)
	if errors.Is(err, fs.ErrNotExist) && changed { // there was one
		answer.Entries = []worklog.Entry{}
		return answer, nil
	}

	if err != nil {
		return Worklog{}, tool.FileError(book.Name, err)
	}

	for i, e := range entries { // a person may have written them
		entries[i].Session, entries[i].Did, entries[i].Files, entries[i].State = mask.Text(e.Session), mask.All(e.Did), mask.All(e.Files), mask.Text(e.State)
	}

	answer.Entries = entries
	return answer, nil
}

func (d Deps) appendEntry(ctx context.Context, book worklog.Book, in worklogInput) (Worklog, error) {
	entry := worklog.Entry{
		Date:    d.Now().UTC(),
		Session: mask.Text(in.Session),
		Did:     mask.All(in.Did),
		Files:   mask.All(in.Files),
		State:   mask.Text(in.State),
	}
	done, err := book.Append(entry)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Worklog{}, tool.FileError(book.Name, err)
	}

	recorded, err := d.Log.Record(
		ctx,
		"session",
		"WORKLOG",
		map[string]any{
			"path":              book.Name,
			"line":              done.Line,
			"history_rewritten": done.Rewritten,
		},
	)
	return Worklog{
		Path:      book.Name,
		Entry:     done.Text,
		Line:      done.Line,
		Rewritten: done.Rewritten,
		Audit:     recorded.ID,
	}, err
}
