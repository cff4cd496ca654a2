package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/snapshot"
)

// odd are names that a careless script reads as something else.
var odd = []string{
	"a b.txt", "it's.txt", `"double".txt`, "new\nline.txt", "-rf", "--help", "$(touch x)", "`id`", "*.go", "back\\slash",
	"tab\tname", "ümlaut", " lead", "trail ", "deep/er/-x/y z", "semi;colon", "a&b", "#hash", "~", "[x]", "{a,b}", "%s%n", "\xff\xfe",
}

type world struct {
	*guardtest.World
	n int
}

func open(t *testing.T, files map[string]string) *world {
	t.Helper()
	return &world{World: guardtest.New(t, files)}
}

func (w *world) keeper() *snapshot.Keeper {
	return &snapshot.Keeper{
		Workspace: w.Workspace,
		Now:       w.Now,
		Random: func() string {
			w.n++
			return fmt.Sprintf("%06d", w.n)
		},
		Programs: func(name string) bool {
			_, err := exec.LookPath(name)
			return err == nil
		},
	}
}

func (w *world) take(o snapshot.Options) snapshot.Snapshot {
	w.Helper()
	s, err := w.keeper().Take(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// restore runs the script of a snapshot.
func (w *world) restore(s snapshot.Snapshot, args ...string) (string, error) {
	w.Helper()
	command := exec.Command("sh", append([]string{filepath.Join(w.Dir, s.Script)}, args...)...)
	command.Dir = w.TB.TempDir() // from anywhere
	out, err := command.CombinedOutput()
	return string(out), err
}

// tree is the state of the workspace without our own.
func (w *world) tree() map[string]string {
	w.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.Dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(w.Dir, name)
		if err != nil {
			return err
		}
		if inside == ".governance" {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}

		state := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			state += " -> " + target
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			state += " " + string(text)
		}
		all[inside] = state
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w *world) same(want map[string]string) {
	w.Helper()
	got := w.tree()
	for name, state := range want {
		if got[name] != state {
			w.Errorf("%q is %q, want %q", name, got[name], state)
		}
	}
}

func (w *world) path(name string) string { return filepath.Join(w.Dir, name) }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func project(t *testing.T) *world {
	t.Helper()
	w := open(t, map[string]string{
		"governance.yaml": "version: 1\nignore: [\"cache/**\"]\n",
		"go.mod":          "module x\n",
		"src/main.go":     "package main\n",
		"empty/":          "",
		"cache/big":       "not kept",
		".env":            "PASSWORD=x",
		".env.example":    "PASSWORD=",
	})
	for _, name := range odd {
		w.Write(name, "content of "+name)
	}
	w.must(os.Chmod(w.path("src/main.go"), 0o755))
	w.must(os.Symlink("src/main.go", w.path("link")))
	w.must(os.Symlink("nowhere at all", w.path("it's a link")))
	w.must(os.Chmod(w.path("deep/er"), 0o755))
	return w
}

// damages are what can go wrong with a workspace. Each must be undone as a whole.
var damages = map[string]func(w *world){
	"files are gone": func(w *world) {
		for _, name := range odd {
			w.must(os.RemoveAll(w.path(name)))
		}
	},
	"everything is gone": func(w *world) {
		entries, err := os.ReadDir(w.Dir)
		w.must(err)
		for _, e := range entries {
			if e.Name() != ".governance" && e.Name() != ".env" && e.Name() != "cache" {
				w.must(os.RemoveAll(w.path(e.Name())))
			}
		}
	},
	"files are overwritten": func(w *world) {
		for _, name := range odd {
			w.Write(name, "damaged")
		}
	},
	"a file is a folder": func(w *world) {
		w.must(os.Remove(w.path("go.mod")))
		w.Write("go.mod/inside", "kept aside")
	},
	"a folder is a file": func(w *world) {
		w.must(os.RemoveAll(w.path("deep")))
		w.Write("deep", "kept aside")
	},
	"a folder is a link": func(w *world) {
		w.must(os.RemoveAll(w.path("src")))
		w.must(os.Symlink(w.TB.TempDir(), w.path("src")))
	},
	"a file is a link to itself": func(w *world) {
		w.must(os.Remove(w.path("go.mod")))
		w.must(os.Symlink("go.mod", w.path("go.mod")))
	},
	"links lead elsewhere": func(w *world) {
		for _, name := range []string{"link", "it's a link"} {
			w.must(os.Remove(w.path(name)))
			w.must(os.Symlink("/etc/passwd", w.path(name)))
		}
	},
	"permissions changed": func(w *world) {
		w.must(os.Chmod(w.path("src/main.go"), 0o600))
		w.must(os.Chmod(w.path("-rf"), 0o666))
		w.must(os.Chmod(w.path("deep/er"), 0o700))
	},
	"a folder is closed": func(w *world) {
		w.Write("deep/er/-x/y z", "damaged")
		w.must(os.Chmod(w.path("deep/er"), 0o500))
	},
}

func TestARestoreUndoesEveryDamage(t *testing.T) {
	for _, archive := range []string{"snapshot.tar.zst", "snapshot.tar.gz"} {
		for name, damage := range damages {
			if archive == "snapshot.tar.gz" && name != "everything is gone" {
				continue
			}
			t.Run(archive+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := project(t)
				want := w.tree()
				s := w.take(snapshot.Options{Label: "before", Archive: archive})
				if !s.Complete {
					t.Errorf("not complete: %+v", s.Skipped)
				}

				damage(w)
				w.Write("untracked file", "mine")
				want["untracked file"] = "-rw------- mine"
				damaged := fmt.Sprint(w.tree())

				out, err := w.restore(s)
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if now := fmt.Sprint(w.tree()); now != damaged {
					t.Errorf("a dry run changed something:\n%s\n%s", damaged, now)
				}
				out, err = w.restore(s, "--apply")
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				w.same(want)

				if out, err := w.restore(s, "--apply"); err != nil || !strings.Contains(out, "0 files, folders and links were put back") {
					t.Errorf("a second restore: %v\n%s", err, out)
				}
			})
		}
	}
}

