package drift

import (
	"context"
	"errors"
	"fmt"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/finding"
)

// Types of drifts of members and roles.
const (
	RoleMismatch    = "role_mismatch"
	MemberMissing   = "member_missing"
	MemberExtra     = "member_extra"
	MemberTwice     = "member_duplicate"
	MembersUnread   = "members_unreadable"
	rosterSection   = "roles_source and members.targets"
	noRoster        = "no list of members is named"
	noMemberTargets = "no place is named that repeats the members"
)

// roster reads the members, and says why there are none to compare with.
func (s *scan) roster(r *Result, scope string) (fact.Roster, bool) {
	c := s.state.Config
	if c.RolesSource == nil {
		r.skip(scope, noRoster, enable(rosterSection))
		return fact.Roster{}, false
	}
	if len(c.Members.Targets) == 0 {
		r.skip(scope, noMemberTargets, enable("members.targets"))
		return fact.Roster{}, false
	}

	roster, err := fact.ReadRoster(s.tree, *c.RolesSource)
	if err != nil {
		r.Checked++
		r.found(Drift{
			Type:     fact.SourceMissing,
			Source:   roster.Where,
			Target:   c.RolesSource.File,
			Field:    "roles_source",
			Severity: finding.Error,
			Message:  err.Error(),
		})
		return roster, false
	}
	return roster, true
}

// roles compares the fields of each member with the source.
func (s *scan) roles(ctx context.Context) (Result, error) {
	var r Result
	roster, ok := s.roster(&r, Roles)
	if !ok {
		return r, nil
	}

	for _, target := range s.state.Config.Members.Targets {
		place, err := fact.Compare(ctx, s.tree, roster, target)
		if err != nil { // scope members reports it
			continue
		}
		for _, c := range place.Fields {
			r.Checked++
			if c.Wrong() {
				r.found(driftOf(c, RoleMismatch))
			}
		}
	}

	if r.Checked == 0 {
		r.skip(Roles, "no target names fields that repeat those of the source", enable("members.targets[].fields"))
	}
	return r, ctx.Err()
}

// members compares the ids of each target with those of the source.
func (s *scan) members(ctx context.Context) (Result, error) {
	var r Result
	roster, ok := s.roster(&r, Members)
	if !ok {
		return r, nil
	}

	for _, target := range s.state.Config.Members.Targets {
		place, err := fact.Compare(ctx, s.tree, roster, target)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil {
			r.Checked++
			r.found(unreadable(roster, target, err))
			continue
		}
		r.addPlace(roster, place)
	}
	return r, nil
}

func unreadable(roster fact.Roster, target workspace.MemberTarget, err error) Drift {
	d := Drift{
		Type:     MembersUnread,
		Source:   roster.Where,
		Target:   target.File,
		Field:    target.List,
		Severity: finding.Error,
		Message:  err.Error(),
	}
	if errors.Is(err, fact.ErrNoList) {
		d.Type = fact.NoTarget
	}
	return d
}

// addPlace reports what a target lacks and what it has too much.
func (r *Result) addPlace(roster fact.Roster, place fact.Place) {
	target := place.Target
	_, cannotAdd := place.Addition()
	r.Checked += place.Checked + len(place.Extra)

	for _, m := range place.Missing {
		r.found(Drift{
			Type:     MemberMissing,
			Source:   roster.Where,
			Target:   target.File,
			Field:    m.ID,
			Expected: m.ID,
			Severity: finding.Error,
			Fixable:  target.OnMissing == "add" && cannotAdd == nil,
			Message:  fmt.Sprintf("the member %s of %s is missing", m.ID, roster.Where),
		})
	}
	for _, e := range place.Extra {
		r.found(Drift{
			Type:     MemberExtra,
			Source:   roster.Where,
			Target:   target.File,
			Field:    e.ID,
			Found:    e.ID,
			Severity: finding.Warn,
			Line:     e.Line,
			Message:  fmt.Sprintf("the member %s is not in %s", e.ID, roster.Where),
		})
	}
	for _, e := range place.Twice {
		r.found(Drift{
			Type:     MemberTwice,
			Source:   roster.Where,
			Target:   target.File,
			Field:    e.ID,
			Found:    e.ID,
			Severity: finding.Warn,
			Line:     e.Line,
			Message:  fmt.Sprintf("the member %s is named more than once", e.ID),
		})
	}
}
