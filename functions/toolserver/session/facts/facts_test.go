package facts

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/workspace"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const today = ".governance/facts/2026-11-21.jsonl"

// world is a workspace with a store whose guard and chain are the test's own.
type world struct {
	*testing.T
	dir      string
	store    *Store
	refused  map[string]error
	mu       sync.Mutex
	recorded []map[string]any
	failing  error // of the chain
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{
		T:       t,
		dir:     t.TempDir(),
		refused: map[string]error{},
	}
	for name, text := range files {
		w.write(name, text)
	}
	w.store = w.another()
	return w
}

// another is the store of another process in the same workspace.
func (w *world) another() *Store {
	w.Helper()
	opened, err := workspace.Open(w.dir)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = opened.Close() })

	return &Store{
		Workspace: opened,
		Now:       func() time.Time { return noon },
		Random:    rand.Reader,
		May: func(_ context.Context, name string) error {
			return w.refused[name]
		},
		Record: func(_ context.Context, _ string, detail map[string]any) (string, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.failing != nil {
				return "", w.failing
			}
			w.recorded = append(w.recorded, detail)
			return "entry", nil
		},
	}
}

func (w *world) write(name, text string) {
	w.Helper()
	full := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// read is the text of a file, "" if there is none.
func (w *world) read(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	return string(text)
}

func (w *world) keep(n Note) Kept {
	w.Helper()
	kept, err := w.store.Keep(w.Context(), n)
	if err != nil {
		w.Fatal(err)
	}
	return kept
}

// facts are those of the day, which must all be readable.
func (w *world) facts() []Fact {
	w.Helper()
	r, err := Since(w.store.Workspace, ".governance/facts", noon.AddDate(0, 0, -1))
	if err != nil || len(r.Damaged) > 0 {
		w.Fatalf("%+v %v", r.Damaged, err)
	}
	return r.Facts
}

func decision(title string) Note {
	return Note{
		SessionID: "s",
		Category:  Decision,
		Title:     title,
		Content:   "because " + title,
		Source:    "chat",
	}
}

func TestAFactIsInItsThreePlaces(t *testing.T) {
	w := newWorld(t, nil)
	note := decision("Use SQLite")
	note.Tags = []string{"storage", " "}
	kept := w.keep(note)

	if kept.Status != Persisted || kept.File != today || kept.Sink != "decisions/2026-11-21.md" || kept.Entry != "entry" {
		t.Errorf("%+v", kept)
	}
	list := w.facts()
	if len(list) != 1 || list[0].Title != "Use SQLite" || !list[0].Processed || list[0].Line != 1 || list[0].File != today || !slices.Equal(list[0].Tags, []string{"storage"}) {
		t.Errorf("%+v", list)
	}
	sink := w.read(kept.Sink)
	if !strings.Contains(sink, "## Use SQLite\n\n2026-11-21 12:00 UTC, from chat; tags: storage\n\n> because Use SQLite\n\n<!-- fact "+kept.Fact.ID) {
		t.Errorf("%q", sink)
	}
	if len(w.recorded) != 1 || w.recorded[0]["title"] != "Use SQLite" || w.recorded[0]["id"] != kept.Fact.ID || w.recorded[0]["content"] != nil {
		t.Errorf("%v", w.recorded)
	}
}

func TestTheSameOnTheSameDayIsKeptOnce(t *testing.T) {
	w := newWorld(t, nil)
	first := w.keep(decision("a"))
	again := w.keep(decision("a"))
	if again.Status != Duplicate || again.Fact.ID != first.Fact.ID || len(w.facts()) != 1 || len(w.recorded) != 1 {
		t.Errorf("%+v %d", again, len(w.recorded))
	}

	other := decision("a")
	other.Category = Confirmation
	differs := decision("a")
	differs.Content = "another reason"
	for _, n := range []Note{other, differs} {
		if kept := w.keep(n); kept.Status != Persisted {
			t.Errorf("%+v", kept)
		}
	}

	w.store.Now = func() time.Time { return noon.AddDate(0, 0, 1) }
	if kept := w.keep(decision("a")); kept.Status != Persisted {
		t.Errorf("the next day: %+v", kept)
	}
}

// Two stores of one workspace stand for two processes.
func TestConcurrentCallsLoseNothing(t *testing.T) {
	w := newWorld(t, nil)
	stores := []*Store{w.store, w.another()}
	const calls = 40

	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			note := decision("fact " + strings.Repeat("x", i/2)) // each twice
			if _, err := stores[i%2].Keep(t.Context(), note); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	if n := len(w.facts()); n != calls/2 {
		t.Errorf("%d facts of %d", n, calls/2)
	}
	if n := strings.Count(w.read("decisions/2026-11-21.md"), "<!-- fact "); n != calls/2 || len(w.recorded) != n {
		t.Errorf("%d in the sink, %d entries", n, len(w.recorded))
	}
}

// A fact whose writing ended at any place is completed by the next call, in all three
// places and once in each.
func TestACutShortFactIsCompleted(t *testing.T) {
	steps := []func(*Store, work) error{
		func(s *Store, k work) error { return s.addToSink(k.Sink, k.Fact) },
		func(s *Store, k work) error { return s.addToDay(k.File, k.Fact) },
		func(s *Store, k work) error { _, err := s.record(context.Background(), k, false); return err },
	}
	for done := range len(steps) + 1 {
		w := newWorld(t, nil)
		begun := w.begin("cut short")
		for _, step := range steps[:done] {
			if err := step(w.store, begun); err != nil {
				t.Fatal(err)
			}
		}

		w.keep(decision("the next"))
		w.complete(begun.Fact.ID, done == len(steps))
	}
}

// begin puts a fact into the journal, as a call does before it writes.
func (w *world) begin(title string) work {
	w.Helper()
	fact := decision(title).fact(w.store.Workspace.Hide)
	fact.ID, fact.Timestamp, fact.Processed = "01CUTSHORT", noon, true
	begun := work{
		Fact: fact,
		File: today,
		Sink: "decisions/2026-11-21.md",
	}

	j, err := openJournal(w.store.Workspace)
	if err != nil {
		w.Fatal(err)
	}
	if err := errors.Join(j.put(begun), j.Close()); err != nil {
		w.Fatal(err)
	}
	return begun
}

// complete checks that a fact is everywhere. A crash after the entry makes a second one,
// which says so.
func (w *world) complete(id string, again bool) {
	w.Helper()
	lines := 0
	for _, f := range w.facts() {
		if f.ID == id {
			lines++
		}
	}
	var entries []map[string]any
	for _, e := range w.recorded {
		if e["id"] == id {
			entries = append(entries, e)
		}
	}

	inSink := strings.Count(w.read("decisions/2026-11-21.md"), id)
	if lines != 1 || inSink != 1 || len(entries) == 0 {
		w.Errorf("%d lines, %d times in the sink, %d entries", lines, inSink, len(entries))
	}
	if last := entries[len(entries)-1]; last["completed_later"] != true || again != (len(entries) == 2) {
		w.Errorf("%v", entries)
	}

	w.keep(decision("one more"))
	for _, e := range w.recorded[len(w.recorded)-1:] {
		if e["id"] == id {
			w.Error("it was completed twice")
		}
	}
}

func TestALineThatWasCutShortDamagesNoOther(t *testing.T) {
	w := newWorld(t, map[string]string{today: `{"id":"x","times`})
	kept := w.keep(decision("a"))

	r, err := Since(w.store.Workspace, ".governance/facts", time.Time{})
	if err != nil || len(r.Facts) != 1 || r.Facts[0].ID != kept.Fact.ID || !slices.Equal(r.Damaged, []Place{{today, 1}}) {
		t.Errorf("%+v %v", r, err)
	}
}

// What the guard refuses leaves no trace: neither a fact nor half of one.
func TestARefusedFactIsKeptNowhere(t *testing.T) {
	w := newWorld(t, map[string]string{"governance.yaml": "session: {facts_dir: notes, sinks: {decision: docs/d.md}}\n"})
	for _, refused := range []string{"docs/d.md", "notes/2026-11-21.jsonl"} {
		w.refused = map[string]error{refused: errors.New("protected")}
		if _, err := w.store.Keep(t.Context(), decision("a")); err == nil || err.Error() != "protected" {
			t.Errorf("%s: %v", refused, err)
		}
	}
	if w.read("docs/d.md")+w.read("notes/2026-11-21.jsonl") != "" || len(w.recorded) > 0 {
		t.Error("something was written")
	}

	w.refused = nil
	if kept := w.keep(decision("a")); kept.Sink != "docs/d.md" || kept.File != "notes/2026-11-21.jsonl" {
		t.Errorf("%+v", kept)
	}
}

// A sink that cannot be written keeps the fact from being kept, and later facts not.
func TestASinkThatCannotBeWrittenIsSaid(t *testing.T) {
	for name, config := range map[string]string{
		"a folder":              "docs",
		"outside":               "../d.md",
		"absolute":              "/d.md",
		"a link that leads out": "out.md",
		"another placeholder":   "docs/{title}.md",
	} {
		w := newWorld(t, map[string]string{
			"docs/x":          "",
			"governance.yaml": "session: {sinks: {decision: \"" + config + "\"}}\n",
		})
		if err := os.Symlink("/etc/hosts", filepath.Join(w.dir, "out.md")); err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Keep(t.Context(), decision("a")); err == nil {
			t.Errorf("%s: no error", name)
		}
		if w.read(today) != "" || len(w.recorded) > 0 {
			t.Errorf("%s: the fact is half kept", name)
		}

		contact := decision("b")
		contact.Category = Contact
		if kept := w.keep(contact); kept.Sink != "contacts.md" || len(w.facts()) != 1 {
			t.Errorf("%s: %+v", name, kept)
		}
	}
}

// The chain takes the entry with the next call, and the answer says that it is missing.
func TestAnEntryThatCannotBeMadeIsMadeLater(t *testing.T) {
	w := newWorld(t, nil)
	w.failing = errors.New("the disk is full")
	if _, err := w.store.Keep(t.Context(), decision("a")); !errors.Is(err, ErrUnfinished) {
		t.Errorf("%v", err)
	}

	w.failing = nil
	again := w.keep(decision("a"))
	if again.Status != Duplicate || len(w.recorded) != 1 || w.recorded[0]["completed_later"] != true {
		t.Errorf("%+v %v", again, w.recorded)
	}
}

// If the sink is protected meanwhile, the fact is completed without it.
func TestAFactIsCompletedWithoutASinkThatIsRefusedNow(t *testing.T) {
	w := newWorld(t, nil)
	begun := w.begin("cut short")
	w.refused[begun.Sink] = errors.New("protected")

	other := decision("b")
	other.Category = Partner
	w.keep(other)

	list := w.facts()
	if len(list) != 2 || list[0].ID != begun.Fact.ID || list[0].Processed || w.read(begun.Sink) != "" {
		t.Errorf("%+v", list)
	}
}

func TestASinkKeepsItsOwnBytes(t *testing.T) {
	for before, joint := range map[string]string{
		"# Mine":                   "\n\n",
		"# Mine\n":                 "\n",
		"\uFEFF# Mine\r\ntext\r\n": "\r\n",
	} {
		w := newWorld(t, map[string]string{"decisions/2026-11-21.md": before})
		w.keep(decision("a"))
		after := w.read("decisions/2026-11-21.md")
		added, ok := strings.CutPrefix(after, before+joint+"## a")
		if !ok {
			t.Errorf("%q", after)
		}
		if strings.Contains(before, "\r") && strings.Count(added, "\n") != strings.Count(added, "\r\n") {
			t.Errorf("mixed ends of lines: %q", added)
		}
	}
}

// What a fact says is quoted: it begins no heading, and opens no comment.
func TestAFactIsNoPartOfTheSinkItself(t *testing.T) {
	w := newWorld(t, nil)
	note := decision("a\n## b <!-- x")
	note.Content = "# heading\r\n<!-- governance:begin -->\x1b[31m\u202e"
	kept := w.keep(note)

	text := w.read(kept.Sink)
	if strings.Count(text, "\n#") != 0 || strings.Count(text, "<!--") != 1 || strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "> # heading\n") {
		t.Errorf("%q", text)
	}
}

