// Package snapshot keeps a workspace as it is: an archive of its files, a manifest with
// their digests, and a script that puts them back.
//
// A snapshot is a folder below .governance/snapshots:
//
//	snapshot.tar.zst   the files (snapshot.tar.gz where this machine has no zstd)
//	manifest.jsonl     one line for each file, folder and link
//	RESTORE.sh         prints what it would put back; with --apply it does
//
// The digest of the manifest names the content: a snapshot of files that did not change is
// the one that is there.
package snapshot

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/guard/violations"
	"governance.internal/functions/toolserver/guard/workspace"
)

// Folder is where snapshots are kept, from the root of the workspace.
const Folder = workspace.StateDir + "/snapshots"

// Names of the files of a snapshot.
const (
	manifestFile = "manifest.jsonl"
	scriptFile   = "RESTORE.sh"
	aboutFile    = "about.json"
)

// Kinds of entries.
const (
	kindFile   = "file"
	kindFolder = "dir"
	kindLink   = "link"
)

// Entry is a line of the manifest.
type Entry struct {
	Path     string `json:"path"`               // from the root; see Raw
	Raw      []byte `json:"path_raw,omitempty"` // its bytes, if they are not UTF-8
	Kind     string `json:"type"`
	Mode     string `json:"mode"` // octal
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256,omitempty"`
	Target   string `json:"target,omitempty"` // of a link
	Modified int64  `json:"-"`                // nanoseconds; not content
}

// name is the path as the disk has it.
func (e Entry) name() string {
	if e.Raw != nil {
		return string(e.Raw)
	}
	return e.Path
}

// Skipped is a file that is not in a snapshot.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Snapshot is one that was taken.
type Snapshot struct {
	ID       string    `json:"snapshot_id"`
	Location string    `json:"location"` // folder, from the root of the workspace
	Files    int       `json:"file_count"`
	Bytes    int64     `json:"bytes"`
	Script   string    `json:"restore_script"`
	Digest   string    `json:"manifest_sha256"`
	Skipped  []Skipped `json:"skipped"`
	Complete bool      `json:"complete"` // nothing that belongs to it is missing
	Reused   bool      `json:"reused"`   // nothing changed since it was taken
	At       time.Time `json:"taken_at"`
}

// Options say what a snapshot holds.
type Options struct {
	Label   string // part of its id, "" for none
	Secrets bool   // also files that usually hold secrets
	Reuse   bool   // the newest one serves if nothing changed
	Archive string // "" for zstd where this machine has it, else gzip
}

// LimitError says that a snapshot would be larger than the workspace file allows.
type LimitError struct {
	Limit int64
	Path  string // the file with which it was reached
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the files have more than %d bytes together (snapshot.max_bytes), reached at %s", e.Limit, e.Path)
}

// defaults of the section snapshot.
const (
	defaultKeep     = 10
	defaultMaxBytes = 2 << 30
	maxEntries      = 2_000_000
)

// secretFiles usually hold secrets. They are left out unless the caller wants them.
var secretFiles = []string{
	"**/.env", "**/.env.*", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.keystore", "**/*.jks",
	"**/id_rsa", "**/id_dsa", "**/id_ecdsa", "**/id_ed25519", "**/.netrc", "**/.npmrc", "**/.pypirc",
	"**/credentials.json", "**/.aws/credentials", "**/*.kdbx",
}

// examples are files that only look like those.
var examples = []string{"**/.env.example", "**/.env.sample", "**/.env.template", "**/.env.dist", "**/.env.test.example"}

// leftOut are folders that others can make again, or that hold our own state.
var leftOut = []string{".git", "node_modules", workspace.StateDir, workspace.DataDir}

// Event is the audit entry of a snapshot.
const Event = "SNAPSHOT"

// Keeper takes snapshots of a workspace.
type Keeper struct {
	Workspace *workspace.Workspace
	Log       *violations.Log
	Now       func() time.Time
	Random    func() string // part of a new, unique ID
	// Programs reports whether a program is on this machine.
	Programs func(name string) bool
}

// New returns a keeper for this machine.
func New(w *workspace.Workspace, log *violations.Log, now func() time.Time) *Keeper {
	return &Keeper{
		Workspace: w,
		Log:       log,
		Now:       now,
		Random:    func() string { return strings.ToLower(rand.Text()[:8]) },
		Programs: func(name string) bool {
			_, err := exec.LookPath(name)
			return err == nil
		},
	}
}

// BeforeCommand returns what a guard calls before a destructive command.
func BeforeCommand(w *workspace.Workspace, log *violations.Log) func(context.Context) (string, error) {
	keeper := New(w, log, time.Now)
	return func(ctx context.Context) (string, error) {
		taken, _, err := keeper.Record(ctx, "guard", Options{
			Label: "before-command",
			Reuse: true,
		})
		return taken.ID, err
	}
}

