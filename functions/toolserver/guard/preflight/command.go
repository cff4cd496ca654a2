package preflight

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"governance.internal/functions/toolserver/guard/command"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// CommandReport is the decision about a command.
type CommandReport struct {
	Report
	command.Analysis
	Snapshot string `json:"snapshot_id,omitempty"` // taken before the command, which removes or overwrites
}

// CheckCommand decides about a shell command by the files that it would write. A command
// that hides its effect is PROTECTED: a person decides.
func (g *Gate) CheckCommand(ctx context.Context, a Action, text string) (CommandReport, error) {
	return g.checkAnalysis(ctx, a, text, analyze(text, g.scene(a.Dir)))
}

// CheckProgram decides about a text in a programming language that a tool runs. It always
// hides its effect.
func (g *Gate) CheckProgram(ctx context.Context, a Action, text string) (CommandReport, error) {
	return g.checkAnalysis(ctx, a, text, command.Hidden(text))
}

func (g *Gate) checkAnalysis(ctx context.Context, a Action, text string, analysis command.Analysis) (CommandReport, error) {
	a.Operation, a.Command = "command", text
	state, err := g.Workspace.Load()
	if why := g.without(state, err); why != "" && mayChange(analysis) {
		a.Paths = []string{"."}
		report, err := g.refuseAll(ctx, a, why)
		return CommandReport{Report: report, Analysis: analysis}, err
	}

	report := g.judgeCommand(state, a.Dir, analysis)
	report = g.liftCommand(ctx, state, a, report)
	taken, err := g.snapshotBefore(ctx, state, report, analysis)
	if err != nil {
		a.Paths = []string{"."}
		report, err := g.refuseAll(ctx, a, "The snapshot before a destructive command failed ("+err.Error()+"), so the command is refused.")
		return CommandReport{Report: report, Analysis: analysis}, err
	}

	report, err = g.finish(ctx, state, a, report)
	return CommandReport{
		Report:   report,
		Analysis: analysis,
		Snapshot: taken,
	}, err
}

// snapshotBefore takes a snapshot before a command that removes or overwrites, where the
// workspace file asks for it. A command that is refused needs none.
func (g *Gate) snapshotBefore(ctx context.Context, state workspace.State, report Report, analysis command.Analysis) (string, error) {
	wanted := slices.Contains(state.Config.Snapshot.Before, "destructive")
	if !wanted ||
		g.Snapshot == nil ||
		len(analysis.Destructive) == 0 ||
		report.Decision == policy.Blocked {
		return "", nil
	}
	return g.Snapshot(ctx)
}

// judgeCommand decides by what a command would change, from a folder.
func (g *Gate) judgeCommand(state workspace.State, dir string, analysis command.Analysis) Report {
	report := Report{Decision: policy.OK, Results: []Result{}}
	for _, w := range analysis.Writes {
		report.add(g.written(state, dir, w)...)
	}

	fence := sync.OnceValue(func() held { return g.heldByKernel(state) })
	named := slices.Concat(
		g.mentions(state, dir, analysis.Mentions),
		g.unknown(state, dir, analysis.Named),
		g.scripts(state, dir, analysis.Scripts),
	)
	if len(named) > 0 {
		named = fence().calm(named)
	}
	report.add(named...)

	hidden := g.trees(&report, state, dir, analysis.Trees)
	hidden = append(hidden, g.unpacked(state, dir, analysis.Below)...)
	g.hiddenParts(&report, state, analysis, fence, hidden)
	return report
}

// mentions decides about the names of files in parts of a command that hide what they do.
func (g *Gate) mentions(state workspace.State, dir string, names []string) []Result {
	var results []Result
	for _, name := range names {
		result := g.decide(state, dir, name, Edit)
		if result.Matched != nil && !leavesGitOut(result) {
			result.Reason = "A part of the command that hides what it does names this file. " + result.Reason
			results = append(results, result)
		}
	}
	return results
}

// analyze reads a command. All words of one that cannot be read may be names of files.
func analyze(text string, scene command.Scene) command.Analysis {
	analysis, err := command.Analyze(text, scene)
	if err != nil {
		analysis.Unresolved = []string{err.Error()}
		analysis.Mentions = strings.Fields(text)
	}
	return analysis
}

// mayChange reports whether a command may change any file.
func mayChange(a command.Analysis) bool {
	return len(a.Writes)+len(a.Unresolved)+len(a.Named)+len(a.Scripts)+len(a.Trees)+len(a.Below) > 0
}

// leavesGitOut reports whether a result is about the folder .git as a whole. Programs name
// it to leave it out; the files in it they name for another purpose.
func leavesGitOut(result Result) bool {
	return workspace.OfGit(result.Matched) &&
		path.Base(strings.TrimRight(result.Path, "/*?")) == ".git"
}

// unresolved is the decision about what cannot be seen.
func unresolved(state workspace.State) policy.Decision {
	if state.Configured {
		return policy.Protected
	}
	return policy.Unknown
}

func (r *Report) add(results ...Result) {
	for _, result := range results {
		r.Results = append(r.Results, result)
		r.Decision = policy.Worse(r.Decision, result.Decision)
	}
}