func TestSlugs(t *testing.T) {
	for title, want := range map[string]string{
		"Use SQLite!":             "use-sqlite",
		"Über  Größe":             "uber-gro-e",
		"../../etc/passwd":        "etc-passwd",
		"日本":                      "fact-b18ee72a2ebb",
		strings.Repeat("ab ", 50): strings.TrimSuffix(strings.Repeat("ab-", 27)[:80], "-"),
	} {
		got := slug(title)
		if title == "日本" {
			if !strings.HasPrefix(got, "fact-") || len(got) != 17 {
				t.Errorf("%q", got)
			}
			continue
		}
		if got != want || len(got) > maxSlug {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestNotesWithoutTextAreRefused(t *testing.T) {
	w := newWorld(t, nil)
	blank := decision("\u200b \x00")
	empty := decision("a")
	empty.Content = " \n"
	for want, n := range map[error]Note{ErrNoTitle: blank, ErrNoContent: empty} {
		if _, err := w.store.Keep(t.Context(), n); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

func TestOnlyTheDaysAskedForAreRead(t *testing.T) {
	line := func(id string, at time.Time) string {
		text, err := json.Marshal(Fact{ID: id, Timestamp: at, Category: Research, Title: id})
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	w := newWorld(t, map[string]string{
		".governance/facts/2026-11-18.jsonl": "damaged\n",
		".governance/facts/2026-11-20.jsonl": line("b", noon.Add(-30*time.Hour)) + "\n" + line("c", noon.Add(-20*time.Hour)) + "{}\n",
		today:                                line("d", noon),
		".governance/facts/notes.jsonl":      "mine\n",
		".governance/facts/2026-11-21.txt":   "mine\n",
	})
	r, err := Since(w.store.Workspace, ".governance/facts", noon.Add(-24*time.Hour))
	if err != nil || len(r.Facts) != 2 || r.Facts[0].ID != "c" || r.Facts[0].Line != 3 || r.Facts[1].ID != "d" || len(r.Damaged) != 1 || r.Damaged[0].Line != 4 {
		t.Errorf("%+v %v", r, err)
	}

	for _, folder := range []string{"../x", "/etc", "a/../../b"} {
		if _, err := Since(w.store.Workspace, folder, noon); err == nil || strings.Contains(err.Error(), w.dir) {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if r, err := Since(w.store.Workspace, "none", noon); err != nil || len(r.Facts) != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":"x","timestamp":"2026-11-21T12:00:00Z","category":"research","title":"t"}` + "\n{}\n\n\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, damaged := parse(text)
		lines := strings.Count(string(text), "\n") + 1
		if len(list)+len(damaged) > lines {
			t.Errorf("%d facts and %d damaged lines of %d", len(list), len(damaged), lines)
		}
		for _, fact := range list {
			if !fact.isWhole() || fact.Line < 1 || fact.Line > lines {
				t.Errorf("%+v", fact)
			}
		}
	})
}
