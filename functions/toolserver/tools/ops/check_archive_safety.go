package ops

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
)

type archiveInput struct {
	Path string `json:"filepath" required:"true" min:"1" max:"1024"`
}

// ArchiveSafety is the answer of check_archive_safety.
type ArchiveSafety struct {
	Safe     bool           `json:"safe"`
	Path     string         `json:"filepath"`
	Checks   []ArchiveCheck `json:"checks"`
	Blockers []string       `json:"blockers"`
	Target   string         `json:"suggested_target,omitempty"`
}

// ArchiveCheck is one thing that was looked at.
type ArchiveCheck struct {
	Check    string   `json:"check"`
	Status   string   `json:"status"` // pass, fail, skip (does not apply here) or unknown, which is not safe
	Evidence []string `json:"evidence"`
}

// ArchiveDeps are what check_archive_safety reads.
type ArchiveDeps struct {
	Workspace *workspace.Workspace
	Proc      fs.FS // the folder /proc of the machine
}

// maxEvidence is how many places a check names.
const maxEvidence = 10

// CheckArchiveSafety reports whether a file can be archived without breaking anything.
func CheckArchiveSafety(s ArchiveDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "check_archive_safety",
		Title:       "Safe to archive?",
		Toolset:     "ops",
		Description: "Whether a file can be archived: not governed, and nothing uses, requires or mentions it.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Needs:       []tool.Need{tool.NeedWorkspaceFile, tool.NeedProcessTable},
	}, func(_ context.Context, _ *tool.Call, in archiveInput) (ArchiveSafety, error) {
		state, err := s.Workspace.Load()
		if err != nil {
			return ArchiveSafety{}, &tool.Error{
				Code:    "not_configured",
				Message: "The workspace file cannot be read: " + err.Error(),
			}
		}

		p, err := s.Workspace.Locate(".", in.Path)
		if err != nil || p.Name == "" || p.Name == "." {
			return ArchiveSafety{}, &tool.Error{
				Code:    "path_outside_workspace",
				Field:   "/filepath",
				Message: "This is no file of the workspace.",
				Hint:    "Give a path from the root of the workspace.",
			}
		}

		answer := ArchiveSafety{
			Safe:     true,
			Path:     mask.Text(p.Name),
			Blockers: []string{},
			Checks: []ArchiveCheck{
				exists(p),
				s.governed(state, p),
				s.inUse(p),
				s.required(state, p),
				s.referenced(state, p),
				s.committed(state, p),
			},
		}
		for _, c := range answer.Checks {
			if c.Status != "pass" && c.Status != "skip" {
				answer.Safe = false
				answer.Blockers = append(answer.Blockers, c.Check+": "+c.Status)
			}
		}

		if answer.Safe {
			answer.Target = path.Join(state.Config.Archive.Dir, p.Name)
		}

		return answer, nil
	})
}

func exists(p workspace.Path) ArchiveCheck {
	switch {
	case p.Info == nil:
		return ArchiveCheck{"exists", "fail", []string{"there is no such file"}}
	case p.Real == "":
		return ArchiveCheck{"exists", "fail", []string{"it is a link that leads out of the workspace"}}
	case !p.Info.Mode().IsRegular() && !p.Info.IsDir():
		return ArchiveCheck{"exists", "fail", []string{"it is neither a file nor a folder"}}
	}
	return ArchiveCheck{"exists", "pass", []string{}}
}

// governed checks each name of the file and the content of a folder against the lists.
func (s ArchiveDeps) governed(state workspace.State, p workspace.Path) ArchiveCheck {
	for _, name := range []string{p.Name, p.Real} {
		if decision, rule := state.Policy.Decide(name); name != "" && decision != policy.OK {
			return ArchiveCheck{"not_untouchable", "fail", []string{rule.List + ": " + rule.Pattern}}
		}
	}

	if !state.Configured {
		return ArchiveCheck{"not_untouchable", "unknown", []string{"there is no " + workspace.FileName}}
	}
	c := ArchiveCheck{"not_untouchable", "pass", []string{}}
	if p.Info == nil || !p.Info.IsDir() {
		return c
	}

	err := s.Workspace.Walk(p.Name, state.Config.Limits.MaxFiles, func(name string, _ fs.DirEntry) error {
		if decision, rule := state.Policy.Decide(name); decision != policy.OK &&
			len(c.Evidence) < maxEvidence {
			c.Status = "fail"
			c.Evidence = append(c.Evidence, rule.List+": "+rule.Pattern+" matches "+name)
		}
		return nil
	})
	if err != nil && c.Status == "pass" {
		c.Status, c.Evidence = "unknown", []string{err.Error()}
	}

	return c
}

