package publish

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/git"
	"governance.internal/functions/toolserver/inspect/ignore"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Bases: what says which files ship.
const (
	byNPM     = "npm package"
	byModule  = "go module"
	byImage   = "container image"
	byTracked = "files of the last commit"
	byFolder  = "all files"
	bySingle  = "one file"
	byInclude = "pre_publish.include"
)

// shipped are the files that would be published from a folder, and what says so.
func shipped(ctx context.Context, t *tree.Tree, below, single string) (string, []string, error) {
	if single != "" {
		name := path.Clean(single)
		if !t.IsFile(name) {
			_, err := t.Read(name)
			return bySingle, nil, err
		}
		return bySingle, []string{name}, nil
	}
	if len(t.Config.PrePublish.Include) > 0 {
		files, err := t.Matching(ctx, t.Config.PrePublish.Include)
		return byInclude, files, err
	}

	all, err := t.Files(ctx)
	if err != nil && !errors.Is(err, workspace.ErrManyFiles) {
		return "", nil, err
	}
	folder := path.Clean(below)
	files := inside(all, folder)

	switch {
	case t.IsFile(path.Join(folder, "package.json")):
		files, err = packed(t, folder, files)
		return byNPM, files, err
	case t.IsFile(path.Join(folder, "go.mod")):
		return byModule, moduleFiles(t, folder, files), nil
	case t.IsFile(path.Join(folder, "Dockerfile")) || t.IsFile(path.Join(folder, "Containerfile")):
		return byImage, without(t, folder, files, ".dockerignore"), nil
	}
	if tracked, ok := trackedFiles(t, files); ok {
		return byTracked, tracked, nil
	}
	return byFolder, files, nil
}

// inside are the files below a folder.
func inside(all []string, folder string) []string {
	if folder == "." {
		return all
	}
	var files []string
	for _, name := range all {
		if strings.HasPrefix(name, folder+"/") {
			files = append(files, name)
		}
	}
	return files
}

// neverPacked are left out of every npm package; alwaysPacked are in every one (npm,
// package.json, files).
var (
	neverPacked = []string{
		".git/", "node_modules/", ".npmrc", ".DS_Store", ".gitignore", ".npmignore", "package-lock.json", "yarn.lock", "pnpm-lock.yaml",
		"*.swp", "._*", ".svn/", "CVS/", ".hg/", "npm-debug.log",
	}
	alwaysPacked = []string{"package.json", "readme", "license", "licence", "notice"}
)

// manifest is what a package.json says about its files.
type manifest struct {
	Files   []string `json:"files"`
	Main    string   `json:"main"`
	Browser any      `json:"browser"`
	Bin     any      `json:"bin"`
	Private bool     `json:"private"`
}

// packed are the files of an npm package.
func packed(t *tree.Tree, folder string, files []string) ([]string, error) {
	text, err := t.Read(path.Join(folder, "package.json"))
	if err != nil {
		return nil, err
	}
	var m manifest
	_ = json.Unmarshal(text, &m) // a broken one packs everything, as a list without files

	var never ignore.Rules
	never.Add(folder, strings.Join(neverPacked, "\n"))
	kept := without(t, folder, files, ".npmignore", ".gitignore")
	if m.Files != nil {
		kept = listed(folder, files, m)
	}

	var result []string
	for _, name := range files {
		inner := strings.TrimPrefix(name, folder+"/")
		if folder == "." {
			inner = name
		}
		base := strings.ToLower(strings.TrimSuffix(inner, path.Ext(inner)))
		always := inner == "package.json" || slices.Contains(alwaysPacked, base)
		if always || slices.Contains(kept, name) && !never.Match(name) {
			result = append(result, name)
		}
	}
	return result, nil
}

// listed are the files that the member files names, with the entries of the package.
func listed(folder string, files []string, m manifest) []string {
	var rules ignore.Rules
	lines := append([]string{}, m.Files...)
	lines = append(lines, entryPoints(m)...)
	for _, line := range lines {
		keep := strings.TrimPrefix(strings.TrimPrefix(line, "./"), "/")
		if excluded, ok := strings.CutPrefix(keep, "!"); ok {
			rules.Add(folder, "!/"+excluded)
			continue
		}
		rules.Add(folder, "/"+keep)
	}

	var kept []string
	for _, name := range files {
		if rules.Match(name) {
			kept = append(kept, name)
		}
	}
	return kept
}

func entryPoints(m manifest) []string {
	var list []string
	for _, each := range []any{m.Main, m.Browser, m.Bin} {
		switch value := each.(type) {
		case string:
			if value != "" {
				list = append(list, value)
			}
		case map[string]any:
			for _, inner := range value {
				if text, ok := inner.(string); ok {
					list = append(list, text)
				}
			}
		}
	}
	return list
}

// without are the files that the first of some ignore files does not leave out.
func without(t *tree.Tree, folder string, files []string, names ...string) []string {
	var rules ignore.Rules
	for _, name := range names {
		if text, err := t.Read(path.Join(folder, name)); err == nil {
			rules.Add(folder, string(text))
			break
		}
	}

	var kept []string
	for _, name := range files {
		if !rules.Match(name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// moduleFiles are the files of a module (golang.org/ref/mod, zip files), without test data:
// nested modules and vendor are not in it.
func moduleFiles(t *tree.Tree, folder string, files []string) []string {
	var nested []string
	for _, name := range files {
		if path.Base(name) == "go.mod" && path.Dir(name) != folder {
			nested = append(nested, path.Dir(name)+"/")
		}
	}

	var kept []string
	for _, name := range without(t, folder, files, ".gitignore") {
		parts := strings.Split(name, "/")
		leftOut := slices.Contains(parts, "vendor") || slices.Contains(parts, "testdata") ||
			slices.ContainsFunc(nested, func(at string) bool { return strings.HasPrefix(name, at) })
		if !leftOut {
			kept = append(kept, name)
		}
	}
	return kept
}

// trackedFiles are the files that the last commit holds; ok is false without a repository.
func trackedFiles(t *tree.Tree, files []string) (tracked []string, ok bool) {
	repository, err := git.Open(t.Workspace)
	if err != nil {
		return nil, false
	}
	defer repository.Close()

	for _, name := range files {
		if _, err := repository.File(name); err == nil {
			tracked = append(tracked, name)
		}
	}
	return tracked, true
}
