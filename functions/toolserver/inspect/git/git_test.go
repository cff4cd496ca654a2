package git_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/git"
)

// repository is a project under git, which the tests change with git itself.
type repository struct {
	*testing.T
	dir string
	*workspace.Workspace
}

func repositoryOf(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: make setup")
	}
	dir := t.TempDir()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return repository{t, dir, w}
}

func (r repository) git(args ...string) {
	r.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main", "-c", "gc.auto=0"}, args...)...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := c.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v %s", args, err, out)
	}
}

func (r repository) write(name, text string) {
	r.Helper()
	full := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// committed reads a file of the last commit.
func (r repository) committed(name string) (string, error) {
	r.Helper()
	opened, err := git.Open(r.Workspace)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	text, err := opened.File(name)
	return string(text), err
}

// A file reads as committed for every storage format of git.
func TestFilesAreAsInTheLastCommit(t *testing.T) {
	r := repositoryOf(t)
	r.git("init", "-q")
	if _, err := r.committed("a"); !errors.Is(err, git.ErrNoCommit) {
		t.Errorf("before the first commit: %v", err)
	}
	long := strings.Repeat("a line that is like many others\n", 4000)
	for i := range 12 { // versions of a file that differ little, so that git makes deltas
		r.write("dir/sub/long.txt", fmt.Sprintf("%sversion %d\n%s", long, i, long))
		r.write("é.txt", fmt.Sprint(i))
		r.git("add", "-A")
		r.git("commit", "-qm", "x")
	}
	check := func(how string) {
		t.Helper()
		for name, want := range map[string]string{"dir/sub/long.txt": fmt.Sprintf("%sversion 11\n%s", long, long), "é.txt": "11"} {
			if got, err := r.committed(name); err != nil || got != want {
				t.Errorf("%s, %s: %d bytes, want %d (%v)", how, name, len(got), len(want), err)
			}
		}
		for _, name := range []string{"none", "dir", "dir/none", "é.txt/x", "new.txt"} {
			if _, err := r.committed(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, %s: %v", how, name, err)
			}
		}
	}
	r.write("new.txt", "not committed")
	check("loose")
	r.git("gc", "-q", "--aggressive")
	check("packed with offsets")
	r.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
	check("packed with names")
	r.git("pack-refs", "--all")
	check("packed references")
	r.git("checkout", "-q", "--detach")
	check("detached")
}

func TestWhatCannotBeReadIsAnErrorAndNotAnAbsence(t *testing.T) {
	r := repositoryOf(t)
	if _, err := r.committed("a"); !errors.Is(err, git.ErrNone) {
		t.Errorf("without a repository: %v", err)
	}
	r.git("init", "-q")
	r.write("a", "x")
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
	objects, err := filepath.Glob(filepath.Join(r.dir, ".git/objects/??/*"))
	if err != nil || len(objects) != 3 {
		t.Fatalf("%v %v", objects, err)
	}
	for _, file := range objects {
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, damaged := range [][]byte{nil, []byte("x"), before[:len(before)/2], append([]byte{0}, before...)} {
			if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, damaged, 0o600)); err != nil {
				t.Fatal(err)
			}
			if text, err := r.committed("a"); err == nil || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), r.dir) {
				t.Errorf("a damaged object: %q %v", text, err)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if text, err := r.committed("a"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a missing object: %q %v", text, err)
		}
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := r.committed("a"); err != nil || text != "x" {
		t.Errorf("after the repair: %q %v", text, err)
	}
	for _, head := range []string{"", "x", "ref: ../../../etc/passwd", "ref: refs/../../x", strings.Repeat("a", 64)} {
		r.write(".git/HEAD", head)
		if text, err := r.committed("a"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("HEAD %q: %q %v", head, text, err)
		}
	}
}

