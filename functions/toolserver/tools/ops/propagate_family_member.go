package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/propagate"
	"governance.internal/functions/toolserver/mcp/tool"
)

type memberInput struct {
	DryRun bool   `json:"dry_run" default:"false"`
	Member string `json:"member,omitempty" max:"200"`
}

// MemberPropagation is the answer of propagate_family_member.
type MemberPropagation struct {
	Timestamp   time.Time   `json:"timestamp"`
	DryRun      bool        `json:"dry_run"`
	ForcedBy    string      `json:"forced_by,omitempty"`
	Status      string      `json:"status"` // all_current, propagation_needed, applied or not_configured
	AutoFixed   []AutoFixed `json:"auto_fixed"`
	ManualFlags []Manual    `json:"manual_flags"`
	SourceCount int         `json:"source_member_count"`
	SourceIDs   []string    `json:"source_ids"`
	Diff        string      `json:"diff"`
	Entry       string      `json:"audit_entry,omitempty"`
	Note        string      `json:"note,omitempty"`
}

// AutoFixed is a file that members were added to.
type AutoFixed struct {
	File    string   `json:"file"`
	Action  string   `json:"action"` // added or would_add
	Members []string `json:"members"`
}

// Manual is a file that a person must see to.
type Manual struct {
	File    string   `json:"file"`
	Status  string   `json:"status"` // UNTOUCHABLE, PROTECTED or NEEDS_UPDATE
	Missing []string `json:"missing_members"`
	Action  string   `json:"action_needed"`
}

// PropagateFamilyMember adds members of the source to the lists that repeat them.
func PropagateFamilyMember(d PropagateDeps) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "propagate_family_member",
		Title:       "Propagate members",
		Toolset:     "ops",
		Description: "Adds the members of roles_source that JSON and YAML lists lack, and flags what a person must add.",
		Hints: tool.Hints{
			Destructive: true,
			Idempotent:  true,
		},
		Needs: []tool.Need{tool.NeedWorkspaceFile},
	}, func(ctx context.Context, _ *tool.Call, in memberInput) (MemberPropagation, error) {
		return RunMembers(ctx, d, "propagate_family_member", in.DryRun, in.Member)
	})
}

// notConfigured is the status where no members are kept.
const notConfigured = "not_configured"

// RunMembers propagates members for a tool.
func RunMembers(ctx context.Context, d PropagateDeps, name string, dry bool, member string) (MemberPropagation, error) {
	answer := MemberPropagation{
		Timestamp:   d.Now().UTC(),
		AutoFixed:   []AutoFixed{},
		ManualFlags: []Manual{},
		SourceIDs:   []string{},
	}
	dry, forced, err := d.preview(dry)
	if err != nil {
		return answer, err
	}
	answer.DryRun, answer.ForcedBy = dry, forced

	state, err := d.Workspace.Load()
	if err != nil {
		return answer, err
	}
	if !propagate.Configured(state.Config) {
		answer.Status = notConfigured
		answer.Note = "Describe roles_source and members.targets in " + workspace.FileName + "."
		return answer, nil
	}

	outcome, err := d.Propagator.Members(ctx, name, dry, member)
	if err != nil {
		return answer, memberError(err)
	}
	answer.fill(outcome, dry)
	return answer, nil
}

func memberError(err error) error {
	var source *propagate.SourceError
	var unknown *propagate.UnknownMember
	switch {
	case errors.As(err, &source):
		return &tool.Error{
			Code:    "not_configured",
			Message: "The list of members cannot be read: " + err.Error() + ".",
			Hint:    "Repair the file that roles_source names.",
		}
	case errors.As(err, &unknown):
		return &tool.Error{
			Code:    "not_found",
			Field:   "/member",
			Message: "The source names no such member.",
			Hint:    "Leave member out to see all ids.",
		}
	}
	return err
}

func (a *MemberPropagation) fill(o propagate.MembersOutcome, dry bool) {
	a.SourceIDs = o.Source
	a.SourceCount = len(o.Source)
	a.Diff, a.Entry = o.Diff, o.Entry
	for _, each := range o.Added {
		action := "added"
		if each.Status == edit.WouldUpdate {
			action = "would_add"
		}
		a.AutoFixed = append(a.AutoFixed, AutoFixed{each.File, action, each.Members})
	}
	for _, flag := range o.Flags {
		a.ManualFlags = append(a.ManualFlags, manualOf(flag))
	}

	switch {
	case len(a.AutoFixed)+len(a.ManualFlags) == 0:
		a.Status = "all_current"
	case len(a.AutoFixed) > 0 && !dry:
		a.Status = "applied"
	default:
		a.Status = "propagation_needed"
	}
}

func manualOf(flag propagate.Flag) Manual {
	m := Manual{
		File:    flag.File,
		Status:  "NEEDS_UPDATE",
		Missing: append([]string{}, flag.Missing...),
		Action:  "Add the missing members by hand: " + flag.Reason + ".",
	}
	switch {
	case flag.Blocked && strings.HasPrefix(flag.Reason, "PROTECTED"):
		m.Status = "PROTECTED"
		m.Action = "Ask for an approval: " + flag.Reason + "."
	case flag.Blocked:
		m.Status = "UNTOUCHABLE"
		m.Action = "A person adds the members: no approval lifts the list untouchable."
	case len(flag.Missing) == 0 && len(flag.Extra) > 0:
		m.Action = fmt.Sprintf("Decide about %s: %s.", strings.Join(flag.Extra, ", "), flag.Reason)
	case len(flag.Missing) == 0:
		m.Action = "Repair the target: " + flag.Reason + "."
	}
	return m
}
