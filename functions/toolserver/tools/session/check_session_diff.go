package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/edit"
	"governance.internal/functions/toolserver/inspect/git"
	"governance.internal/functions/toolserver/inspect/manifest"
	"governance.internal/functions/toolserver/mcp/tool"
)

type sessionDiffInput struct {
	Since  string `json:"since,omitempty" max:"64" doc:"Id of a session, date or time; the last session if not set."`
	Diff   bool   `json:"diff" default:"false"`
	Create bool   `json:"create_baseline" default:"false"`
}

// SessionDiff is the answer of check_session_diff.
type SessionDiff struct {
	Status     string             `json:"status"` // unchanged, changed or no_baseline
	Baseline   *Baseline          `json:"baseline"`
	Files      manifest.Changes   `json:"files"`
	Protected  []string           `json:"protected_touched"`
	Processes  ProcessChanges     `json:"processes"`
	Violations []violations.Entry `json:"violations"`
	Entries    int64              `json:"audit_entries"` // since the baseline
	Alerts     []string           `json:"alerts"`
	Diff       string             `json:"diff,omitempty"`
	NoDiff     []string           `json:"diff_unavailable,omitempty"` // files whose old text is not known
	Summary    string             `json:"summary_markdown"`
}

// Baseline names what the workspace is compared with.
type Baseline struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// ProcessChanges are the managed processes that are not as they were.
type ProcessChanges struct {
	Started   []string `json:"started"`
	Stopped   []string `json:"stopped"`
	Restarted []string `json:"restarted"`
}

// CheckSessionDiff says what changed since a session ended.
func CheckSessionDiff(d Deps, m *Markers) *tool.Tool {
	return tool.Define(tool.Tool{
		Name:        "check_session_diff",
		Title:       "Changes since a session",
		Toolset:     "session",
		Description: "What changed since the last session_close: files, governed files, processes, violations, audit entries.",
		Hints: tool.Hints{
			ReadOnly:   true,
			Idempotent: true,
		},
	}, func(ctx context.Context, _ *tool.Call, in sessionDiffInput) (SessionDiff, error) {
		state, err := load(d.Workspace)
		if err != nil {
			return SessionDiff{}, err
		}
		before, err := m.find(in.Since)
		if errors.Is(err, errNoMarker) && len(m.ids()) == 0 {
			return d.noBaseline(ctx, m, state, in)
		}
		if err != nil {
			return SessionDiff{}, markerError(err)
		}

		now, err := m.take(ctx, state.Config)
		if err != nil {
			return SessionDiff{}, err
		}
		return d.compareSession(ctx, state, before, now, in.Diff)
	})
}

func markerError(err error) error {
	switch {
	case errors.Is(err, errNoMarker):
		return &tool.Error{
			Code:    "not_found",
			Field:   "/since",
			Message: "There is no session at or before that.",
			Hint:    "Leave since out to compare with the last session.",
		}
	case errors.Is(err, errTime):
		return &tool.Error{
			Code:    "invalid_argument",
			Field:   "/since",
			Message: "The argument cannot be read: " + err.Error() + ".",
		}
	}
	return err
}

// noBaseline answers where no session was ever closed, and begins with one if asked to.
func (d Deps) noBaseline(ctx context.Context, m *Markers, state workspace.State, in sessionDiffInput) (SessionDiff, error) {
	answer := emptySessionDiff("no_baseline")
	answer.Summary = "No session was closed here yet, so there is nothing to compare with. session_close notes the state of the workspace; create_baseline does so at once."
	if !in.Create {
		return answer, nil
	}

	marker, err := m.take(ctx, state.Config)
	if err != nil {
		return answer, err
	}
	if err := m.save(marker); err != nil {
		return answer, err
	}
	answer.Baseline = &Baseline{marker.ID, marker.At}
	answer.Summary = fmt.Sprintf("The state of %d files was noted as %s.", len(marker.Files), marker.ID)
	return answer, nil
}

func emptySessionDiff(status string) SessionDiff {
	return SessionDiff{
		Status: status,
		Files: manifest.Changes{
			Added:    []string{},
			Modified: []string{},
			Deleted:  []string{},
			Renamed:  []manifest.Renamed{},
		},
		Protected: []string{},
		Processes: ProcessChanges{
			Started:   []string{},
			Stopped:   []string{},
			Restarted: []string{},
		},
		Violations: []violations.Entry{},
		Alerts:     []string{},
	}
}

