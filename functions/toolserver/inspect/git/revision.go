package git

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNoRevision says that a name means no commit.
var ErrNoRevision = errors.New("there is no such revision")

// errAmbiguous says that several commits begin with the digits.
var errAmbiguous = errors.New("the abbreviated hash means several commits")

var (
	abbreviated = regexp.MustCompile(`^[0-9a-f]{4,40}$`)
	stepsBack   = regexp.MustCompile(`(~\d*|\^)$`)
)

// At makes a revision the commit that is looked at: HEAD, a branch, a tag, a hash or the
// begin of one, each with ~N or ^ for the first parents. The error is [ErrNoRevision] for a
// name that means no commit.
func (r *Repository) At(revision string) error {
	name, back, err := splitSteps(revision)
	if err != nil {
		return err
	}
	found, err := r.named(name)
	if err != nil {
		return err
	}
	if found, err = r.peel(found); err != nil {
		return err
	}

	for range back {
		parent, _, err := r.history(found)
		if err != nil {
			return err
		}
		if parent == (hash{}) {
			return ErrNoRevision
		}
		found = parent
	}
	return r.look(found)
}

// splitSteps takes the steps back from the end of a revision.
func splitSteps(revision string) (name string, back int, err error) {
	for {
		step := stepsBack.FindString(revision)
		if step == "" {
			return revision, back, nil
		}
		revision = strings.TrimSuffix(revision, step)
		n := 1
		if len(step) > 1 {
			if n, err = strconv.Atoi(step[1:]); err != nil {
				return "", 0, ErrNoRevision
			}
		}
		if back += n; back > maxHistory {
			return "", 0, ErrNoRevision
		}
	}
}

// named finds the object of a name, in the order in which git looks (gitrevisions).
func (r *Repository) named(name string) (hash, error) {
	if name == "HEAD" || name == "@" {
		return r.commit, nil
	}
	for _, folder := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		full := folder + name
		if !strings.HasPrefix(full, "refs/") || !fs.ValidPath(full) {
			continue
		}
		found, err := r.resolve("ref: " + full)
		if err == nil {
			return found, nil
		}
		if errors.Is(err, errDamaged) {
			return hash{}, err
		}
	}

	if digits := strings.ToLower(name); abbreviated.MatchString(digits) {
		return r.beginning(digits)
	}
	return hash{}, ErrNoRevision
}

// beginning finds the commit whose hash begins with some digits.
func (r *Repository) beginning(digits string) (hash, error) {
	var commits []hash
	for _, each := range append(r.looseFrom(digits), r.packedFrom(digits)...) {
		kind, _, err := r.object(each, 0)
		if err != nil {
			return hash{}, err
		}
		if (kind == "commit" || kind == "tag") && !slices.Contains(commits, each) {
			commits = append(commits, each)
		}
	}
	switch len(commits) {
	case 0:
		return hash{}, ErrNoRevision
	case 1:
		return commits[0], nil
	}
	return hash{}, errAmbiguous
}

// looseFrom are the loose objects whose hashes begin with some digits.
func (r *Repository) looseFrom(digits string) []hash {
	folder := ".git/objects/" + digits[:2]
	entries, _ := fs.ReadDir(r.source.Files(), folder) // there may be none
	var list []hash
	for _, e := range entries {
		full := digits[:2] + e.Name()
		if !strings.HasPrefix(full, digits) {
			continue
		}
		if h, err := parse(full); err == nil {
			list = append(list, h)
		}
	}
	return list
}

// packedFrom are the objects of packs whose hashes begin with some digits.
func (r *Repository) packedFrom(digits string) []hash {
	first, err := hex.DecodeString(digits[:2])
	if err != nil {
		return nil
	}
	var list []hash
	for _, p := range r.packs {
		list = append(list, p.from(first[0], digits)...)
	}
	return list
}

// from are the objects of the pack whose hashes begin with a byte and some digits.
func (p *pack) from(first byte, digits string) []hash {
	low := 0
	if first > 0 {
		low = int(p.fanout[first-1])
	}
	var list []hash
	for i := low; i < int(p.fanout[first]); i++ {
		h, err := p.name(i)
		if err == nil && strings.HasPrefix(h.String(), digits) {
			list = append(list, h)
		}
	}
	return list
}

