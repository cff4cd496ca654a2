package file_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"governance.internal/shared/audit/file"
)

// faultFS is a file system in memory that knows what was synced. Hooks make
// its operations fail.
type faultFS struct {
	mu    sync.Mutex
	files map[string]*faultData

	// hook, if set, is asked before each operation ("open", "write", "sync",
	// "truncate", "syncdir", "lock") on a file. For a write that fails, keep is how
	// many bytes are written all the same.
	hook func(op, name string) (keep int, err error)
}

type faultData struct {
	lock     sync.Mutex
	contents []byte
	durable  []byte
}

func newFaultFS() *faultFS { return &faultFS{files: map[string]*faultData{}} }

// crash returns the file system as it is after a crash that kept the given number
// of bytes of what was appended but not synced.
func (f *faultFS) crash(keep int) *faultFS {
	f.mu.Lock()
	defer f.mu.Unlock()
	after := newFaultFS()
	for name, d := range f.files {
		rest := d.durable
		if len(d.contents) > len(d.durable) {
			rest = d.contents[:min(len(d.durable)+keep, len(d.contents))]
		}
		after.files[name] = &faultData{contents: slices.Clone(rest), durable: slices.Clone(rest)}
	}
	return after
}

// names returns the files whose name contains part.
func (f *faultFS) names(part string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.files)), func(n string) bool { return !strings.Contains(n, part) })
}

func (f *faultFS) contents(name string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.files[name].contents)
}

// set makes a file with durable contents.
func (f *faultFS) set(name string, contents []byte) {
	f.files[name] = &faultData{contents: slices.Clone(contents), durable: slices.Clone(contents)}
}

func (f *faultFS) ask(op, name string) (int, error) {
	f.mu.Lock()
	hook := f.hook
	f.mu.Unlock()
	if hook == nil {
		return 0, nil
	}
	return hook(op, name)
}

func (f *faultFS) setHook(hook func(op, name string) (int, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = hook
}

func (f *faultFS) MkdirAll(string) error { return nil }

func (f *faultFS) SyncDir(dir string) error {
	_, err := f.ask("syncdir", dir)
	return err
}

func (f *faultFS) Open(name string, flag int) (file.File, error) {
	if _, err := f.ask("open", name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.files[name]
	switch {
	case ok && flag&os.O_EXCL != 0:
		return nil, fs.ErrExist
	case !ok && flag&os.O_CREATE == 0:
		return nil, fs.ErrNotExist
	case !ok:
		d = &faultData{}
		f.files[name] = d
	}
	return &faultFile{f, name, d}, nil
}

type faultFile struct {
	fs   *faultFS
	name string
	data *faultData
}

func (f *faultFile) ReadAt(p []byte, offset int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if offset > int64(len(f.data.contents)) {
		return 0, io.EOF
	}
	n := copy(p, f.data.contents[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *faultFile) Write(p []byte) (int, error) {
	keep, err := f.fs.ask("write", f.name)
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err != nil {
		p = p[:min(keep, len(p))]
	}
	f.data.contents = append(f.data.contents, p...)
	return len(p), err
}

func (f *faultFile) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.data.contents)), nil
}

func (f *faultFile) Truncate(size int64) error {
	if _, err := f.fs.ask("truncate", f.name); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.data.contents = f.data.contents[:size]
	return nil
}

func (f *faultFile) Sync() error {
	if _, err := f.fs.ask("sync", f.name); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.data.durable = slices.Clone(f.data.contents)
	return nil
}

func (f *faultFile) Moved() (bool, error) { return false, nil }

func (f *faultFile) Lock() error {
	_, err := f.fs.ask("lock", f.name)
	if err == nil {
		f.data.lock.Lock()
	}
	return err
}

func (f *faultFile) Unlock() error {
	f.data.lock.Unlock()
	return nil
}

func (f *faultFile) Close() error { return nil }

var errDead = errors.New("the process is dead")
