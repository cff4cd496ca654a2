package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"governance.internal/functions/toolserver/guard/policy"
	"governance.internal/functions/toolserver/guard/workspace"
)

// collection is what a snapshot will hold.
type collection struct {
	entries  []Entry
	skipped  []Skipped
	files    int
	bytes    int64
	limit    int64
	complete bool
}

// choice says which files belong to a snapshot.
type choice struct {
	include  policy.Patterns
	exclude  policy.Patterns
	ignore   policy.Patterns
	secrets  policy.Patterns
	examples policy.Patterns
}

func newChoice(c workspace.Config, o Options) (choice, error) {
	var chosen choice
	include := workspace.Texts(c.Snapshot.Include)
	if len(include) == 0 {
		include = []string{"**"}
	}
	secrets := secretFiles
	if o.Secrets {
		secrets = nil
	}

	for _, each := range []struct {
		to   *policy.Patterns
		from []string
	}{
		{&chosen.include, include},
		{&chosen.exclude, workspace.Texts(c.Snapshot.Exclude)},
		{&chosen.ignore, workspace.Texts(c.Ignore)},
		{&chosen.secrets, secrets},
		{&chosen.examples, examples},
	} {
		compiled, err := policy.CompileAll(each.from)
		if err != nil {
			return chosen, err
		}
		*each.to = compiled
	}
	return chosen, nil
}

// notIncluded is why a file is left out that no pattern includes.
const notIncluded = "not included by the workspace file"

// why says why a file is left out, "" if it belongs to the snapshot.
func (c choice) why(name string) string {
	switch {
	case c.ignore.Match(name):
		return "ignored by the workspace file"
	case c.exclude.Match(name):
		return "excluded by the workspace file"
	case c.secrets.Match(name) && !c.examples.Match(name):
		return "usually holds secrets; include_secrets takes it"
	case !c.include.Match(name):
		return notIncluded
	}
	return ""
}

// collect lists what belongs to a snapshot. Reading the files comes later.
func (k *Keeper) collect(ctx context.Context, config workspace.Config, o Options) (*collection, error) {
	chosen, err := newChoice(config, o)
	if err != nil {
		return nil, err
	}
	c := &collection{
		skipped:  []Skipped{},
		limit:    defaultMaxBytes,
		complete: true,
	}
	if config.Snapshot.MaxBytes > 0 {
		c.limit = int64(config.Snapshot.MaxBytes)
	}

	err = k.Workspace.Walk(".", maxEntries, func(name string, entry fs.DirEntry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if name == "." {
			return nil
		}
		return k.visit(c, chosen, name, entry)
	})
	if err != nil {
		return nil, err
	}

	slices.SortFunc(c.entries, func(a, b Entry) int { return bytes.Compare([]byte(a.name()), []byte(b.name())) })
	return c, nil
}

// visit adds a file, a folder or a link to the collection, or notes why it is left out.
func (k *Keeper) visit(c *collection, chosen choice, name string, entry fs.DirEntry) error {
	if entry.IsDir() && slices.Contains(leftOut, entry.Name()) {
		c.skip(name, "made again by others, or our own state")
		return fs.SkipDir
	}

	why := chosen.why(name)
	switch {
	case why == "":
		return k.add(c, name, entry)
	case why == notIncluded && entry.IsDir():
		return nil // something below it may be included
	}

	c.skip(name, why)
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func (c *collection) skip(name, why string) {
	c.skipped = append(c.skipped, Skipped{printableName(name), why})
}

// add notes an entry with all that is known before it is read.
func (k *Keeper) add(c *collection, name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) { // it vanished since the folder was read
		return nil
	}
	if err != nil {
		return err
	}

	e := Entry{
		Path:     name,
		Mode:     fmt.Sprintf("%04o", info.Mode().Perm()),
		Modified: info.ModTime().UnixNano(),
	}
	if !utf8.ValidString(name) {
		e.Path, e.Raw = printableName(name), []byte(name)
	}

	switch {
	case info.IsDir():
		e.Kind = kindFolder
	case info.Mode()&fs.ModeSymlink != 0:
		e.Kind = kindLink
		if e.Target, err = fs.ReadLink(k.Workspace.Files(), name); err != nil {
			c.skip(name, "the link cannot be read")
			c.complete = false
			return nil
		}
	case info.Mode().IsRegular():
		e.Kind = kindFile
		e.Size = info.Size()
		if c.bytes += e.Size; c.bytes > c.limit {
			return &LimitError{c.limit, printableName(name)}
		}
		c.files++
	default:
		c.skip(name, "a pipe, a socket or a device")
		return nil
	}

	c.entries = append(c.entries, e)
	return nil
}

func printableName(name string) string {
	return string(bytes.ToValidUTF8([]byte(name), []byte("\uFFFD")))
}

// manifest is the list of all entries.
func (c *collection) manifest() []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, e := range c.entries {
		if err := encoder.Encode(e); err != nil {
			panic(err) // made of plain values
		}
	}
	return b.Bytes()
}