// What a restore replaces is moved aside and not lost.
func TestWhatStandsInTheWayIsKept(t *testing.T) {
	w := project(t)
	s := w.take(snapshot.Options{})
	w.Write("it's.txt", "my newer work")
	if out, err := w.restore(s, "--apply"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kept, err := filepath.Glob(w.path(".governance/snapshots/pre-restore-*/files/it's.txt"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q, %v", kept, err)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || string(text) != "my newer work" {
		t.Errorf("%q, %v", text, err)
	}
}

// Between the list and the restore somebody may change a file.
func TestARestoreRefusesWhatChangedSinceTheList(t *testing.T) {
	w := project(t)
	s := w.take(snapshot.Options{})
	w.Write("go.mod", "damaged\n")
	if out, err := w.restore(s); err != nil || !strings.Contains(out, "go.mod") {
		t.Fatalf("%v\n%s", err, out)
	}

	w.Write("go.mod", "work of another person\n")
	out, err := w.restore(s, "--apply")
	if err == nil || w.Read("go.mod") != "work of another person\n" {
		t.Errorf("it was overwritten: %v\n%s", err, out)
	}
	if out, err := w.restore(s, "--apply", "--force"); err != nil || w.Read("go.mod") != "module x\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestADamagedSnapshotChangesNothing(t *testing.T) {
	for _, name := range []string{"snapshot.tar.gz", "manifest.jsonl"} {
		w := project(t)
		s := w.take(snapshot.Options{Archive: "snapshot.tar.gz"})
		file := filepath.Join(s.Location, name)
		text := []byte(w.Read(file))
		text[len(text)/2] ^= 1
		w.Write(file, string(text))
		w.Write("go.mod", "damaged\n")

		out, err := w.restore(s, "--apply")
		if err == nil || !strings.Contains(out, "damaged") || w.Read("go.mod") != "damaged\n" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Secrets and what others can make again stay out, and the answer says so.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	w := project(t)
	s := w.take(snapshot.Options{})
	var skipped []string
	for _, each := range s.Skipped {
		skipped = append(skipped, each.Path)
	}
	if fmt.Sprint(skipped) != "[.env cache]" {
		t.Errorf("%q", skipped)
	}
	if text := w.Read(filepath.Join(s.Location, "manifest.jsonl")); strings.Contains(text, `".env"`) || !strings.Contains(text, `".env.example"`) {
		t.Errorf("%s", text)
	}
	all := w.take(snapshot.Options{Secrets: true})
	if !strings.Contains(w.Read(filepath.Join(all.Location, "manifest.jsonl")), `".env"`) {
		t.Error("include_secrets took no secret")
	}
	info, err := os.Stat(w.path(s.Location))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestASnapshotOfTheSameFilesIsTheOneThatIsThere(t *testing.T) {
	w := project(t)
	first := w.take(snapshot.Options{Reuse: true})
	w.Time = w.Time.Add(time.Minute)
	if again := w.take(snapshot.Options{Reuse: true}); again.ID != first.ID || !again.Reused {
		t.Errorf("%+v", again)
	}
	w.Write("go.mod", "module y\n")
	if next := w.take(snapshot.Options{Reuse: true}); next.ID == first.ID {
		t.Errorf("%+v", next)
	}
}

func TestOnlySomeSnapshotsAreKept(t *testing.T) {
	w := open(t, map[string]string{"governance.yaml": "version: 1\nsnapshot: {keep: 2}\n"})
	for i := range 4 {
		w.Write("a", strings.Repeat("x", i))
		w.Time = w.Time.Add(time.Second)
		w.take(snapshot.Options{})
	}
	entries, err := os.ReadDir(w.path(snapshot.Folder))
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A failure leaves nothing behind.
func TestAFailedSnapshotLeavesNothing(t *testing.T) {
	w := open(t, map[string]string{"governance.yaml": "version: 1\nsnapshot: {max_bytes: 10}\n", "a": "more than ten bytes"})
	var limit *snapshot.LimitError
	if _, err := w.keeper().Take(t.Context(), snapshot.Options{}); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}

	w = project(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.keeper().Take(ctx, snapshot.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	entries, err := os.ReadDir(w.path(snapshot.Folder))
	if err == nil && len(entries) > 0 {
		t.Errorf("%v stays", entries)
	}
}

// A file that grows all the time is named, and the snapshot says that it is not complete.
func TestARestlessFileIsNamed(t *testing.T) {
	w := open(t, map[string]string{"log": strings.Repeat("x", 4<<20), "still": "x"})
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(w.path("log"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = f.Write(bytes.Repeat([]byte("y"), 64)) // the disk has room
			}
		}
	}()

	s := w.take(snapshot.Options{})
	close(stop)
	<-done
	if s.Complete || len(s.Skipped) != 1 || s.Skipped[0].Path != "log" || s.Files != 1 {
		t.Errorf("%+v", s)
	}
}
