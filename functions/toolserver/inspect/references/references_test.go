package references

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// projects of testdata: NAME.txtar is a project without a fault, NAME.drift what is
// replaced in its files to plant some (FILE, WAS, IS), NAME.expected where each then is, and
// NAME.traps what looks like a fault in both and is none.
var projects = []string{"go-cli", "npm-web", "python-pkg", "monorepo", "docs-site"}

func fixture(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, each := range archive.Files {
		files[each.Name] = &fstest.MapFile{Data: each.Data}
	}
	return files
}

func lines(t *testing.T, name string) (list []string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		list = append(list, scanner.Text())
	}
	return list
}

// plant puts the faults of a fixture into its files.
func plant(t *testing.T, name string, files fstest.MapFS) {
	t.Helper()
	for _, line := range lines(t, name+".drift") {
		fields := strings.Split(strings.ReplaceAll(line, `\n`, "\n"), "\t")
		text := string(files[fields[0]].Data)
		if strings.Count(text, fields[1]) != 1 {
			t.Fatalf("%s: %q is not once in %s", name, fields[1], fields[0])
		}
		files[fields[0]].Data = []byte(strings.Replace(text, fields[1], fields[2], 1))
	}
}

// documents are all pages of Markdown in a tree.
func documents(t *testing.T, files fs.FS) (docs []string) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && isMarkdown(name) {
			docs = append(docs, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func check(t *testing.T, files fs.FS) Result {
	t.Helper()
	result, err := Check(context.Background(), Of(files), documents(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestProjectsWithoutAFaultAreSilent(t *testing.T) {
	for _, name := range projects {
		result := check(t, fixture(t, name))
		for _, dead := range result.Dead {
			t.Errorf("%s: %+v", name, dead)
		}
		if len(result.Unread) > 0 || result.Checked == 0 {
			t.Errorf("%s: %d checked, unread %v", name, result.Checked, result.Unread)
		}
	}
}

func TestPlantedFaultsAreFound(t *testing.T) {
	planted := 0
	for _, name := range projects {
		files := fixture(t, name)
		plant(t, name, files)
		var got []string
		for _, dead := range check(t, files).Dead {
			got = append(got, fmt.Sprintf("%s:%d %s %s", dead.Doc, dead.Line, dead.Kind, dead.Target))
		}

		want := lines(t, name+".expected")
		planted += len(want)
		for _, each := range want {
			if !slices.Contains(got, each) {
				t.Errorf("%s: missed %s", name, each)
			}
		}
		for _, each := range got {
			if !slices.Contains(want, each) {
				t.Errorf("%s: invented %s", name, each)
			}
		}
	}
	if planted < 60 {
		t.Errorf("only %d faults are planted", planted)
	}
}

func TestTrapsAreInTheProjects(t *testing.T) {
	traps := 0
	for _, name := range projects {
		files := fixture(t, name)
		plant(t, name, files)
		for _, line := range lines(t, name+".traps") {
			traps++
			doc, text, _ := strings.Cut(line, "\t")
			if !strings.Contains(string(files[doc].Data), text) {
				t.Logf("%s: a fault stands in the place of %q", name, text)
			}
		}
	}
	if traps < 80 {
		t.Errorf("only %d traps", traps)
	}
}
