// Package planted makes projects for tests from archives, and plants faults in them: an
// archive (txtar) holds the project as it should be, and a file beside it what is changed and
// what must be found then.
package planted

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"governance.internal/functions/toolserver/guard/guardtest"
)

// Plant is one change of a project, and what must be found then. Without anything to find it
// is a change that only looks wrong.
type Plant struct {
	Title string
	Steps []string
	Want  []string
}

// Read reads plants: a title after #, the steps, and what must be found after find.
func Read(t testing.TB, file string) []Plant {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var list []Plant
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "# "); ok {
			list = append(list, Plant{Title: title})
			continue
		}
		last := &list[len(list)-1]
		if want, ok := strings.CutPrefix(line, "find "); ok {
			last.Want = append(last.Want, want)
			continue
		}
		last.Steps = append(last.Steps, line)
	}
	return list
}

// Files are the files of an archive.
func Files(t testing.TB, file string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// Do carries out a step: "delete FILE", "write FILE: TEXT", or "FILE: OLD -> NEW", which
// replaces the first place of a text. In OLD and NEW, \n stands for the end of a line.
func Do(w *guardtest.World, step string) {
	w.Helper()
	verb, rest, _ := strings.Cut(step, " ")
	switch verb {
	case "delete":
		remove(w, rest)
	case "write":
		name, text, _ := strings.Cut(rest, ": ")
		w.Write(name, text+"\n")
	default:
		change(w, step)
	}
}

// remove removes a file, and the folders that it leaves empty.
func remove(w *guardtest.World, name string) {
	w.Helper()
	if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
		w.Fatal(err)
	}
	for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
		if os.Remove(filepath.Join(w.Dir, folder)) != nil { // it is not empty
			return
		}
	}
}

func change(w *guardtest.World, step string) {
	w.Helper()
	name, change, ok := strings.Cut(step, ": ")
	before, after, ok2 := strings.Cut(change, " -> ")
	if !ok || !ok2 {
		w.Fatalf("cannot read %q", step)
	}

	lines := strings.NewReplacer(`\n`, "\n")
	before, after = lines.Replace(before), lines.Replace(after)
	text := w.Read(name)
	if !strings.Contains(text, before) {
		w.Fatalf("%s has no %q", name, before)
	}
	w.Write(name, strings.Replace(text, before, after, 1))
}

var ending = regexp.MustCompile(`(\.[a-z]+|_redirects)( |$)`)

// Ending is the ending of the first name of a file in a text.
func Ending(text string) string {
	found := ending.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}
