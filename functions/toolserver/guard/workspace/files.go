package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Errors of files. Their texts name no folder above the workspace.
var (
	ErrOutside    = errors.New("the path leads out of the workspace")
	ErrNotRegular = errors.New("this is no regular file")
	ErrTooLarge   = errors.New("the file is too large")
	ErrBadName    = errors.New("a path has 1 to 4096 bytes, without NUL and without backslash")
)

const (
	maxName  = 4096 // bytes
	maxLinks = 40   // as in the kernel
)

// Open opens a regular file for reading. It never waits: a pipe is opened without
// blocking and refused.
func (w *Workspace) Open(name string) (*os.File, error) {
	f, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reduce(err)
	}

	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, errors.Join(reduce(err), f.Close())
	}
	return f, nil
}

// ReadFile reads a regular file of at most limit bytes.
func (w *Workspace) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(text)) > limit {
		return nil, ErrTooLarge
	}
	return text, reduce(err)
}

// reduce takes the path out of an error: it may be absolute.
func reduce(err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	if strings.Contains(p.Err.Error(), "escapes") {
		return ErrOutside
	}
	return p.Err
}

// WriteFile replaces a file as a whole, durably, with the permissions 0600 unless it
// was there before. Folders above it are made.
func (w *Workspace) WriteFile(name string, text []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := w.root.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return ErrNotRegular
		}
		mode = info.Mode().Perm()
	}

	if err := w.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return reduce(err)
	}
	fresh := name + "." + rand.Text() + ".new" // a name that does not exist yet, not even as a link
	f, err := w.root.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return reduce(err)
	}

	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = w.root.Rename(fresh, name)
	}
	if err != nil {
		return errors.Join(reduce(err), reduce(w.root.Remove(fresh)))
	}

	return nil
}

// OpenState opens a file of the service's own state for reading and writing, and
// makes its folder.
func (w *Workspace) OpenState(name string, flag int, mode fs.FileMode) (*os.File, error) {
	if err := w.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return nil, reduce(err)
	}
	f, err := w.root.OpenFile(name, flag, mode)
	return f, reduce(err)
}

// Files is the tree for reading; nothing in it leads out.
func (w *Workspace) Files() fs.FS {
	return w.root.FS()
}

// Rename gives a file another name.
func (w *Workspace) Rename(old, name string) error {
	return reduce(w.root.Rename(old, name))
}

// Remove removes a file.
func (w *Workspace) Remove(name string) error {
	return reduce(w.root.Remove(name))
}

// Path is a name of a file as somebody gave it, and what it really is.
type Path struct {
	Name string      // from the root, clean; "" if it is outside
	Real string      // where links lead to; "" if that is outside
	Info fs.FileInfo // of the real file, nil if there is none

	full string // the real path on the machine; never told to anybody
}

// Linked reports whether the file has further names on the disk.
func (p Path) Linked() bool {
	return p.Info != nil && p.Info.Mode().IsRegular() && links(p.Info) > 1
}

// Locate finds out what a name leads to, as the kernel would. Relative names begin
// at dir, an absolute folder or one from the root. Nothing is opened: names are
// looked up and links are read.
func (w *Workspace) Locate(dir, name string) (Path, error) {
	if name == "" ||
		len(name) > maxName ||
		strings.ContainsAny(name, "\x00\\") {
		return Path{}, ErrBadName
	}

	full := name
	if !filepath.IsAbs(name) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(w.path, dir)
		}
		full = dir + "/" + name // not cleaned: .. after a link means the folder of its target
	}

	real, err := follow(full)
	if err != nil {
		return Path{}, err
	}

	p := Path{
		Name: w.relative(filepath.Clean(full)),
		Real: w.relative(real),
		full: real,
	}

	if info, err := os.Lstat(real); err == nil {
		p.Info = info
	}

	return p, nil
}

// Special reports whether there is something that is neither a file nor a folder nor a
// link: a pipe, a socket or a device.
func (p Path) Special() bool {
	return p.Info != nil &&
		p.Info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0
}

// IsBelow reports whether the workspace is in a folder, or is it. The name may be a pattern
// of the shell.
func (w *Workspace) IsBelow(dir, name string) bool {
	if !filepath.IsAbs(name) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(w.path, dir)
		}
		name = filepath.Join(dir, name)
	}

	folder := filepath.Clean(name)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}

	for at := w.path; ; at = filepath.Dir(at) {
		if same, _ := filepath.Match(folder, at); same || folder == at { // a bad pattern is a name
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// relative is a clean absolute path from the root, "" if it is outside.
func (w *Workspace) relative(full string) string {
	inside, ok := below(w.path, full)
	if !ok {
		return ""
	}
	return inside
}

// follow resolves all links of an absolute path. Elements that do not exist are kept.
func follow(full string) (string, error) {
	at := "/"
	rest := strings.Split(full, "/")
	for hops := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}

		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}

		if hops++; hops > maxLinks {
			return "", fmt.Errorf("the path has more than %d links", maxLinks)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", errors.New("a link of the path cannot be read")
		}
		if filepath.IsAbs(target) {
			at = "/"
		}

		rest = append(strings.Split(target, "/"), rest...)
	}

	return at, nil
}

// ErrManyFiles says that a walk was ended.
var ErrManyFiles = errors.New("the folder has more files than the workspace file allows to look at (limits.max_files)")

// Walk visits the files and folders below a folder, at most limit of them. A folder
// that cannot be read is an error: its content is then unknown.
func (w *Workspace) Walk(folder string, limit int, visit func(name string, entry fs.DirEntry) error) error {
	n := 0
	return fs.WalkDir(w.root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return reduce(err)
		}
		if n++; n > limit {
			return ErrManyFiles
		}
		return visit(name, entry)
	})
}
