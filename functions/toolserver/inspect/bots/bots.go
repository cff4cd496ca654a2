// Package bots judges the source of chat bots by six standards: a thinking message, a typing
// indicator that lasts, the verification of the owner, a prompt that accepts people, read
// receipts, and a summary of each session.
//
// A standard is kept by code that can run. Comments, texts, functions that nothing calls and
// branches that are never taken keep none.
package bots

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/bots/code"
	"governance.internal/functions/toolserver/inspect/tree"
)

// The standards.
const (
	ThinkingMessage      = "1_thinking_message"
	TypingIndicator      = "2_typing_indicator"
	OwnerVerification    = "3_owner_verification"
	AcceptancePhilosophy = "4_acceptance_philosophy"
	ReadReceipt          = "5_read_receipt"
	SessionSummary       = "6_session_summary"
)

// Verdict is how a bot keeps a standard: it passes or not, or the standard is not for its
// platform.
type Verdict struct {
	Pass   *bool  `json:"pass,omitempty"`
	NA     bool   `json:"na,omitempty"`
	Detail string `json:"detail"`
	Line   int    `json:"line"` // 0 if no line tells it
}

// Passed reports whether the standard applies and is kept.
func (v Verdict) Passed() bool { return v.Pass != nil && *v.Pass }

// Failed reports whether the standard applies and is not kept.
func (v Verdict) Failed() bool { return v.Pass != nil && !*v.Pass }

func pass(line int, detail string) Verdict {
	yes := true
	return Verdict{
		Pass:   &yes,
		Detail: detail,
		Line:   line,
	}
}

func fail(line int, detail string) Verdict {
	no := false
	return Verdict{
		Pass:   &no,
		Detail: detail,
		Line:   line,
	}
}

// Result is how one bot keeps the standards.
type Result struct {
	File      string             `json:"file"` // the name of the file
	Path      string             `json:"path"`
	Platform  string             `json:"platform"` // unknown if nothing tells it
	Score     string             `json:"score"`    // how many pass, of how many that apply
	Compliant bool               `json:"compliant"`
	Standards map[string]Verdict `json:"standards"`
}

// Passes is the number of standards that are kept.
func (r Result) Passes() int { return r.count(Verdict.Passed) }

// Fails is the number of standards that are not kept.
func (r Result) Fails() int { return r.count(Verdict.Failed) }

func (r Result) count(of func(Verdict) bool) int {
	n := 0
	for _, each := range r.Standards {
		if of(each) {
			n++
		}
	}

	return n
}

// rule judges the standard of an id.
type rule struct {
	id    string
	judge func(*bot) Verdict
}

var rules = []rule{
	{ThinkingMessage, (*bot).thinkingMessage},
	{TypingIndicator, (*bot).typingIndicator},
	{OwnerVerification, (*bot).ownerVerification},
	{AcceptancePhilosophy, (*bot).acceptance},
	{ReadReceipt, (*bot).readReceipt},
	{SessionSummary, (*bot).sessionSummary},
}

// bot is the source of one bot.
type bot struct {
	*code.Program
	platform string
	language string // the ending of its file
}

// ErrUnlisted is the error for a file that bots.files does not list.
var ErrUnlisted = errors.New("this file is none of bots.files")

// Listed are the bots of the workspace file, each once. A pattern that matches nothing stands
// for itself.
func Listed(ctx context.Context, t *tree.Tree) ([]workspace.Bot, error) {
	var list []workspace.Bot
	seen := map[string]bool{}
	for _, each := range t.Config.Bots.Files {
		names, err := t.Matching(ctx, []workspace.Glob{each.Path})
		if err != nil {
			return nil, err
		}

		if len(names) == 0 {
			names = []string{path.Clean(each.Path.Pattern)}
		}

		for _, name := range names {
			if seen[name] {
				continue
			}

			seen[name] = true
			list = append(list, workspace.Bot{
				Path:     workspace.Glob{Pattern: name},
				Platform: each.Platform,
			})
		}
	}

	slices.SortFunc(list, func(a, b workspace.Bot) int {
		return cmp.Compare(a.Path.Pattern, b.Path.Pattern)
	})
	return list, nil
}

// Check judges the bots of the workspace file, or only the one of a path. The error is
// [ErrUnlisted] for a path that is not listed, of which nothing is read.
func Check(ctx context.Context, t *tree.Tree, only string) ([]Result, error) {
	if only != "" && !isListed(t.Config.Bots.Files, path.Clean(only)) {
		return nil, ErrUnlisted
	}

	list, err := Listed(ctx, t)
	if err != nil {
		return nil, err
	}

	results := []Result{}
	for _, each := range list {
		if only != "" && each.Path.Pattern != path.Clean(only) {
			continue
		}

		if ctx.Err() != nil {
			return nil, ctx.Err()
		}

		results = append(results, check(t, each))
	}

	if only != "" && len(results) == 0 { // a pattern covers a file that is not there
		missing := workspace.Bot{Path: workspace.Glob{Pattern: path.Clean(only)}}
		results = append(results, check(t, missing))
	}

	return results, nil
}

// isListed reports whether a path, or a pattern that covers it, is one of the bots.
func isListed(list []workspace.Bot, name string) bool {
	for _, each := range list {
		if path.Clean(each.Path.Pattern) == name {
			return true
		}

		p, err := policy.Compile(each.Path.Pattern, false)
		if err == nil && p.Match(name) {
			return true
		}
	}

	return false
}

func check(t *tree.Tree, b workspace.Bot) Result {
	name := b.Path.Pattern
	text, err := t.Read(name)
	if err != nil {
		reason := "not_found: the file does not exist"
		if !errors.Is(err, fs.ErrNotExist) {
			reason = "the file cannot be read: " + err.Error()
		}
		return Judge(name, b.Platform, nil, reason, t.Config.Bots.Standards)
	}

	return Judge(name, b.Platform, text, "", t.Config.Bots.Standards)
}

// Judge judges a source. Where unread is not "", the file could not be read, and it is why.
func Judge(name, platform string, text []byte, unread string, overrides []workspace.Standard) Result {
	r := Result{
		File:      path.Base(name),
		Path:      name,
		Standards: map[string]Verdict{},
	}

	program := code.Read(name, text)
	if unread == "" && program == nil {
		unread = "this language is not read; Go, JavaScript, TypeScript and Python are"
	}

	b := &bot{
		Program:  program,
		language: path.Ext(name),
	}

	b.platform = platformOf(platform, program)
	r.Platform = b.platform
	for _, each := range rules {
		r.Standards[each.id] = b.judge(each, unread)
	}

	for _, each := range overrides {
		if v, ok := b.override(each, text, unread); ok {
			r.Standards[each.ID] = v
		}
	}

	r.Compliant = r.Fails() == 0
	r.Score = strconv.Itoa(r.Passes()) + "/" + strconv.Itoa(r.Passes()+r.Fails())
	return r
}

func (b *bot) judge(r rule, unread string) Verdict {
	if reason := notApplicable(r.id, b); reason != "" {
		return Verdict{
			NA:     true,
			Detail: reason,
		}
	}

	if unread != "" {
		return fail(0, unread)
	}
	return r.judge(b)
}
