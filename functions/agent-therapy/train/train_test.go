package main

import (
	"governance.internal/functions/agent-therapy/meaning"
	"os"
	"path/filepath"
	"testing"
)

func TestPairsArePlanted(t *testing.T) {
	conflicting, ok := planted("+ tabs\na: Use tabs.\nb: Use spaces.\n", "# A\n\n%A%\n\n%B%\n")
	if !ok || len(conflicting.conflicts) != 1 || conflicting.body != "# A\n\n- Use tabs.\n\n- Use spaces.\n" {
		t.Errorf("%+v", conflicting)
	}
	harmless, ok := planted("- near\na: Use tabs.\nb: Tabs open in a new window.\n", "%A%\n%B%\n")
	if !ok || len(harmless.near) != 1 || len(harmless.conflicts) != 0 {
		t.Errorf("%+v", harmless)
	}
	if _, ok := planted("+ nested\naf: AGENTS.md\na: Use tabs.\nb: Use spaces.\n", "%A%\n%B%\n"); ok {
		t.Error("a pair in two files is planted into one")
	}
}

func TestExamplesHaveTheirLabels(t *testing.T) {
	one := text{
		body:      "# Rules\n\n- Squash commits on merge.\n- Never squash commits.\n- Squash bugs in the night.\n",
		conflicts: [][2]string{{"Never squash commits.", "Squash commits on merge."}},
	}

	conflicts, others := 0, 0
	for _, e := range examplesOf([]text{one}, tables{meaning.Embedded(), meaning.Embedded()}) {
		if e.isConflict() {
			conflicts++
		} else {
			others++
		}
	}
	if conflicts != 1 || others == 0 {
		t.Errorf("%d conflicts and %d other pairs, want 1 and more than 0", conflicts, others)
	}
}

func TestNothingIsLearnedFromWhatIsHeldBack(t *testing.T) {
	texts := []text{{set: "plain"}, {set: "exam"}, {set: "unseen"}}
	all := []example{{text: 0}, {text: 1}, {text: 2}, {text: 0}}
	if some := toLearn(texts, all); len(some) != 2 || some[0].text != 0 || some[1].text != 0 {
		t.Errorf("%+v", some)
	}
}

func TestTreesLearnWhatTellsConflicts(t *testing.T) {
	var rows []example
	for i := range 400 {
		e := example{which: -1}
		e.Likeness[0] = i % 7
		e.Likeness[1] = i % 5
		if i%7 > 3 && i%5 < 2 {
			e.which = 0
		}
		rows = append(rows, e)
	}

	grown := grow(rows)
	for _, e := range rows {
		if e.isConflict() != (grown.Score(e.Likeness[:]) > 0) {
			t.Fatalf("%v is judged wrongly", e.Likeness[:2])
		}
	}
	again := grow(rows)
	if again.Score(rows[0].Likeness[:]) != grown.Score(rows[0].Likeness[:]) {
		t.Error("the same examples give other trees")
	}
}

func TestCleanTextIsReadOnceAndInOrder(t *testing.T) {
	folder := t.TempDir()
	long := make([]byte, leastBytes)
	for i := range long {
		long[i] = 'a'
	}
	for _, name := range []string{"README.md", "COPY.md", "CHANGELOG.md", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), long, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	all, err := readClean(folder)
	if err != nil || len(all) != 1 || all[0].set != "clean" {
		t.Errorf("%d texts, %v; want one", len(all), err)
	}
}

func TestRarityIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rarity.txt")
	body := "- Merge the branch.\n- Merge the release.\n- Merge after review.\n- Name the branch.\n"
	if err := writeRarity(file, []text{{body: body}}); err != nil {
		t.Fatal(err)
	}

	raw, err := os.ReadFile(file)
	if err != nil || len(raw) == 0 {
		t.Errorf("%q, %v", raw, err)
	}
}

func TestTablesOfWordsAreRead(t *testing.T) {
	folder := t.TempDir()
	if _, err := readTables(folder); err == nil {
		t.Error("a folder without tables is read")
	}

	row := make([]byte, meaning.Dimensions)
	for _, name := range []string{"odd.vec", "even.vec"} {
		table := append([]byte(name[:3]+"\n\n"), row...)
		if err := os.WriteFile(filepath.Join(folder, name), table, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readTables(folder); err != nil {
		t.Error(err)
	}

	own, err := readTables("")
	if err != nil || own[0] != meaning.Embedded() || own[1] != meaning.Embedded() {
		t.Error("without a folder, the table is not the one in the program", err)
	}
}

func TestSentencesAreWrittenWithTheirPairs(t *testing.T) {
	s := sentencesOf(text{
		set:       "exam",
		body:      "# Rules\n\n- Use tabs.\n- Run the linter.\n- Indent with spaces.\n",
		conflicts: [][2]string{{"Indent with spaces.", "Use tabs."}},
		near:      [][2]string{{"Use tabs.", "Run the linter."}},
	})
	if !s.Held || s.Planted || len(s.Sentences) != 3 {
		t.Errorf("%+v", s)
	}
	if len(s.Conflicts) != 1 || s.Conflicts[0] != [2]int{0, 2} || len(s.Near) != 1 || s.Near[0] != [2]int{0, 1} {
		t.Errorf("conflicts %v, near %v", s.Conflicts, s.Near)
	}
}
