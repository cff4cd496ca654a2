package workspace

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxGitFile is how much is read of a file of git, in bytes.
const maxGitFile = 256 << 10

// repository is a checkout of a git repository. All checkouts of one share a git directory.
type repository struct {
	top    string // folder of the checkout, absolute
	common string // the git directory that is shared, absolute
}

// repositoryAbove is the checkout that a folder is in, or is.
func repositoryAbove(folder string) (repository, bool) {
	for at := folder; ; at = filepath.Dir(at) {
		entry := filepath.Join(at, ".git")
		if info, err := os.Lstat(entry); err == nil {
			return repository{at, commonOf(entry, info.IsDir())}, true
		}
		if at == filepath.Dir(at) {
			return repository{}, false
		}
	}
}

// commonOf is the shared git directory behind an entry .git, which is that directory, or a
// file that says where the one of a worktree or submodule is.
func commonOf(entry string, isFolder bool) string {
	if isFolder {
		return real(entry)
	}
	said, ok := strings.CutPrefix(firstLine(entry), "gitdir: ")
	if !ok {
		return ""
	}

	directory := from(filepath.Dir(entry), said)
	shared := firstLine(filepath.Join(directory, "commondir"))
	if shared == "" {
		return real(directory)
	}
	return real(from(directory, shared))
}

// from is a path that counts from a folder unless it is absolute.
func from(folder, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(folder, name)
}

// firstLine is the first line of a small file, "" if there is none.
func firstLine(file string) string {
	f, err := openRegular(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, maxName)).ReadString('\n')
	return strings.TrimSpace(line)
}

// openRegular opens a regular file: a pipe would make the guard wait.
func openRegular(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	return os.Open(file)
}

// Twin is the name that a file of another checkout of the same repository has in the
// workspace: the lists govern it there, too. It is "" for all other files.
func (w *Workspace) Twin(p Path) string {
	if w.repository.common == "" {
		return ""
	}
	other, ok := repositoryAbove(filepath.Dir(p.full))
	if !ok ||
		other.top == w.repository.top ||
		other.common != w.repository.common {
		return ""
	}

	inCheckout, err := filepath.Rel(w.repository.top, w.path)
	if err != nil {
		return ""
	}

	name, inside := below(filepath.Join(other.top, inCheckout), p.full)
	if !inside {
		return ""
	}

	return name
}

// WalkTwin visits what is in a folder of another checkout, by the names that the files have
// in the workspace, at most limit of them.
func (w *Workspace) WalkTwin(p Path, limit int, visit func(name string)) error {
	root, err := os.OpenRoot(p.full)
	if err != nil {
		return reduce(err)
	}
	defer root.Close()

	twin := w.Twin(p)
	n := 0
	return fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return reduce(err)
		}
		if n++; n > limit {
			return ErrManyFiles
		}
		visit(path.Join(twin, name))

		return nil
	})
}

// MainCheckout is the folder in which a repository was cloned, for a folder in another
// checkout of it; "" for every other folder.
func MainCheckout(folder string) string {
	found, ok := repositoryAbove(folder)
	if !ok || filepath.Base(found.common) != ".git" {
		return ""
	}
	if main := filepath.Dir(found.common); main != found.top {
		return main
	}
	return ""
}

// inGitDirectory reports whether a file is, or would be, in a folder that git takes for the
// inside of a repository, whatever its name is: git obeys the settings there.
func inGitDirectory(full string) bool {
	below := full
	for at := filepath.Dir(full); at != below; below, at = at, filepath.Dir(at) {
		if isGitDirectory(at, filepath.Base(below)) {
			return true
		}
	}
	return false
}

// isGitDirectory reports whether a folder is a git directory once a file of this name is in
// it.
func isGitDirectory(folder, fresh string) bool {
	has := func(name string) bool {
		if name == fresh {
			return true
		}
		_, err := os.Lstat(filepath.Join(folder, name))
		return err == nil
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// hooksFolder is the folder of hooks that the repository is set up with, from the root of
// the workspace; "" if it is git's own or none in the workspace.
func (w *Workspace) hooksFolder() string {
	if w.repository.common == "" {
		return ""
	}
	f, err := openRegular(filepath.Join(w.repository.common, "config"))
	if err != nil {
		return ""
	}
	defer f.Close()

	set := coreSetting(io.LimitReader(f, maxGitFile), "hookspath")
	if set == "" {
		return ""
	}

	inside, ok := below(w.path, real(from(w.repository.top, set)))
	if !ok || inside == "." {
		return ""
	}

	return inside
}

// coreSetting is the last value of a setting in the section core of a configuration of git.
// The name is in lower case.
func coreSetting(config io.Reader, name string) string {
	value, core := "", false
	for lines := bufio.NewScanner(config); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section, rest, _ := strings.Cut(strings.TrimPrefix(line, "["), "]")
			core = strings.EqualFold(strings.TrimSpace(section), "core")
			line = strings.TrimSpace(rest)
		}

		key, set, _ := strings.Cut(line, "=")
		if core && strings.EqualFold(strings.TrimSpace(key), name) {
			value = strings.Trim(strings.TrimSpace(set), `"`)
		}
	}

	return value
}

// Absolute is a folder on the machine; one that is not absolute counts from the root.
func (w *Workspace) Absolute(dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(w.path, dir)
}

// Top is the folder of the checkout that a folder of the machine is in, "" if it is in none.
func (w *Workspace) Top(folder string) string {
	found, ok := repositoryAbove(folder)
	if !ok {
		return ""
	}
	return found.top
}