// Record takes a snapshot for an actor and notes it in the audit chain. Entry is the id of
// the entry, "" if an older snapshot serves.
func (k *Keeper) Record(ctx context.Context, actor string, o Options) (taken Snapshot, entry string, err error) {
	taken, err = k.Take(ctx, o)
	if err != nil || taken.Reused {
		return taken, "", err
	}

	noted, err := k.Log.Record(ctx, actor, Event, map[string]any{
		"snapshot_id":     taken.ID,
		"files":           taken.Files,
		"bytes":           taken.Bytes,
		"manifest_sha256": taken.Digest,
		"complete":        taken.Complete,
	})
	return taken, noted.ID, err
}

// Take takes a snapshot. Nothing is left behind if it fails.
func (k *Keeper) Take(ctx context.Context, o Options) (Snapshot, error) {
	state, err := k.Workspace.Load()
	if err != nil {
		return Snapshot{}, err
	}
	c, err := k.collect(ctx, state.Config, o)
	if err != nil {
		return Snapshot{}, err
	}

	id := k.Now().UTC().Format("20060102T150405Z") + "-" + cmp.Or(o.Label, "snapshot") + "-" + k.Random()
	building := path.Join(Folder, "."+id)
	snapshot, err := k.build(ctx, c, o, id, building)
	if err != nil {
		return Snapshot{}, errors.Join(err, k.remove(building))
	}
	if snapshot.Reused {
		return snapshot, k.remove(building)
	}

	if err := k.Workspace.Rename(building, snapshot.Location); err != nil {
		return Snapshot{}, errors.Join(err, k.remove(building))
	}
	return snapshot, k.prune(cmp.Or(state.Config.Snapshot.Keep, defaultKeep))
}

// build writes the files of a snapshot into a folder. If the newest snapshot has the same
// content and may serve, it is returned instead.
func (k *Keeper) build(ctx context.Context, c *collection, o Options, id, folder string) (Snapshot, error) {
	archive, err := k.pack(ctx, c, o, folder)
	if err != nil {
		return Snapshot{}, err
	}

	manifest := c.manifest()
	sum := sha256.Sum256(manifest)
	snapshot := Snapshot{
		ID:       id,
		Location: path.Join(Folder, id),
		Files:    c.files,
		Bytes:    c.bytes,
		Script:   path.Join(Folder, id, scriptFile),
		Digest:   hex.EncodeToString(sum[:]),
		Skipped:  c.skipped,
		Complete: c.complete,
		At:       k.Now().UTC(),
	}
	if o.Reuse {
		if before, ok := k.newest(); ok && before.Digest == snapshot.Digest && before.Complete {
			before.Reused = true
			return before, nil
		}
	}

	about, err := json.MarshalIndent(snapshot, "", "  ")
	if err != nil {
		return Snapshot{}, err
	}
	script := restoreScript(c.entries, archive, snapshot)
	for _, f := range []struct {
		name string
		text []byte
		mode fs.FileMode
	}{
		{manifestFile, manifest, 0o600},
		{aboutFile, append(about, '\n'), 0o600},
		{scriptFile, script, 0o700},
	} {
		if err := k.write(path.Join(folder, f.name), f.text, f.mode); err != nil {
			return Snapshot{}, err
		}
	}
	return snapshot, nil
}

// write makes a new file, durably.
func (k *Keeper) write(name string, text []byte, mode fs.FileMode) error {
	f, err := k.Workspace.OpenState(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// remove removes a folder of a snapshot. One that is not there is removed already.
func (k *Keeper) remove(folder string) error {
	entries, err := fs.ReadDir(k.Workspace.Files(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	for _, e := range entries {
		if e.IsDir() { // what a restore put aside belongs to a person
			return fmt.Errorf("%s holds the folder %s, so it is not removed", folder, e.Name())
		}
		if err := k.Workspace.Remove(path.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return k.Workspace.Remove(folder)
}

// list are the ids of the snapshots, the oldest first. What restores put aside is not among
// them.
func (k *Keeper) list() []string {
	entries, err := fs.ReadDir(k.Workspace.Files(), Folder)
	if err != nil {
		return nil
	}
	var ids []string
	for _, e := range entries {
		name := e.Name()
		isSnapshot := e.IsDir() && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, asidePrefix)
		if isSnapshot {
			ids = append(ids, name)
		}
	}
	slices.Sort(ids)
	return ids
}

// newest is the latest snapshot.
func (k *Keeper) newest() (Snapshot, bool) {
	ids := k.list()
	if len(ids) == 0 {
		return Snapshot{}, false
	}
	text, err := k.Workspace.ReadFile(path.Join(Folder, ids[len(ids)-1], aboutFile), maxAbout)
	if err != nil {
		return Snapshot{}, false
	}

	var s Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return Snapshot{}, false
	}
	return s, true
}

// maxAbout bounds the description of a snapshot, in bytes: it lists what was skipped.
const maxAbout = 64 << 20

// prune removes the oldest snapshots beyond the number that is kept.
func (k *Keeper) prune(keep int) error {
	ids := k.list()
	for len(ids) > keep {
		if err := k.remove(path.Join(Folder, ids[0])); err != nil {
			return err
		}
		ids = ids[1:]
	}
	return nil
}
