// Package worklog keeps the worklog of a workspace: an append-only Markdown file. The
// length and digest of the earlier content are stored, so that a changed history is
// detected.
package worklog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"governance.internal/functions/toolserver/guard/workspace"
)

// maxSize is the size of a worklog, in bytes; then a person moves it away.
const maxSize = 16 << 20

// dateLayout is the time of an entry, in UTC.
const dateLayout = "2006-01-02 15:04"

// Entry is one step of the work.
type Entry struct {
	Date    time.Time `json:"date"`
	Session string    `json:"session"`
	Did     []string  `json:"did"`
	Files   []string  `json:"files"`
	State   string    `json:"state"`
	Line    int       `json:"line"`
}

// Texts that explain the form.
const (
	Format   = "## YYYY-MM-DD HH:MM UTC, session\n\n- one line for each thing that was done\n\nFiles: paths, separated by commas\nState: what holds now\n"
	Template = "## [DATE] [TIME] UTC, [SESSION]\n\n- [WHAT WAS DONE, WITH THE RESULT]\n\nFiles: [PATHS]\nState: [WHAT HOLDS NOW]\n"
)

// Practices are what makes a worklog useful.
var Practices = []string{
	"One entry for each finished step, at once.",
	"Say what was done and what came out, not what was intended.",
	"Name the files that changed.",
	"Never change an old entry; correct it with a new one.",
}

// Book is the worklog of a workspace.
type Book struct {
	Workspace *workspace.Workspace
	Name      string
}

// Appended is what an append did.
type Appended struct {
	Text      string
	Line      int  // where the entry begins
	Rewritten bool // older entries are not as they were
}

// memory is what is remembered of a worklog.
type memory struct {
	Length int    `json:"length"`
	SHA256 string `json:"sha256"`
	// Rewritten says that the history was found changed at some append.
	Rewritten bool `json:"rewritten,omitempty"`
}

var bucket = []byte("worklog")

// memoryFile remembers what the worklogs were at the last append.
const memoryFile = workspace.StateDir + "/worklog.db"

// errBusy says that what is remembered cannot be looked at.
var errBusy = errors.New("another process writes the worklog")

func (b Book) memory() (*bbolt.DB, error) {
	db, err := bbolt.Open(
		memoryFile,
		0o600,
		&bbolt.Options{
			Timeout:  2 * time.Second,
			OpenFile: b.Workspace.OpenState,
		},
	)
	if err != nil {
		return nil, errBusy
	}
	return db, nil
}

// Rewritten reports whether the worklog does not begin any more with what was there at an
// append, which may also be that it is gone.
func (b Book) Rewritten() (changed bool, err error) {
	if _, err := fs.Stat(b.Workspace.Files(), memoryFile); errors.Is(err, fs.ErrNotExist) {
		return false, nil // nothing was ever appended
	}
	text, err := b.Workspace.ReadFile(b.Name, maxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}

	db, err := b.memory()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	return changed, db.View(func(tx *bbolt.Tx) error {
		if kept := tx.Bucket(bucket); kept != nil {
			last, known := recall(kept.Get([]byte(b.Name)))
			changed = known && (last.Rewritten || last.differs(text))
		}
		return nil
	})
}

// Append writes an entry at the end. Only one process at a time does so.
func (b Book) Append(e Entry) (done Appended, err error) {
	db, err := b.memory()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	return done, db.Update(func(tx *bbolt.Tx) error {
		kept, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}

		before, err := b.Workspace.ReadFile(b.Name, maxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}

		last, known := recall(kept.Get([]byte(b.Name)))
		done.Rewritten = known && last.differs(before)
		done.Text = e.markdown()
		if n := len(before); n > 0 && before[n-1] != '\n' {
			done.Text = "\n" + done.Text
		}

		done.Line = bytes.Count(before, []byte("\n")) + 1 + strings.Index(done.Text, "##")
		if err := b.add(done.Text); err != nil {
			return err
		}

		return kept.Put([]byte(b.Name), remember(append(before, done.Text...), done.Rewritten || last.Rewritten))
	})
}

func (b Book) add(text string) error {
	f, err := b.Workspace.OpenState(b.Name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func remember(text []byte, rewritten bool) []byte {
	sum := sha256.Sum256(text)
	kept, err := json.Marshal(memory{len(text), hex.EncodeToString(sum[:]), rewritten})
	if err != nil {
		panic(err) // plain values
	}
	return kept
}

// recall is what was remembered; nothing of a worklog that is new.
func recall(kept []byte) (last memory, known bool) {
	known = kept != nil && json.Unmarshal(kept, &last) == nil
	return last, known
}

// differs compares the beginning of the file with what was there at the last append.
func (m memory) differs(text []byte) bool {
	if m.Length > len(text) {
		return true
	}
	sum := sha256.Sum256(text[:m.Length])
	return hex.EncodeToString(sum[:]) != m.SHA256
}

func (e Entry) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s UTC, %s\n\n", e.Date.Format(dateLayout), line(e.Session, "session"))
	for _, did := range e.Did {
		fmt.Fprintf(&b, "- %s\n", line(did, "nothing"))
	}

	if len(e.Files) > 0 {
		fmt.Fprintf(&b, "\nFiles: %s\n", line(strings.Join(e.Files, ", "), ""))
	}
	if e.State != "" {
		fmt.Fprintf(&b, "\nState: %s\n", line(e.State, ""))
	}
	return b.String()
}

// line makes one line of a text, which cannot begin another entry.
func line(text, otherwise string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return otherwise
	}
	return text
}

// Tail returns the last entries, the oldest first.
func (b Book) Tail(limit int) ([]Entry, error) {
	text, err := b.Workspace.ReadFile(b.Name, maxSize)
	if err != nil {
		return nil, err
	}
	entries := Read(string(text))
	return entries[max(0, len(entries)-limit):], nil
}

// Read reads the entries of a worklog. It ignores text of another form.
func Read(text string) []Entry {
	entries := []Entry{}
	number := 0
	for raw := range strings.Lines(text) {
		number++
		row := strings.TrimSpace(raw)
		if head, ok := strings.CutPrefix(row, "## "); ok {
			date, session, _ := strings.Cut(head, " UTC, ")
			if at, err := time.Parse(dateLayout, date); err == nil {
				entries = append(entries, Entry{
					Date:    at,
					Session: session,
					Did:     []string{},
					Files:   []string{},
					Line:    number,
				})
			}

			continue
		}

		if len(entries) == 0 {
			continue
		}
		e := &entries[len(entries)-1]

		if did, ok := strings.CutPrefix(row, "- "); ok {
			e.Did = append(e.Did, did)
		} else if files, ok := strings.CutPrefix(row, "Files: "); ok {
			e.Files = slices.Collect(strings.SplitSeq(files, ", "))
		} else if state, ok := strings.CutPrefix(row, "State: "); ok {
			e.State = state
		}
	}

	return entries
}