// referenced searches the texts of the workspace for the name of the file.
func (s ArchiveDeps) referenced(state workspace.State, p workspace.Path) ArchiveCheck {
	c := ArchiveCheck{"not_referenced", "pass", []string{}}
	limits := state.Config.Limits
	skipped := 0
	err := s.Workspace.Walk(".", limits.MaxFiles, func(name string, entry fs.DirEntry) error {
		if entry.IsDir() &&
			(entry.Name() == ".git" || name == workspace.StateDir || entry.Name() == "node_modules") {
			return fs.SkipDir
		}

		if !entry.Type().IsRegular() ||
			name == p.Name ||
			strings.HasPrefix(name, p.Name+"/") ||
			len(c.Evidence) >= maxEvidence {
			return nil
		}

		text, err := s.Workspace.ReadFile(name, int64(limits.MaxFileBytes))
		if err != nil {
			skipped++
			return nil
		}

		if line := mentions(string(text), p.Name); line > 0 {
			c.Status = "fail"
			c.Evidence = append(c.Evidence, fmt.Sprintf("%s:%d", name, line))
		}

		return nil
	})
	if c.Status == "pass" && (err != nil || skipped > 0) {
		c.Status, c.Evidence = "unknown", []string{fmt.Sprintf("%d files could not be searched", skipped)}
		if err != nil {
			c.Evidence = []string{err.Error()}
		}
	}

	return c
}

// mentions is the first line that has the path or the base name of a file as a word.
func mentions(text, name string) int {
	base := path.Base(name)
	if !strings.Contains(text, base) {
		return 0
	}

	number := 0
	for line := range strings.Lines(text) {
		number++
		for at := 0; ; {
			i := strings.Index(line[at:], base)
			if i < 0 {
				break
			}
			begin := at + i
			end := at + i + len(base)
			if !wordAt(line, begin-1) && !wordAt(line, end) {
				return number
			}
			at = end
		}
	}

	return 0
}

// wordAt reports whether a byte of a line belongs to a name.
func wordAt(line string, i int) bool {
	const ofNames = "_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return i >= 0 && i < len(line) && strings.IndexByte(ofNames, line[i]) >= 0
}

// inUse checks the processes of the machine: arguments, folder, open files and mapped
// files. If one cannot be inspected, the result is unknown.
func (s ArchiveDeps) inUse(p workspace.Path) ArchiveCheck {
	c := ArchiveCheck{"not_in_use", "pass", []string{}}
	list, err := fs.ReadDir(s.Proc, ".")
	if err != nil {
		return ArchiveCheck{"not_in_use", "unknown", []string{"processes cannot be read on this system"}}
	}

	hidden := 0
	for _, entry := range list {
		pid := entry.Name()
		if strings.Trim(pid, "0123456789") != "" {
			continue
		}

		arguments, err := fs.ReadFile(s.Proc, pid+"/cmdline")
		if err != nil || len(arguments) == 0 { // it ended, or belongs to the kernel
			continue
		}

		uses, seen := s.uses(pid, string(arguments), p)
		if uses != "" && len(c.Evidence) < maxEvidence {
			c.Status = "fail"
			c.Evidence = append(c.Evidence, fmt.Sprintf("process %s: %s", pid, uses))
		}
		if !seen {
			hidden++
		}
	}

	if c.Status == "pass" && hidden > 0 {
		c.Status, c.Evidence = "unknown", []string{fmt.Sprintf("%d processes of others cannot be looked into", hidden)}
	}

	return c
}

// uses reports how a process uses a file, and whether the process could be inspected
// completely.
func (s ArchiveDeps) uses(pid, arguments string, p workspace.Path) (how string, seen bool) {
	dir, err := fs.ReadLink(s.Proc, pid+"/cwd")
	if err != nil {
		return "", false
	}
	if s.same(dir, p) {
		return "works in it", true
	}

	for argument := range strings.SplitSeq(strings.TrimRight(arguments, "\x00"), "\x00") {
		if argument != "" && s.same(filepath.Join(dir, argument), p) ||
			filepath.IsAbs(argument) && s.same(argument, p) {
			return "was started with it", true
		}
	}

	files, err := fs.ReadDir(s.Proc, pid+"/fd")
	if err != nil {
		return "", false
	}

	for _, f := range files {
		if target, err := fs.ReadLink(s.Proc, pid+"/fd/"+f.Name()); err == nil &&
			s.same(target, p) {
			return "has it open", true
		}
	}

	maps, err := fs.ReadFile(s.Proc, pid+"/maps")
	for line := range strings.Lines(string(maps)) {
		if at := strings.IndexByte(line, '/'); at >= 0 && s.same(strings.TrimSpace(line[at:]), p) {
			return "has it mapped", true
		}
	}

	return "", err == nil
}

// same reports whether an absolute path is the file, or in it.
func (s ArchiveDeps) same(full string, p workspace.Path) bool {
	if !filepath.IsAbs(full) {
		return false
	}
	found, err := s.Workspace.Locate("/", full)
	return err == nil &&
		found.Real != "" &&
		(found.Real == p.Real || strings.HasPrefix(found.Real, p.Real+"/"))
}
