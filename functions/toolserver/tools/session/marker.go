package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/drift"
	"governance.internal/functions/toolserver/inspect/manifest"
	"governance.internal/functions/toolserver/inspect/tree"
	"governance.internal/shared/audit"
)

// Marker is the state of a workspace at the end of a session.
type Marker struct {
	ID        string                   `json:"id"`
	At        time.Time                `json:"at"`
	Seq       uint64                   `json:"chain_seq"` // entries of the audit chain
	Files     manifest.Manifest        `json:"files"`
	Processes map[string]markedProcess `json:"processes"`
}

// markedProcess is a process as it was.
type markedProcess struct {
	State    string `json:"state"`
	Restarts int    `json:"restarts"`
	PID      int    `json:"pid"`
}

// Markers keeps the markers of a workspace.
type Markers struct {
	Workspace *workspace.Workspace
	Chain     func(context.Context) (audit.Head, error)
	Processes func(context.Context) ([]drift.Process, error)
	Now       func() time.Time
	Random    func() string
}

const (
	markerDir  = workspace.StateDir + "/sessions"
	maxMarker  = 256 << 20 // bytes
	maxMarkers = 50
)

var markerID = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[a-z0-9]{1,16}$`)

// errNoMarker says that there is no marker as asked for.
var errNoMarker = errors.New("there is no such session")

// take looks at the workspace as it is now.
func (m *Markers) take(ctx context.Context, config workspace.Config) (Marker, error) {
	now := m.Now().UTC()
	marker := Marker{
		ID:        now.Format("20060102T150405Z") + "-" + m.Random(),
		At:        now,
		Processes: map[string]markedProcess{},
	}

	head, err := m.Chain(ctx)
	if err != nil {
		return marker, fmt.Errorf("the audit chain cannot be read: %w", err)
	}
	marker.Seq = head.Seq

	if marker.Files, err = manifest.Of(ctx, tree.Of(m.Workspace, config)); err != nil {
		return marker, err
	}
	states, err := m.Processes(ctx)
	if err != nil {
		return marker, err
	}
	for _, p := range states {
		if p.Known {
			marker.Processes[p.Name] = markedProcess{p.State, p.Restarts, p.PID}
		}
	}
	return marker, nil
}

// save keeps a marker, and removes the oldest beyond the number that is kept.
func (m *Markers) save(marker Marker) error {
	text, err := json.Marshal(marker)
	if err != nil {
		return err
	}
	if err := m.Workspace.WriteFile(markerFile(marker.ID), text); err != nil {
		return err
	}

	ids := m.ids()
	for len(ids) > maxMarkers {
		if err := m.Workspace.Remove(markerFile(ids[0])); err != nil {
			return err
		}
		ids = ids[1:]
	}
	return nil
}

func markerFile(id string) string {
	return path.Join(markerDir, id+".json")
}

// ids are the markers, the oldest first.
func (m *Markers) ids() []string {
	entries, err := fs.ReadDir(m.Workspace.Files(), markerDir)
	if err != nil {
		return nil
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && markerID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// find reads a marker: by its id, the last one not after a time, or with "" the last one.
func (m *Markers) find(since string) (Marker, error) {
	ids := m.ids()
	if len(ids) == 0 {
		return Marker{}, errNoMarker
	}
	if since == "" {
		return m.read(ids[len(ids)-1])
	}
	if markerID.MatchString(since) {
		return m.read(since)
	}

	at, err := parseTime(since)
	if err != nil {
		return Marker{}, err
	}
	limit := at.UTC().Format("20060102T150405Z")
	for i := len(ids) - 1; i >= 0; i-- {
		if ids[i][:len(limit)] <= limit {
			return m.read(ids[i])
		}
	}
	return Marker{}, errNoMarker
}

// errTime says what a time looks like.
var errTime = errors.New("since is the id of a session, a date as 2027-01-31, or a time as 2027-01-31T12:00:00Z")

func parseTime(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, errTime
	}
	return day, nil
}

func (m *Markers) read(id string) (Marker, error) {
	text, err := m.Workspace.ReadFile(markerFile(id), maxMarker)
	if errors.Is(err, fs.ErrNotExist) {
		return Marker{}, errNoMarker
	}
	if err != nil {
		return Marker{}, err
	}

	var marker Marker
	if err := json.Unmarshal(text, &marker); err != nil {
		return Marker{}, fmt.Errorf("the marker %s cannot be read: %w", id, err)
	}
	return marker, nil
}
