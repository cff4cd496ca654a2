package agent

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/preflight"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
)

// Bounds of what is read at once.
const (
	mostLines   = 1000
	mostListed  = 1000
	mostMatches = 100
)

// files are the tools for the files of the workspace.
type files struct {
	workspace *workspace.Workspace
	gate      *preflight.Gate
	agent     string // its name in the records
}

func (f files) tools() []*tool.Tool {
	return []*tool.Tool{
		tool.Define(tool.Tool{
			Name:        "read_file",
			Description: "Reads a text file, at most 1000 lines at once.",
		}, f.read),
		tool.Define(tool.Tool{
			Name:        "list_files",
			Description: "Lists the files below a folder.",
		}, f.list),
		tool.Define(tool.Tool{
			Name:        "search",
			Description: "Finds the lines that match a regular expression (RE2).",
		}, f.search),
		tool.Define(tool.Tool{
			Name:        "propose_edit",
			Description: "Replaces the only place of old by new in a file; with an empty old it makes a new file. The guard decides first.",
		}, f.edit),
	}
}

type readInput struct {
	Path  string `json:"path" required:"true" min:"1" max:"1024"`
	From  int    `json:"from_line" min:"1" max:"10000000" default:"1"`
	Lines int    `json:"lines" min:"1" max:"1000" default:"1000"`
}

type readOutput struct {
	Path  string `json:"path"`
	Text  string `json:"text"`
	Lines int    `json:"lines_in_file"`
}

func (f files) read(ctx context.Context, _ *tool.Call, in readInput) (readOutput, error) {
	text, err := f.text(ctx, in.Path)
	if err != nil {
		return readOutput{}, err
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	first := min(in.From-1, len(lines))
	last := min(first+min(in.Lines, mostLines), len(lines))
	return readOutput{in.Path, strings.Join(lines[first:last], ""), len(lines)}, nil
}

// text is a file that the agent may see.
func (f files) text(ctx context.Context, name string) (string, error) {
	if err := f.allowed(ctx, preflight.Read, name); err != nil {
		return "", err
	}
	state, err := f.workspace.Load()
	if err != nil {
		return "", unreadable(err)
	}

	text, err := f.workspace.ReadFile(path.Clean(name), int64(state.Config.Limits.MaxFileBytes))
	switch {
	case err != nil:
		return "", tool.FileError(name, err)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return "", &tool.Error{
			Code:    "not_text",
			Message: name + " is no text.",
			Hint:    "Only text can be read and changed.",
		}
	}

	return string(text), nil
}

// allowed asks the guard, which records a refusal.
func (f files) allowed(ctx context.Context, operation, name string) error {
	action := preflight.Action{
		Agent:     f.agent,
		Tool:      "dispatch",
		Operation: operation,
		Dir:       ".",
		Paths:     []string{name},
	}
	report, err := f.gate.Check(ctx, action)
	if err == nil && report.Decision == policy.OK {
		return nil
	}

	reason := "The refusal could not be recorded."
	if len(report.Results) > 0 {
		reason = report.Results[0].Reason
	}

	return &tool.Error{
		Code:    "refused",
		Message: fmt.Sprintf("%s: %s. %s", name, report.Decision, reason),
		Hint:    report.Next,
	}
}

func unreadable(err error) error {
	return &tool.Error{
		Code:    "not_configured",
		Message: "The workspace file cannot be read: " + err.Error(),
		Hint:    "A person must repair it. End your work.",
	}
}

type listInput struct {
	Path string `json:"path" max:"1024" default:"."`
}

type listOutput struct {
	Files     []string `json:"files"`
	Truncated bool     `json:"truncated,omitempty"`
}

func (f files) list(_ context.Context, _ *tool.Call, in listInput) (out listOutput, err error) {
	out.Files = []string{}
	err = f.walk(in.Path, func(name string, _ workspace.State) error {
		if len(out.Files) == mostListed {
			out.Truncated = true
			return fs.SkipAll
		}
		out.Files = append(out.Files, name)
		return nil
	})
	return out, err
}

// walk visits the regular files below a folder that are neither ignored nor untouchable.
func (f files) walk(folder string, visit func(name string, state workspace.State) error) error {
	state, err := f.workspace.Load()
	if err != nil {
		return unreadable(err)
	}

	hidden, err := policy.CompileAll(workspace.Texts(state.Config.Ignore))
	if err != nil {
		return unreadable(err)
	}

	err = f.workspace.Walk(path.Clean(folder), state.Config.Limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		decision, _ := state.Policy.Decide(name)
		if entry.Name() == ".git" ||
			decision == policy.Blocked ||
			hidden.Match(name) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}

		if !entry.Type().IsRegular() {
			return nil
		}
		return visit(name, state)
	})
	if err != nil {
		return tool.FileError(folder, err)
	}

	return nil
}

type searchInput struct {
	Pattern string `json:"pattern" required:"true" min:"1" max:"500"`
	Path    string `json:"path" max:"1024" default:"."`
}

type searchOutput struct {
	Matches   []match `json:"matches"`
	Truncated bool    `json:"truncated,omitempty"`
}

type match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func (f files) search(ctx context.Context, _ *tool.Call, in searchInput) (out searchOutput, err error) {
	pattern, err := regexp.Compile(in.Pattern)
	if err != nil {
		return out, &tool.Error{
			Code:    "invalid_argument",
			Field:   "/pattern",
			Message: "This is no regular expression (RE2).",
		}
	}

	out.Matches = []match{}
	err = f.walk(in.Path, func(name string, state workspace.State) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := f.workspace.ReadFile(name, int64(state.Config.Limits.MaxFileBytes))
		if err != nil ||
			bytes.IndexByte(text, 0) >= 0 ||
			!pattern.Match(text) {
			return nil // what cannot be read as text is not searched
		}

		if f.allowed(ctx, preflight.Read, name) != nil { // another name of a file that must not be read
			return nil
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !pattern.MatchString(line) {
				continue
			}
			if len(out.Matches) == mostMatches {
				out.Truncated = true
				return fs.SkipAll
			}

			out.Matches = append(out.Matches, match{name, i + 1, cut(line, 300)})
		}

		return nil
	})
	return out, err
}
