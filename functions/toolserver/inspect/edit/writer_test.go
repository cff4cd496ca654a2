package edit

import (
	"errors"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
)

func writerOf(w *guardtest.World) *Writer {
	return &Writer{
		Workspace: w.Workspace,
		Gate:      w.Gate,
		Log:       w.Log,
		Now:       w.Now,
	}
}

// adding is the plan to add a text to an empty file.
func adding(name, text string, create bool) []File {
	return []File{{
		Path:   name,
		Edits:  []Edit{{Write: text}},
		Create: create,
	}}
}

func TestAFileIsMadeOnlyIfThePlanSaysSo(t *testing.T) {
	w := guardtest.New(t, nil)
	done, err := writerOf(w).Run(t.Context(), "test", "EDITED", false, adding("a/b.md", "x\n", false))
	if err != nil || done.Files[0].Status != Failed || done.Entry != "" {
		t.Errorf("%+v %v", done, err)
	}

	done, err = writerOf(w).Run(t.Context(), "test", "EDITED", true, adding("a/b.md", "x\n", true))
	if err != nil || done.Files[0].Status != WouldUpdate || done.Diff == "" {
		t.Errorf("%+v %v", done, err)
	}

	done, err = writerOf(w).Run(t.Context(), "test", "EDITED", false, adding("a/b.md", "x\n", true))
	if err != nil || done.Files[0].Status != Updated || done.Files[0].Backup != "" || w.Read("a/b.md") != "x\n" || len(w.Recorded("EDITED")) != 1 {
		t.Errorf("%+v %v", done, err)
	}
}

// A file that somebody else makes meanwhile is not overwritten.
func TestAFileThatIsThereNowIsNotOverwritten(t *testing.T) {
	w := guardtest.New(t, nil)
	writer := writerOf(w)
	plan := adding("new.md", "ours", true)
	c, ok := writer.prepare(t.Context(), "test", false, &plan[0])
	if !ok || !c.isNew {
		t.Fatalf("%+v", plan)
	}

	w.Write("new.md", "theirs")
	if err := writer.write(c, "stamp"); !errors.Is(err, errChanged) || w.Read("new.md") != "theirs" {
		t.Errorf("%v %q", err, w.Read("new.md"))
	}
}

func TestAGovernedFileIsNotMade(t *testing.T) {
	w := guardtest.New(t, map[string]string{"governance.yaml": guardtest.Governance})
	for _, name := range []string{"infra/prod/a.tf", "docs/adr/1.md"} {
		done, err := writerOf(w).Run(t.Context(), "test", "EDITED", false, adding(name, "x", true))
		if err != nil || done.Files[0].Status != Blocked || done.Files[0].Reason == "" {
			t.Errorf("%s: %+v %v", name, done, err)
		}
	}
}
