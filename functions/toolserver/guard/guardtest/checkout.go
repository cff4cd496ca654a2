package guardtest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Checkout is [New] with a git repository, made of an archive of files. A name that begins with @
// makes something else of its file:
//
//	@branch/NAME/FILE     a file as it is in a branch; the branch old is the first commit of main
//	@stash/FILE           a file as it is in the stash
//	@dirty/FILE           a change that is not committed
//	@untracked/FILE       a file that git does not know
//	@tar/ARCHIVE/FILE     a file in a tar archive, whose name has one slash; @zip is the same
//	@link                 lines of a name and where it leads to
//
// A file that begins with #! may be run.
func Checkout(t testing.TB, archive string) *World {
	t.Helper()
	text, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}

	c := &checkout{
		World: &World{TB: t, Dir: t.TempDir()},
		kinds: map[string][]txtar.File{},
	}
	for _, file := range txtar.Parse(text).Files {
		kind, name := "", file.Name
		if rest, special := strings.CutPrefix(name, "@"); special {
			kind, name, _ = strings.Cut(rest, "/")
		}
		c.kinds[kind] = append(c.kinds[kind], txtar.File{Name: name, Data: file.Data})
	}

	c.commitAll()
	return open(t, c.Dir)
}

// checkout is a repository that is being made.
type checkout struct {
	*World
	kinds map[string][]txtar.File
}

func (c *checkout) commitAll() {
	c.Helper()
	c.files(c.kinds[""])
	c.links()
	c.archives("tar", packTar)
	c.archives("zip", packZip)

	c.git("init", "-q", "-b", "main")
	c.git("config", "user.name", "Tester")
	c.git("config", "user.email", "tester@example.com")
	c.files(c.branch("old"))
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "First")
	c.git("branch", "old")
	c.files(c.kinds[""])
	c.git("commit", "-q", "-a", "-m", "Second")

	for _, name := range c.branches() {
		c.git("checkout", "-q", "-b", name, "main")
		c.files(c.branch(name))
		c.git("add", "-A")
		c.git("commit", "-q", "-m", "Work on "+name)
	}

	c.git("checkout", "-q", "main")
	c.files(c.kinds["stash"])
	c.git("stash", "-q")
	c.files(c.kinds["dirty"])
	c.files(c.kinds["untracked"])
}

// branches are the names of all branches besides old.
func (c *checkout) branches() []string {
	var names []string
	for _, file := range c.kinds["branch"] {
		name, _, _ := strings.Cut(file.Name, "/")
		if name != "old" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// branch are the files of one branch.
func (c *checkout) branch(name string) []txtar.File {
	var files []txtar.File
	for _, file := range c.kinds["branch"] {
		if rest, ok := strings.CutPrefix(file.Name, name+"/"); ok {
			files = append(files, txtar.File{Name: rest, Data: file.Data})
		}
	}
	return files
}

func (c *checkout) files(files []txtar.File) {
	c.Helper()
	for _, file := range files {
		c.Write(file.Name, string(file.Data))
		mode := os.FileMode(0o644)
		if bytes.HasPrefix(file.Data, []byte("#!")) {
			mode = 0o755
		}
		if err := os.Chmod(filepath.Join(c.Dir, file.Name), mode); err != nil {
			c.Fatal(err)
		}
	}
}

func (c *checkout) links() {
	c.Helper()
	for _, file := range c.kinds["link"] {
		for line := range strings.Lines(string(file.Data)) {
			name, target, _ := strings.Cut(strings.TrimSpace(line), " ")
			full := filepath.Join(c.Dir, name)
			if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
				c.Fatal(err)
			}
			if err := os.Symlink(target, full); err != nil {
				c.Fatal(err)
			}
		}
	}
}

// archives packs the files of each archive.
func (c *checkout) archives(kind string, pack func([]txtar.File) ([]byte, error)) {
	c.Helper()
	inside := map[string][]txtar.File{}
	for _, file := range c.kinds[kind] {
		parts := strings.SplitN(file.Name, "/", 3)
		name := path.Join(parts[0], parts[1])
		inside[name] = append(inside[name], txtar.File{Name: parts[2], Data: file.Data})
	}

	for name, files := range inside {
		packed, err := pack(files)
		if err != nil {
			c.Fatal(err)
		}
		c.Write(name, string(packed))
	}
}

func packTar(files []txtar.File) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, file := range files {
		header := &tar.Header{
			Name: file.Name,
			Mode: 0o644,
			Size: int64(len(file.Data)),
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return packed.Bytes(), err
}

func packZip(files []txtar.File) ([]byte, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, file := range files {
		part, err := w.Create(file.Name)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(file.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return packed.Bytes(), err
}

// git runs git without any setting from outside.
func (c *checkout) git(args ...string) {
	c.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.Dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + c.Dir,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		c.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
