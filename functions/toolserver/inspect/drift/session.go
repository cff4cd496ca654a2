package drift

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
)

// Types of drifts of facts that sessions keep.
const (
	FactUnreflected = "fact_unreflected" // neither the handoff nor the worklog mentions it
	FactUnreadable  = "fact_unreadable"  // the line of its file is damaged
)

// factAge is how far back facts must be mentioned.
const factAge = 48 * time.Hour

// sessionFacts looks whether the facts of the last two days are mentioned in what the next
// session reads.
func (s *scan) sessionFacts(ctx context.Context) (Result, error) {
	var r Result
	if s.Facts == nil {
		r.skip(SessionFacts, "no facts are kept", "Keep them with session_persist.")
		return r, nil
	}
	facts, err := s.Facts(ctx, s.Now().Add(-factAge))
	if err != nil {
		return r, err
	}
	if len(facts) == 0 {
		r.skip(SessionFacts, "no fact was noted in the last two days", "Keep facts with session_persist.")
		return r, nil
	}

	text, err := s.handedOver()
	if err != nil {
		return r, err
	}
	for _, f := range facts {
		r.Checked++
		if f.Damaged {
			r.found(Drift{
				Type:     FactUnreadable,
				Source:   f.File,
				Target:   f.File,
				Severity: finding.Warn,
				Line:     f.Line,
				Message:  fmt.Sprintf("line %d of %s is damaged, so the fact on it is lost; a person must repair or remove the line", f.Line, f.File),
			})
			continue
		}
		if strings.Contains(text, words(f.Title)) {
			continue
		}
		r.found(Drift{
			Type:     FactUnreflected,
			Source:   f.File,
			Target:   s.state.Config.Session.Handoff,
			Field:    f.Title,
			Expected: f.Title,
			Severity: finding.Warn,
			Message:  "neither the handoff nor the worklog mentions the fact " + f.Title,
		})
	}
	return r, nil
}

// handedOver is the handoff and the worklog as one text.
func (s *scan) handedOver() (string, error) {
	var b strings.Builder
	for _, name := range []string{s.state.Config.Session.Handoff, s.state.Config.Session.Worklog} {
		text, err := s.Workspace.ReadFile(name, maxHandedOver)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, workspace.ErrTooLarge) {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return words(b.String()), nil
}

// maxHandedOver bounds the handoff and the worklog, in bytes each.
const maxHandedOver = 16 << 20

// words is a text in lower case with single blanks.
func words(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// bots asks the check of bots.
func (s *scan) bots(ctx context.Context) (Result, error) {
	if s.Bots != nil && len(s.state.Config.Bots.Files) > 0 {
		return s.Bots(ctx, s.tree)
	}
	var r Result
	r.skip(Bots, "no bot is described", enable("bots.files"))
	return r, nil
}