// compareSession holds the workspace against a marker.
func (d Deps) compareSession(ctx context.Context, state workspace.State, before, now Marker, diff bool) (SessionDiff, error) {
	answer := emptySessionDiff("unchanged")
	answer.Baseline = &Baseline{before.ID, before.At}
	answer.Files = now.Files.Since(before.Files)
	answer.Processes = compareProcesses(before.Processes, now.Processes)
	answer.Entries = int64(now.Seq) - int64(before.Seq)

	for _, name := range answer.Files.Paths() {
		if decision, _ := state.Policy.Decide(name); decision == policy.Blocked || decision == policy.Protected {
			answer.Protected = append(answer.Protected, name)
		}
	}
	found, err := d.Log.List(ctx, before.At)
	if err != nil {
		return answer, err
	}
	answer.Violations = append(answer.Violations, found...)

	answer.alert(state)
	if diff {
		d.addDiff(&answer, before)
	}
	if answer.changed() {
		answer.Status = "changed"
	}
	answer.Summary = answer.summary()
	return answer, nil
}

func compareProcesses(before, now map[string]markedProcess) ProcessChanges {
	c := ProcessChanges{
		Started:   []string{},
		Stopped:   []string{},
		Restarted: []string{},
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		c.compare(name, before[name], now[name])
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		_, known := now[name]
		if !known && before[name].State == running {
			c.Stopped = append(c.Stopped, name)
		}
	}
	return c
}

// compare notes what became of one process.
func (c *ProcessChanges) compare(name string, was, is markedProcess) {
	wasUp := was.State == running
	isUp := is.State == running
	isOther := was.PID != is.PID || is.Restarts > was.Restarts

	switch {
	case isUp && !wasUp:
		c.Started = append(c.Started, name)
	case wasUp && !isUp:
		c.Stopped = append(c.Stopped, name)
	case isUp && isOther:
		c.Restarted = append(c.Restarted, name)
	}
}

// running is the state of a process that runs.
const running = "running"

// alert says what a person should look at.
func (s *SessionDiff) alert(state workspace.State) {
	if len(s.Protected) > 0 {
		s.Alerts = append(s.Alerts, fmt.Sprintf("%d governed files changed.", len(s.Protected)))
	}
	if s.Entries < 0 {
		s.Alerts = append(s.Alerts, "The audit chain is shorter than at the baseline: entries are gone.")
	}
	if len(s.Violations) > 0 {
		s.Alerts = append(s.Alerts, fmt.Sprintf("%d violations were recorded.", len(s.Violations)))
	}
	for _, p := range state.Config.Processes.Expected {
		if p.Critical && slices.Contains(s.Processes.Stopped, p.Name) {
			s.Alerts = append(s.Alerts, "The critical process "+p.Name+" stopped.")
		}
	}
}

func (s *SessionDiff) changed() bool {
	processes := len(s.Processes.Started) + len(s.Processes.Stopped) + len(s.Processes.Restarted)
	return s.Files.Count()+processes+len(s.Violations) > 0 || s.Entries != 0
}

func (s *SessionDiff) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Changes since %s (%s)\n\n", s.Baseline.ID, s.Baseline.At.Format(time.RFC3339))
	fmt.Fprintf(&b, "- Files: %d added, %d modified, %d deleted, %d renamed\n",
		len(s.Files.Added), len(s.Files.Modified), len(s.Files.Deleted), len(s.Files.Renamed))
	fmt.Fprintf(&b, "- Governed files touched: %d\n", len(s.Protected))
	fmt.Fprintf(&b, "- Processes: %d started, %d stopped, %d restarted\n",
		len(s.Processes.Started), len(s.Processes.Stopped), len(s.Processes.Restarted))
	fmt.Fprintf(&b, "- Violations: %d\n- Audit entries: %d\n", len(s.Violations), s.Entries)
	for _, alert := range s.Alerts {
		b.WriteString("- ALERT: " + alert + "\n")
	}
	return b.String()
}

// maxDiff bounds the difference that is shown, in bytes.
const maxDiff = 256 << 10

// addDiff shows how modified files differ. The old text comes from the last commit, if that
// is the text of the baseline; a marker keeps digests only.
func (d Deps) addDiff(s *SessionDiff, before Marker) {
	repository, err := git.Open(d.Workspace)
	if err != nil {
		s.NoDiff = slices.Clone(s.Files.Modified)
		return
	}
	defer repository.Close()

	var b strings.Builder
	for _, name := range s.Files.Modified {
		was, err := repository.File(name)
		sum := sha256.Sum256(was)
		known := err == nil && hex.EncodeToString(sum[:]) == before.Files[name].Sum
		now, err := d.Workspace.ReadFile(name, maxDiff)
		if !known || err != nil || b.Len() > maxDiff {
			s.NoDiff = append(s.NoDiff, name)
			continue
		}
		b.WriteString(maskedDiff(name, was, now))
	}
	s.Diff = b.String()
}

// maskedDiff is a difference without the secrets in it.
func maskedDiff(name string, was, now []byte) string {
	return mask.Text(edit.Diff(name, was, now))
}
