// Package approval keeps what agents asked people to allow.
//
// An approval is for one action only: this agent, this operation, these files or
// this command, under these lists of the workspace. It ends by itself, and it is
// used up by the first change that it lets through. An agent can ask; only a person
// at the command line or with the token of an operator can grant.
package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/audit"
)

// States of an approval.
const (
	Pending = "pending"
	Granted = "granted"
	Denied  = "denied"
	Used    = "used"
	Expired = "expired"
)

// Limits.
const (
	MaxTTL     = 24 * time.Hour
	maxPending = 100
	lockWait   = 2 * time.Second // for another process that writes
	maxNoted   = 50              // files of an action that are in the chain
	maxCommand = 16 << 10        // bytes of a command that are in the chain
)

// Errors that a caller distinguishes.
var (
	ErrUnknown  = errors.New("there is no such approval")
	ErrNotOpen  = errors.New("the approval was decided, used or expired before")
	ErrTooMany  = errors.New("too many requests wait for a person")
	ErrDuration = errors.New("an approval lasts from one second to 24 hours")
)

// Action is what is approved, exactly.
type Action struct {
	Agent     string   `json:"agent"`
	Operation string   `json:"operation"` // edit, create, delete, rename, execute or command
	Paths     []string `json:"paths,omitempty"`
	Command   string   `json:"-"`     // the exact text; what is kept of it is Shown and the digest
	Files     []string `json:"files"` // that would change, as people must see them; not part of the digest
}

