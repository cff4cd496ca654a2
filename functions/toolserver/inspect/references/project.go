package references

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"governance.internal/functions/toolserver/inspect/ignore"
)

// mostEntries bounds the walk through a project. What lies beyond is looked up one by one.
const mostEntries = 200_000

// kind of an entry of the tree.
type kind uint8

const (
	missing kind = iota
	file
	folder
	link   // leads somewhere else in the project
	closed // a folder that is not walked through: it is ignored or generated
)

// project is the tree as it is at one moment, and what was read from it so far.
type project struct {
	tree    Tree
	entries map[string]kind
	named   map[string][]string // paths by their last part
	endings map[string]bool     // of the files
	ignore  ignore.Rules
	cut     bool // there are more than mostEntries

	texts     map[string]textOf
	pages     map[string]*page
	ids       map[string]map[string]bool // of pages of HTML
	loose     map[string]map[string]bool // anchors as generators of sites have them
	lines     map[string]int
	manifests map[string]*manifest
	makefiles map[string]*targets
	justfiles map[string]*targets
	taskfiles map[string]*targets
	addresses map[string]bool // that pages of a site give themselves
	modules   []goModule
	names     map[string]bool
	order     []string
}

type textOf struct {
	bytes []byte
	err   error
}

// read walks through the tree.
func read(ctx context.Context, tree Tree) (*project, error) {
	p := &project{
		tree:      tree,
		entries:   map[string]kind{".": folder},
		named:     map[string][]string{},
		endings:   map[string]bool{},
		texts:     map[string]textOf{},
		pages:     map[string]*page{},
		ids:       map[string]map[string]bool{},
		loose:     map[string]map[string]bool{},
		lines:     map[string]int{},
		manifests: map[string]*manifest{},
		makefiles: map[string]*targets{},
		justfiles: map[string]*targets{},
		taskfiles: map[string]*targets{},
	}

	if err := p.walk(ctx, "."); err != nil {
		return nil, err
	}
	p.modules = p.goModules()
	p.names = p.ownNames()
	return p, nil
}

// walk adds what is in a folder, and in those below.
func (p *project) walk(ctx context.Context, at string) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	entries, err := p.tree.List(at)
	if err != nil {
		p.entries[at] = closed
		return nil
	}

	for _, entry := range entries {
		if entry.Name() == ".gitignore" {
			p.readIgnoreFile(path.Join(at, ".gitignore"))
		}
	}

	for _, entry := range entries {
		if len(p.entries) >= mostEntries {
			p.cut = true
			return nil
		}

		name := path.Join(at, entry.Name())
		p.add(name, p.kindOf(name, entry))
		if p.entries[name] != folder {
			continue
		}
		if err := p.walk(ctx, name); err != nil {
			return err
		}
	}

	return nil
}

func (p *project) add(name string, as kind) {
	base := path.Base(name)
	p.entries[name] = as
	p.named[base] = append(p.named[base], name)
	if as == file {
		p.endings[strings.ToLower(path.Ext(name))] = true
	}
}

func (p *project) kindOf(name string, entry fs.DirEntry) kind {
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		return link
	case !entry.IsDir():
		return file
	case isMachineMade(entry.Name()), p.ignored(name + "/"):
		return closed
	}

	return folder
}

// at tells what a path is. Letter case counts, on every disk.
func (p *project) at(name string) kind {
	name = path.Clean(name)
	if leadsOut(name) {
		return missing
	}
	if found := p.entries[name]; found != missing && found != link {
		return found
	}
	if !p.unknownBelow(name) {
		return missing
	}

	info, err := p.tree.Stat(name)
	switch {
	case err != nil:
		return missing
	case info.IsDir():
		return folder
	}

	return file
}

// unknownBelow reports whether a path is in a part of the tree that was not walked through.
func (p *project) unknownBelow(name string) bool {
	if p.cut {
		return true
	}
	for at := name; at != "."; at = path.Dir(at) {
		switch p.entries[at] {
		case link, closed:
			return true
		case file, folder:
			return false
		}
	}

	return p.entries["."] == closed
}

func (p *project) exists(name string) bool {
	return p.at(name) != missing
}

func (p *project) isFolder(name string) bool {
	found := p.at(name)
	return found == folder || found == closed
}

func (p *project) isFile(name string) bool {
	return p.at(name) == file
}

// text is the content of a file, read once.
func (p *project) text(name string) ([]byte, error) {
	if known, ok := p.texts[name]; ok {
		return known.bytes, known.err
	}

	bytes, err := p.tree.Read(name, mostText)
	if err == nil && len(bytes) > mostText {
		err = errLarge
	}
	p.texts[name] = textOf{bytes, err}
	return bytes, err
}

var errLarge = fmt.Errorf("it has more than %d MiB", mostText>>20)

// reason is an error without the path, which its reader knows.
func reason(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// endsWith reports whether the project has a path that ends with another one.
func (p *project) endsWith(name string) bool {
	for _, each := range p.named[path.Base(name)] {
		if each == name || strings.HasSuffix(each, "/"+name) {
			return true
		}
	}
	return false
}

// siblings reports whether a folder itself has a file of this ending.
func (p *project) siblings(at, ending string) bool {
	entries, err := p.tree.List(at)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if !entry.IsDir() && path.Ext(entry.Name()) == ending {
			return true
		}
	}

	return false
}

// leadsOut reports whether a clean path is not inside of the project.
func leadsOut(name string) bool {
	return name == ".." ||
		strings.HasPrefix(name, "../") ||
		strings.HasPrefix(name, "/")
}

// above are a folder and those above it, to the root.
func above(at string) (folders []string) {
	for ; ; at = path.Dir(at) {
		folders = append(folders, at)
		if at == "." || at == "/" {
			return folders
		}
	}
}
