package propagate

import (
	"context"
	"fmt"
	"slices"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/document"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Added is a list that got members, or would get them.
type Added struct {
	File    string
	Members []string
	Status  string // of package edit
}

// Flag is a place that a person must see to.
type Flag struct {
	File    string
	Reason  string // why it was not changed
	Blocked bool   // the guard forbids it
	Missing []string
	Extra   []string
}

// MembersOutcome is what became of the members.
type MembersOutcome struct {
	Source []string // ids
	Added  []Added
	Flags  []Flag
	Diff   string
	Entry  string
}

// addition is a file that members are added to.
type addition struct {
	file    string
	members []string
}

// Members adds the members of the source that targets lack, or shows what it would add.
// With only, it looks at that member alone. The error is that of the source, with the line.
func (p *Propagator) Members(ctx context.Context, tool string, dry bool, only string) (MembersOutcome, error) {
	state, err := p.Audit.Workspace.Load()
	if err != nil {
		return MembersOutcome{}, err
	}
	t := tree.Of(p.Audit.Workspace, state.Config)
	roster, err := fact.ReadRoster(t, *state.Config.RolesSource)
	if err != nil {
		return MembersOutcome{}, &SourceError{err}
	}

	outcome := MembersOutcome{Source: roster.IDs()}
	if only != "" && !slices.Contains(outcome.Source, only) {
		return outcome, &UnknownMember{only}
	}

	group := edit.Group{}
	var additions []addition
	for _, target := range state.Config.Members.Targets {
		place, err := fact.Compare(ctx, t, roster, target)
		if ctx.Err() != nil {
			return outcome, ctx.Err()
		}
		if err != nil {
			outcome.Flags = append(outcome.Flags, Flag{File: target.File, Reason: err.Error()})
			continue
		}
		place.Only(only)
		planned, flag := planAddition(place)
		if flag != nil {
			outcome.Flags = append(outcome.Flags, *flag)
		}
		if planned != nil {
			group.Add(target.File, *planned)
			additions = append(additions, addition{target.File, idsOf(place.Missing)})
		}
	}

	written, err := p.Writer.Run(ctx, tool, event, dry, group.Files())
	if err != nil {
		return outcome, err
	}
	outcome.Diff, outcome.Entry = written.Diff, written.Entry
	outcome.tell(additions, written.Files)
	return outcome, nil
}

// planAddition says how the missing members of a place come in, or why a person must see
// to it.
func planAddition(place fact.Place) (*edit.Edit, *Flag) {
	flag := &Flag{
		File:    place.Target.File,
		Missing: idsOf(place.Missing),
	}
	if place.Target.OnExtra == "flag" {
		for _, e := range place.Extra {
			flag.Extra = append(flag.Extra, e.ID)
		}
	}
	if len(place.Missing) == 0 {
		if len(flag.Extra) == 0 {
			return nil, nil
		}
		flag.Reason = "members that the source does not name"
		return nil, flag
	}

	if place.Target.OnMissing != "add" {
		flag.Reason = "the workspace file does not say on_missing: add"
		return nil, flag
	}
	added, err := place.Addition()
	if err != nil {
		flag.Reason = err.Error()
		return nil, flag
	}

	planned := &edit.Edit{
		Start: added.Start,
		End:   added.End,
		Was:   string(place.Text()[added.Start:added.End]),
		Write: added.Text,
		Line:  document.LineOf(place.Text(), added.Start),
		To:    added.Text,
	}
	if len(flag.Extra) == 0 {
		return planned, nil
	}
	flag.Missing = nil
	flag.Reason = "members that the source does not name"
	return planned, flag
}

func idsOf(members []fact.Member) []string {
	ids := []string{}
	for _, m := range members {
		ids = append(ids, m.ID)
	}
	return ids
}

// tell says what became of each addition.
func (o *MembersOutcome) tell(additions []addition, files []edit.File) {
	for _, a := range additions {
		at := slices.IndexFunc(files, func(f edit.File) bool { return f.Path == a.file })
		f := files[at]
		switch f.Status {
		case edit.Updated, edit.WouldUpdate:
			o.Added = append(o.Added, Added{a.file, a.members, f.Status})
		default:
			o.Flags = append(o.Flags, Flag{
				File:    a.file,
				Reason:  f.Reason,
				Blocked: f.Status == edit.Blocked,
				Missing: a.members,
			})
		}
	}
}

// SourceError says that the list of members cannot be read.
type SourceError struct{ err error }

func (e *SourceError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *SourceError) Unwrap() error { return e.err }

// UnknownMember says that the source does not name a member.
type UnknownMember struct{ ID string }

func (e *UnknownMember) Error() string {
	return fmt.Sprintf("the source names no member %q", e.ID)
}

// Configured reports whether members are kept at all.
func Configured(c workspace.Config) bool {
	return c.RolesSource != nil && len(c.Members.Targets) > 0
}
