// Package git reads the files of a commit of a repository, the last one or another. It runs no program:
// git obeys settings of the repository, and their author could have something
// run. Everything is read through one opener, so nothing outside of the workspace is.
//
// A repository keeps objects by the hash of what they hold: commits, trees, which are
// folders, and blobs, which are files. An object is a file of its own (loose), or is in
// a pack, where it may be the difference from another one (delta).
package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// ErrNone says that there is no repository.
var ErrNone = errors.New("there is no git repository here")

// ErrNoCommit says that the branch has no commit yet.
var ErrNoCommit = errors.New("nothing is committed yet")

// Source is where the repository is: a workspace.
type Source interface {
	Open(name string) (*os.File, error) // for reading, by its path from the root
	Files() fs.FS
}

// Limits of what is read.
const (
	maxSmall  = 1 << 20  // bytes of HEAD and of a reference
	maxRefs   = 16 << 20 // bytes of packed-refs
	maxObject = 16 << 20 // bytes of a commit, tree or file
	maxDepth  = 256      // of deltas; git makes 50 by default

	maxHistory = 10_000 // commits that are gone back
)

// Repository is an opened repository. It is not safe for concurrent use. Close it.
type Repository struct {
	source Source
	commit hash
	tree   hash // of that commit
	packs  []*pack
}

// hash is the name of an object (SHA-1).
type hash [20]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// Open finds the last commit. The errors are [ErrNone], [ErrNoCommit], or say why the
// repository cannot be read.
func Open(source Source) (*Repository, error) {
	r := &Repository{source: source}
	head, err := r.text(".git/HEAD", maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	} else if err != nil {
		return nil, fmt.Errorf("the repository cannot be read: %w", err)
	}

	commit, err := r.resolve(head)
	if err != nil {
		return nil, err
	}
	if r.packs, err = openPacks(source); err != nil {
		return nil, err
	}

	if err = r.look(commit); err != nil {
		r.Close()
		return nil, err
	}

	return r, nil
}

// Commit is the hash of the commit that is looked at.
func (r *Repository) Commit() string {
	return r.commit.String()
}

// look makes a commit the one that is looked at.
func (r *Repository) look(commit hash) error {
	tree, err := r.treeOf(commit)
	if err != nil {
		return err
	}
	r.commit, r.tree = commit, tree
	return nil
}

// Back goes back to the last commit that was made no later than a time, by first parents. If
// none is as old, or if the history was cut off, it stays at the first one that is there.
func (r *Repository) Back(to time.Time) error {
	for range maxHistory {
		parent, made, err := r.history(r.commit)
		if err != nil {
			return err
		}
		if !made.After(to) || parent == (hash{}) {
			return nil
		}

		if err := r.look(parent); errors.Is(err, errMissing) { // of a shallow clone
			return nil
		} else if err != nil {
			return err
		}
	}

	return errors.New("the history is longer than it is read")
}

// history is the first parent of a commit, zero if it has none, and when it was made.
func (r *Repository) history(commit hash) (parent hash, made time.Time, err error) {
	_, text, err := r.object(commit, 0)
	if err != nil {
		return hash{}, time.Time{}, err
	}

	head, _, _ := strings.Cut(string(text), "\n\n")
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "parent" && parent == (hash{}):
			if parent, err = parse(value); err != nil {
				return hash{}, time.Time{}, err
			}
		case name == "committer":
			made, err = stamp(value)
			return parent, made, err
		}
	}

	return hash{}, time.Time{}, errDamaged
}

// stamp is the time at the end of a line of a commit: NAME <MAIL> SECONDS ZONE.
func stamp(line string) (time.Time, error) {
	_, when, ok := strings.Cut(line, "> ")
	seconds, _, _ := strings.Cut(when, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil {
		return time.Time{}, errDamaged
	}
	return time.Unix(n, 0), nil
}

// Differs says how a text differs from what the commit holds under a name, "" if it does
// not.
func (r *Repository) Differs(name string, text []byte) (string, error) {
	kept, err := r.File(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not committed", nil
	case err != nil:
		return "", err
	case !bytes.Equal(text, kept):
		return "has changes that are not committed", nil
	}
	return "", nil
}

// Close closes the packs.
func (r *Repository) Close() {
	for _, p := range r.packs {
		p.close()
	}
}

// File is the content of a file in the last commit. The error is [fs.ErrNotExist] if it
// is not in it.
func (r *Repository) File(name string) ([]byte, error) {
	at, err := r.find(path.Clean(name))
	if err != nil {
		return nil, err
	}
	kind, text, err := r.object(at, 0)
	if err == nil && kind != "blob" {
		return nil, fs.ErrNotExist
	}

	return text, err
}

// find is the object of a file or a folder of the commit.
func (r *Repository) find(name string) (hash, error) {
	at := r.tree
	for part := range strings.SplitSeq(name, "/") {
		kind, tree, err := r.object(at, 0)
		if err != nil {
			return hash{}, err
		}
		if kind != "tree" {
			return hash{}, fs.ErrNotExist
		}
		if at, err = child(tree, part); err != nil {
			return hash{}, err
		}
	}
	return at, nil
}

// entryOf reads the first entry of a tree: mode, blank, name, NUL and hash.
func entryOf(tree []byte) (mode, name string, h hash, rest []byte, err error) {
	entry, rest, ok := bytes.Cut(tree, []byte{0})
	before, after, named := strings.Cut(string(entry), " ")
	if !ok || !named || len(rest) < len(h) {
		return "", "", h, nil, errDamaged
	}
	return before, after, hash(rest[:len(h)]), rest[len(h):], nil
}

// child finds a name in a tree.
func child(tree []byte, name string) (hash, error) {
	for len(tree) > 0 {
		_, found, h, rest, err := entryOf(tree)
		if err != nil {
			return hash{}, err
		}
		if found == name {
			return h, nil
		}
		tree = rest
	}
	return hash{}, fs.ErrNotExist
}

func (r *Repository) treeOf(commit hash) (hash, error) {
	kind, text, err := r.object(commit, 0)
	if err != nil {
		return hash{}, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	name, ok := strings.CutPrefix(line, "tree ")
	if kind != "commit" || !ok {
		return hash{}, errDamaged
	}
	return parse(name)
}

// resolve follows HEAD to a commit: a hash, or the name of a reference.
func (r *Repository) resolve(head string) (hash, error) {
	name, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return parse(head)
	}
	if !fs.ValidPath(name) || !strings.HasPrefix(name, "refs/") {
		return hash{}, errDamaged
	}

	text, err := r.text(".git/"+name, maxSmall)
	if err == nil {
		return parse(text)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return hash{}, err
	}

	packed, err := r.text(".git/packed-refs", maxRefs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hash{}, err
	}

	for line := range strings.Lines(packed) {
		if value, named, _ := strings.Cut(strings.TrimSpace(line), " "); named == name {
			return parse(value)
		}
	}

	return hash{}, ErrNoCommit
}

func (r *Repository) text(name string, limit int64) (string, error) {
	f, err := r.source.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errDamaged
	}
	return strings.TrimSpace(string(text)), err
}

func parse(text string) (h hash, err error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(h) {
		return h, errors.New("the repository has an unsupported object format")
	}
	return hash(raw), nil
}
