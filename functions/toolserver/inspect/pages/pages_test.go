package pages_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/inspect/finding"
	"governance.internal/functions/toolserver/inspect/pages"
	"governance.internal/functions/toolserver/inspect/planted"
)

// now is when the sites of the tests are looked at.
var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func checkOf(w *guardtest.World) *pages.Check {
	return &pages.Check{
		Workspace: w.Workspace,
		Now:       func() time.Time { return now },
	}
}

// found are the findings in the form of the plants: the type, the file and the line. What is
// only worth knowing is left out.
func found(t *testing.T, w *guardtest.World) []string {
	t.Helper()
	report, err := checkOf(w).Run(t.Context(), pages.All, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Pages == 0 {
		t.Errorf("no page was read: %v", report.Skipped)
	}

	list := []string{}
	for _, f := range report.Findings {
		if f.Severity != finding.Info {
			list = append(list, fmt.Sprintf("%s %s:%d", f.Type, f.Path, f.Line))
		}
	}
	slices.Sort(list)
	return list
}

// wanted are the findings that a plant names by a text in their line.
func wanted(w *guardtest.World, p planted.Plant) []string {
	w.Helper()
	list := []string{}
	for _, each := range p.Want {
		kind, rest, _ := strings.Cut(each, " ")
		file := rest[:strings.Index(rest, planted.Ending(rest))+len(planted.Ending(rest))]
		text := strings.TrimPrefix(rest, file+" ")
		at := strings.Index(w.Read(file), text)
		if at < 0 {
			w.Fatalf("%s has no %q", file, text)
		}
		line := 1 + strings.Count(w.Read(file)[:at], "\n")
		list = append(list, fmt.Sprintf("%s %s:%d", kind, file, line))
	}
	slices.Sort(list)
	return list
}

// Each site is clean as it is. Each fault that is planted is found where it is, and nothing
// else is said. What only looks broken is not found.
func TestPlantedFaultsAreFoundAndNothingElse(t *testing.T) {
	sites, err := filepath.Glob("testdata/sites/*.txtar")
	if err != nil {
		t.Fatal(err)
	}

	faults, traps := 0, 0
	for _, site := range sites {
		files := planted.Files(t, site)
		name := strings.TrimSuffix(filepath.Base(site), ".txtar")
		t.Run(name, func(t *testing.T) {
			if list := found(t, guardtest.New(t, files)); len(list) > 0 {
				t.Errorf("the clean site: %q", list)
			}
		})

		base := strings.TrimSuffix(site, ".txtar")
		plants := planted.Read(t, base+".plants")
		tricks := planted.Read(t, base+".traps")
		faults += len(plants)
		traps += len(tricks)
		for _, p := range append(plants, tricks...) {
			t.Run(name+"/"+p.Title, func(t *testing.T) {
				w := guardtest.New(t, files)
				for _, step := range p.Steps {
					planted.Do(w, step)
				}
				if got, want := found(t, w), wanted(w, p); !slices.Equal(got, want) {
					t.Errorf("found %q, want %q", got, want)
				}
			})
		}
	}
	if faults < 100 || traps < 60 {
		t.Errorf("%d faults and %d traps, at least 100 and 60", faults, traps)
	}
}
