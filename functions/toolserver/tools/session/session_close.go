package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/mcp/tool"
	toolaudit "governance.internal/functions/toolserver/tools/audit"
	"governance.internal/functions/toolserver/tools/ops"
)

// CloseDeps is what session_close works with besides the session.
type CloseDeps struct {
	Drift     *drift.Audit
	Propagate ops.PropagateDeps
	Verify    toolaudit.Verify
	Markers   *Markers
}

type closeInput struct {
	DryRun  bool   `json:"dry_run" default:"false"`
	Summary string `json:"summary,omitempty" max:"4000"`
}

// Closed is the answer of session_close.
type Closed struct {
	Timestamp time.Time              `json:"timestamp"`
	DryRun    bool                   `json:"dry_run"`
	Summary   string                 `json:"summary"`
	Ready     bool                   `json:"ready_to_close"`
	Drift     *toolaudit.Drift       `json:"drift_audit"`
	Facts     *ops.Propagation       `json:"propagation"`
	Members   *ops.MemberPropagation `json:"member_propagation"`
	After     *DriftAfter            `json:"drift_after"`
	Session   SessionFacts           `json:"session_facts"`
	Platforms []string               `json:"platform_warnings"`
	Blockers  []Blocker              `json:"blockers"`
	Warnings  []string               `json:"warnings"`
	Marker    *Marked                `json:"session_marker"`
	Entry     string                 `json:"audit_entry,omitempty"`
	Skipped   []finding.Skipped      `json:"skipped"`
}

// DriftAfter is what disagrees after the propagators ran.
type DriftAfter struct {
	Count int `json:"drift_count"`
}

// SessionFacts are the facts that nothing hands over.
type SessionFacts struct {
	Gaps []string `json:"gaps"`
}

// Blocker is a reason not to close the session.
type Blocker struct {
	ID      string `json:"id"`
	Message string `json:"message"`
}

// Marked names the marker of the session.
type Marked struct {
	ID string `json:"id"`
}

// Ids of blockers.
const (
	blockDrift    = "drift"
	blockFacts    = "facts_unreflected"
	blockHandoff  = "handoff_stale"
	blockChain    = "chain_invalid"
	blockDispatch = "dispatch_running"
)

// closeBudget is the time for all steps; what does not fit is skipped and named. It is a
// little less than a call may take.
const closeBudget = 17 * time.Second

// SessionClose ends a session: it audits, propagates, audits again, and notes the state.
func SessionClose(d Deps, c CloseDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "session_close",
		Title:       "Close the session",
		Toolset:     "session",
		Description: "Audits drift, runs the three propagators and the members, audits again, and says whether the session may end.",
		Hints: tool.Hints{
			Destructive: true,
		},
	}, func(ctx context.Context, _ *tool.Call, in closeInput) (Closed, error) {
		state, err := load(d.Workspace)
		if err != nil {
			return Closed{}, err
		}
		if mask.Holds(in.Summary) {
			return Closed{}, &tool.Error{
				Code:    "invalid_argument",
				Field:   "/summary",
				Message: "The summary holds something that looks like a secret.",
				Hint:    "Say where the secret is kept instead.",
			}
		}

		run := &closing{
			Deps:  d,
			close: c,
			state: state,
			in:    in,
			answer: Closed{
				Timestamp: d.Now().UTC(),
				DryRun:    in.DryRun,
				Summary:   in.Summary,
				Session:   SessionFacts{Gaps: []string{}},
				Platforms: []string{},
				Blockers:  []Blocker{},
				Warnings:  []string{},
				Skipped:   []finding.Skipped{},
			},
		}
		return run.do(ctx)
	})
}

// closing is one end of a session.
type closing struct {
	Deps
	close  CloseDeps
	state  workspace.State
	in     closeInput
	answer Closed
}

// step is one thing that is done before a session ends.
type step struct {
	name string
	do   func(*closing, context.Context) error
}

var steps = []step{
	{"drift_audit", (*closing).audit},
	{"propagation", (*closing).propagate},
	{"member_propagation", (*closing).members},
	{"drift_after", (*closing).auditAgain},
	{"handoff", (*closing).handoff},
	{"chain", (*closing).chain},
	{"dispatches", (*closing).dispatches},
}

func (c *closing) do(ctx context.Context) (Closed, error) {
	limited, cancel := context.WithTimeout(ctx, closeBudget)
	defer cancel()

	for _, s := range steps {
		err := s.do(c, limited)
		if ctx.Err() != nil {
			return Closed{}, ctx.Err()
		}
		if err != nil {
			c.skip(limited, s.name, err)
		}
	}

	c.answer.Ready = len(c.answer.Blockers) == 0
	if c.in.DryRun {
		return c.answer, nil
	}
	return c.answer, c.mark(ctx)
}

