package references

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// seeds are the documents of the fixtures.
func seeds(f *testing.F, add func(string)) {
	f.Helper()
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n-- ") {
			add(part)
		}
	}
}

// sound fails if a result is not in the document.
func sound(t *testing.T, text string, result Result) {
	t.Helper()
	lines := strings.Count(text, "\n") + 1
	for _, dead := range result.Dead {
		if dead.Line < 1 || dead.Line > lines || dead.Target == "" || dead.Why == "" {
			t.Errorf("%+v in %d lines", dead, lines)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	seeds(f, func(text string) { f.Add(text) })
	f.Add("[a][b]\n[b]:\n<c>\n```sh\n$ cd <x>\n```\n<a href=\n'x'>")
	f.Fuzz(func(t *testing.T, text string) {
		files := small(text)
		result, err := Check(context.Background(), Of(files), []string{"README.md"})
		if err != nil {
			t.Fatal(err)
		}
		sound(t, text, result)
	})
}

func FuzzContainerFile(f *testing.F) {
	seeds(f, func(text string) { f.Add(text, "a\n!b\n*") })
	f.Add("COPY [\"a\",\nADD <<X y\nX\nCOPY a* \\\n#\nb c", "[")
	f.Fuzz(func(t *testing.T, text, ignored string) {
		files := fstest.MapFS{
			"Dockerfile":    {Data: []byte(text)},
			".dockerignore": {Data: []byte(ignored)},
			".gitignore":    {Data: []byte(ignored)},
			"Makefile":      {Data: []byte(text)},
			"justfile":      {Data: []byte(text)},
			"Taskfile.yml":  {Data: []byte(text)},
			"package.json":  {Data: []byte(text)},
			"README.md":     {Data: []byte("`make a` `just b` `task c` `npm run d`")},
		}
		result, err := Check(context.Background(), Of(files), []string{"README.md"})
		if err != nil {
			t.Fatal(err)
		}
		sound(t, text, Result{Dead: result.Dead[:0:0]})
		for _, dead := range result.Dead {
			if dead.Line < 1 {
				t.Errorf("%+v", dead)
			}
		}
	})
}

// large is a project of many files, and the names of its documents.
func large(files int) (fstest.MapFS, []string) {
	tree := fstest.MapFS{
		".gitignore":   {Data: []byte("dist/\n*.log\n/tmp\nnode_modules\n.env*\n!.env.example\n")},
		"package.json": {Data: []byte(`{"scripts":{"build":"x"}}`)},
	}
	var docs []string
	for i := range files {
		folder := fmt.Sprintf("packages/p%d/src/part%d", i/200, i%200/20)
		if i%100 != 0 {
			tree[fmt.Sprintf("%s/file%d.ts", folder, i)] = &fstest.MapFile{}
			continue
		}

		name := folder + "/README.md"
		text := strings.Repeat(fmt.Sprintf("See [it](file%d.ts), `file%d.ts` and `src/gone.ts`.\n\n```sh\nnpm run build\nnpm run gone\n```\n\n", i+1, i+2), 10)
		tree[name] = &fstest.MapFile{Data: []byte(text)}
		docs = append(docs, name)
	}
	return tree, docs
}

func BenchmarkTwentyThousandFiles(b *testing.B) {
	dir := b.TempDir()
	files, docs := large(20_000)
	if err := os.CopyFS(dir, files); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		result, err := Check(context.Background(), Of(os.DirFS(dir)), docs)
		if err != nil || result.Checked == 0 {
			b.Fatal(result.Checked, err)
		}
	}
}

func TestACheckIsEnded(t *testing.T) {
	files, docs := large(2_000)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, Of(files), docs); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLargeProjectsAreReadInTime(t *testing.T) {
	small := min(timeOf(t, 500), timeOf(t, 500), timeOf(t, 500))
	took := timeOf(t, 5_000)
	if limit := max(40*small, 10*time.Second); took > limit {
		t.Errorf("5,000 files took %s and 500 files %s: more than 40 times as long", took, small)
	}
}

// timeOf returns how long a project of so many files takes.
func timeOf(t *testing.T, size int) time.Duration {
	t.Helper()
	files, docs := large(size)
	began := time.Now()
	result, err := Check(context.Background(), Of(files), docs)
	if err != nil || result.Checked == 0 {
		t.Fatal(result.Checked, err)
	}
	return time.Since(began)
}
