package wiring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"

	"governance.internal/shared/audit"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/config"
)

// trail is the audit chain with a note of its head. A chain cannot show by itself
// that it was cut, exchanged or deleted; every verification compares it with the
// note. A chain in a data directory has the note beside it and is also compared at
// the start. Many processes write to a chain in a table, so each of them keeps the
// head of its own appends in memory.
type trail struct {
	audit.Store
	audit.Notes
	sealed *sealed.Store // Store, if it has sealed segments; else nil
	path   string        // of the note, "" for one in memory
	Close  func() error

	mu   sync.Mutex
	head audit.Head // last noted
}

// anchorKind names the note in reports.
const anchorKind = "noted_head"

// openTrail opens the audit chain: the table if there is one, else a file.
func openTrail(c config.Config, origin string) (*trail, error) {
	if c.AuditTable == "" {
		return openFileTrail(c.DataDir, origin)
	}
	return openTableTrail(c, origin, false)
}

// openTableTrail opens the table, with the sealed segments if there is a place for
// them.
func openTableTrail(c config.Config, origin string, readOnly bool) (*trail, error) {
	table, err := openAuditTable(c, origin, readOnly)
	if err != nil {
		return nil, err
	}

	t := &trail{
		Store: table,
		Notes: table,
		Close: func() error { return nil },
	}

	if c.SegmentBucket == "" && c.DataDir == "" {
		return t, nil
	}
	objects, err := openSegments(c)
	if err != nil {
		return nil, err
	}

	t.sealed = sealed.Open(ChainName, table, objects)
	t.Store = t.sealed
	return t, nil
}

// openFileTrail verifies the chain against the note before it appends to it.
func openFileTrail(dir, origin string) (*trail, error) {
	t := &trail{path: auditfile.Path(dir, ChainName) + ".head"}
	anchors, err := t.read()
	if err != nil {
		return nil, err
	}

	if anchors != nil {
		report, err := auditfile.Verify(auditfile.Path(dir, ChainName), audit.VerifyOptions{
			Chain:   ChainName,
			Anchors: anchors,
		})
		if err != nil {
			return nil, err
		}

		if !report.Valid {
			return nil, fmt.Errorf("the audit chain %s is not as this service left it: %s at entry %d; restore it, or move the whole data directory away to start a new chain",
				auditfile.Path(dir, ChainName), report.Reason, *report.BrokenAt)
		}
	}

	store, err := auditfile.Open(dir, ChainName, auditfile.Options{Origin: origin})
	if err != nil {
		return nil, err
	}

	t.Store = store
	t.Notes = store
	t.Close = store.Close
	head, err := t.Head(context.Background())
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}

	t.head = audit.Head{} // write the note again, with its time
	t.note(head)
	return t, nil
}

func (t *trail) read() ([]audit.Anchor, error) {
	text, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	seqText, hashText, _ := strings.Cut(strings.TrimSpace(string(text)), ":")
	seq, err := strconv.ParseUint(seqText, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s does not hold SEQ:HASH", t.path)
	}

	hash, err := audit.ParseHash(hashText)
	if err != nil {
		return nil, fmt.Errorf("%s does not hold SEQ:HASH", t.path)
	}

	t.head = audit.Head{Seq: seq, Hash: hash}
	return t.Anchors(), nil
}

// Append implements audit.Store and notes the new head.
func (t *trail) Append(ctx context.Context, events ...audit.Event) ([]audit.Entry, error) {
	entries, err := t.Store.Append(ctx, events...)
	if err == nil && len(entries) > 0 {
		t.note(entries[len(entries)-1].Head())
	}
	return entries, err
}

// note writes the head if it is new. If it cannot be written, the older note remains
// and is still valid.
func (t *trail) note(head audit.Head) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if head.Seq <= t.head.Seq {
		return
	}
	if t.path == "" {
		t.head = head
		return
	}

	fresh := t.path + ".new"
	err := os.WriteFile(fresh, fmt.Appendf(nil, "%d:%s\n", head.Seq, head.Hash), 0o600)
	if err == nil {
		err = os.Rename(fresh, t.path)
	}

	if err != nil {
		slog.Warn("head of the audit chain not noted", "error", err.Error())
		return
	}

	t.head = head
}

// Anchors returns the heads that a verification must find in the chain.
func (t *trail) Anchors() []audit.Anchor {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.head.Seq == 0 {
		return nil
	}
	anchor := audit.ExpectHead(t.head.Seq, t.head.Hash)
	anchor.Kind = anchorKind
	anchor.Time = t.head.Time
	return []audit.Anchor{anchor}
}