// skip notes a step that could not be done. Whether it would have found something is not
// known, so the session is not ready.
func (c *closing) skip(ctx context.Context, name string, err error) {
	reason := "the time for all steps was over"
	var known *tool.Error
	if ctx.Err() == nil {
		reason = "it failed"
		if errors.As(err, &known) {
			reason = known.Message
		}
	}
	c.answer.Skipped = append(c.answer.Skipped, finding.Skipped{
		Check:  name,
		Reason: reason,
	})
	c.block(name+"_unknown", name+" could not be done: "+reason+".")
}

func (c *closing) block(id, message string) {
	c.answer.Blockers = append(c.answer.Blockers, Blocker{id, message})
}

// maxDrifts is how many drifts the answer lists.
const maxDrifts = 500

func (c *closing) audit(ctx context.Context) error {
	found, err := toolaudit.RunDrift(ctx, c.close.Drift, drift.Full, maxDrifts, nil)
	if err != nil {
		return err
	}
	c.answer.Drift = &found
	for _, each := range found.Drifts {
		if each.Type == drift.FactUnreflected {
			c.answer.Session.Gaps = append(c.answer.Session.Gaps, each.Field)
		}
		if each.Type == drift.FeatureMissing || each.Type == drift.PlatformMissing || each.Type == drift.FeatureParity {
			c.answer.Platforms = append(c.answer.Platforms, each.Message)
		}
	}
	if n := len(c.answer.Session.Gaps); n > 0 {
		c.block(blockFacts, fmt.Sprintf("%d facts stand in neither the handoff nor the worklog.", n))
	}
	return nil
}

func (c *closing) propagate(ctx context.Context) error {
	done, err := ops.RunPropagators(ctx, c.close.Propagate, "session_close", c.in.DryRun, nil)
	if err != nil {
		return err
	}
	c.answer.Facts = &done
	return nil
}

func (c *closing) members(ctx context.Context) error {
	done, err := ops.RunMembers(ctx, c.close.Propagate, "session_close", c.in.DryRun, "")
	if err != nil {
		return err
	}
	c.answer.Members = &done
	for _, flag := range done.ManualFlags {
		c.answer.Warnings = append(c.answer.Warnings, flag.File+": "+flag.Action)
	}
	return nil
}

// auditAgain looks at what is left after the propagators. Errors block; warnings are listed.
func (c *closing) auditAgain(ctx context.Context) error {
	found, err := toolaudit.RunDrift(ctx, c.close.Drift, drift.Full, maxDrifts, nil)
	if err != nil {
		return err
	}
	c.answer.After = &DriftAfter{found.Count}

	failed := 0
	for _, each := range found.Drifts {
		switch {
		case each.Type == drift.FactUnreflected: // blocks already
		case each.Severity == finding.Error:
			failed++
		case each.Severity == finding.Warn:
			c.answer.Warnings = append(c.answer.Warnings, each.Message)
		}
	}
	if failed > 0 {
		c.block(blockDrift, fmt.Sprintf("%d places disagree with their source; drift_audit lists them.", failed))
	}
	return nil
}

func (c *closing) handoff(ctx context.Context) error {
	status, err := c.handoffStatus(ctx, c.state)
	if err != nil {
		return err
	}
	if status.Status != "fresh" {
		c.block(blockHandoff, "The handoff "+status.Path+" is "+status.Status+"; write it with session_handoff.")
	}
	return nil
}

func (c *closing) chain(ctx context.Context) error {
	report, err := c.close.Verify(ctx)
	if err != nil {
		return err
	}
	if !report.Valid {
		c.block(blockChain, "The audit chain does not verify; verify_audit_chain says where.")
	}
	return nil
}

func (c *closing) dispatches(context.Context) error {
	n, err := c.Running()
	if err != nil {
		return err
	}
	if n > 0 {
		c.block(blockDispatch, fmt.Sprintf("%d dispatched agents still run.", n))
	}
	return nil
}

// mark notes the state of the workspace, and that the session ends.
func (c *closing) mark(ctx context.Context) error {
	marker, err := c.close.Markers.take(ctx, c.state.Config)
	if err != nil {
		return err
	}
	marker.Seq++ // the entry of this call belongs to the session
	if err := c.close.Markers.save(marker); err != nil {
		return err
	}
	c.answer.Marker = &Marked{marker.ID}

	var blockers []string
	for _, b := range c.answer.Blockers {
		blockers = append(blockers, b.ID)
	}
	entry, err := c.Log.Record(ctx, "session", "SESSION_CLOSE", map[string]any{
		"session_id":     marker.ID,
		"ready_to_close": c.answer.Ready,
		"blockers":       blockers,
		"files":          len(marker.Files),
		"summary":        c.in.Summary,
	})
	c.answer.Entry = entry.ID
	return err
}