// written decides about one write of a command.
func (g *Gate) written(state workspace.State, dir string, w command.Write) []Result {
	if w.Into && !g.isFolder(dir, path.Dir(w.Path)) {
		return nil
	}
	operation := Edit
	if w.Delete {
		operation = Delete
	}

	var results []Result
	if w.Dir != "" &&
		!g.isFolder(dir, w.Dir) { // the change of folder fails, and the write happens where the command began
		results = append(results, g.decide(state, dir, strings.TrimPrefix(w.Path, w.Dir+"/"), operation))
	}

	if !w.Certain {
		return append(results, g.matching(state, dir, w.Path, operation)...)
	}
	result := g.decide(state, dir, w.Path, operation)
	if other, ok := g.likeGoverned(state, w, result); ok {
		result = other
	}
	return append(results, result)
}

// likeGoverned refuses a file that is named from the home directory and whose name ends as the one of a
// governed file: it may be the workspace by another way, or another copy of it.
func (g *Gate) likeGoverned(state workspace.State, w command.Write, result Result) (Result, bool) {
	if !w.Home || result.Decision != policy.Unknown {
		return Result{}, false
	}
	for rest, more := w.Path, true; more; {
		_, rest, more = strings.Cut(rest, "/")
		if found, ok := ruled(state, rest, Direct); ok && strings.Contains(rest, "/") {
			found.Path = "(in the home directory) " + rest
			return found, true
		}
	}
	return Result{}, false
}

func (g *Gate) isFolder(dir, name string) bool {
	p, err := g.Workspace.Locate(dir, name)
	return err == nil && p.Info != nil && p.Info.IsDir()
}

// matching decides about the files that a pattern of the shell matches.
func (g *Gate) matching(state workspace.State, dir, pattern, operation string) []Result {
	p, err := g.Workspace.Locate(dir, pattern)
	if err == nil && p.Name == "" && g.reachesInto(dir, pattern, operation) {
		return []Result{{
			Path:     "(outside of the workspace)",
			Decision: unresolved(state),
			Via:      Parent,
			Reason:   "The pattern begins above the workspace and may match files in it.",
		}}
	}

	if err != nil || p.Name == "" {
		return []Result{g.decide(state, dir, pattern, operation)}
	}
	name := g.throughLinks(dir, p.Name, pattern)
	matcher, err := policy.Compile(name, true)
	if err != nil {
		return []Result{{Path: p.Name, Decision: unresolved(state), Via: Direct, Reason: "The pattern cannot be followed."}}
	}

	worst := Result{
		Path:     p.Name,
		Decision: policy.OK,
		Via:      Direct,
		Reason:   "No list names a file that the pattern matches.",
	}

	if !state.Configured {
		worst.Decision = policy.Unknown
	}

	head, tail := splitPattern(name)
	isNew := tail != "" && operation != Delete && !strings.HasSuffix(head, "**")
	folders, err := policy.Compile(head, true)
	if err != nil {
		folders = matcher
	}
	err = g.Workspace.Walk(".", state.Config.Limits.MaxFiles, func(file string, entry fs.DirEntry) error {
		if matcher.Match(file) {
			worst = worse(worst, g.decide(state, ".", file, operation))
		}
		isFolder := entry.IsDir() || entry.Type()&fs.ModeSymlink != 0
		if isNew && isFolder && folders.Match(file) { // a file that is not there yet
			worst = worse(worst, g.decide(state, ".", file+"/"+tail, operation))
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		worst.Decision, worst.Reason = policy.Worse(worst.Decision, unresolved(state)), "Cannot tell which files the pattern matches: "+err.Error()+"."
	}

	return []Result{worst}
}

// reachesInto reports whether a pattern that begins above the workspace may match the workspace, or
// something in it.
func (g *Gate) reachesInto(dir, pattern, operation string) bool {
	above := pattern[:max(strings.IndexAny(pattern, "*?["), 0)]
	if above == "" || !g.Workspace.IsBelow(dir, above) {
		return false
	}
	if strings.Contains(pattern, "**") || !path.IsAbs(pattern) {
		return true
	}

	depth := strings.Count(g.Workspace.Absolute("."), "/")
	parts := strings.Split(path.Clean(pattern), "/")
	if len(parts)-1 <= depth { // the workspace itself or a folder above it
		takesContent := operation == Delete || operation == Rename
		return takesContent && g.Workspace.IsBelow("", path.Clean(pattern))
	}
	return g.Workspace.IsBelow("", strings.Join(parts[:depth+1], "/"))
}

// splitPattern parts a pattern into the folders that it asks for and the name in them, if that is
// written out.
func splitPattern(pattern string) (folders, name string) {
	at := strings.LastIndexAny(pattern, "*?[")
	slash := strings.Index(pattern[max(at, 0):], "/")
	if at < 0 || slash < 0 {
		return pattern, ""
	}
	return pattern[:at+slash], pattern[at+slash+1:]
}

// throughLinks is a pattern whose folders before the first sign of a pattern are the real ones.
func (g *Gate) throughLinks(dir, name, pattern string) string {
	at := strings.IndexAny(pattern, "*?[{")
	slash := strings.LastIndex(pattern[:max(at, 0)], "/")
	if slash <= 0 {
		return name
	}
	p, err := g.Workspace.Locate(dir, pattern[:slash])
	if err != nil || p.Real == "" {
		return name
	}
	return path.Join(p.Real, pattern[slash+1:])
}

// digest identifies a command in the record, which keeps no text that could hold a
// secret.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// programOf is the first word of a command, for the record.
func programOf(text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 || strings.ContainsAny(fields[0], "=$`'\"") {
		return ""
	}
	return shorten(filepath.Base(fields[0]), 64)
}

func shorten(text string, limit int) string {
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
