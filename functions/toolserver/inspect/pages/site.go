package pages

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Site is the website of a workspace: its pages, and which file answers an address.
type Site struct {
	tree    *tree.Tree
	config  workspace.Website
	root    string // clean; "." for the root of the workspace
	base    *url.URL
	routes  []route
	folders map[string]map[string]bool // names in a folder, and whether each is a folder

	placeholders []standIn
}

// Of is the website of a workspace.
func Of(t *tree.Tree) *Site {
	w := t.Config.Website
	s := &Site{
		tree:    t,
		config:  w,
		root:    path.Clean(w.Root),
		folders: map[string]map[string]bool{},
	}
	if base, err := url.Parse(w.BaseURL); err == nil && base.Host != "" {
		s.base = base
	}

	for _, each := range w.Routes {
		s.routes = append(s.routes, readRoute(each))
	}
	return s
}

// Described reports whether the workspace has a website.
func (s *Site) Described() bool {
	return s.config.Root != ""
}

// Base is the address of the website, nil if it is not known.
func (s *Site) Base() *url.URL {
	return s.base
}

// requires reports whether every page must have something: og, favicon or mobile_nav. It
// must unless the workspace file says otherwise.
func (s *Site) requires(what string) bool {
	required := map[string]*bool{
		"og":         s.config.Require.OG,
		"favicon":    s.config.Require.Favicon,
		"mobile_nav": s.config.Require.MobileNav,
	}[what]
	return required == nil || *required
}

// Pages are the files of the website that are pages, from the root of the workspace.
func (s *Site) Pages(ctx context.Context) ([]string, error) {
	if !s.Described() {
		return nil, nil
	}

	all, err := s.tree.Matching(ctx, s.below(s.pageGlobs()))
	if err != nil {
		return nil, err
	}

	excluded, err := s.tree.Matching(ctx, s.below(s.config.Exclude))
	if err != nil {
		return nil, err
	}

	return slices.DeleteFunc(all, func(name string) bool {
		return slices.Contains(excluded, name)
	}), nil
}

// pageGlobs are the patterns of pages, from the root of the website.
func (s *Site) pageGlobs() []workspace.Glob {
	if len(s.config.Pages) > 0 {
		return s.config.Pages
	}
	return []workspace.Glob{{Pattern: "**/*.html"}, {Pattern: "**/*.htm"}}
}

// Incomplete reports whether the workspace has more files than its limits allow, so that
// pages may be missing from the list.
func (s *Site) Incomplete(ctx context.Context) bool {
	_, err := s.tree.Files(ctx)
	return errors.Is(err, workspace.ErrManyFiles)
}

// below puts the root of the website before patterns.
func (s *Site) below(globs []workspace.Glob) []workspace.Glob {
	var list []workspace.Glob
	for _, g := range globs {
		g.Pattern = path.Join(s.root, g.Pattern)
		list = append(list, g)
	}
	return list
}

// PageNamed finds a page by its path from the root of the website or of the workspace.
func (s *Site) PageNamed(files []string, name string) (string, bool) {
	clean := path.Clean("/" + name)[1:]
	for _, each := range []string{path.Join(s.root, clean), clean} {
		if slices.Contains(files, each) {
			return each, true
		}
	}
	return "", false
}

// NameOf is the path of a file from the root of the website.
func (s *Site) NameOf(file string) string {
	if s.root == "." {
		return file
	}
	return strings.TrimPrefix(file, s.root+"/")
}

// File is the file of the workspace for a path of the website, whether it is there or not.
func (s *Site) File(name string) string {
	return path.Join(s.root, path.Clean("/"+name))
}

// isFile reports whether a path of the website is a file, by the exact letters of its name.
func (s *Site) isFile(name string) bool {
	folder, there := s.entry(name)
	return there && !folder
}

// isFolder reports whether a path of the website is a folder.
func (s *Site) isFolder(name string) bool {
	if path.Clean("/"+name) == "/" {
		return true
	}

	folder, there := s.entry(name)
	return there && folder
}

// entry looks for a path in the list of each folder above it, so that letter case counts on
// every volume.
func (s *Site) entry(name string) (folder, there bool) {
	parts := strings.Split(path.Clean("/" + name)[1:], "/")
	at := s.root
	for i, part := range parts {
		isFolder, there := s.list(at)[part]
		if !there || i < len(parts)-1 && !isFolder {
			return false, false
		}

		folder = isFolder
		at = path.Join(at, part)
	}
	return folder, true
}

// list are the names in a folder of the workspace, each with whether it is a folder.
func (s *Site) list(folder string) map[string]bool {
	if known, ok := s.folders[folder]; ok {
		return known
	}

	names := map[string]bool{}
	files := s.tree.Workspace.Files()
	entries, _ := fs.ReadDir(files, folder) // one that cannot be read holds nothing
	for _, e := range entries {
		isFolder := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(files, path.Join(folder, e.Name()))
			if err != nil {
				continue
			}

			isFolder = info.IsDir()
		}

		names[e.Name()] = isFolder
	}

	s.folders[folder] = names
	return names
}

// inOtherLetters is the path of the website that differs from one that is not there in
// letter case only, "" if there is none.
func (s *Site) inOtherLetters(name string) string {
	found := ""
	at := s.root
	for part := range strings.SplitSeq(path.Clean("/" + name)[1:], "/") {
		names := s.list(at)
		match := ""
		if _, there := names[part]; there {
			match = part
		}

		for each := range names {
			if match == "" && strings.EqualFold(each, part) {
				match = each
			}
		}
		if match == "" {
			return ""
		}

		at = path.Join(at, match)
		found = path.Join(found, match)
	}
	return found
}

// indexNames are the files that answer for their folder.
func (s *Site) indexNames() []string {
	if len(s.config.Index) > 0 {
		return s.config.Index
	}
	return []string{"index.html", "index.htm"}
}

// FileAt is the file of the workspace that a server answers a path of the website with, ""
// for none: the file itself, the index of a folder, or the page that is named without its
// ending.
func (s *Site) FileAt(name string) string {
	isFolder := strings.HasSuffix(name, "/")
	clean := path.Clean("/" + name)[1:]

	plain := []string{clean, clean + ".html", clean + ".htm"}
	var index []string
	for _, each := range s.indexNames() {
		index = append(index, path.Join(clean, each))
	}

	candidates := append(plain, index...)
	if isFolder {
		candidates = append(index, plain[1:]...)
	}

	for _, each := range candidates {
		if each != "" && s.isFile(each) {
			return path.Join(s.root, each)
		}
	}
	return ""
}

// Local is the path of the website that an address of its host means.
func (s *Site) Local(address *url.URL) string {
	return s.withoutBase(address.Path)
}

// withoutBase is a path of the host from the root of the website.
func (s *Site) withoutBase(name string) string {
	if s.base == nil {
		return name
	}

	above := strings.TrimSuffix(s.base.Path, "/")
	if above == "" {
		return name
	}
	if name == above {
		return "/"
	}
	if rest, ok := strings.CutPrefix(name, above+"/"); ok {
		return "/" + rest
	}
	return name
}
