package projectscan

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/lint"
)

// maxSettings bounds a configuration of MCP servers, in bytes.
const maxSettings = 1 << 20

// maxFindings bounds the findings of one file.
const maxFindings = 20

// Servers is a file that names MCP servers, and what the lint finds in it.
type Servers struct {
	Path     string    `json:"path"`
	Score    int       `json:"score"`
	Servers  int       `json:"servers"`
	Errors   int       `json:"errors"`
	Warns    int       `json:"warns"`
	Findings []Finding `json:"findings"` // errors and warnings, the gravest first
}

// Finding is one finding of the lint.
type Finding struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Server   string `json:"server"`
	Message  string `json:"message"`
}

// servers lints the configurations that the project holds for known clients.
func (p *Project) servers(w *workspace.Workspace) {
	for _, name := range lint.ProjectFiles {
		document, err := w.ReadFile(name, maxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || path.Ext(name) == ".toml" { // which the lint does not read
			p.Unread = append(p.Unread, name)
			continue
		}

		result, err := lint.LintJSONC(document)
		var input *lint.InputError
		switch {
		case errors.As(err, &input) && input.Code == lint.CodeNoServers:
		case err != nil:
			p.Unread = append(p.Unread, name)
		default:
			p.Servers = append(p.Servers, serversOf(name, result))
		}
	}

	slices.SortFunc(p.Servers, func(a, b Servers) int {
		return strings.Compare(a.Path, b.Path)
	})
}

func serversOf(name string, result lint.Result) Servers {
	s := Servers{
		Path:     name,
		Score:    result.Score,
		Servers:  result.Summary.Servers,
		Errors:   result.Summary.Errors,
		Warns:    result.Summary.Warns,
		Findings: []Finding{},
	}

	for _, f := range result.Findings {
		if f.Severity == lint.Info || len(s.Findings) == maxFindings {
			continue
		}
		s.Findings = append(s.Findings, Finding{
			Severity: string(f.Severity),
			Rule:     f.Rule,
			Server:   f.Server,
			Message:  f.Message,
		})
	}
	return s
}