// Digest identifies an action under a version of the policy: 64 hexadecimal digits.
func (a Action) Digest(policy string) string {
	paths := slices.Clone(a.Paths)
	slices.Sort(paths)
	text, err := json.Marshal([]any{"approval v1", policy, a.Agent, a.Operation, slices.Compact(paths), a.Command})
	if err != nil {
		panic(err) // of texts
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// shown is the action with everything that an agent chose as a person must see it. The paths
// stay, since changes are compared with them.
func (a Action) shown() Action {
	files := a.Files
	if len(files) == 0 {
		files = a.Paths
	}
	a.Files = []string{}
	for _, file := range files {
		a.Files = append(a.Files, Visible(file))
	}
	a.Agent = Prose(a.Agent)
	return a
}

// Approval is a request and what became of it.
type Approval struct {
	ID string `json:"id"`
	Action
	Shown     string    `json:"command,omitempty"` // the whole command as people must see it
	Digest    string    `json:"digest"`
	Policy    string    `json:"policy_version"`
	Reason    string    `json:"reason"`
	State     string    `json:"status"`
	Requested time.Time `json:"requested_at"`
	Expires   time.Time `json:"expires_at"`
	DecidedBy string    `json:"decided_by,omitempty"`
	Decided   time.Time `json:"decided_at,omitzero"`
	Used      time.Time `json:"used_at,omitzero"`
}

// Book keeps the approvals of a workspace in a file that several processes share:
// each opens it for one transaction. It is safe for concurrent use.
type Book struct {
	Workspace *workspace.Workspace
	Now       func() time.Time
	Random    io.Reader
	// Record writes what was asked, decided and used into the audit chain.
	Record func(ctx context.Context, actor, event string, detail map[string]any) error
}

// Audit events.
const (
	EventRequested = "APPROVAL_REQUESTED"
	EventDecided   = "APPROVAL_DECIDED"
	EventUsed      = "APPROVAL_USED"
)

// file is in the state of the workspace, which no agent may touch.
const file = workspace.StateDir + "/approvals.db"

var bucket = []byte("approvals")

// Request asks for an action. The same open request is not made twice.
func (b *Book) Request(ctx context.Context, a Action, policy, reason string, ttl time.Duration) (Approval, error) {
	if ttl < time.Second || ttl > MaxTTL {
		return Approval{}, ErrDuration
	}
	now := b.Now().UTC()
	id, err := audit.NewID(now, b.Random)
	if err != nil {
		return Approval{}, err
	}

	asked := Approval{
		ID:        id,
		Action:    a.shown(),
		Shown:     Visible(a.Command),
		Digest:    a.Digest(policy),
		Policy:    policy,
		Reason:    Prose(reason),
		State:     Pending,
		Requested: now,
		Expires:   now.Add(ttl),
	}

	fresh := true
	err = b.update(func(all *bbolt.Bucket) error {
		open := 0
		err := each(all, func(old Approval) error {
			if old.at(now).State == Pending {
				open++
				if old.Digest == asked.Digest {
					asked, fresh = old, false
				}
			}
			return nil
		})
		if err != nil || !fresh {
			return err
		}
		if open >= maxPending {
			return ErrTooMany
		}

		return put(all, asked)
	})
	if err != nil || !fresh {
		return asked, err
	}

	return asked, b.record(ctx, a.Agent, EventRequested, asked)
}

// Decide grants or denies an open request. By says who decided.
func (b *Book) Decide(ctx context.Context, id, by string, grant bool) (Approval, error) {
	var decided Approval
	err := b.update(func(all *bbolt.Bucket) error {
		old, err := get(all, id)
		if err != nil {
			return err
		}
		if old.at(b.Now()).State != Pending {
			return ErrNotOpen
		}

		decided = old
		decided.State, decided.DecidedBy, decided.Decided = Denied, by, b.Now().UTC()
		if grant {
			decided.State = Granted
		}
		// The decision is written down before it holds.
		if err := b.record(ctx, by, EventDecided, decided); err != nil {
			return err
		}

		return put(all, decided)
	})
	return decided, err
}

// Find returns a granted approval of exactly this action, without using it; nil if
// there is none.
func (b *Book) Find(a Action, policy string) (*Approval, error) {
	return b.match(a, policy, false)
}

// Use returns a granted approval of exactly this action and uses it up; nil if there
// is none.
func (b *Book) Use(ctx context.Context, a Action, policy string) (*Approval, error) {
	used, err := b.match(a, policy, true)
	if err != nil || used == nil {
		return nil, err
	}
	return used, b.record(ctx, a.Agent, EventUsed, *used)
}

func (b *Book) match(a Action, policy string, use bool) (*Approval, error) {
	if _, err := fs.Stat(b.Workspace.Files(), file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no request was ever made; the hook saves the opening
	}
	digest := a.Digest(policy)
	now := b.Now().UTC()
	var found *Approval
	look := func(all *bbolt.Bucket) error {
		err := each(all, func(old Approval) error {
			if found == nil &&
				old.Digest == digest &&
				old.at(now).State == Granted {
				found = &old
			}
			return nil
		})
		if err != nil || found == nil || !use {
			return err
		}

		found.State, found.Used = Used, now
		return put(all, *found)
	}
	return found, b.update(look)
}

// UsedSince reports whether an approval of a change of this file was used since a time. If
// the book cannot be read, it was not.
func (b *Book) UsedSince(path string, since time.Time) bool {
	if _, err := fs.Stat(b.Workspace.Files(), file); err != nil {
		return false
	}
	list, err := b.List(math.MaxInt)
	return err == nil && slices.ContainsFunc(list, func(a Approval) bool {
		return a.State == Used &&
			!a.Used.Before(since) &&
			slices.Contains(a.Paths, path)
	})
}

// List returns all approvals, the newest first, at most limit.
func (b *Book) List(limit int) ([]Approval, error) {
	list := []Approval{}
	err := b.update(func(all *bbolt.Bucket) error {
		return each(all, func(a Approval) error {
			list = append(list, a.at(b.Now()))
			return nil
		})
	})

	slices.Reverse(list) // ids sort by time
	return list[:min(len(list), limit)], err
}

// Get returns one approval.
func (b *Book) Get(id string) (Approval, error) {
	var found Approval
	err := b.update(func(all *bbolt.Bucket) (err error) {
		found, err = get(all, id)
		return err
	})
	return found.at(b.Now()), err
}

// Holds reports whether an approval of this id and digest is or was in a state, to check a
// record from elsewhere.
func (b *Book) Holds(id, digest, state string) (bool, error) {
	if _, err := fs.Stat(b.Workspace.Files(), file); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	a, err := b.Get(id)
	if errors.Is(err, ErrUnknown) {
		return false, nil
	}

	was := map[string]bool{
		Pending: true,
		Granted: a.State == Granted || !a.Used.IsZero() || a.State == Expired && !a.Decided.IsZero(),
		Denied:  a.State == Denied,
		Used:    a.State == Used,
	}
	return err == nil && a.Digest == digest && was[state], err
}

// at is the approval as it stands at a time.
func (a Approval) at(now time.Time) Approval {
	if (a.State == Pending || a.State == Granted) && !now.Before(a.Expires) {
		a.State = Expired
	}
	if a.Files == nil { // of an older book
		a.Files = []string{}
	}
	return a
}

func (b *Book) record(ctx context.Context, actor, event string, a Approval) error {
	detail := map[string]any{
		"approval":  a.ID,
		"agent":     a.Agent,
		"operation": a.Operation,
		"paths":     len(a.Paths),
		"files":     a.Files[:min(len(a.Files), maxNoted)],
		"digest":    a.Digest,
		"policy":    a.Policy,
		"status":    a.State,
	}

	if a.Shown != "" {
		detail["command"] = noted(a.Shown)
	}

	return b.Record(ctx, actor, event, detail)
}

// noted is a command for the record: without secrets, and cut where it is longer than an
// entry should be. The digest stands for the rest.
func noted(command string) string {
	masked := mask.Text(command)
	if len(masked) <= maxCommand {
		return masked
	}
	return strings.ToValidUTF8(masked[:maxCommand], "") + fmt.Sprintf("⟨%d bytes more⟩", len(masked)-maxCommand)
}

// update runs one transaction. The file is open only as long.
func (b *Book) update(run func(*bbolt.Bucket) error) error {
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{
		Timeout:  lockWait,
		OpenFile: b.Workspace.OpenState,
	})
	if err != nil {
		return fmt.Errorf("approvals: the file cannot be opened")
	}

	err = db.Update(func(tx *bbolt.Tx) error {
		all, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		return run(all)
	})
	return errors.Join(err, db.Close())
}

func each(all *bbolt.Bucket, visit func(Approval) error) error {
	return all.ForEach(func(_, text []byte) error {
		var a Approval
		if err := json.Unmarshal(text, &a); err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
		return visit(a)
	})
}

func get(all *bbolt.Bucket, id string) (a Approval, err error) {
	text := all.Get([]byte(id))
	if text == nil {
		return a, ErrUnknown
	}
	return a, json.Unmarshal(text, &a)
}

func put(all *bbolt.Bucket, a Approval) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return all.Put([]byte(a.ID), text)
}