// The history is followed back to what held at a time.
func TestTheCommitOfATimeIsFound(t *testing.T) {
	r := repositoryOf(t)
	r.git("init", "-q")
	for day := 1; day <= 3; day++ {
		r.write("a", fmt.Sprint("day ", day))
		r.git("add", ".")
		date := fmt.Sprintf("2026-11-%02dT12:00:00Z", day)
		t.Setenv("GIT_COMMITTER_DATE", date)
		t.Setenv("GIT_AUTHOR_DATE", date)
		r.git("commit", "-qm", "x\n\nparent of all\ncommitter x <y> 1 +0000")
	}
	for at, want := range map[string]string{
		"2026-11-09T00:00:00Z": "day 3", "2026-11-03T12:00:00Z": "day 3", "2026-11-03T11:59:59Z": "day 2", "2026-11-01T13:00:00Z": "day 1", "2020-01-01T00:00:00Z": "day 1",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		found, err := git.Open(r.Workspace)
		if err != nil {
			t.Fatal(err)
		}
		err = found.Back(when)
		text, fileErr := found.File("a")
		found.Close()
		if err != nil || fileErr != nil || string(text) != want {
			t.Errorf("%s: %q, want %q (%v, %v)", at, text, want, err, fileErr)
		}
	}
	shallow := repositoryOf(t)
	shallow.git("clone", "-q", "--depth", "2", "file://"+r.dir, ".")
	found, err := git.Open(shallow.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	err = found.Back(time.Unix(0, 0))
	if text, fileErr := found.File("a"); err != nil || fileErr != nil || string(text) != "day 2" {
		t.Errorf("a history that is cut off: %q (%v, %v)", text, err, fileErr)
	}
}

// A revision is found by every name that git has for it.
func TestTheCommitOfARevisionIsFound(t *testing.T) {
	r := repositoryOf(t)
	r.git("init", "-q")
	for i := 1; i <= 3; i++ {
		r.write("a", fmt.Sprint("text ", i))
		r.write(fmt.Sprintf("web/%d/index.html", i), "x")
		r.git("add", ".")
		r.git("commit", "-qm", fmt.Sprint(i))
		r.git("tag", "-m", "x", fmt.Sprintf("v%d", i))
		r.git("branch", fmt.Sprintf("topic/b%d", i))
		r.git("tag", fmt.Sprintf("light%d", i))
	}
	hashOf := func(name string) string {
		out, err := exec.Command("git", "-C", r.dir, "rev-parse", name+"^{commit}").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}

	check := func(how string) {
		t.Helper()
		first := hashOf("v1")
		for name, want := range map[string]string{
			"HEAD": "text 3", "@": "text 3", "main": "text 3", "v1": "text 1", "light2": "text 2", "topic/b1": "text 1",
			"refs/heads/topic/b2": "text 2", "heads/topic/b2": "text 2", "tags/v2": "text 2", first: "text 1", first[:10]: "text 1", strings.ToUpper(first[:7]): "text 1",
			"HEAD~1": "text 2", "HEAD~": "text 2", "v3^": "text 2", "v3^^": "text 1", "main~2": "text 1", "@~1^": "text 1",
		} {
			opened, err := git.Open(r.Workspace)
			if err != nil {
				t.Fatal(err)
			}
			err = opened.At(name)
			text, fileErr := opened.File("a")
			if err != nil || fileErr != nil || string(text) != want {
				t.Errorf("%s, %s: %q, want %q (%v, %v)", how, name, text, want, err, fileErr)
			}
			opened.Close()
		}
		for _, name := range []string{"", "none", "v9", "HEAD~9", "deadbeef", "../x", "refs/../HEAD", "topic", "abc", "HEAD~999999999999999999999", "-v", "a b", "refs/heads"} {
			opened, err := git.Open(r.Workspace)
			if err != nil {
				t.Fatal(err)
			}
			if err := opened.At(name); !errors.Is(err, git.ErrNoRevision) {
				t.Errorf("%s, %q: %v", how, name, err)
			}
			opened.Close()
		}
	}
	check("loose")
	r.git("gc", "-q")
	r.git("pack-refs", "--all")
	check("packed")

	opened, err := git.Open(r.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if err := opened.At("v2"); err != nil {
		t.Fatal(err)
	}
	files, err := opened.Files("web")
	if err != nil || fmt.Sprint(files) != "[web/1/index.html web/2/index.html]" {
		t.Errorf("%q %v", files, err)
	}
	if files, err = opened.Files("."); err != nil || len(files) != 3 {
		t.Errorf("%q %v", files, err)
	}
	if _, err := opened.Files("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if made, err := opened.Made(); err != nil || time.Since(made) > time.Hour {
		t.Error(made, err)
	}
}

// Two commits are compared by their trees: changed, added, removed and replaced files, and nothing else.
func TestTwoCommitsAreComparedByTheirFiles(t *testing.T) {
	r := repositoryOf(t)
	r.git("init", "-q")
	r.write("same/deep/a.txt", "a")
	r.write("changed.txt", "one")
	r.write("gone/b.txt", "b")
	r.write("thing", "a file")
	r.git("add", "-A")
	r.git("commit", "-qm", "First")
	r.git("tag", "first")

	r.git("rm", "-rq", "gone", "thing")
	r.write("changed.txt", "two")
	r.write("new/c.txt", "c")
	r.write("thing/inside.txt", "now a folder")
	r.git("add", "-A")
	r.git("commit", "-qm", "Second")
	r.git("checkout", "-q", "-b", "other", "first")

	opened, err := git.Open(r.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	want := []string{"changed.txt", "gone/b.txt", "new/c.txt", "thing", "thing/inside.txt"}
	for _, pair := range [][2]string{{"", "main"}, {"main", "first"}, {"first", "main~0"}} {
		got, err := opened.Between(pair[0], pair[1])
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %v, %v", pair, got, err)
		}
	}

	if got, err := opened.Between("", "other"); err != nil || len(got) > 0 {
		t.Errorf("one commit with itself: %v, %v", got, err)
	}
	if _, err := opened.Between("", "nothing"); !errors.Is(err, git.ErrNoRevision) {
		t.Errorf("a name that means no commit: %v", err)
	}
	if opened.Commit() == "" {
		t.Error("the commit that is looked at is lost")
	}
}