// peel follows tags to the commit that they name.
func (r *Repository) peel(h hash) (hash, error) {
	for range maxDepth {
		kind, text, err := r.object(h, 0)
		if err != nil {
			return hash{}, err
		}
		if kind == "commit" {
			return h, nil
		}
		line, _, _ := strings.Cut(string(text), "\n")
		name, ok := strings.CutPrefix(line, "object ")
		if kind != "tag" || !ok {
			return hash{}, ErrNoRevision
		}
		if h, err = parse(name); err != nil {
			return hash{}, err
		}
	}
	return hash{}, errDamaged
}

// Made is when the commit that is looked at was made.
func (r *Repository) Made() (time.Time, error) {
	_, made, err := r.history(r.commit)
	return made, err
}

// maxListed bounds how many files of a commit are listed.
const maxListed = 100_000

// Files lists the files of the commit below a folder, "." for all of them.
func (r *Repository) Files(folder string) ([]string, error) {
	at := r.tree
	folder = path.Clean(folder)
	if folder != "." {
		found, err := r.find(folder)
		if err != nil {
			return nil, err
		}
		at = found
	}

	var list []string
	err := r.list(at, folder, 0, &list)
	return list, err
}

// list lists the files of a tree.
func (r *Repository) list(tree hash, folder string, depth int, list *[]string) error {
	kind, text, err := r.object(tree, 0)
	if err != nil {
		return err
	}
	if kind != "tree" {
		return fs.ErrNotExist
	}
	if depth > maxDepth {
		return errDamaged
	}

	for len(text) > 0 {
		mode, name, h, rest, err := entryOf(text)
		if err != nil {
			return err
		}
		text = rest
		full := path.Join(folder, name)
		switch {
		case mode == "40000":
			err = r.list(h, full, depth+1, list)
		case strings.HasPrefix(mode, "100"):
			*list = append(*list, full)
		}
		if err != nil {
			return err
		}
		if len(*list) > maxListed {
			return errors.New("the commit has more files than are listed")
		}
	}
	return nil
}

// Between lists the files in which two commits differ; "" is the one that is looked at. A file that only
// one of them has is among them.
func (r *Repository) Between(from, to string) ([]string, error) {
	looked, tree := r.commit, r.tree
	defer func() { r.commit, r.tree = looked, tree }()

	one, err := r.treeAt(from)
	if err != nil {
		return nil, err
	}
	r.commit, r.tree = looked, tree
	other, err := r.treeAt(to)
	if err != nil {
		return nil, err
	}

	var list []string
	err = r.differing(one, other, ".", 0, &list)
	return list, err
}

func (r *Repository) treeAt(revision string) (hash, error) {
	if revision == "" {
		return r.tree, nil
	}
	if err := r.At(revision); err != nil {
		return hash{}, err
	}
	return r.tree, nil
}

// differing lists the files in which two trees differ. A zero hash is an empty tree.
func (r *Repository) differing(one, other hash, folder string, depth int, list *[]string) error {
	if one == other {
		return nil
	}
	if depth > maxDepth || len(*list) > maxListed {
		return errors.New("the commits differ in more files than are listed")
	}
	before, err := r.entries(one)
	if err != nil {
		return err
	}
	after, err := r.entries(other)
	if err != nil {
		return err
	}

	for name, a := range before {
		if err := r.differs(a, after[name], path.Join(folder, name), depth, list); err != nil {
			return err
		}
	}
	for name, b := range after {
		if _, there := before[name]; there {
			continue
		}
		if err := r.differs(treeEntry{}, b, path.Join(folder, name), depth, list); err != nil {
			return err
		}
	}
	return nil
}

// treeEntry is a file or a folder of a tree; its zero value is none.
type treeEntry struct {
	mode string
	hash hash
}

func (e treeEntry) isFolder() bool { return e.mode == "40000" }

// entries are those of a tree by name.
func (r *Repository) entries(tree hash) (map[string]treeEntry, error) {
	found := map[string]treeEntry{}
	if tree == (hash{}) {
		return found, nil
	}
	kind, text, err := r.object(tree, 0)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, errDamaged
	}
	for len(text) > 0 {
		mode, name, h, rest, err := entryOf(text)
		if err != nil {
			return nil, err
		}
		found[name] = treeEntry{mode, h}
		text = rest
	}
	return found, nil
}

// differs lists what is different between two entries of one name.
func (r *Repository) differs(a, b treeEntry, name string, depth int, list *[]string) error {
	if a == b {
		return nil
	}
	if (a.mode != "" && !a.isFolder()) || (b.mode != "" && !b.isFolder()) {
		*list = append(*list, name)
	}

	var one, other hash
	if a.isFolder() {
		one = a.hash
	}
	if b.isFolder() {
		other = b.hash
	}
	return r.differing(one, other, name, depth+1, list)
}
