// Package references finds names in the documents of a project that lead nowhere: links
// and their anchors, paths in code marks, and the scripts, targets, packages and files that
// commands in shell fences name. It reads the sources of COPY in container files, too.
//
// Nothing is run and nothing outside of the project is read. A name is reported only if it
// clearly means something of this project: addresses in the web, placeholders, outputs,
// examples and what a text says to be gone are left alone.
package references

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Kinds of references.
const (
	Link         = "link"          // a file that a link or an image leads to
	Anchor       = "anchor"        // a place in a page, or a line of a file
	Label        = "reference"     // the label of a link that no definition has
	Path         = "path"          // a file or folder that a text or a command names
	NPMScript    = "npm_script"    // a script of a package.json
	MakeTarget   = "make_target"   // a target of a Makefile
	JustRecipe   = "just_recipe"   // a recipe of a justfile
	Task         = "task"          // a task of a Taskfile
	GoPackage    = "go_package"    // a package that a go command is given
	PythonModule = "python_module" // a module that python -m is given
	CopySource   = "copy_source"   // what COPY or ADD of a container file copies
)

const mostText = 2 << 20 // bytes of a file

// Dead is a reference that leads nowhere.
type Dead struct {
	Doc    string `json:"doc"`
	Line   int    `json:"line"` // from 1
	Kind   string `json:"kind"`
	Target string `json:"target"` // as it is written
	Why    string `json:"why"`
}

// Result is what a check found.
type Result struct {
	Dead    []Dead
	Checked int      // references that were looked at
	Unread  []string // documents that could not be read, each with the reason
}

// Tree reads a project. Names are slash-separated and relative to its root; the root is
// ".".
type Tree struct {
	Read    func(name string, most int64) ([]byte, error)
	List    func(folder string) ([]fs.DirEntry, error)
	Stat    func(name string) (fs.FileInfo, error) // follows links
	Ignored func(name string) bool                 // left out of every scan; nil for nothing
}

// Of is the tree of a file system.
func Of(files fs.FS) Tree {
	return Tree{
		Read: func(name string, most int64) ([]byte, error) {
			return fs.ReadFile(files, name)
		},
		List: func(folder string) ([]fs.DirEntry, error) {
			return fs.ReadDir(files, folder)
		},
		Stat: func(name string) (fs.FileInfo, error) {
			return fs.Stat(files, name)
		},
	}
}

// Check looks at every reference of the documents, and of all container files of the tree.
// The error is that of the context.
func Check(ctx context.Context, tree Tree, docs []string) (Result, error) {
	project, err := read(ctx, tree)
	if err != nil {
		return Result{}, err
	}

	c := &checker{
		project: project,
		ended:   func() bool { return ctx.Err() != nil },
	}
	for _, doc := range cleaned(docs) {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		c.document(doc)
	}

	for _, file := range project.containerFiles() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		c.containerFile(file)
	}

	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return c.result(), nil
}

// DefaultDocs are the documents of a project that names none: every README, CLAUDE.md and
// AGENTS.md that is written in Markdown, those of the root first.
func DefaultDocs(ctx context.Context, tree Tree) ([]string, error) {
	project, err := read(ctx, tree)
	if err != nil {
		return nil, err
	}

	var docs []string
	for name, kind := range project.entries {
		if kind == file && isDefaultDoc(name) {
			docs = append(docs, name)
		}
	}

	slices.SortFunc(docs, func(a, b string) int {
		byDepth := cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/"))
		return cmp.Or(byDepth, cmp.Compare(a, b))
	})
	return docs, nil
}

// notOurs are folders whose documents are about something else.
var notOurs = words("testdata fixtures __fixtures__ third_party vendor templates template")

func isDefaultDoc(name string) bool {
	for _, folder := range strings.Split(path.Dir(name), "/") {
		if notOurs[folder] {
			return false
		}
	}

	base := path.Base(name)
	if base == "CLAUDE.md" || base == "AGENTS.md" {
		return true
	}

	stem := strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
	return readme.MatchString(stem) && isMarkdown(base)
}

// readme is the name of a README, which may tell its language.
var readme = regexp.MustCompile(`^readme(?:[._-][a-z]{2}(?:[._-][a-z]{2,4})?)?$`)

// isMarkdown reports whether a file is read as Markdown. A README without an ending is.
func isMarkdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx":
		return true
	}
	return path.Base(name) == "README"
}

// cleaned are the names of documents, each once.
func cleaned(docs []string) (names []string) {
	for _, doc := range docs {
		name := path.Clean(doc)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	return names
}

// checker collects what is found in a project.
type checker struct {
	project *project
	ended   func() bool // the caller does not wait any more
	dead    []Dead
	checked int
	unread  []string
}

// document reads one document by its kind.
func (c *checker) document(name string) {
	text, err := c.project.text(name)
	switch {
	case err != nil:
		c.unread = append(c.unread, name+": "+reason(err))
	case isContainerFile(name): // read with all others
	case isMarkdown(name):
		c.markdown(name, text)
	case isHTML(name):
		c.html(name, text)
	default:
		c.unread = append(c.unread, name+": it is neither Markdown nor HTML")
	}
}

// report notes a reference that was looked at, and that it is dead unless why is empty.
func (c *checker) report(at place, kind, target, why string) {
	c.checked++
	if why == "" {
		return
	}
	c.dead = append(c.dead, Dead{
		Doc:    at.doc,
		Line:   at.line,
		Kind:   kind,
		Target: target,
		Why:    why,
	})
}

// place is where a reference stands.
type place struct {
	doc  string
	line int
}

// result sorts the references. One that a line has twice is reported once.
func (c *checker) result() Result {
	slices.SortFunc(c.dead, func(a, b Dead) int {
		return cmp.Or(
			cmp.Compare(a.Doc, b.Doc),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Target, b.Target),
			cmp.Compare(a.Why, b.Why),
		)
	})
	return Result{
		Dead:    slices.Compact(c.dead),
		Checked: c.checked,
		Unread:  c.unread,
	}
}

// words are those of a list separated by spaces.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
